/** The features of `--by`. */
import { ElsewiseError } from '../../documents/error.js';

export function readFeatureNames(text: string | undefined): string[] {
  if (text === undefined) return [];
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new ElsewiseError('usage', '--by: expected names of features with commas between them');
  return [...new Set(names)];
}
