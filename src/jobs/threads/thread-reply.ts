/** A task runner as piscina wants it: the bytes of answers change hands instead of being copied, coded errors are data. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { ElsewiseError } from '../../documents/error.js';
import type { AnswerTo, ChunkTask, Task, ThreadData, ThreadReply, ThreadTask } from './messages.js';
import { PlanTrial } from './plan-trial.js';
import { admitSent, packStored } from './shared-documents.js';
import { createTaskRunner } from './task-runner.js';
import type { ThreadPlanOptions } from './thread-plans.js';

/** Those whose answer is small or shared. */
type SmallTask = Exclude<Task, ChunkTask>;
type SmallAnswers = {
  readonly [T in SmallTask as T['kind']]: (task: ThreadTask<T>) => AnswerTo<T> | Promise<AnswerTo<T>>;
};

export function answerTasks(options: Omit<ThreadPlanOptions, 'planBytes'>): (task: ThreadTask) => Promise<unknown> {
  const { planBytes } = workerData as ThreadData;
  const run = createTaskRunner({ ...options, planBytes });
  const trial = new PlanTrial(options);
  const small: SmallAnswers = {
    pack: packStored,
    admit: admitSent,
    try: (task) => trial.prepare(task),
    time: (task) => trial.time(task),
  };
  const isSmall = (task: Task): task is SmallTask => Object.hasOwn(small, task.kind);
  return async (task) => {
    try {
      if (isSmall(task)) return { answer: await small[task.kind](task as never) } satisfies ThreadReply;
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
