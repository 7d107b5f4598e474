/**
 * Values of features with listed values: categories in columns of their own, ranks, booleans. A value is the index of a category, a rank, 0
 * or 1. Numbers, and ranks as numbers, are in values.ts.
 */
import type { Feature } from '../models/features.js';
import type { Domain } from './domain.js';

/** Whether a feature's values are listed instead of bounded: categories, ranks, booleans. */
export const isListed = ({ kind }: Feature): boolean => kind === 'choice' || kind === 'ordinal' || kind === 'boolean';

/** Whether the domain contains a category or rank. */
export function isOpen({ lower, upper, ranks }: Domain, { kind, column, index }: Feature, value: number): boolean {
  if (kind === 'choice') return upper[column + value] > 0;
  return value >= lower[column] && value <= upper[column] && ranks[index]?.[value] !== 0;
}

/** The listed values of a feature in a domain. */
export function listedValues(domain: Domain, feature: Feature): number[] {
  return Array.from({ length: feature.max + 1 }, (_, k) => k).filter((k) => isOpen(domain, feature, k));
}

/** Fixes a feature at one value. */
export function fixAt(domain: Domain, feature: Feature, value: number): void {
  const { column, width, kind } = feature;
  if (kind !== 'choice') domain.lower[column] = domain.upper[column] = value;
  else for (let k = 0; k < width; k++) domain.lower[column + k] = domain.upper[column + k] = +(k === value);
}

/** Restricts a domain to the categories or ranks of a set. */
export function leaveSet(domain: Domain, feature: Feature, set: Uint8Array): void {
  const { kind, column, index } = feature;
  if (kind === 'choice') {
    for (let k = 0; k < set.length; k++) if (!set[k]) domain.upper[column + k] = 0;
  } else domain.ranks[index] = set.map((inside, k) => inside & +isOpen(domain, feature, k));
}
