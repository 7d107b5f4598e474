/**
 * A solver thread's work: a chunk of records in, finished lines out. Whatever happens to one row, every row gets its line.
 * How a plan is prepared is an argument, so that tests can run threads that hang, die or run out of memory.
 */
import { threadId } from 'node:worker_threads';
import type { ResultDocument } from '../../documents/result-document.js';
import type { Plan, prepare } from '../../explain/plan.js';
import { loadPolicy } from '../../policy/policy.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { KEY_BYTES } from '../../store/known-rows/known-row-store.js';
import { BlockSink, LineSink } from '../results/answer-sinks.js';
import { KnownResultReader } from '../results/known-results.js';
import { createResultWriter } from '../results/result-lines.js';
import { countKnown, countPrediction, countResult, createTally, type Tally } from '../results/tally.js';
import type { ParsedRow } from '../rows/row.js';
import { createValueReader, writeKey } from '../rows/row-key.js';
import { createRowReader } from '../rows/row-reader.js';
import type { ChunkAnswer, ChunkTask, RowLoss, ThreadTask } from './messages.js';
import { estimatePlanBytes } from './plan-memory.js';
import { createPredictor } from './predict.js';
import { planBytes, readSharedJson, readSharedModel } from './shared-documents.js';
import { SizedLru } from './sized-lru.js';

export interface RunnerOptions {
  readonly prepare: typeof prepare;
  readonly now: () => number;
  /** Of prepared work that the thread keeps, by estimate: models and plans are costly to make. */
  readonly planBytes: number;
}

/** Of the bytes that the last chunk's rows needed; more than that is rarely needed, and too much costs little. */
const GENEROUS = 1.2;

/** What a thread does with rows of one plan. `R` is what a row comes to: a result, a prediction. */
interface Prepared<R = unknown> {
  readonly rows: ReturnType<typeof createRowReader>;
  /** Counts the row as well. */
  answer(row: ParsedRow, tally: Tally, loss?: RowLoss): R;
  /** The values of the row that was answered last, if its answer would be the same again: no limit of time had its say. */
  lasting(answer: R): Float64Array | undefined;
  line(answer: R): string;
}

export type TaskRunner = (task: ThreadTask<ChunkTask>) => Promise<ChunkAnswer>;

export function createTaskRunner(options: RunnerOptions): TaskRunner {
  const cache = new SizedLru<Prepared>(options.planBytes);
  let bytesPerRow = 0;
  const renew = async (task: ChunkTask, key: string) => {
    const prepared = await PREPARE[task.kind](task, options);
    cache.set(key, prepared, estimatePlanBytes(planBytes(task)));
    return prepared;
  };
  return async (task) => {
    const key = [task.kind, task.output, JSON.stringify(task.layout), task.planKey].join(' ');
    let prepared = cache.get(key) ?? (await renew(task, key));
    const tally = createTally();
    const sink = task.isPacked
      ? new BlockSink()
      : new LineSink(GENEROUS * bytesPerRow * task.rows, (answer) => prepared.line(answer));
    const keys = task.isKeyed ? new Uint8Array(KEY_BYTES * task.rows) : undefined;
    const known = new KnownResultReader(task.known);
    Atomics.store(task.progress, 0, 0);
    let at = 0;
    for (const row of prepared.rows(asBuffer(task.bytes), task.firstRow)) {
      const found = known.take(at, row);
      let answer: unknown = found;
      if (found) countKnown(tally, found);
      else {
        try {
          answer = prepared.answer(row, tally, task.loss);
          const values = keys && prepared.lasting(answer);
          if (values) writeKey(values, row.target, keys!, KEY_BYTES * at);
        } catch (error) {
          // A solver that threw may have left its memory in any state: this row is answered, the next gets a new plan.
          prepared = await renew(task, key);
          const loss = { code: 'failed', message: `the solver failed: ${(error as Error).message}` } as const;
          answer = prepared.answer(row, tally, loss);
        }
      }
      sink.push(answer);
      at = Atomics.add(task.progress, 0, 1) + 1;
    }
    const plans = { thread: threadId, plans: cache.size, bytes: cache.bytes, ...cache.counts };
    const finished = sink.finish();
    if (!task.isPacked) bytesPerRow = Math.ceil(finished.bytes.length / task.rows);
    return { ...finished, tally, keys, reused: known.taken, plans };
  };
}

const PREPARE = { explain: prepareExplain, predict: preparePredict, keys: prepareKeys } as const;

async function prepareExplain(task: ChunkTask, options: RunnerOptions): Promise<Prepared> {
  const model = readSharedModel(task.model);
  const policy = loadPolicy(readSharedJson(task.policy!));
  const plan = await options.prepare(model, policy, { now: options.now });
  const writer = createResultWriter(task.output, model, policy);
  const prepared: Prepared<ResultDocument> = {
    rows: createRowReader(task.layout, model),
    answer(row, tally, loss) {
      const result = explainRow(plan, row, loss);
      countResult(tally, result);
      return result;
    },
    lasting: ({ status, degraded }) =>
      degraded || status === 'not-found' || status === 'invalid' ? undefined : plan.values,
    line: (result) => writer.line(result),
  };
  return prepared as Prepared;
}

function explainRow(plan: Plan, row: ParsedRow, loss?: RowLoss): ResultDocument {
  if (row.fault) return plan.invalid(row.id, row.fault.path, row.fault.message);
  if (!loss) return plan.explainRecord(row.id, row.raw, row.target);
  const { code, message } = loss;
  return { ...plan.invalid(row.id, '', ''), status: 'not-found', reason: { code, message }, degraded: true };
}

async function preparePredict(task: ChunkTask): Promise<Prepared> {
  const model = readSharedModel(task.model);
  const predict = createPredictor(model);
  const name = model.task === 'regression' ? () => 'predicted' : String;
  return {
    rows: createRowReader(task.layout, model),
    answer(row, tally, loss) {
      const prediction = predict(loss ? { ...row, fault: { path: '', message: loss.message } } : row);
      countPrediction(tally, prediction.reason ? 'invalid' : name(prediction.prediction));
      return prediction;
    },
    lasting: () => undefined,
    line: (prediction) => `${JSON.stringify(prediction)}\n`,
  };
}

/** No lines: what the rows are, and nothing else. */
async function prepareKeys(task: ChunkTask): Promise<Prepared> {
  const model = readSharedModel(task.model);
  const read = createValueReader(model);
  const prepared: Prepared<Float64Array | undefined> = {
    rows: createRowReader(task.layout, model),
    answer(row, tally) {
      tally.rows++;
      return read(row);
    },
    lasting: (values) => values,
    line: () => '',
  };
  return prepared as Prepared;
}
