/** Errors of Redis instead of the command: a caller that can wait should repeat the command. */
import { setTimeout as sleep } from 'node:timers/promises';
import { says, type Word } from './redis-words.js';

/** Redis is starting, failing over or disconnected. */
const TROUBLE: readonly Word[] = [
  ...([
    'loading',
    'readOnly',
    'busy',
    'masterDown',
    'clusterDown',
    'tryAgain',
    'fewReplicas',
    'noDisk',
    'full',
  ] as const),
  ...(['gaveUp', 'closed', 'redirected', 'unreachable', 'reset'] as const),
];
const MAX_BACK_OFF_MS = 5_000;

export function isRedisTrouble(error: unknown): boolean {
  return says(error, ...TROUBLE);
}

export function isRedisFull(error: unknown): boolean {
  return says(error, 'full');
}

/** Growing delays up to a limit, with jitter so that two clients that failed together differ. */
export function backOffMs(attempt: number, limitMs: number): number {
  const longest = Math.min(limitMs, 100 * 2 ** Math.min(attempt, 20));
  return longest * (0.5 + Math.random() / 2);
}

export interface Endurance {
  /** Whether the work is left to others, because this process ends. */
  isLeft(): boolean;
  /** Reported at every attempt, because an operator may have to act. */
  onFull?(error: Error): void;
}

/** Trouble with Redis is no fault of the work. The work is repeated until the trouble is over, without counting attempts. */
export async function throughTrouble<T>(work: () => Promise<T>, { isLeft, onFull }: Endurance): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRedisTrouble(error) || isLeft()) throw error;
      if (isRedisFull(error)) onFull?.(error as Error);
      await sleep(backOffMs(attempt, MAX_BACK_OFF_MS));
    }
  }
}
