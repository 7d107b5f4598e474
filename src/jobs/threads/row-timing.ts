/**
 * How long a row takes when everything is warm, found out by solving some. Rows are solved over and over, since the first times
 * are those of code that is still being compiled; rows that take long are not waited for beyond the first that ends late.
 */

/** Solving goes on until then. */
const TIMING_MS = 150;
/** Where all rows take longer than that, those that were solved by then have to do. */
export const FIRST_ROUND_MS = 4 * TIMING_MS;

/** `solve` goes through the rows once, a step for each. The counter is that of a task: see messages.ts. */
export function timeRows(solve: () => Iterable<unknown>, progress: Int32Array, now: () => number): number {
  const startMs = now();
  let best = Number.POSITIVE_INFINITY;
  Atomics.store(progress, 0, 0);
  for (let nowMs = startMs; nowMs - startMs < TIMING_MS; ) {
    const roundMs = nowMs;
    let rows = 0;
    for (const _ of solve()) {
      rows++;
      Atomics.add(progress, 0, 1);
      nowMs = now();
      if (nowMs - startMs >= TIMING_MS && best < Number.POSITIVE_INFINITY) break;
      if (nowMs - startMs >= FIRST_ROUND_MS) break;
    }
    best = Math.min(best, (nowMs - roundMs) / rows);
  }
  return best;
}
