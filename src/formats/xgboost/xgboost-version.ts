/**
 * What changed between versions of XGBoost and shows in margins. A file says which version wrote it; without a version the newest is meant.
 *
 *   before 1.3   trees are summed from 0 and the base comes last; the base score of binary:logitraw is a probability
 *   before 1.4   the same sum for dart
 */
export type XgboostVersion = readonly number[];

const isBefore = ([major = Infinity, minor = 0]: XgboostVersion, major2: number, minor2: number): boolean =>
  major < major2 || (major === major2 && minor < minor2);

export const addsBaseLast = (version: XgboostVersion, booster: string): boolean =>
  booster === 'dart' ? isBefore(version, 1, 4) : isBefore(version, 1, 3);

export const hasRawProbability = (version: XgboostVersion): boolean => isBefore(version, 1, 3);
