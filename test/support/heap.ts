/** The memory that is really in use, after everything unreachable is collected. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Waits for a turn of the loop first: what an awaited call still holds goes with it. */
export async function heapBytes(): Promise<number> {
  await new Promise(setImmediate);
  for (let i = 0; i < 4; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
