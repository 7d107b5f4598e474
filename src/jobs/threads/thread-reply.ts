/** A task runner in the form for piscina: the bytes of answers are transferred instead of copied. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { policyFaults } from '../../explain/checks/policy-faults.js';
import { populationOf } from '../../models/population.js';
import { checkOffers } from '../../receipts/check-offer.js';
import { openSide, pairResults } from '../comparison/side.js';
import { writeLetter } from '../letters.js';
import { BlockSink } from '../results/answer-sinks.js';
import { compareChunk } from '../verify/compare-chunk.js';
import type {
  AnswerTo,
  BlockTask,
  ChunkTask,
  PackedResults,
  ReadTask,
  Task,
  ThreadData,
  ThreadReply,
  ThreadTask,
} from './messages.js';
import { PlanTrial } from './plan-trial.js';
import { admitSent, graphsOf, packStored, readSharedModel } from './shared-documents.js';
import { createTaskRunner } from './task-runner.js';
import { answerSafely } from './thread-answer.js';
import { type ThreadPlanOptions, ThreadPlans } from './thread-plans.js';

/** Tasks whose answer is small or shared. */
type SmallTask = Exclude<Task, ChunkTask | ReadTask>;
type SmallAnswers = {
  readonly [T in SmallTask as T['kind']]: (task: ThreadTask<T>) => AnswerTo<T> | Promise<AnswerTo<T>>;
};

export function answerTasks(options: Omit<ThreadPlanOptions, 'planBytes'>): (task: ThreadTask) => Promise<unknown> {
  const { planBytes } = workerData as ThreadData;
  const plans = new ThreadPlans(planBytes);
  const run = createTaskRunner({ ...options, planBytes }, plans);
  const trial = new PlanTrial(options);
  const small: SmallAnswers = {
    pack: packStored,
    graphs: graphsOf,
    admit: admitSent,
    block: packResults,
    compare: (task) => compareChunk(task, plans, { ...options, planBytes }),
    offers: async (task) =>
      checkOffers(task.receipt, task.row, await plans.get(task).prepare({ ...options, planBytes })),
    population: ({ model, rows }) => populationOf(readSharedModel(model), rows),
    letter: ({ model, ...wish }) => ({ text: writeLetter(wish, readSharedModel(model)) }),
    check: ({ model, policy }) => policyFaults(policy, model && readSharedModel(model)),
    side: openSide,
    pair: pairResults,
    try: (task) => trial.prepare(task),
    time: (task) => trial.time(task),
  };
  const isSmall = (task: Task): task is SmallTask => Object.hasOwn(small, task.kind);
  return answerSafely(async (task) => {
    if (isSmall(task)) return { answer: await small[task.kind](task as never) } satisfies ThreadReply;
    const answer = await run(task as ThreadTask<ChunkTask>);
    return transfer({ answer }, answer.bytes.buffer);
  });
}

function packResults({ bytes, isAudited }: BlockTask): PackedResults {
  const sink = new BlockSink(isAudited);
  for (const line of Buffer.from(bytes).toString().split('\n')) if (line) sink.push(JSON.parse(line));
  return sink.finish() as PackedResults;
}

function transfer(reply: ThreadReply, buffer: ArrayBufferLike): unknown {
  return move({ [transferableSymbol]: buffer, [valueSymbol]: reply } as never);
}
