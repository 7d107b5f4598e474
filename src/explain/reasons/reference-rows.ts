/** Rows of the background as the reference of reasons: a seeded sample of all rows, or the row with the target that is nearest to a person. */
import { seededRandom } from '../../linalg/random.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import type { Goal } from '../../models/region.js';
import { refuseReasons } from '../../models/sums/row-contributions.js';
import { type Cost, evaluateCost } from '../../policy/cost.js';

/** At most `most` rows, in their order. Every row has the same chance. */
export function sampleOf(rows: readonly Float64Array[], most: number, seed: number): readonly Float64Array[] {
  if (rows.length <= most) return rows;
  const random = seededRandom(seed);
  const kept: Float64Array[] = [];
  for (const [r, row] of rows.entries()) if (random() * (rows.length - r) < most - kept.length) kept.push(row);
  return kept;
}

export interface AcceptedRow {
  readonly values: Float64Array;
  /** The same with imputed values in place of missing ones. */
  readonly baseline: Float64Array;
}

export function acceptedRows(
  loaded: LoadedModel,
  goals: readonly Goal[],
  baselineOf: (values: Float64Array, baseline: Float64Array) => void,
): readonly AcceptedRow[] {
  const scorer = new Scorer(loaded);
  const accepted = loaded.background.samples.filter((values) => {
    scorer.runValues(values);
    scorer.show();
    return scorer.isFinite() && goals.some((goal) => loaded.model.achieves(scorer.raw, goal));
  });
  if (!accepted.length)
    throw refuseReasons('no row of the background has the target: take "population", or add rows', '.reference');
  return accepted.map((values) => {
    const baseline = new Float64Array(values.length);
    baselineOf(values, baseline);
    return { values, baseline };
  });
}

/** The first of the nearest rows, by the cost of the policy. Undefined: values are missing, and no row has a cost. */
export function nearestRow(
  rows: readonly AcceptedRow[],
  person: Float64Array,
  cost: Cost,
  { space }: LoadedModel,
): AcceptedRow | undefined {
  let nearest: AcceptedRow | undefined;
  let least = Infinity;
  for (const row of rows) {
    const own = evaluateCost(cost, space, person, row.baseline);
    if (own >= least || Number.isNaN(own)) continue;
    least = own;
    nearest = row;
  }
  return nearest;
}
