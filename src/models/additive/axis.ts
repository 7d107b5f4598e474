/**
 * An axis of a term: the values of one feature, and the entry of the term's table that each value reads.
 *
 *   ordered     entries 0..n along the column;   value x reads entry k  <=>  start_k <= x < start_{k+1}
 *   listed      a column of 0 or 1 for each category;  category c reads entry  entryOf[c]
 *   missing     an entry of its own, the last; none: a missing value is invalid
 *
 * A bin that ends at "at most c" ends below the next double after c: every ordered axis compares with `<`.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean, listNames } from '../../documents/nearest-name.js';
import { nextUp } from '../../linalg/floats.js';
import type { Feature } from '../features.js';
import type { AxisDocument } from './term-document.js';

interface CommonAxis {
  readonly feature: Feature;
  /** The number of entries, with that of a missing value. */
  readonly size: number;
  /** The entry of a missing value; -1: a missing value is invalid. */
  readonly missing: number;
}

export interface OrderedAxis extends CommonAxis {
  readonly kind: 'ordered';
  /** By step of the column, ascending: its first value, without the first step, and the entry of each step. */
  readonly starts: readonly number[];
  readonly entryOf: readonly number[];
}

export interface ListedAxis extends CommonAxis {
  readonly kind: 'listed';
  readonly entryOf: readonly number[];
}

export type Axis = OrderedAxis | ListedAxis;

const TRUTHS = ['false', 'true'];

/** `path`: the place of the keys `cuts` or `categories`. */
export function layOutAxis(document: AxisDocument, feature: Feature, path: string): Axis {
  const { cuts, categories } = document;
  return cuts
    ? binAxis({ ...document, cuts }, feature, path)
    : categoryAxis({ ...document, categories: categories! }, feature, path);
}

type BinAxis = AxisDocument & { readonly cuts: readonly number[] };
type CategoryAxis = AxisDocument & { readonly categories: readonly string[] };

function binAxis({ cuts, comparison, missing }: BinAxis, feature: Feature, path: string): OrderedAxis {
  if (feature.categories.length) {
    const message = `"${feature.name}" is categorical: give "categories" in place of "cuts"`;
    throw new ElsewiseError('bad-document', message, `${path}.cuts`);
  }
  const wrong = cuts.findIndex((cut, k) => k > 0 && !(cuts[k - 1] < cut));
  if (wrong >= 0) {
    const message = `cuts ascend, and ${cuts[wrong]} comes after ${cuts[wrong - 1]}`;
    throw new ElsewiseError('bad-document', message, `${path}.cuts[${wrong}]`);
  }
  const starts = comparison === '<' ? cuts : cuts.map(nextUp);
  const bins = cuts.length + 1;
  const entryOf = Array.from({ length: bins }, (_, k) => k);
  return { kind: 'ordered', feature, starts, entryOf, size: bins + +missing, missing: missing ? bins : -1 };
}

function categoryAxis(document: CategoryAxis, feature: Feature, path: string): Axis {
  const { categories, other, missing } = document;
  const names = namesOf(feature, path);
  const entries = new Map(categories.map((name, k) => [name, k]));
  const known = new Set(names);
  for (const [k, name] of categories.entries()) {
    if (entries.get(name) !== k) throw categoryFault(name, path, 'this category is listed twice');
    if (!known.has(name)) throw categoryFault(name, path, unknownCategory(name, feature, names));
  }
  const unnamed = names.filter((name) => !entries.has(name));
  if (unnamed.length && !other) {
    const message = `"${feature.name}" has more categories: ${listNames(unnamed)}. Give each a score, or give all others a score by "other"`;
    throw new ElsewiseError('bad-document', message, `${path}.categories`);
  }
  const count = categories.length + +other;
  const entryOf = names.map((name) => entries.get(name) ?? categories.length);
  const common = { feature, size: count + +missing, missing: missing ? count : -1, entryOf };
  if (feature.kind === 'choice') return { kind: 'listed', ...common };
  return { kind: 'ordered', ...common, starts: names.slice(1).map((_, k) => k + HALF) };
}

/** Between two ranks. */
const HALF = 0.5;

function namesOf({ name, kind, categories }: Feature, path: string): readonly string[] {
  if (kind === 'boolean') return TRUTHS;
  if (categories.length) return categories;
  throw new ElsewiseError(
    'bad-document',
    `"${name}" is a number: give "cuts" in place of "categories"`,
    `${path}.categories`,
  );
}

const categoryFault = (name: string, path: string, message: string) =>
  new ElsewiseError('bad-document', message, `${path}.categories.${name}`);

const unknownCategory = (name: string, feature: Feature, names: readonly string[]): string =>
  `"${feature.name}" has no such category${didYouMean(name, names) || `, known are ${listNames(names)}`}`;
