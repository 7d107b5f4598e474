/**
 * Cost lengths s_c, by column: a move of s_c costs about 1. Searches take their steps in cost lengths, so the units of features do not matter.
 *
 *   l1  1/w      l2  1/√w      mahalanobis  1/√M_cc      percentile  1/(w · mean slope of F)      l0, w = 0  the spread of the column
 */
import { momentsOf } from '../../linalg/moments.js';
import type { Feature } from '../../models/features.js';
import type { Cost, PercentileCurve } from '../../policy/cost.js';
import type { Problem } from '../../problems/problem.js';

/** Without samples, the spread of a column is about a quarter of the distance between its bounds. */
const SPREADS_WITHIN_BOUNDS = 4;

export function costScales(problem: Problem): Float64Array {
  const { space } = problem;
  const scales = new Float64Array(space.columns).fill(1);
  for (const feature of space.features) {
    if (feature.kind === 'choice') continue;
    const own = ownScale(problem.cost, feature);
    scales[feature.column] = own > 0 && own < Infinity ? own : spreadOf(problem, feature);
  }
  return scales;
}

function ownScale(cost: Cost, feature: Feature): number {
  const weight = cost.weight[feature.index];
  const curve = cost.curves[feature.index];
  switch (cost.norm) {
    case 'l1':
      return 1 / weight;
    case 'l2':
      return 1 / Math.sqrt(weight);
    case 'percentile':
      return 1 / (weight * (curve ? meanSlope(curve) : 1));
    case 'mahalanobis': {
      const at = cost.metric!.features.indexOf(feature);
      return 1 / Math.sqrt(cost.metric!.inverse[at][at]);
    }
    default:
      return 0;
  }
}

const meanSlope = ({ points, heights }: PercentileCurve): number =>
  (heights.at(-1)! - heights[0]) / (points.at(-1)! - points[0]);

/** The standard deviation of the samples. Without samples, a fraction of the distance between the bounds, or 1. */
export function spreadOf({ samples, rules }: Problem, { index }: Feature): number {
  const values = samples.map((row) => row[index]).filter(Number.isFinite);
  const { deviation } = momentsOf(values);
  if (deviation > 0) return deviation;
  const width = rules[index].max - rules[index].min;
  return width > 0 && width < Infinity ? width / SPREADS_WITHIN_BOUNDS : 1;
}
