/**
 * The time of a row on warm code, measured by solving some rows. Rows are solved repeatedly, since the first runs include compilation. Slow
 * rows are not repeated: the measurement ends with the first row that ends after the time limit.
 */

/** Solving continues for this long. */
const TIMING_MS = 150;
/** If all rows take longer than this, the rows solved so far are used. */
export const FIRST_ROUND_MS = 4 * TIMING_MS;

/** `solve` visits the rows once, one step for each. The counter is that of a task: see messages.ts. */
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
