/**
 * Arbitrary questions for fast-check. Numbers are quarters of whole numbers, so that sums are exact, ties are frequent and
 * rows lie exactly on the boundary now and then.
 */
import fc from 'fast-check';
import { Dice } from './dice.js';
import { dotProduct } from './elimination.js';
import {
  type ConstraintSpec,
  type FeatureSpec,
  isOneHot,
  leadOf,
  numberOf,
  type Question,
  type Row,
  type RuleSpec,
  type Value,
} from './second-opinion.js';

export const quarters = (low: number, high: number) => fc.integer({ min: low * 4, max: high * 4 }).map((n) => n / 4);

export interface Part {
  feature: FeatureSpec;
  rule: RuleSpec;
  value: Value;
  /** Per class, per column. */
  weights: number[][];
  price: number;
}

const CLASSES = 3;
const named = (index: number) => `f${index}`;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const weightsFor = (columns: number) =>
  fc.array(fc.array(quarters(-2, 2), { minLength: columns, maxLength: columns }), {
    minLength: CLASSES,
    maxLength: CLASSES,
  });
const price = fc.constantFrom(0.25, 0.5, 1, 1, 1, 2, 3);
const direction = fc.constantFrom<RuleSpec['change']>(undefined, undefined, 'any', 'increase', 'decrease', 'never');
const pruned = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value));

/** A number that moves on a lattice within a few steps: brute force can try all of them. */
export const latticePart: fc.Arbitrary<Part> = fc
  .record({
    type: fc.constantFrom<'integer' | 'continuous'>('integer', 'continuous'),
    value: fc.integer({ min: -4, max: 4 }),
    bounds: fc.record({
      min: optional(fc.integer({ min: -6, max: 2 })),
      max: optional(fc.integer({ min: 3, max: 6 })),
    }),
    rule: fc.record({
      change: direction,
      min: optional(fc.integer({ min: -5, max: 0 })),
      max: optional(fc.integer({ min: 0, max: 5 })),
      maxIncrease: quarters(0, 4),
      maxDecrease: quarters(0, 4),
    }),
    step: fc.constantFrom(1, 1, 2, 3),
    fraction: fc.constantFrom(0, 0, 0.5),
    weights: weightsFor(1),
    price,
  })
  .map(({ type, value, bounds, rule, step, fraction, weights, price }) => {
    const whole = type === 'integer';
    const feature: FeatureSpec = { name: '', type, ...bounds };
    return pruned({
      feature,
      rule: { ...rule, step: whole ? (step === 1 ? undefined : step) : step / 2 },
      value: whole ? value : value + fraction,
      weights,
      price,
    });
  }) as fc.Arbitrary<Part>;

/** A whole number that the model itself bounds: every entry of its rule can be taken away and brute force still ends. */
export const boundedPart: fc.Arbitrary<Part> = fc
  .record({
    value: fc.integer({ min: -2, max: 2 }),
    rule: fc.record({
      change: direction,
      min: optional(fc.integer({ min: -3, max: 0 })),
      max: optional(fc.integer({ min: 0, max: 3 })),
      maxIncrease: optional(fc.integer({ min: 0, max: 3 })),
      maxDecrease: optional(fc.integer({ min: 0, max: 3 })),
      step: fc.constantFrom(undefined, undefined, 2),
    }),
    weights: weightsFor(1),
    price,
  })
  .map(({ value, rule, weights, price }) =>
    pruned({ feature: { name: '', type: 'integer', min: -4, max: 4 }, rule, value, weights, price }),
  ) as fc.Arbitrary<Part>;

/** A continuous number, bounded or not. */
export const continuousPart: fc.Arbitrary<Part> = fc
  .record({
    value: quarters(-5, 5),
    bounds: fc.record({
      min: optional(quarters(-8, 0)),
      max: optional(quarters(0.25, 8)),
      decimals: fc.constantFrom(undefined, undefined, 0, 1, 2),
    }),
    rule: fc.record({
      change: direction,
      min: optional(quarters(-6, 0)),
      max: optional(quarters(0, 6)),
      maxIncrease: optional(quarters(0, 5)),
      maxDecrease: optional(quarters(0, 5)),
    }),
    weights: weightsFor(1),
    price,
  })
  .map(({ value, bounds, rule, weights, price }) => {
    const tidy = bounds.decimals === undefined ? value : Number(value.toFixed(bounds.decimals));
    return pruned({ feature: { name: '', type: 'continuous', ...bounds }, rule, value: tidy, weights, price });
  }) as fc.Arbitrary<Part>;

/** A continuous number that is reported with all its digits. */
export const plainPart: fc.Arbitrary<Part> = continuousPart.map((part) => ({
  ...part,
  feature: { ...part.feature, decimals: undefined },
}));

export const booleanPart: fc.Arbitrary<Part> = fc
  .record({
    value: fc.boolean(),
    change: direction,
    allow: optional(fc.subarray([true, false], { minLength: 1 })),
    weights: weightsFor(1),
    price,
  })
  .map(({ value, change, allow, weights, price }) =>
    pruned({ feature: { name: '', type: 'boolean' }, rule: { change, allow }, value, weights, price }),
  ) as fc.Arbitrary<Part>;

const LABELS = ['a', 'b', 'c', 'd'];

export const categoryPart: fc.Arbitrary<Part> = fc
  .record({
    labels: fc.integer({ min: 2, max: 4 }).map((size) => LABELS.slice(0, size)),
    ordinal: fc.boolean(),
    change: direction,
  })
  .chain(({ labels, ordinal, change }) =>
    fc
      .record({
        value: fc.constantFrom(...labels),
        allow: optional(fc.subarray(labels, { minLength: 1 })),
        weights: weightsFor(ordinal ? 1 : labels.length),
        price,
      })
      .map(({ value, allow, weights, price }) => {
        const feature = {
          name: '',
          type: 'categorical',
          categories: labels,
          encoding: ordinal ? 'ordinal' : 'one-hot',
        };
        const way = ordinal || change === 'never' ? change : undefined;
        return pruned({ feature, rule: { change: way, allow }, value, weights, price });
      }),
  ) as fc.Arbitrary<Part>;

export const discretePart = fc.oneof({ weight: 3, arbitrary: latticePart }, booleanPart, categoryPart);
export const anyPart = fc.oneof({ weight: 3, arbitrary: continuousPart }, discretePart);

const slackOf = (value: number) => 1e-9 * Math.max(1, Math.abs(value));

/** A linear row between the numeric features, or an implication between two features. */
function constraintFor(
  features: readonly FeatureSpec[],
  draw: { at: number[]; factors: number[]; limit: number; kind: number },
): ConstraintSpec | undefined {
  const ordered = features.filter((feature) => !isOneHot(feature));
  if (!ordered.length) return undefined;
  const [one, other] = draw.at.map((at) => ordered[at % ordered.length]);
  const number = (feature: FeatureSpec, row: Row) => numberOf(feature, row[feature.name]);
  if (draw.kind === 0 || one === other) {
    const sum = (row: Row) => draw.factors[0] * number(one, row) + draw.factors[1] * number(other, row);
    return {
      text: `${draw.factors[0]} * ${one.name} + ${draw.factors[1]} * ${other.name} <= ${draw.limit}`,
      holds: (row) =>
        sum(row) <=
        draw.limit +
          slackOf(Math.abs(draw.factors[0] * number(one, row)) + Math.abs(draw.factors[1] * number(other, row))),
    };
  }
  return {
    text: `${one.name} >= ${draw.limit} implies ${other.name} >= ${draw.factors[0]}`,
    holds: (row) => number(one, row) < draw.limit || number(other, row) >= draw.factors[0] - slackOf(draw.factors[0]),
  };
}

const constraintDraw = fc.record({
  at: fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })) as fc.Arbitrary<number[]>,
  factors: fc.tuple(quarters(-2, 2), quarters(-2, 2)) as fc.Arbitrary<number[]>,
  limit: fc.integer({ min: -2, max: 5 }),
  kind: fc.constantFrom(0, 0, 1),
});

export interface QuestionOptions {
  part: fc.Arbitrary<Part>;
  most: number;
  families?: Question['family'][];
  norms?: Question['norm'][];
  constraints?: number;
  margins?: number[];
  capped?: boolean;
  /** Whether sums of quarters may lie exactly on the boundary; otherwise they miss it by at least 0.09. */
  ties?: boolean;
}

const OFF_THE_BOUNDARY = 0.09;

/** A population that knows all numbers: quantiles with ties, and a covariance A Aᵀ + ½ I. */
function populationFor(features: readonly FeatureSpec[], seed: number): NonNullable<Question['population']> {
  const dice = new Dice(seed);
  const numbers = features.filter(({ type }) => type === 'continuous' || type === 'integer');
  const quantiles = () => [-5, ...dice.vector(dice.integer(0, 4), () => dice.integer(-4, 4)), 5].sort((a, b) => a - b);
  const size = features.filter((feature) => !isOneHot(feature)).length;
  const root = dice.matrix(size, size);
  const covariance = root.map((a, i) => root.map((b, j) => dotProduct(a, b) + (i === j ? 0.5 : 0)));
  return { quantiles: Object.fromEntries(numbers.map(({ name }) => [name, quantiles()])), covariance };
}

/** How far the row is from its target, in raw score: mostly a few quarters short of it, now and then there already. */
const shortfall = fc.oneof({ weight: 9, arbitrary: quarters(0, 4) }, quarters(-1, 0));

export function question(options: QuestionOptions): fc.Arbitrary<Question> {
  const {
    part,
    most,
    families = ['hyperplane', 'logistic-regression', 'softmax-regression'],
    norms = ['l0', 'l1', 'l2'],
  } = options;
  return fc
    .record({
      parts: fc.array(part, { minLength: 1, maxLength: most }),
      family: fc.constantFrom(...families),
      bias: fc.array(quarters(-2, 2), { minLength: CLASSES, maxLength: CLASSES }),
      shortfall,
      target: fc.nat({ max: CLASSES - 1 }),
      norm: fc.constantFrom(...norms),
      draws: fc.array(constraintDraw, { maxLength: options.constraints ?? 0 }),
      margin: fc.constantFrom(0, 0, ...(options.margins ?? [0])),
      seed: fc.nat(),
      maxChanges: options.capped ? fc.constantFrom(undefined, undefined, 1, 2, 3) : fc.constant(undefined),
    })
    .map(({ parts, family, bias, shortfall, target, norm, draws, margin, seed, maxChanges }) => {
      const outputs = family === 'softmax-regression' ? CLASSES : 1;
      const features = parts.map((p, i) => ({ ...p.feature, name: named(i) }));
      const byName = <T>(read: (p: Part) => T) => Object.fromEntries(parts.map((p, i) => [named(i), read(p)]));
      const question: Question = {
        family,
        features,
        weights: Array.from({ length: outputs }, (_, k) => parts.flatMap((p) => p.weights[k])),
        bias: bias.slice(0, outputs),
        target: outputs === 1 ? target % 2 : target,
        row: byName((p) => p.value),
        rules: byName((p) => p.rule),
        norm: norm === 'mahalanobis' && features.every(isOneHot) ? 'l2' : norm,
        prices: byName((p) => p.price),
        constraints: draws
          .map((draw) => constraintFor(features, draw))
          .filter((constraint) => constraint !== undefined),
        margin: family === 'logistic-regression' ? Math.min(margin, 0.25) : margin,
        maxChanges,
        population: norm === 'percentile' || norm === 'mahalanobis' ? populationFor(features, seed) : undefined,
      };
      return moveAway(question, shortfall + (options.ties ? 0 : OFF_THE_BOUNDARY));
    });
}

/** The same question with a bias such that the row misses its target, margin aside, by the given raw score. */
function moveAway(question: Question, shortfall: number): Question {
  const lead = leadOf({ ...question, margin: 0 }, question.row);
  const single = question.family !== 'softmax-regression';
  const at = single ? 0 : question.target;
  const sign = single && question.target === 0 ? 1 : -1;
  return { ...question, bias: question.bias.map((value, k) => (k === at ? value + sign * (lead + shortfall) : value)) };
}
