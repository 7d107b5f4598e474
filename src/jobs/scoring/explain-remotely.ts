/**
 * The asynchronous driver of explanations: rows of a model that is scored elsewhere, several in progress at once, results in the order of
 * the rows. The core never waits; this file waits for scores. A row whose scorer fails is answered with status `not-found`.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { withEngines } from '../../explain/engines.js';
import type { Plan, Row } from '../../explain/plan.js';
import { scorerLossOf } from '../../scoring/failure-codes.js';
import type { PointScorer } from '../../scoring/point-scorer.js';
import { lostRow } from '../results/lost-row.js';
import { type BatchLimits, ScoreBatches } from './score-batches.js';
import { drive } from './scored-steps.js';

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
    underWay.push(settledLater(explainOne(plan, row, batches)));
    if (underWay.length >= limits.rowsAtOnce) yield await underWay.shift()!;
  }
  while (underWay.length) yield await underWay.shift()!;
}

async function explainOne(plan: Plan, row: Row, batches: ScoreBatches): Promise<ResultDocument> {
  try {
    return await withEngines(() => drive(plan.explainSteps(row), batches));
  } catch (error) {
    const loss = scorerLossOf(error);
    if (!loss) throw error;
    return lostRow(plan, row.id, loss);
  }
}

/** A failed row is reported when its turn comes, and does not end the process before. */
export function settledLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
