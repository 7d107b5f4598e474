/**
 * From an engine's word that rows over a box cannot be met to an outcome that is proved: its multipliers are checked on
 * the original rows; where it has none, each row is tried by itself (a row that no feature can move has no ray).
 */
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { INFEASIBLE, numerical, type Outcome } from '../solver.js';
import { provesInfeasible } from './linear-rows.js';

/** `scale` by row: factor between the original row and the one that the engine saw. */
export function certify(
  rows: readonly LinearRow[],
  ray: Float64Array | null,
  scale: (row: number) => number,
  domain: Domain,
): Outcome {
  const proves = (y: Float64Array) => provesInfeasible(rows, y, domain);
  const alone = (i: number, sign: number) => new Float64Array(rows.length).fill(sign, i, i + 1);
  const proved = ray
    ? proves(Float64Array.from(rows, (_, i) => ray[i] * scale(i)))
    : rows.some((_, i) => proves(alone(i, 1)) || proves(alone(i, -1)));
  return proved ? INFEASIBLE : numerical('infeasible, but the certificate is not certain');
}
