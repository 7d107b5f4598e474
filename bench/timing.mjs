/**
 * Times a function row by row. A round goes over the same rows until it has seen enough of them; of several rounds the
 * one with the lowest median counts, because other work on the machine can only make a round slower.
 */

export const PACE = {
  full: { warmMs: 100, rounds: 5, rows: 400, fewest: 20, shortestMs: 20, longestMs: 100 },
  short: { warmMs: 8, rounds: 2, rows: 100, fewest: 3, shortestMs: 2, longestMs: 10 },
};

/** Microseconds per row: `{ median, p99, mean, rows }`; `rows` is how many different ones were timed. */
export function timeRows(run, pace) {
  const rows = chooseRows(warmUp(run, pace), pace);
  const started = performance.now();
  let best = timeRound(run, rows, pace);
  for (let round = 1; round < pace.rounds && performance.now() - started < pace.rounds * pace.longestMs; round++) {
    const next = timeRound(run, rows, pace);
    if (next.median < best.median) best = next;
  }
  return best;
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

function timeRound(run, rows, { shortestMs }) {
  const times = [];
  const started = performance.now();
  do {
    for (let row = 0; row < rows; row++) {
      const start = performance.now();
      run(row);
      times.push(performance.now() - start);
    }
  } while (performance.now() - started < shortestMs);
  return { ...summarise(times.map((ms) => 1000 * ms)), rows };
}

export function summarise(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), mean };
}
