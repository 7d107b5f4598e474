/** Errors that say something of Redis and nothing of the command: whoever can wait should try the same again. */

/** Full, starting, failing over: the first word of the reply tells. */
const REPLIES = /^(OOM|LOADING|READONLY|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF) /;
const BREAKS = /MaxRetriesPerRequest|Connection is closed|Too many Cluster redirections|ECONN|ETIMEDOUT|EPIPE/;

export function isRedisTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return REPLIES.test(error.message) || BREAKS.test(`${error.name} ${error.message}`);
}

/** Ever longer up to a limit, and never the same for two who failed together. */
export function backOffMs(attempt: number, limitMs: number): number {
  const longest = Math.min(limitMs, 100 * 2 ** Math.min(attempt, 20));
  return longest * (0.5 + Math.random() / 2);
}
