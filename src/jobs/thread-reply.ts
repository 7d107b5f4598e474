/** A task runner as piscina wants it: the bytes of answers change hands instead of being copied, coded errors are data. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { ElsewiseError } from '../documents/error.js';
import type { ThreadData, ThreadReply, ThreadTask } from './messages.js';
import { admitSent, packStored } from './shared-documents.js';
import { createTaskRunner, type RunnerOptions } from './task-runner.js';

export function answerTasks(options: Omit<RunnerOptions, 'planBytes'>): (task: ThreadTask) => Promise<unknown> {
  const { planBytes } = workerData as ThreadData;
  const run = createTaskRunner({ ...options, planBytes });
  return async (task) => {
    try {
      if (task.kind === 'pack') return { answer: packStored(task) } satisfies ThreadReply;
      if (task.kind === 'admit') return { answer: await admitSent(task) } satisfies ThreadReply;
      const answer = await run(task);
      return transfer({ answer }, answer.bytes.buffer);
    } catch (error) {
      if (!(error instanceof ElsewiseError)) throw error;
      const { code, path } = error;
      const message = path ? error.message.slice(path.length + 2) : error.message;
      return { refusal: { code, message, path } } satisfies ThreadReply;
    }
  };
}

function transfer(reply: ThreadReply, buffer: ArrayBufferLike): unknown {
  return move({ [transferableSymbol]: buffer, [valueSymbol]: reply } as never);
}
