/**
 * Times a function row by row, over the same rows again and again. What counts is each row's best time and the speed of
 * the fastest round, because other work on the machine can only make a row or a round slower.
 */

export const PACE = {
  full: { warmMs: 60, rounds: 5, rows: 400, fewest: 12, shortestMs: 20, longestMs: 100 },
  short: { warmMs: 8, rounds: 2, rows: 100, fewest: 2, shortestMs: 3, longestMs: 10 },
};

/** Microseconds per row over `rows` different ones, and rows per second with all that happens between them. */
export function timeRows(run, pace) {
  const rows = chooseRows(warmUp(run, pace), pace);
  const bestMs = new Float64Array(rows).fill(Infinity);
  const started = performance.now();
  let rowsPerSecond = 0;
  for (let round = 0; round < pace.rounds && performance.now() - started < pace.rounds * pace.longestMs; round++) {
    rowsPerSecond = Math.max(rowsPerSecond, timeRound(run, bestMs, pace));
  }
  return { ...summarise(bestMs.map((ms) => 1000 * ms)), rows, rowsPerSecond };
}

/** Runs rows until the time is up; the mean milliseconds of the later half, when the code is compiled. */
function warmUp(run, { warmMs, rows }) {
  const started = performance.now();
  const ends = [];
  while (ends.length < 2 || performance.now() - started < warmMs) {
    run(ends.length % rows);
    ends.push(performance.now());
  }
  const half = ends.length >> 1;
  return (ends[ends.length - 1] - ends[half - 1]) / (ends.length - half);
}

/** So many that a round is not longer than it should be, and that its figures still mean something. */
const chooseRows = (meanMs, { rows, fewest, longestMs }) =>
  Math.min(rows, Math.max(fewest, Math.floor(longestMs / meanMs)));

/** Improves the best times of the rows and returns the round's rows per second. */
function timeRound(run, bestMs, { shortestMs }) {
  const started = performance.now();
  let done = 0;
  let elapsedMs = 0;
  while (elapsedMs < shortestMs) {
    for (let row = 0; row < bestMs.length; row++) {
      const start = performance.now();
      run(row);
      bestMs[row] = Math.min(bestMs[row], performance.now() - start);
    }
    done += bestMs.length;
    elapsedMs = performance.now() - started;
  }
  return (1000 * done) / elapsedMs;
}

export function summarise(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { median: at(0.5), p95: at(0.95), p99: at(0.99) };
}
