/** Ends pools while their threads are still loading, at moments all over the time that this takes, and says how many it ended. */
import { SolverPool } from '../../dist/jobs/threads/pool.js';

const ROUNDS = 20;

/** Until a thread has loaded everything and has answered. */
async function timeToStartMs() {
  const pool = new SolverPool({ threads: 2 });
  const since = performance.now();
  await pool.runDocument({ kind: 'admit', bytes: Buffer.from('no model'), maxDocumentMb: 1 }).catch(() => {});
  const time = performance.now() - since;
  await pool.close();
  return time;
}

await timeToStartMs(); // the first one also fills the file system's cache
const startMs = await timeToStartMs();
let ended = 0;
for (; ended < ROUNDS; ended++) {
  const pool = new SolverPool({ threads: 2 });
  await new Promise((resolve) => setTimeout(resolve, startMs * (0.7 + (0.2 * ended) / ROUNDS)));
  await pool.close();
}
console.log(ended);
