/** Questions asked otherwise: in other units, from another origin, in another order, under a laxer policy. */
import { Dice } from './dice.js';
import { type FeatureSpec, isOneHot, type Question, type Row, type RuleSpec } from './second-opinion.js';

const isNumber = (feature: FeatureSpec) => feature.type === 'continuous' && feature.decimals === undefined;

const mapped = <T extends object, K extends keyof T>(
  source: T,
  keys: readonly K[],
  change: (value: number) => number,
): T => {
  const copy = { ...source };
  for (const key of keys) if (copy[key] !== undefined) copy[key] = change(copy[key] as number) as T[K];
  return copy;
};

/** The column where a feature begins. */
const columnOf = (features: readonly FeatureSpec[], name: string): number => {
  const before = features.slice(
    0,
    features.findIndex((feature) => feature.name === name),
  );
  return before.reduce((sum, feature) => sum + (isOneHot(feature) ? feature.categories!.length : 1), 0);
};

/** Constraints speak of numbers as they stand: a question with any of them on the feature is left as it is. */
const isFree = (question: Question, name: string) => {
  const feature = question.features.find((candidate) => candidate.name === name)!;
  return isNumber(feature) && !question.constraints.some(({ text }) => text.includes(name));
};

/** A continuous feature counted in units of 1/factor. */
export function inOtherUnits(question: Question, name: string, factor: number): Question {
  if (!isFree(question, name)) return question;
  const c = columnOf(question.features, name);
  const times = (value: number) => value * factor;
  const power = ['l0', 'l1', 'l2'].indexOf(question.norm);
  return {
    ...question,
    features: question.features.map((feature) =>
      feature.name === name ? mapped(feature, ['min', 'max'], times) : feature,
    ),
    rules: {
      ...question.rules,
      [name]: mapped(question.rules[name] ?? {}, ['min', 'max', 'maxIncrease', 'maxDecrease', 'step'], times),
    },
    weights: question.weights.map((line) => line.map((weight, k) => (k === c ? weight / factor : weight))),
    prices: { ...question.prices, [name]: (question.prices[name] ?? 1) / factor ** power },
    row: { ...question.row, [name]: times(question.row[name] as number) },
  };
}

/** A continuous feature counted from elsewhere. */
export function translated(question: Question, name: string, by: number): Question {
  if (!isFree(question, name)) return question;
  const c = columnOf(question.features, name);
  const plus = (value: number) => value + by;
  return {
    ...question,
    features: question.features.map((feature) =>
      feature.name === name ? mapped(feature, ['min', 'max'], plus) : feature,
    ),
    rules: { ...question.rules, [name]: mapped(question.rules[name] ?? {}, ['min', 'max'], plus) },
    bias: question.bias.map((value, k) => value - question.weights[k][c] * by),
    row: { ...question.row, [name]: plus(question.row[name] as number) },
  };
}

export function permuted(question: Question, seed: number): Question {
  const features = new Dice(seed).shuffle(question.features);
  const row: Row = Object.fromEntries(features.map(({ name }) => [name, question.row[name]]));
  const columns = features.flatMap((feature) => {
    const c = columnOf(question.features, feature.name);
    return isOneHot(feature) ? feature.categories!.map((_, k) => c + k) : [c];
  });
  return { ...question, features, row, weights: question.weights.map((line) => columns.map((c) => line[c])) };
}

/** One entry of the policy less. */
export function relaxed(question: Question, draw: number): Question {
  const entries = Object.entries(question.rules).flatMap(([name, rule]) =>
    Object.keys(rule).map((key) => [name, key as keyof RuleSpec] as const),
  );
  const at = draw % (entries.length + question.constraints.length + 1);
  if (at === 0) return { ...question, maxChanges: undefined };
  if (at <= question.constraints.length)
    return { ...question, constraints: question.constraints.filter((_, k) => k !== at - 1) };
  const [name, key] = entries[at - 1 - question.constraints.length];
  const { [key]: _, ...rest } = question.rules[name];
  return { ...question, rules: { ...question.rules, [name]: rest } };
}
