/** The box around an answer: every point of it an answer, and where it claims to be maximal, none beyond an end. */

import { Dice } from '../../support/dice.js';
import {
  type FeatureSpec,
  isNumeric,
  isSame,
  numberOf,
  numbersOf,
  type Row,
  type RowValue,
} from '../evaluate/features.js';
import { snap } from '../policy/values.js';
import type { Question } from '../question.js';
import { edgeValues } from './breakpoints.js';
import { everyPoint } from './enumerate.js';
import { type Fault, fault } from './fault.js';
import { MOST_COMBINATIONS } from './knowledge.js';
import type { Answer } from './product.js';

type Range = { from?: number; to?: number; in?: (string | number | boolean)[] };

const SAMPLES = 300;

export function judgeRegion(answer: Answer, question: Question): Fault[] {
  const point = numbersOf(question.features, answer.features as Row);
  const ranges = answer.region!.features;
  const stray = Object.keys(ranges).filter((name) => {
    const f = question.features.findIndex((feature) => feature.name === name);
    return f < 0 || isSame(point[f], question.factual[f]);
  });
  if (stray.length) return [fault('region-misses-answer', `the region names ${stray}, which does not change`)];
  const outside = question.features.filter(
    (feature, f) => ranges[feature.name] && !isWithin(ranges[feature.name], feature, point[f]),
  );
  if (outside.length) return [fault('region-misses-answer', `the answer's ${outside[0].name} is outside`)];
  const lists = boxLists(question, point, ranges);
  const inside = lists ? judgeEvery(question, lists, ranges) : judgeSamples(question, point, ranges);
  if (inside.length || !answer.region!.proof.maximal || !lists) return inside;
  return judgeMaximal(question, point, ranges, lists);
}

/** A lattice point may be computed in two ways that differ in the last digit. */
const LAST_DIGITS = 2 ** -50;

function isWithin(range: Range, feature: FeatureSpec, value: number, from = value): boolean {
  if (range.in) return range.in.some((name) => numberOf(feature, name as RowValue) === value);
  const slack = LAST_DIGITS * Math.max(Math.abs(value), Number.isNaN(from) ? 0 : Math.abs(from));
  return value >= (range.from ?? -Infinity) - slack && value <= (range.to ?? Infinity) + slack;
}

/** All values that a person could be told for the feature. The stand-in of a missing value is one of them. */
function valuesWithin(question: Question, f: number, point: Float64Array, range: Range | undefined): number[] | null {
  if (!range) return [point[f]];
  const values = question.values[f];
  if (values.kind !== 'list') return null;
  const here = question.baseline[f];
  return [here, ...values.values].filter((value) => isWithin(range, question.features[f], value, here));
}

function boxLists(question: Question, point: Float64Array, ranges: Record<string, Range>): number[][] | null {
  const lists = question.features.map(({ name }, f) => valuesWithin(question, f, point, ranges[name]));
  if (lists.includes(null)) return null;
  const product = lists.reduce((size, list) => size * list!.length, 1);
  return product <= MOST_COMBINATIONS ? (lists as number[][]) : null;
}

const mayBeTold = (question: Question, values: Float64Array): boolean => question.isAnswer(values) !== 'no';

function judgeEvery(question: Question, lists: number[][], ranges: Record<string, Range>): Fault[] {
  const bad = everyPoint(lists, (values) => mayBeTold(question, values));
  return bad ? [holdsNoAnswer(question, bad, ranges)] : [];
}

const holdsNoAnswer = (question: Question, bad: Float64Array, ranges: Record<string, Range>): Fault =>
  fault(
    'region-holds-no-answer',
    `${JSON.stringify([...bad])} scores ${question.scores(bad)}, conditions ${question.keepsConditions(bad)}; region ${JSON.stringify(ranges)}`,
  );

/** Corners, ends, thresholds, and points between. */
function judgeSamples(question: Question, point: Float64Array, ranges: Record<string, Range>): Fault[] {
  const dice = new Dice(SAMPLES);
  for (let k = 0; k < SAMPLES; k++) {
    const sample = point.slice();
    for (const [f, { name }] of question.features.entries())
      if (ranges[name]) sample[f] = sampleValue(question, f, point, ranges[name], dice);
    if (question.changeFaults(sample).length) continue;
    if (!mayBeTold(question, sample)) return [holdsNoAnswer(question, sample, ranges)];
  }
  return [];
}

function sampleValue(question: Question, f: number, point: Float64Array, range: Range, dice: Dice): number {
  const listed = valuesWithin(question, f, point, range);
  if (listed) return listed.length ? dice.pick(listed) : point[f];
  const values = question.values[f] as Exclude<Question['values'][number], { kind: 'list' }>;
  const reach = Math.max(Math.abs(point[f] - question.baseline[f]), 1e-9) * 2 ** dice.between(0, 20);
  const low = Math.max(values.low, range.from ?? values.low, point[f] - reach);
  const high = Math.min(values.high, range.to ?? values.high, point[f] + reach);
  const edges = edgeValues(question, question.features[f], f).filter((value) => value >= low && value <= high);
  const choice = dice.pick(['ends', 'ends', 'edges', 'between']);
  if (choice === 'edges' && edges.length) return dice.pick(edges);
  const raw = choice === 'ends' ? dice.pick([low, high]) : dice.between(low, high);
  const snapped = snap(values, raw);
  return snapped >= low && snapped <= high ? snapped : point[f];
}

/** Each end moved by one value, or one category added: then some point must fail. */
function judgeMaximal(
  question: Question,
  point: Float64Array,
  ranges: Record<string, Range>,
  lists: number[][],
): Fault[] {
  for (const [f, feature] of question.features.entries()) {
    const range = ranges[feature.name];
    if (!range) continue;
    const all = [question.factual[f], ...(question.values[f] as { values: number[] }).values];
    for (const added of oneFurther(all, lists[f], isNumeric(feature) || feature.encoding === 'ordinal')) {
      const wider = lists.map((list, g) => (g === f ? [added] : list));
      const bad = everyPoint(wider, (values) => question.isAnswer(values) === 'yes');
      if (!bad)
        return [
          fault(
            'region-not-maximal',
            `${feature.name} could be ${added} as well; region ${JSON.stringify(ranges)}; answer ${JSON.stringify([...point])}`,
          ),
        ];
    }
  }
  return [];
}

function oneFurther(all: readonly number[], inside: readonly number[], ordered: boolean): number[] {
  const outside = all.filter((value) => !inside.includes(value) && !Number.isNaN(value));
  if (!ordered) return outside;
  const [low, high] = [Math.min(...inside), Math.max(...inside)];
  const below = outside.filter((value) => value < low);
  const above = outside.filter((value) => value > high);
  return [...(below.length ? [Math.max(...below)] : []), ...(above.length ? [Math.min(...above)] : [])];
}
