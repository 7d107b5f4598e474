/** Messages of BullMQ that have no code. test/integration/library-words.test.ts checks each against BullMQ itself. */

const STALLED = /stalled more than allowable limit/;
const LOCK_LOST = /could not renew lock|Missing lock/;

/** The workers of the job died or lost it more often than allowed. */
export function isStalledTooOften(message: string): boolean {
  return STALLED.test(message);
}

/** Another worker may have the job by now. */
export function isLockLost(message: string): boolean {
  return LOCK_LOST.test(message);
}
