/**
 * One side of a threshold within a person's domain: the part with x_c <= t, or with x_c > t. Each bound is the outermost value that may be
 * reported: a lattice point, a decimal, an allowed rank or a category. A rounded answer therefore stays on its side. The unchanged value
 * belongs to the side on which it lies.
 */
import { nextUp } from '../../linalg/floats.js';
import type { Feature } from '../../models/features.js';
import { cloneDomain, type Domain } from '../../policy/domain.js';
import { narrowTo } from '../../policy/values.js';

/** The part of a domain to visit first: below or above a threshold of a column. */
export interface ThresholdSide {
  readonly column: number;
  readonly threshold: number;
  readonly below: boolean;
}

/** Null: the side is empty. */
export function narrow(domain: Domain, column: number, t: number, below: boolean): Domain | null {
  const feature = domain.space.features[domain.space.owner[column]];
  const part = cloneDomain(domain);
  if (feature.kind === 'choice') return narrowChoice(part, feature, column, t, below) ? part : null;
  const isLeft = below
    ? narrowTo(part, feature, Number.NEGATIVE_INFINITY, t)
    : narrowTo(part, feature, nextUp(t), Number.POSITIVE_INFINITY);
  return isLeft ? part : null;
}

/** A threshold that halves the remaining values of a feature with steps or a category. Undefined: no feature has several values. */
export function latticeSplit({ space, lower, upper, step }: Domain): ThresholdSide | undefined {
  for (const { kind, column, width, index } of space.features) {
    for (let c = column; c < column + width; c++) {
      if (lower[c] === upper[c] || (kind !== 'choice' && step[index] === 0)) continue;
      const finite = Number.isFinite(upper[c] - lower[c]);
      if (finite) return { column: c, threshold: (lower[c] + upper[c]) / 2, below: true };
    }
  }
  return undefined;
}

/** Below: not this category. Above: only this category. The columns of an imputer may be neither 0 nor 1. */
function narrowChoice({ origin, lower, upper }: Domain, feature: Feature, c: number, t: number, below: boolean) {
  const stands = origin[c] <= t === below;
  if (below) upper[c] = Math.min(upper[c], stands ? origin[c] : 0);
  else {
    lower[c] = Math.max(lower[c], stands ? origin[c] : 1);
    for (let k = feature.column; k < feature.column + feature.width; k++)
      if (k !== c) upper[k] = Math.min(upper[k], stands ? origin[k] : 0);
  }
  const columns = Array.from({ length: feature.width }, (_, k) => feature.column + k);
  const mayStand = columns.every((k) => origin[k] >= lower[k] && origin[k] <= upper[k]);
  const mayBe = (k: number) => upper[k] === 1 && columns.every((other) => other === k || lower[other] === 0);
  return mayStand || columns.some(mayBe);
}
