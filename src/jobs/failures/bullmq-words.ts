/** Messages of BullMQ that have no code. test/integration/library-words.test.ts checks each against BullMQ itself. */

const STALLED = /stalled more than allowable limit/;
const LOCK_LOST =
  /could not renew lock|Missing lock for job|Lock mismatch for job|Missing key for job|is not in the active state/;

/** The workers of the job died or lost it more often than allowed. */
export function isStalledTooOften(message: string): boolean {
  return STALLED.test(message);
}

/** The job is not this worker's any more: another worker may have it, may have ended it, or it was removed. */
export function isLockLost(message: string): boolean {
  return LOCK_LOST.test(message);
}
