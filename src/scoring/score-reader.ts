/**
 * The answer of a scorer for one input -> the raw output of the model.
 *
 *   probabilities   a list of one number per class; with two classes also the number of the second class alone
 *   labels          the name of a class, or its index in the list of classes
 *   prediction      a number
 *
 * A scorer is not trusted: numbers must be finite, probabilities must lie between 0 and 1 and add up to 1, labels must be classes.
 */
import { ElsewiseError } from '../documents/error.js';
import { LARGEST } from '../documents/numbers.js';
import type { PointScore, ScoredModel } from './point-scorer.js';
import { ScorerFault } from './scorer-fault.js';

/** The rounding error of libraries that compute in float32. */
const PROBABILITY_SLACK = 1e-3;

export type ScoreReader = (value: unknown) => PointScore;

export function createScoreReader({ scoring, classes }: Pick<ScoredModel, 'scoring' | 'classes'>): ScoreReader {
  const read = { probabilities: readProbabilities, labels: readLabel, prediction: readPrediction }[scoring.outputs];
  return (value) => read(value, classes) ?? notPromised(scoring.outputs);
}

/** The scores of all inputs of a request. A wrong number of scores invalidates the whole answer. */
export function readScores(values: unknown, count: number, read: ScoreReader): PointScore[] {
  if (!Array.isArray(values)) throw new ScorerFault('shape', 'the answer has no list of scores');
  if (values.length !== count)
    throw new ScorerFault('shape', `the answer has ${values.length} scores for ${count} inputs`);
  return values.map(read);
}

function notPromised(outputs: string): ElsewiseError {
  const promise = {
    probabilities: 'no probabilities: one number from 0 to 1 for each class, with sum 1',
    labels: 'no label that is a class of the model',
    prediction: 'no finite number',
  }[outputs];
  return new ElsewiseError('scorer-invalid', `the scorer gave ${promise}`);
}

type Reader = (value: unknown, classes: readonly string[]) => Float64Array | null;

const readProbabilities: Reader = (value, classes) => {
  const list = Array.isArray(value) ? value : [value];
  const isSecondOnly = classes.length === 2 && list.length === 1;
  const numbers = isSecondOnly ? [1 - Number(list[0]), list[0]] : list;
  if (numbers.length !== classes.length || !numbers.every(isProbability)) return null;
  const sum = numbers.reduce((total, number) => total + number, 0);
  return Math.abs(sum - 1) <= PROBABILITY_SLACK ? Float64Array.from(numbers) : null;
};

const isProbability = (value: unknown): value is number =>
  typeof value === 'number' && value >= -PROBABILITY_SLACK && value <= 1 + PROBABILITY_SLACK;

const readLabel: Reader = (value, classes) => {
  const label = single(value);
  if (!['string', 'number', 'boolean'].includes(typeof label)) return null;
  const named = classes.indexOf(String(label));
  if (named >= 0) return Float64Array.of(named);
  const isPlace = Number.isInteger(label) && (label as number) >= 0 && (label as number) < classes.length;
  return isPlace ? Float64Array.of(label as number) : null;
};

const readPrediction: Reader = (value) => {
  const number = single(value);
  const isGood = typeof number === 'number' && Math.abs(number) <= LARGEST;
  return isGood ? Float64Array.of(number) : null;
};

/** A list of one entry means its entry. */
const single = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);
