/** The file that piscina runs in every solver thread. */
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { prepare } from '../explain/plan.js';
import type { ChunkAnswer, ThreadTask } from './messages.js';
import { createTaskRunner } from './task-runner.js';

const run = createTaskRunner({ prepare, now: () => performance.now() });

export default async function answer(task: ThreadTask): Promise<unknown> {
  return transfer(await run(task));
}

/** The answer's bytes change hands instead of being copied. */
export function transfer(answer: ChunkAnswer): unknown {
  return move({ [transferableSymbol]: answer.bytes.buffer, [valueSymbol]: answer } as never);
}
