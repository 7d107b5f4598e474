/**
 * Categories of one-hot features whose words a model file does not list in full. A tree asks for single words; a word that no tree asks for is
 * like any other of these. The document has the words that trees ask for, and OTHERS for all else. Where the words are known, from the
 * caller or from a column, they take its place, and the columns of the model move along.
 *
 *   #123        a word that the file has as a hash only, until a word of this hash is known
 */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import { listNames } from '../documents/nearest-name.js';
import type { TreeDocument } from '../documents/tree-document.js';
import { wordHash } from './catboost/city-hash.js';

export const OTHERS = '(other)';
const HASH = /^#\d+$/;
export const hashName = (hash: number): string => `#${hash}`;

type Words = Readonly<Record<string, readonly string[]>>;
type Category = Extract<FeatureDocument, { type: 'categorical' }>;

/** Whether a feature may still take words that the document does not have. */
export const isOpen = (feature: FeatureDocument): boolean =>
  feature.type === 'categorical' && feature.encoding === 'one-hot' && feature.categories.at(-1) === OTHERS;

/** `words`: by the name of a feature, all its words that are known. Other features stay as they are. */
export function nameWords(document: ModelDocument, words: Words): ModelDocument {
  const isNamed = (feature: FeatureDocument) => isOpen(feature) && Object.hasOwn(words, feature.name);
  if (!document.features.some(isNamed)) return document;
  const features = document.features.map((feature) =>
    isNamed(feature) ? withWords(feature as Category, words[feature.name]) : feature,
  );
  const columns = columnsOf(document.features, features);
  const trees = (document.parameters.trees as readonly TreeDocument[]).map((tree) => ({
    ...tree,
    feature: tree.feature.map((column, node) => (tree.left[node] < 0 ? column : columns[column])),
  }));
  return { ...document, features, parameters: { ...document.parameters, trees } };
}

function withWords(feature: Category, words: readonly string[]): Category {
  const byHash = new Map(words.map((word) => [hashName(wordHash(word)), word]));
  const own = feature.categories.slice(0, -1).map((category) => byHash.get(category) ?? category);
  const nameless = own.filter((category) => HASH.test(category) && !words.includes(category));
  if (nameless.length) throw unknownWords(feature.name, nameless);
  return { ...feature, categories: [...new Set([...own, ...words])] };
}

function unknownWords(name: string, hashes: readonly string[]): ElsewiseError {
  const message = `the model file has hashes in place of words, and none of the words given has ${listNames(hashes)}. Name all words of the training data by --categories`;
  return new ElsewiseError('bad-input', message, `features.${name}`);
}

/** By old column: the new one. OTHERS has no column that a tree reads, and keeps its number. */
function columnsOf(before: readonly FeatureDocument[], after: readonly FeatureDocument[]): number[] {
  const columns: number[] = [];
  let start = 0;
  for (const [f, old] of before.entries()) {
    const [from, to] = [widthOf(old), widthOf(after[f])];
    for (let k = 0; k < from; k++) columns.push(start + Math.min(k, to - 1));
    start += to;
  }
  return columns;
}

export const widthOf = (feature: FeatureDocument): number =>
  feature.type === 'categorical' && feature.encoding !== 'ordinal' ? feature.categories.length : 1;
