/** Shared by the importers of tree libraries: from objective, features and trees to a `tree-ensemble` document. */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import { didYouMean } from '../documents/nearest-name.js';
import type { TreeDocument } from '../documents/tree-document.js';

/** The meaning of an objective for a trained model. */
export interface Objective {
  readonly task: 'binary' | 'multi' | 'regression';
  readonly link: 'identity' | 'logit' | 'softmax' | 'exp' | 'softplus' | 'signed-square';
}

export interface Ensemble {
  readonly name: string;
  readonly features: FeatureDocument[];
  readonly objective: Objective;
  /** Number of classes of a `multi` objective. */
  readonly classCount: number;
  readonly trees: readonly TreeDocument[];
  /** Class of each tree; only read for a `multi` objective. Null: leaves have a number for each class. */
  readonly treeClass: readonly number[] | null;
  /** The base score in margin space. */
  readonly base: number | number[];
  readonly accumulate: 'float32' | 'float64';
}

/** A list with more categories is a mistake, or an identifier instead of a category. */
const MAX_CATEGORIES = 100_000;

export function toDocument(ensemble: Ensemble): ModelDocument {
  const { name, features, objective, classCount, trees, base, accumulate } = ensemble;
  if (!trees.length) throw new ElsewiseError('bad-document', 'the model has no trees', name);
  const treeClass = objective.task === 'multi' && ensemble.treeClass ? { treeClass: [...ensemble.treeClass] } : {};
  return {
    schema: 'elsewise.model/v1',
    name,
    family: 'tree-ensemble',
    features,
    ...classNames(objective, classCount),
    parameters: { trees, aggregation: 'sum', base, link: objective.link, ...treeClass, accumulate },
  };
}

/** The classes of a classifier, named by their numbers. */
export function classNames({ task }: Objective, classCount: number): { classes?: string[] } {
  const count = { binary: 2, multi: classCount, regression: 0 }[task];
  return count ? { classes: Array.from({ length: count }, (_, k) => String(k)) } : {};
}

/** An entry of the table, or an error that names the requested and the known entries. */
export function findObjective<T>(table: Readonly<Record<string, T>>, name: string, path: string): T {
  if (Object.hasOwn(table, name)) return table[name];
  const known = Object.keys(table);
  throw unsupported(`the objective "${name}"; known are ${known.join(', ')}${didYouMean(name, known)}`, path);
}

export const unsupported = (what: string, path: string) =>
  new ElsewiseError('unsupported', `this importer does not support ${what}`, path);

/** JSON with the infinite numbers and the missing ones that Python writes. */
export function parseLibraryJson(text: string, path: string): unknown {
  try {
    return JSON.parse(withoutNaN(text));
  } catch (error) {
    throw new ElsewiseError('bad-document', `is not valid JSON: ${(error as Error).message}`, path);
  }
}

function withoutNaN(text: string): string {
  const wordsAndStrings = /"(?:[^"\\]|\\.)*"|\bNaN\b|-?\bInfinity\b/g;
  return /NaN|Infinity/.test(text) ? text.replace(wordsAndStrings, (part) => (part[0] === '"' ? part : 'null')) : text;
}

/**
 * A feature whose codes 0, 1, ... are categories. `last`: the largest code in the model. `names`: the names of the codes, where the model
 * has them. Without names, a code is its own name.
 */
export function categoricalFeature(
  name: string,
  last: number,
  path: string,
  names: readonly (string | number | boolean)[] = [],
): FeatureDocument {
  if (last >= MAX_CATEGORIES) throw unsupported(`${last} categories in one feature ("${name}")`, path);
  const length = Math.max(last + 1, names.length);
  const categories = Array.from({ length }, (_, code) => String(names[code] ?? code));
  return { name, type: 'categorical', encoding: 'ordinal', categories };
}

/** By feature: the largest code in any of its set splits. Features without set splits are absent. */
export function lastCodes(trees: readonly TreeDocument[]): Map<number, number> {
  const last = new Map<number, number>();
  for (const { feature, categories } of trees) {
    categories?.forEach((codes, node) => {
      if (codes)
        last.set(
          feature[node],
          codes.reduce((a, b) => Math.max(a, b), last.get(feature[node]) ?? 0),
        );
    });
  }
  return last;
}
