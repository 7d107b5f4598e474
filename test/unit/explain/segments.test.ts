/** Thresholds by a feature: decisions, answers, proofs and regions of each segment, against every point of a small grid. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlan, type Plan, prepare } from '../../../src/explain/plan.js';
import { ParityCheck } from '../../../src/jobs/parity/row-parity.js';
import { createPredictor } from '../../../src/jobs/threads/predict.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { populationOf } from '../../../src/models/population.js';
import { loadPolicy } from '../../../src/policy/policy.js';

const SIZES = ['small', 'middle', 'large'] as const;
type Thresholds = Partial<Record<(typeof SIZES)[number], number>>;

const FEATURES = [
  { name: 'a', type: 'integer', min: 0, max: 6 },
  { name: 'b', type: 'integer', min: 0, max: 6 },
  { name: 'size', type: 'categorical', categories: [...SIZES] },
];
const LOGISTIC = { family: 'logistic-regression', parameters: { weights: [0.5, 0.25, 0, 0, 0], bias: -2 } };
/** A step for each of a and b: sums of decimals with ties. */
const TREES = {
  family: 'tree-ensemble',
  parameters: {
    aggregation: 'sum',
    link: 'logit',
    base: [-1],
    trees: [0, 1].map((column) => ({
      feature: [column, column, -1, -1, -1],
      threshold: [2, 4, 0, 0, 0],
      left: [2, 3, -1, -1, -1],
      right: [1, 4, -1, -1, -1],
      value: [[0], [0], [0.1], [0.7], [1.3]],
    })),
  },
};

function modelOf(family: object, decision: object): LoadedModel {
  return loadModel({
    ...{ schema: 'elsewise.model/v1', name: 'm', features: FEATURES, classes: ['no', 'yes'] },
    ...family,
    decision,
  });
}

const policyOf = (rules: object) =>
  loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', cost: { norm: 'l1' }, unbounded: true, ...rules });
const planOf = (model: LoadedModel, rules: object = {}): Promise<Plan> =>
  prepare(model, policyOf(rules), { now: () => performance.now() });

interface Point {
  readonly a: number;
  readonly b: number;
  readonly size: string;
}

function* grid(size: string): Iterable<Point> {
  for (let a = 0; a <= 6; a++) for (let b = 0; b <= 6; b++) yield { a, b, size };
}

const scoreOf = (model: LoadedModel, features: Point): number => model.predict({ ...features }).scores.yes;
const accepts = (model: LoadedModel, thresholds: Thresholds, point: Point, fallback?: number): boolean =>
  scoreOf(model, point) > (thresholds[point.size as keyof Thresholds] ?? fallback!);

const threshold = fc.constantFrom(0.2, 0.35, 0.5, 0.62, 0.9, 0.999);
const thresholds = fc.record({ small: threshold, middle: threshold, large: threshold });

describe.each([
  ['a logistic regression', LOGISTIC],
  ['trees', TREES],
])('%s with a threshold for each segment', (_, family) => {
  it('decides and answers as a search of all values in the segment', async () => {
    await fc.assert(
      fc.asyncProperty(thresholds, fc.nat(6), fc.nat(6), fc.constantFrom(...SIZES), async (cuts, a, b, size) => {
        const model = modelOf(family, { thresholdBy: 'size', thresholds: cuts });
        const row = { a, b, size };
        const has = accepts(model, cuts, row);
        expect(model.predict(row).prediction).toBe(has ? 'yes' : 'no');
        const { status, counterfactuals, decision } = (await planOf(model)).explain({ id: 'r', features: row });
        expect(decision?.threshold).toBe(cuts[size]);
        const costs = [...grid(size)]
          .filter((point) => accepts(model, cuts, point))
          .map((point) => Math.abs(point.a - a) + Math.abs(point.b - b));
        const least = Math.min(...costs);
        const expected = has ? 'already' : costs.length ? 'found' : 'infeasible';
        expect(status).toBe(expected);
        if (expected !== 'found') return;
        expect(counterfactuals[0]).toMatchObject({ cost: least, features: { size }, proof: { kind: 'optimal' } });
      }),
      { numRuns: 60 },
    );
  });

  it('keeps every point of a region within the threshold of the segment', async () => {
    const cuts = { small: 0.3, middle: 0.5, large: 0.62 };
    const model = modelOf(family, { thresholdBy: 'size', thresholds: cuts });
    const plan = await planOf(model, { region: true });
    for (const size of SIZES) {
      const { counterfactuals } = plan.explain({ id: 'r', features: { a: 0, b: 0, size } });
      for (const { region } of counterfactuals) {
        expect(region?.features.size).toBeUndefined();
        const within = [...grid(size)].filter((point) =>
          Object.entries(region!.features).every(([name, range]) => {
            const value = point[name as 'a' | 'b'];
            const [from, to] =
              'in' in range ? [Number.NaN, Number.NaN] : [range.from ?? -Infinity, range.to ?? Infinity];
            return value >= from && value <= to;
          }),
        );
        const inBox = within.filter(({ a, b }) =>
          (['a', 'b'] as const).every(
            (name) => region!.features[name] !== undefined || { a, b }[name] === counterfactuals[0].features[name],
          ),
        );
        expect(inBox.length).toBeGreaterThan(0);
        expect(inBox.every((point) => accepts(model, cuts, point))).toBe(true);
      }
    }
  });
});

describe('a threshold for each segment', () => {
  const decision = { thresholdBy: 'size', thresholds: { small: 0.3, large: 0.7 } };

  it('falls back to the threshold of all others, also for a missing value', async () => {
    const imputing = { ...LOGISTIC, preprocessing: [{ type: 'impute', values: [null, null, 1, 0, 0] }] };
    const model = modelOf(imputing, { ...decision, threshold: 0.5 });
    const plan = await planOf(model);
    const told = (size: string | null) => plan.explain({ id: 'r', features: { a: 0, b: 0, size } }).decision?.threshold;
    expect(['small', 'middle', 'large', null].map(told)).toEqual([0.3, 0.5, 0.7, 0.5]);
    const strict = modelOf(imputing, { ...decision, thresholds: { small: 0.3, middle: 0.4, large: 0.7 } });
    const result = (await planOf(strict)).explain({ id: 'r', features: { a: 0, b: 0, size: null } });
    expect(result).toMatchObject({ status: 'invalid', reason: { path: 'features.size' } });
    expect(result.reason?.message).toContain('the threshold depends on it');
  });

  it('tells no common threshold, and decides in each use of a model', () => {
    const model = modelOf(LOGISTIC, { ...decision, threshold: 0.5 });
    expect(populationOf(model, 0).thresholds).toBeUndefined();
    const predict = createPredictor(model);
    const check = new ParityCheck(model, [{ part: { kind: 'score', index: 1 }, name: 'yes' } as never], 1e-9);
    for (const size of SIZES) {
      const raw = [3, 2, size];
      const expected = model.predict({ a: 3, b: 2, size });
      expect(predict({ id: 'r', raw } as never)).toMatchObject(expected);
      const { decided, givenDecision } = check.compare({ id: 'r', raw, predicted: [expected.scores.yes] } as never);
      expect([decided, givenDecision]).toEqual([expected.prediction, expected.prediction]);
    }
    expect(SIZES.map((size) => model.predict({ a: 3, b: 2, size }).prediction)).toEqual(['yes', 'no', 'no']);
  });

  it('is the same for a row that is checked again', async () => {
    const model = modelOf(LOGISTIC, { ...decision, threshold: 0.5 });
    const plan = await planOf(model);
    for (const size of SIZES) {
      const result = plan.explain({ id: 'r', features: { a: 0, b: 1, size } });
      const { factual, answers } = plan.recheck(result);
      expect(factual).toEqual(result.factual);
      expect(answers.map(({ fault }) => fault)).toEqual(['']);
    }
  });

  it.each([
    [
      { thresholdBy: 'sise', thresholds: {} },
      'model.decision.thresholdBy: unknown feature "sise", did you mean "size"?',
    ],
    [{ thresholdBy: 'a', thresholds: {} }, 'model.decision.thresholdBy: "a" is integer'],
    [{ thresholdBy: 'size' }, 'model.decision.thresholds: is missing'],
    [{ thresholds: { small: 0.5 } }, 'model.decision.thresholds: needs "thresholdBy"'],
    [{ thresholdBy: 'size', thresholds: { smal: 0.5 } }, 'model.decision.thresholds.smal: unknown value of "size"'],
    [{ thresholdBy: 'size', thresholds: { small: 0.5 } }, 'has no threshold for "middle"'],
    [{ thresholdBy: 'size', thresholds: { small: 2 }, threshold: 0.5 }, '2 is no probability'],
    [{ thresholdBy: 'size', thresholds: JSON.parse('{"__proto__": 0.5}'), threshold: 0.5 }, '__proto__'],
  ])('is refused by name: %j', (faulty, message) => {
    expect(() => modelOf(LOGISTIC, faulty)).toThrow(message);
  });

  it('keeps policies from changing the segment', () => {
    const model = modelOf(LOGISTIC, { ...decision, threshold: 0.5 });
    const plan = (rule: object) => createPlan(model, policyOf({ features: { size: rule } }));
    expect(() => plan({ change: 'any' })).toThrow(
      'policy.features.size.change: the model\'s threshold depends on "size"',
    );
    expect(() => plan({ change: 'never' })).not.toThrow();
  });
});
