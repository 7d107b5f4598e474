/**
 * Terms of a document -> axes and a table of scores, with every name and every length checked:
 *
 *   number      one axis of bins            table: scores of the bins, of a missing value
 *   category    one axis of categories      table: scores of the named categories, of all others, of a missing value
 *   table       two or three axes           table: as written
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import type { Feature, FeatureSpace } from '../features.js';
import { type Axis, layOutAxis } from './axis.js';
import type { AxisDocument, ScoreDocument, TableEntry, TableTermDocument, TermDocument } from './term-document.js';

export interface Term {
  readonly axes: readonly Axis[];
  readonly table: TableEntry;
}

type OneFeatureTerm = Exclude<TermDocument, TableTermDocument>;

/** `outputs`: the length of a score. */
export function layOutTerm(term: TermDocument, space: FeatureSpace, outputs: number, path: string): Term {
  if ('features' in term) return layOutTable(term, space, outputs, path);
  const feature = findFeature(term.feature, space, `${path}.feature`);
  const last = lastScores(term, outputs, path);
  const axis = layOutAxis(axisOf(term), feature, path);
  if ('cuts' in term) checkLength(term.values, term.cuts.length + 1, `${path}.values`, 'bin');
  const [own, key] = 'cuts' in term ? [term.values, 'values'] : [Object.values(term.categories), 'categories'];
  const names = 'cuts' in term ? own.map((_, k) => `[${k}]`) : Object.keys(term.categories).map((name) => `.${name}`);
  for (const [k, score] of own.entries()) checkScore(score, outputs, () => `${path}.${key}${names[k]}`);
  return { axes: [axis], table: [...own, ...last] };
}

function axisOf(term: OneFeatureTerm): AxisDocument {
  const missing = term.missing !== undefined;
  if ('cuts' in term) return { cuts: term.cuts, comparison: term.comparison, other: false, missing };
  return { categories: Object.keys(term.categories), comparison: '<', other: term.other !== undefined, missing };
}

/** The scores of other categories and of a missing value, after those of bins and named categories. */
function lastScores(term: OneFeatureTerm, outputs: number, path: string): ScoreDocument[] {
  const { other, missing } = { other: undefined, ...term };
  for (const [key, score] of Object.entries({ other, missing }))
    if (score !== undefined) checkScore(score, outputs, () => `${path}.${key}`);
  return [other, missing].filter((score) => score !== undefined);
}

function layOutTable(term: TableTermDocument, space: FeatureSpace, outputs: number, path: string): Term {
  const { features, axes, values } = term;
  checkLength(axes, features.length, `${path}.axes`, 'feature');
  const found = features.map((name, k) => findFeature(name, space, `${path}.features[${k}]`));
  const twice = found.findIndex((feature, k) => found.indexOf(feature) !== k);
  if (twice >= 0) throw parameterError(`${path}.features[${twice}]`, `"${features[twice]}" is listed twice`);
  const laidOut = found.map((feature, k) => layOutAxis(axes[k], feature, `${path}.axes[${k}]`));
  checkTable(values, laidOut, outputs, `${path}.values`);
  return { axes: laidOut, table: values };
}

function checkTable(entry: TableEntry, [axis, ...next]: readonly Axis[], outputs: number, path: string): void {
  if (axis) {
    if (typeof entry === 'number')
      throw parameterError(path, `expected a list, with an entry for each bin of "${axis.feature.name}"`);
    checkLength(entry, axis.size, path, `bin of "${axis.feature.name}"`);
    for (const [k, part] of entry.entries()) checkTable(part, next, outputs, `${path}[${k}]`);
  } else checkScore(entry, outputs, () => path);
}

function checkScore(score: TableEntry, outputs: number, pathOf: () => string): void {
  if (outputs === 1 ? typeof score === 'number' : isVector(score, outputs)) return;
  const one = 'one number, as the intercept is one number';
  throw parameterError(
    pathOf(),
    `expected ${outputs === 1 ? one : `a list of ${outputs} numbers, as the intercept is`}`,
  );
}

const isVector = (score: TableEntry, length: number): boolean =>
  typeof score !== 'number' && score.length === length && score.every((part) => typeof part === 'number');

function checkLength(list: readonly unknown[], expected: number, path: string, what: string): void {
  if (list.length === expected) return;
  throw parameterError(path, `expected ${expected} entries, one per ${what}, got ${list.length}`);
}

function findFeature(name: string, { byName }: FeatureSpace, path: string): Feature {
  const feature = byName.get(name);
  if (feature) return feature;
  throw parameterError(path, `the model has no feature "${name}"${didYouMean(name, [...byName.keys()])}`);
}

const parameterError = (path: string, message: string) => new ElsewiseError('bad-document', message, path);
