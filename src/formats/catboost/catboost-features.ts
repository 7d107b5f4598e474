/**
 * Features of a CatBoost model, and the columns that its splits ask about. A number is one column. A word is a one-hot feature: a column for
 * each word that a split asks for, and one for all others.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { FeatureDocument } from '../../documents/model-document.js';
import { hashName, OTHERS, widthOf } from '../one-hot-words.js';
import type { SplitQuestion } from '../tree-growth.js';
import type { CatboostModel, CatboostSplit, NumberFeature, WordFeature } from './catboost-model.js';

export interface ColumnLayout {
  readonly features: FeatureDocument[];
  /** A split as a question: yes is right. */
  question(split: CatboostSplit, path: string): SplitQuestion;
}

/** Between a column's 0 and 1. */
const HALF = 0.5;

export function layOut(model: CatboostModel): ColumnLayout {
  const places = [...model.numbers, ...model.words].sort((a, b) => a.place - b.place);
  const features = places.map((feature) =>
    'hashes' in feature ? wordFeature(feature, model.wordOf) : number(feature),
  );
  const starts = new Map<NumberFeature | WordFeature, number>();
  let columns = 0;
  for (const [f, place] of places.entries()) {
    starts.set(place, columns);
    columns += widthOf(features[f]);
  }
  return { features, question: (split, path) => questionOf(split, model, starts, path) };
}

const number = ({ name }: NumberFeature): FeatureDocument => ({ name, type: 'continuous' });

function wordFeature({ name, hashes }: WordFeature, wordOf: CatboostModel['wordOf']): FeatureDocument {
  const words = hashes.map((hash) => wordOf.get(hash) ?? hashName(hash));
  return { name, type: 'categorical', encoding: 'one-hot', categories: [...words, OTHERS] };
}

function questionOf(
  split: CatboostSplit,
  { numbers, words }: CatboostModel,
  starts: ReadonlyMap<NumberFeature | WordFeature, number>,
  path: string,
): SplitQuestion {
  const feature = (split.kind === 'border' ? numbers : words)[split.feature];
  const place = feature && split.kind === 'word' ? (feature as WordFeature).hashes.indexOf(split.hash) : 0;
  if (!feature || place < 0)
    throw new ElsewiseError('bad-document', `asks for a ${split.kind} that features_info does not have`, path);
  const input = starts.get(feature)! + place;
  if (split.kind === 'word') return { input, threshold: HALF, isMissingLeft: true };
  return { input, threshold: split.border, isMissingLeft: !(feature as NumberFeature).isMissingLargest };
}
