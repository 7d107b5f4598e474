/** A target as a short noun. */
import type { TargetDocument } from '../documents/policy-document.js';
import { formatNumber } from './numbers.js';

/** `nameOf`: the words for a class or a band. */
export function targetInWords(target: TargetDocument, nameOf = (name: string): string => name): string {
  if (typeof target === 'number') return formatNumber(target);
  if (typeof target === 'string') return nameOf(target);
  if (Array.isArray(target)) return target.map(nameOf).join(' or ');
  if ('value' in target) return `${formatNumber(target.value)} ± ${formatNumber(target.tolerance)}`;
  const ends = [
    target.from === undefined ? '' : `from ${formatNumber(target.from)}`,
    target.to === undefined ? '' : `to ${formatNumber(target.to)}`,
  ];
  return `score ${ends.filter(Boolean).join(' ')}`;
}
