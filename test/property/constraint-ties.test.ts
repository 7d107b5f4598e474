/**
 * Constraints at their ends, judged in whole thousandths: features take decimals and steps, and the constants of the constraints are sums that
 * the features reach exactly. What a constraint says is computed here without doubles and shares no code with src.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../src/index.js';
import { compileConstraint, holds } from '../../src/policy/constraint.js';

const runs = (numRuns: number) => ({ numRuns, ...(process.env.FC_SEED && { seed: Number(process.env.FC_SEED) }) });

const NAMES = ['a', 'b', 'c'];
/** By feature, in hundredths. */
type Point = readonly number[];

interface Condition {
  readonly text: string;
  holds(point: Point): boolean;
}

// ------------------------------------------------------------------------------------------------------- conditions

const OPERATORS = {
  '<': (difference: number) => difference < 0,
  '<=': (difference: number) => difference <= 0,
  '>': (difference: number) => difference > 0,
  '>=': (difference: number) => difference >= 0,
  '=': (difference: number) => difference === 0,
  '!=': (difference: number) => difference !== 0,
};
type Operator = keyof typeof OPERATORS;

/** A coefficient in tenths, and the side on which its term stands. */
interface Term {
  readonly feature: number;
  readonly tenths: number;
  readonly isRight: boolean;
}

const term = (feature: number): fc.Arbitrary<Term> =>
  fc.record({
    feature: fc.constant(feature),
    tenths: fc
      .oneof({ weight: 2, arbitrary: fc.constantFrom(10, -10) }, fc.integer({ min: -25, max: 25 }))
      .filter((tenths) => tenths !== 0),
    isRight: fc.boolean(),
  });

const decimal = (whole: number, places: number): string => `${Number(`${whole}e-${places}`)}`;

function side(terms: readonly Term[], constant: number, sign: number): string {
  const parts = terms.map(({ feature, tenths }) => {
    const signed = sign * tenths;
    const factor = Math.abs(signed) === 10 ? '' : `${decimal(Math.abs(signed), 1)} * `;
    return `${signed < 0 ? '-' : '+'} ${factor}${NAMES[feature]}`;
  });
  const all = [
    ...parts,
    ...(constant || !parts.length ? [`${constant < 0 ? '-' : '+'} ${decimal(Math.abs(constant), 3)}`] : []),
  ];
  return all.join(' ').replace(/^\+ /, '').replace(/^- /, '-');
}

/** Σ tenths · value (operator) the value of the sum at a point, missed by some thousandths. */
function comparison(terms: readonly Term[], operator: Operator, at: Point, miss: number): Condition {
  const sum = (point: Point) => terms.reduce((total, { feature, tenths }) => total + tenths * point[feature], 0);
  const end = sum(at) + miss;
  const [left, right] = [terms.filter(({ isRight }) => !isRight), terms.filter(({ isRight }) => isRight)];
  return {
    text: `${side(left, 0, 1)} ${operator} ${side(right, end, -1)}`,
    holds: (point) => OPERATORS[operator](sum(point) - end),
  };
}

const comparisonNear = (at: fc.Arbitrary<Point>): fc.Arbitrary<Condition> =>
  fc
    .tuple(
      fc
        .subarray([0, 1, 2], { minLength: 1 })
        .chain((features) => fc.tuple(...features.map(term)))
        .filter((terms) => terms.length > 0),
      fc.constantFrom(...(Object.keys(OPERATORS) as Operator[])),
      at,
      fc.constantFrom(0, 0, 0, 0, 50, -50),
    )
    .map(([terms, operator, point, miss]) => comparison(terms, operator, point, miss));

const CONNECTIVES: Record<string, (left: boolean, right: boolean) => boolean> = {
  and: (left, right) => left && right,
  or: (left, right) => left || right,
  implies: (left, right) => !left || right,
};

const condition = (at: fc.Arbitrary<Point>): fc.Arbitrary<Condition> =>
  fc.letrec<{ any: Condition; leaf: Condition; not: Condition; joined: Condition }>((tie) => ({
    any: fc.oneof({ maxDepth: 2, withCrossShrink: true }, tie('leaf'), tie('not'), tie('joined')),
    leaf: comparisonNear(at),
    not: tie('any').map(({ text, holds: inner }) => ({ text: `not (${text})`, holds: (point) => !inner(point) })),
    joined: fc
      .tuple(tie('any'), fc.constantFrom(...Object.keys(CONNECTIVES)), tie('any'))
      .map(([left, word, right]) => ({
        text: `(${left.text}) ${word} (${right.text})`,
        holds: (point) => CONNECTIVES[word](left.holds(point), right.holds(point)),
      })),
  })).any;

// -------------------------------------------------------------------------------------------------------- judgement

const FEATURES = [
  { name: 'a', type: 'continuous', decimals: 1 },
  { name: 'b', type: 'continuous', decimals: 2 },
  { name: 'c', type: 'continuous' },
] as const;

/** The double that reads as so many hundredths. */
const asNumber = (hundredths: number): number => Number(`${hundredths}e-2`);

const point = fc.oneof(
  fc.tuple(...NAMES.map(() => fc.integer({ min: -900, max: 900 }))),
  fc.tuple(...NAMES.map(() => fc.integer({ min: -90, max: 90 }).map((tenths) => 10 * tenths))),
  fc.tuple(...NAMES.map(() => fc.integer({ min: -9_000_000, max: 9_000_000 }))),
);

describe('a constraint at its ends', () => {
  it('means what people read, in all operators, negated and joined', () => {
    const asked = point.chain((at) => fc.tuple(fc.constant(at), condition(fc.oneof(fc.constant(at), point))));
    fc.assert(
      fc.property(asked, ([at, { text, holds: isTrue }]) => {
        expect(holds(compileConstraint(text, FEATURES), at.map(asNumber)), text).toBe(isTrue(at));
      }),
      runs(2000),
    );
  });

  it('never holds together with its negation, and one of them holds', () => {
    fc.assert(
      fc.property(point, comparisonNear(point), (at, { text }) => {
        const values = at.map(asNumber);
        const [one, other] = [text, `not (${text})`].map((each) => holds(compileConstraint(each, FEATURES), values));
        expect(one, text).toBe(!other);
      }),
      runs(500),
    );
  });
});

// ---------------------------------------------------------------------------------------------------------- answers

/** How a feature gets its values: by decimals, or by steps from the present one. In hundredths. */
const GRIDS = [
  { unit: 10, feature: { decimals: 1 }, rule: {} },
  { unit: 10, feature: {}, rule: { step: 0.1 } },
  { unit: 5, feature: {}, rule: { step: 0.05 } },
  { unit: 30, feature: {}, rule: { step: 0.3 } },
] as const;
const WIDTH = 8;

const world = fc
  .record({
    grids: fc.tuple(...NAMES.map(() => fc.constantFrom(...GRIDS))),
    offsets: fc.tuple(...NAMES.map(() => fc.integer({ min: -20, max: 20 }))),
    starts: fc.tuple(...NAMES.map(() => fc.integer({ min: 0, max: WIDTH - 1 }))),
    weights: fc.tuple(...NAMES.map(() => fc.integer({ min: -3, max: 3 }))),
    held: fc.subarray(NAMES, { maxLength: 2 }),
    norm: fc.constantFrom('l0', 'l1', 'l2'),
    maxChanges: fc.constantFrom(undefined, undefined, 2),
    share: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .chain((parts) => {
    const lists = parts.grids.map(({ unit }, f) =>
      Array.from({ length: WIDTH }, (_, k) => unit * (parts.offsets[f] + k)),
    );
    const at = fc.tuple(...lists.map((list) => fc.constantFrom(...list)));
    return fc.record({
      ...Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, fc.constant(value)])),
      lists: fc.constant(lists),
      conditions: fc.array(fc.oneof(comparisonNear(at), condition(at)), { minLength: 1, maxLength: 2 }),
    }) as fc.Arbitrary<typeof parts & { lists: number[][]; conditions: Condition[] }>;
  });

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

function* pointsOf({ lists, held, starts }: World): Generator<Point> {
  const [as, bs, cs] = lists.map((list, f) => (held.includes(NAMES[f]) ? [list[starts[f]]] : list));
  for (const a of as) for (const b of bs) for (const c of cs) yield [a, b, c];
}

/** The model accepts sums of weights · hundredths above a bound that no point meets. */
function boundOf({ lists, starts, weights, share }: World): number {
  const sums = lists.map((list, f) => list.map((value) => weights[f] * value));
  const most = sums.reduce((total, list) => total + Math.max(...list), 0);
  const present = sums.reduce((total, list, f) => total + list[starts[f]], 0);
  return Math.floor(present + share * (most - present)) + 0.5;
}

const scoreOf = ({ weights }: World, at: Point): number => at.reduce((sum, value, f) => sum + weights[f] * value, 0);

function documentsOf(asked: World, region: boolean) {
  const { grids, lists, held, norm, maxChanges, weights, conditions } = asked;
  const model = {
    schema: 'elsewise.model/v1',
    name: 'ties',
    family: 'hyperplane',
    classes: ['no', 'yes'],
    features: NAMES.map((name, f) => ({
      ...{ name, type: 'continuous', min: asNumber(lists[f][0]), max: asNumber(lists[f][WIDTH - 1]) },
      ...grids[f].feature,
    })),
    parameters: { weights: weights.map((weight) => 100 * weight), bias: -boundOf(asked) },
  };
  const policy = {
    ...{ schema: 'elsewise.policy/v1', target: 'yes', cost: { norm, weights: 'none' }, region },
    features: Object.fromEntries(
      NAMES.map((name, f) => [name, { ...grids[f].rule, ...(held.includes(name) && { change: 'never' }) }]),
    ),
    constraints: conditions.map(({ text }) => text),
    ...(maxChanges !== undefined && { maxChanges }),
  };
  return { model, policy };
}

function costOf({ norm }: World, from: Point, to: Point): number {
  const moves = to.map((value, f) => Math.abs(value - from[f]) / 100).filter((move) => move > 0);
  if (norm === 'l0') return moves.length;
  return moves.reduce((sum, move) => sum + (norm === 'l1' ? move : move ** 2), 0);
}

async function explain(asked: World, region = false) {
  const { model, policy } = documentsOf(asked, region);
  const plan = await prepare(loadModel(model), loadPolicy(policy));
  const features = Object.fromEntries(NAMES.map((name, f) => [name, asNumber(asked.lists[f][asked.starts[f]])]));
  return plan.explain({ id: 'row', features });
}

function answersOf(asked: World): { at: Point; cost: number }[] {
  const { lists, starts, conditions, maxChanges = NAMES.length } = asked;
  const from = lists.map((list, f) => list[starts[f]]);
  const bound = boundOf(asked);
  return [...pointsOf(asked)]
    .filter((at) => scoreOf(asked, at) > bound && conditions.every((each) => each.holds(at)))
    .filter((at) => at.filter((value, f) => value !== from[f]).length <= maxChanges)
    .map((at) => ({ at, cost: costOf(asked, from, at) }));
}

const SMALL = 1e-6;

describe('answers between ends that decimals and steps meet', () => {
  it('keep every constraint, are the cheapest where they are proved, and are missing only where none exists', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (asked) => {
        const all = answersOf(asked);
        const { status, counterfactuals } = await explain(asked);
        expect(status).toBe(all.length ? 'found' : 'infeasible');
        if (status !== 'found') return;
        const [{ features, cost, proof }] = counterfactuals;
        const told = NAMES.map((name) => Math.round(100 * Number(features[name])));
        expect(told.map(asNumber)).toEqual(NAMES.map((name) => features[name]));
        expect(all.map(({ at }) => at)).toContainEqual(told);
        const least = Math.min(...all.map((answer) => answer.cost));
        expect(proof.lowerBound).toBeLessThanOrEqual(least * (1 + SMALL));
        if (proof.kind === 'optimal') expect(cost).toBeCloseTo(least, 5);
      }),
      runs(300),
    );
  });

  it('have regions of which every value keeps every constraint', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (asked) => {
        const { counterfactuals } = await explain(asked, true);
        const [answer] = counterfactuals;
        if (!answer?.region) return;
        const all = answersOf({ ...asked, maxChanges: undefined }).map(({ at }) => `${at}`);
        const ends = NAMES.map((name) => answer.region?.features[name] as { from?: number; to?: number } | undefined);
        const inside = (value: number, f: number) => {
          const told = answer.features[NAMES[f]] as number;
          const { from = -Infinity, to = Infinity } = ends[f] ?? { from: told, to: told };
          return asNumber(value) >= from && asNumber(value) <= to;
        };
        for (const at of pointsOf(asked)) if (at.every(inside)) expect(all).toContain(`${at}`);
      }),
      runs(150),
    );
  });
});

// ---------------------------------------------------------------------------------------------------------- a sweep

describe('a bound at the sum of two decimals', () => {
  const [ENDS, GAPS] = [22, 12];

  /** a has to come down from 9, or up from 0, to the end b + gap or past it. In tenths. */
  async function expectFirst(operator: Operator, isStep: boolean): Promise<void> {
    const isDown = operator.startsWith('<');
    const model = loadModel({
      ...{ schema: 'elsewise.model/v1', name: 'ties', family: 'hyperplane', classes: ['no', 'yes'] },
      features: ['a', 'b'].map((name) => ({
        name,
        type: 'continuous',
        min: 0,
        max: 9,
        ...(!isStep && { decimals: 1 }),
      })),
      parameters: { weights: [isDown ? -1 : 1, 0], bias: isDown ? 8.95 : -0.05 },
    });
    for (let gap = 1; gap <= GAPS; gap++) {
      const policy = loadPolicy({
        ...{ schema: 'elsewise.policy/v1', target: 'yes', cost: { weights: 'none' } },
        features: { b: { change: 'never' }, ...(isStep && { a: { step: 0.1 } }) },
        constraints: [`a ${operator} b + ${decimal(gap, 1)}`],
      });
      const plan = await prepare(model, policy);
      for (let b = 1; b <= ENDS; b++) {
        const result = plan.explain({ id: 'row', features: { a: isDown ? 9 : 0, b: Number(decimal(b, 1)) } });
        const [{ features, proof }] = result.counterfactuals;
        const first = b + gap + (operator === '<' ? -1 : operator === '>' ? 1 : 0);
        expect({ ...features, proof: proof.kind }).toEqual({
          ...{ a: Number(decimal(first, 1)), b: Number(decimal(b, 1)) },
          proof: 'optimal',
        });
      }
    }
  }

  for (const operator of ['<', '<=', '>', '>='] as const) {
    it(`is the first value or lies before it: ${operator}, decimals`, () => expectFirst(operator, false));
    it(`is the first value or lies before it: ${operator}, steps`, () => expectFirst(operator, true));
  }
});
