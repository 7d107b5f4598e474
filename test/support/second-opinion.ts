/**
 * A second implementation of what a model says, a policy allows and a change costs, for linear models. It is written from
 * the contract and shares no code with src, so that a fault would have to be made twice to stay unseen.
 */
import { dotProduct, solveByElimination } from './elimination.js';

export type Value = number | string | boolean;
export type Row = Record<string, Value>;
export type Norm = 'l0' | 'l1' | 'l2' | 'percentile' | 'mahalanobis';

export interface FeatureSpec {
  name: string;
  type: 'continuous' | 'integer' | 'boolean' | 'categorical';
  min?: number;
  max?: number;
  decimals?: number;
  categories?: string[];
  encoding?: 'one-hot' | 'ordinal';
}

export interface RuleSpec {
  change?: 'never' | 'increase' | 'decrease' | 'any';
  min?: number;
  max?: number;
  maxIncrease?: number;
  maxDecrease?: number;
  step?: number;
  allow?: (string | boolean)[];
}

/** A constraint as the policy says it and as this file understands it. */
export interface ConstraintSpec {
  text: string;
  holds(row: Row): boolean;
}

/** One question: a model with a line of weights per output, a policy and a row. */
export interface Question {
  family: 'hyperplane' | 'logistic-regression' | 'softmax-regression';
  features: FeatureSpec[];
  weights: number[][];
  bias: number[];
  target: number;
  row: Row;
  rules: Record<string, RuleSpec>;
  norm: Norm;
  prices: Record<string, number>;
  constraints: ConstraintSpec[];
  margin: number;
  maxChanges?: number;
  count?: number;
  /** For `percentile` and `mahalanobis`: quantiles by feature, and the covariance of all that has an order. */
  population?: { quantiles: Record<string, number[]>; covariance: number[][] };
}

const classesOf = ({ weights }: Question) =>
  Array.from({ length: Math.max(2, weights.length) }, (_, k) => `class ${k}`);

export function modelDocument(question: Question) {
  const { family, features, weights, bias } = question;
  const single = family !== 'softmax-regression';
  const normalization = single ? {} : { normalization: 'none' };
  const parameters = { weights: single ? weights[0] : weights, bias: single ? bias[0] : bias, ...normalization };
  const head = {
    schema: 'elsewise.model/v1',
    name: 'asked',
    family,
    features,
    classes: classesOf(question),
    parameters,
  };
  return question.population ? { ...head, background: backgroundOf(question) } : head;
}

function backgroundOf({ features, population }: Question) {
  const ordered = features.filter((feature) => !isOneHot(feature)).map(({ name }) => name);
  const { quantiles, covariance } = population!;
  return ordered.length ? { quantiles, covariance: { features: ordered, matrix: covariance } } : { quantiles };
}

export function policyDocument(question: Question) {
  const { rules, norm, prices, constraints, margin, maxChanges, count, target } = question;
  return {
    schema: 'elsewise.policy/v1',
    target: classesOf(question)[target],
    cost: { norm, weights: prices },
    features: rules,
    constraints: constraints.map(({ text }) => text),
    margin,
    maxChanges,
    count,
  };
}

/** The number of a value: itself, 0 or 1, or the category's place. */
export function numberOf(feature: FeatureSpec, value: Value): number {
  return feature.type === 'categorical' ? feature.categories!.indexOf(String(value)) : Number(value);
}

export const isOneHot = (feature: FeatureSpec) => feature.type === 'categorical' && feature.encoding !== 'ordinal';

export function columnsOf(features: readonly FeatureSpec[], row: Row): number[] {
  return features.flatMap((feature) => {
    const value = numberOf(feature, row[feature.name]);
    return isOneHot(feature) ? feature.categories!.map((_, k) => Number(k === value)) : [value];
  });
}

/** w·x + b per output. */
export function rawOf({ features, weights, bias }: Question, row: Row): number[] {
  const columns = columnsOf(features, row);
  return weights.map((line, k) => line.reduce((sum, weight, c) => sum + weight * columns[c], 0) + bias[k]);
}

/** How far past the boundary the row is on the target's side, in raw score; the boundary itself is 0. */
export function leadOf(question: Question, row: Row): number {
  const { family, target, margin } = question;
  const raw = rawOf(question, row);
  if (family === 'softmax-regression')
    return Math.min(...raw.filter((_, k) => k !== target).map((rival) => raw[target] - rival)) - margin;
  const needed = family === 'hyperplane' ? margin : Math.log((0.5 + margin) / (0.5 - margin));
  return (target === 1 ? raw[0] : -raw[0]) - needed;
}

/** Whether the row has the target, ties decided as the contract decides them: towards the lower class. */
export function reaches(question: Question, row: Row): boolean {
  const lead = leadOf(question, row);
  if (question.margin > 0) return lead >= 0;
  if (question.family !== 'softmax-regression') return question.target === 1 ? lead > 0 : lead >= 0;
  const raw = rawOf(question, row);
  return raw.every(
    (score, k) =>
      k === question.target || (k < question.target ? raw[question.target] > score : raw[question.target] >= score),
  );
}

/** What is wrong with going from one value to another; nothing when it is allowed. */
export function changeFault(feature: FeatureSpec, rule: RuleSpec, from: Value, to: Value): string | undefined {
  if (from === to) return undefined;
  if (rule.change === 'never') return 'must stand still';
  if (rule.allow && !rule.allow.includes(to as string | boolean)) return 'is not on the list';
  const [a, b] = [numberOf(feature, from), numberOf(feature, to)];
  if (feature.type === 'categorical' && b < 0) return 'is no category';
  if (isOneHot(feature)) return undefined;
  if (b > a && rule.change === 'decrease') return 'may only fall';
  if (b < a && rule.change === 'increase') return 'may only rise';
  if (feature.type === 'boolean') return typeof to === 'boolean' ? undefined : 'is no boolean';
  return numberFault(feature, rule, a, b);
}

function numberFault(feature: FeatureSpec, rule: RuleSpec, from: number, to: number): string | undefined {
  const slack = 1e-9 * Math.max(1, Math.abs(from), Math.abs(to));
  const highest = Math.max(from, Math.min(feature.max ?? Infinity, rule.max ?? Infinity));
  const lowest = Math.min(from, Math.max(feature.min ?? -Infinity, rule.min ?? -Infinity));
  if (to > highest + slack || to < lowest - slack) return 'leaves its bounds';
  if (to - from > (rule.maxIncrease ?? Infinity) + slack) return 'rises too far';
  if (from - to > (rule.maxDecrease ?? Infinity) + slack) return 'falls too far';
  if (feature.type === 'integer' && !Number.isInteger(to)) return 'is not whole';
  if (rule.step !== undefined && !isWhole((to - from) / rule.step)) return 'is between two steps';
  const decimals = rule.step === undefined ? feature.decimals : undefined;
  if (decimals !== undefined && Number(to.toFixed(decimals)) !== to) return 'has too many decimals';
  return undefined;
}

const isWhole = (value: number) => Math.abs(value - Math.round(value)) <= 1e-6;

type Priced = Pick<Question, 'features' | 'norm' | 'prices' | 'population'>;

export function costOf(question: Priced, from: Row, to: Row): number {
  const { features, norm, prices } = question;
  const shares = features.map(
    (feature) => (prices[feature.name] ?? 1) * sizeOf(question, feature, from[feature.name], to[feature.name]),
  );
  const separable = shares.reduce((sum, share) => sum + share, 0);
  return norm === 'mahalanobis' ? separable + mahalanobis(question, from, to) : separable;
}

/** What one feature adds to a cost, before its price. */
function sizeOf({ norm, population }: Priced, feature: FeatureSpec, from: Value, to: Value): number {
  const [a, b] = [numberOf(feature, from), numberOf(feature, to)];
  if (norm === 'l0' || isOneHot(feature)) return Number(a !== b);
  const quantiles = norm === 'percentile' ? population!.quantiles[feature.name] : undefined;
  if (quantiles) return Math.abs(shareBelow(quantiles, b) - shareBelow(quantiles, a));
  return { l1: Math.abs(b - a), l2: (b - a) ** 2, percentile: Math.abs(b - a), mahalanobis: 0 }[norm];
}

/** The line through the quantiles, tied ones at their middle, and on with the mean slope on both sides. */
function shareBelow(quantiles: readonly number[], x: number): number {
  const last = quantiles.length - 1;
  const height = (point: number) => (quantiles.indexOf(point) + quantiles.lastIndexOf(point)) / 2 / last;
  const points = [...new Set(quantiles)];
  const [first, final] = [points[0], points[points.length - 1]];
  const slope = (height(final) - height(first)) / (final - first);
  if (x <= first) return height(first) + slope * (x - first);
  if (x >= final) return height(final) + slope * (x - final);
  const above = points.findIndex((point) => point > x);
  const [p, q] = [points[above - 1], points[above]];
  return height(p) + ((height(q) - height(p)) * (x - p)) / (q - p);
}

function mahalanobis({ features, population }: Priced, from: Row, to: Row): number {
  const ordered = features.filter((feature) => !isOneHot(feature));
  const delta = ordered.map((feature) => numberOf(feature, to[feature.name]) - numberOf(feature, from[feature.name]));
  return dotProduct(delta, solveByElimination(population!.covariance, delta));
}

export const changedNames = (features: readonly FeatureSpec[], from: Row, to: Row): string[] =>
  features.map(({ name }) => name).filter((name) => from[name] !== to[name]);

/** All that is wrong with an answer; empty when it may be given to a person. */
export function faultsOf(question: Question, answer: Row): string[] {
  const { features, rules, row, constraints, maxChanges } = question;
  const faults = features.map((feature) => {
    const fault = changeFault(feature, rules[feature.name] ?? {}, row[feature.name], answer[feature.name]);
    return fault && `${feature.name} ${fault}: ${row[feature.name]} -> ${answer[feature.name]}`;
  });
  const changed = changedNames(features, row, answer).length;
  if (changed > (maxChanges ?? Infinity)) faults.push(`${changed} features change`);
  faults.push(...constraints.filter(({ holds }) => !holds(answer)).map(({ text }) => `breaks ${text}`));
  const scale =
    1 +
    Math.max(
      ...question.weights.map((line) =>
        columnsOf(features, answer).reduce((sum, x, c) => sum + Math.abs(x * line[c]), 0),
      ),
    );
  const lead = leadOf(question, answer);
  if (lead < -1e-9 * scale) faults.push(`misses the target by ${-lead}`);
  return faults.filter((fault) => fault !== undefined);
}
