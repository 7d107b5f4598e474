/**
 * One side of a threshold within a person's domain: the part with x_c <= t, or with x_c > t. Bounds go to the outermost value
 * that may be reported: a lattice point, a decimal, an allowed rank, a category; so an answer that is rounded stays on
 * its side. Standing still counts where the present value lies on that side.
 */
import { nextUp } from '../../linalg/floats.js';
import type { Feature } from '../../models/features.js';
import { copyDomain, createDomain, type Domain, roundTo } from '../../policy/domain.js';

/** A part of a domain to look at first: the one below a threshold of a column, or the one above it. */
export interface Cut {
  readonly column: number;
  readonly threshold: number;
  readonly below: boolean;
}

/** A move of this size, relative, would be told as no change. */
const NO_CHANGE = 1e-12;

/** Null: nothing is left on that side. */
export function narrow(domain: Domain, column: number, t: number, below: boolean): Domain | null {
  const feature = domain.space.features[domain.space.owner[column]];
  const part = createDomain(domain.space);
  copyDomain(domain, part);
  if (feature.kind === 'choice') return narrowChoice(part, feature, column, t, below) ? part : null;
  if (below) part.upper[column] = Math.min(part.upper[column], lastValue(domain, feature, t));
  else part.lower[column] = Math.max(part.lower[column], firstValue(domain, feature, t));
  toAllowedRanks(part, feature);
  return part.lower[column] <= part.upper[column] ? part : null;
}

/** A threshold that halves what a lattice feature or a category has left; undefined where there is no such feature. */
export function latticeSplit({ space, lower, upper, step }: Domain): Cut | undefined {
  for (const { kind, column, width, index } of space.features) {
    for (let c = column; c < column + width; c++) {
      if (lower[c] === upper[c] || (kind !== 'choice' && step[index] === 0)) continue;
      const finite = Number.isFinite(upper[c] - lower[c]);
      if (finite) return { column: c, threshold: (lower[c] + upper[c]) / 2, below: true };
    }
  }
  return undefined;
}

/** Below: not this category. Above: this one only. The columns of an imputer may be neither 0 nor 1. */
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

/** The largest value that may be reported and is at most t. */
function lastValue({ origin, step }: Domain, { index, column, decimals }: Feature, t: number): number {
  const here = origin[column];
  if (step[index] > 0) {
    const point = here + step[index] * Math.floor((t - here) / step[index]);
    return point <= t ? point : point - step[index];
  }
  if (decimals < 0) return here > t ? Math.min(t, here - clear(here)) : t;
  const rounded = roundTo(t, decimals);
  const decimal = rounded <= t ? rounded : roundTo(rounded - 10 ** -decimals, decimals);
  return here <= t ? Math.max(here, decimal) : decimal;
}

/** The smallest value that may be reported and is above t. */
function firstValue({ origin, step }: Domain, { index, column, decimals }: Feature, t: number): number {
  const here = origin[column];
  if (step[index] > 0) {
    const point = here + step[index] * (Math.floor((t - here) / step[index]) + 1);
    return point > t ? point : point + step[index];
  }
  if (decimals < 0) return here <= t ? Math.max(nextUp(t), here + clear(here)) : nextUp(t);
  const rounded = roundTo(t, decimals);
  const decimal = rounded > t ? rounded : roundTo(rounded + 10 ** -decimals, decimals);
  return here > t ? Math.min(here, decimal) : decimal;
}

const clear = (here: number): number => 2 * NO_CHANGE * Math.max(1, Math.abs(here));

function toAllowedRanks({ lower, upper, ranks }: Domain, { column, index }: Feature): void {
  const mask = ranks[index];
  if (!mask) return;
  while (lower[column] <= upper[column] && mask[lower[column]] !== 1) lower[column]++;
  while (upper[column] >= lower[column] && mask[upper[column]] !== 1) upper[column]--;
}
