/**
 * The asynchronous driver of explanations: rows of a model that is scored elsewhere, several under way at once, results in the order
 * of the rows. The core never waits; this file waits for it.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { withEngines } from '../../explain/engines.js';
import type { Plan, Row } from '../../explain/plan.js';
import { type BatchLimits, type PointScorer, ScoreBatches } from './score-batches.js';

export interface RemoteLimits extends BatchLimits {
  readonly rowsAtOnce: number;
}

export async function* explainRemotely(
  plan: Plan,
  rows: Iterable<Row> | AsyncIterable<Row>,
  scorer: PointScorer,
  limits: RemoteLimits,
): AsyncGenerator<ResultDocument, void, void> {
  const batches = new ScoreBatches(scorer, limits);
  const underWay: Promise<ResultDocument>[] = [];
  for await (const row of rows) {
    underWay.push(settledLater(withEngines(() => explainOne(plan, row, batches))));
    if (underWay.length >= limits.rowsAtOnce) yield await underWay.shift()!;
  }
  while (underWay.length) yield await underWay.shift()!;
}

async function explainOne(plan: Plan, row: Row, batches: ScoreBatches): Promise<ResultDocument> {
  const steps = plan.explainSteps(row);
  let step = steps.next();
  while (!step.done) step = steps.next(await batches.score(step.value));
  return step.value;
}

/** A row that fails is told when its turn comes, and does not end the process before. */
function settledLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
