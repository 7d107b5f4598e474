/** Categories and ranks of a person: which are open, and which is present. */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import { isOpen } from '../../policy/listed-values.js';

/** A forced category is the only one. */
export function canBe(domain: Domain, feature: Feature, k: number): boolean {
  if (!isOpen(domain, feature, k)) return false;
  const { kind, column, width } = feature;
  if (kind !== 'choice') return true;
  for (let c = column; c < column + width; c++) if (c !== column + k && domain.lower[c] > 0) return false;
  return true;
}

/** The row's own number, rank or category; -1 where it is a mixture of categories. */
export function presentValue({ kind, column, width }: Feature, origin: Float64Array): number {
  if (kind !== 'choice') return origin[column];
  for (let k = 0; k < width; k++) if (origin[column + k] === 1) return k;
  return -1;
}
