/** The operation of a task on each of its rows, by the kind of task. */
import type { ResultDocument } from '../../documents/result-document.js';
import type { Plan } from '../../explain/plan.js';
import type { ResultDetail } from '../../explain/result.js';
import type { LoadedModel } from '../../models/load.js';
import { lostRow } from '../results/lost-row.js';
import { createPredictionWriter, createResultWriter } from '../results/result-lines.js';
import { countPrediction, countResult, type Tally } from '../results/tally.js';
import type { ParsedRow } from '../rows/row.js';
import { createValueReader } from '../rows/row-key.js';
import { recalling, type ScoredSteps } from '../scoring/scored-steps.js';
import type { ChunkTask, RowLoss } from './messages.js';
import { createPredictor, type Prediction } from './predict.js';
import type { ThreadPlan, ThreadPlanOptions } from './thread-plans.js';

/** `R` is the answer to a row: a result, a prediction, its values. */
export interface RowAnswerer<R = unknown> {
  /** Answers the row and counts it. */
  answer(row: ParsedRow, tally: Tally, loss?: RowLoss): R;
  /** The values of the last answered row, if a repetition would give the same answer: the clock did not end it. */
  lasting(answer: R): Float64Array | undefined;
  /** The same as `answer` where the model is scored elsewhere. The row must not change meanwhile. */
  steps(row: ParsedRow, tally: Tally): ScoredSteps<R>;
  line(answer: R): string;
}

type Kind = (task: ChunkTask, plan: ThreadPlan, options: ThreadPlanOptions) => Promise<RowAnswerer> | RowAnswerer;

const KINDS: Readonly<Record<ChunkTask['kind'], Kind>> = {
  explain: async (task, plan, options) => explainer(task, await plan.prepare(options)) as RowAnswerer,
  predict: (task, { model }) => predictor(task, model) as RowAnswerer,
  keys: (_task, { model }) => keyReader(model) as RowAnswerer,
};

/** The answerers of each plan, by kind and output. New functions for every chunk would make V8 compile the same code again and again. */
const kept = new WeakMap<ThreadPlan, Map<string, RowAnswerer>>();

export async function rowAnswererOf(...[task, plan, options]: Parameters<Kind>): Promise<RowAnswerer> {
  const answerers = kept.get(plan) ?? new Map<string, RowAnswerer>();
  kept.set(plan, answerers);
  const key = `${task.kind} ${task.output}`;
  const answerer = answerers.get(key) ?? (await KINDS[task.kind](task, plan, options));
  answerers.set(key, answerer);
  return answerer;
}

function explainer({ output }: ChunkTask, plan: Plan): RowAnswerer<ResultDocument> {
  const writer = createResultWriter(output, plan.model, plan.policy);
  const detail = output === 'brief' ? 'brief' : 'full';
  return {
    answer(row, tally, loss) {
      const result = explainRow(plan, row, detail, loss);
      countResult(tally, result);
      return result;
    },
    *steps(row, tally) {
      if (row.faults) return this.answer(row, tally);
      const result = yield* plan.explainRecordSteps(row.id, row.raw, row.target);
      countResult(tally, result);
      return result;
    },
    lasting: (result) => (isLasting(result) ? plan.values : undefined),
    line: (result) => writer.line(result),
  };
}

function isLasting({ status, degraded, limitedBy }: ResultDocument): boolean {
  return !degraded && limitedBy !== 'time' && status !== 'not-found' && status !== 'invalid';
}

function explainRow(plan: Plan, row: ParsedRow, detail: ResultDetail, loss?: RowLoss): ResultDocument {
  if (row.faults) return plan.invalid(row.id, row.faults);
  return loss ? lostRow(plan, row.id, loss) : plan.explainRecord(row.id, row.raw, row.target, detail);
}

function predictor({ output }: ChunkTask, model: LoadedModel): RowAnswerer<Prediction> {
  const writer = createPredictionWriter(output, model);
  const predict = createPredictor(model);
  const name = model.task === 'regression' ? () => 'predicted' : String;
  return {
    answer(row, tally, loss) {
      const prediction = predict(loss ? { ...row, faults: [{ path: '', message: loss.message }] } : row);
      countPrediction(tally, prediction.reason ? 'invalid' : name(prediction.prediction), prediction.reason);
      return prediction;
    },
    steps(row, tally) {
      return recalling(model.model.memory!, () => this.answer(row, tally));
    },
    lasting: () => undefined,
    line: (prediction) => writer.line(prediction),
  };
}

/** Writes no lines and only reads the values for keys. */
function keyReader(model: LoadedModel): RowAnswerer<Float64Array | undefined> {
  const read = createValueReader(model);
  return {
    answer(row, tally) {
      tally.rows++;
      return read(row);
    },
    // biome-ignore lint/correctness/useYield: keys need no scores
    *steps(row, tally) {
      return this.answer(row, tally);
    },
    lasting: (values) => values,
    line: () => '',
  };
}
