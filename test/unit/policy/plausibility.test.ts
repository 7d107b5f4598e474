/** What `plausibility` asks for: a quantile of the background's own normality, by our forest or by the model's. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import type { TreesAtom } from '../../../src/models/region.js';
import type { PlausibilityLimit } from '../../../src/policy/plausibility/plausibility-measure.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';

const dice = new Dice(5);
const samples = Array.from({ length: 150 }, () => [
  dice.normal(),
  dice.integer(0, 5),
  dice.pick(['own', 'rent', 'free']),
]);

const modelOf = (background: Record<string, unknown>, preprocessing: unknown[] = []) =>
  loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    features: [
      { name: 'x', type: 'continuous' },
      { name: 'n', type: 'integer' },
      { name: 'c', type: 'categorical', categories: ['own', 'rent', 'free'] },
    ],
    classes: ['no', 'yes'],
    preprocessing,
    parameters: { weights: [1, 0, 0, 0, 0], bias: 0 },
    background,
  });

const compile = (plausibility: Record<string, unknown>, model = modelOf({ samples })) => {
  const document = { method: 'isolation-forest', ...plausibility };
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', plausibility: document }).document;
  return compilePolicy(policy, model).plausibility!.of([]).limit as PlausibilityLimit & {
    atom: TreesAtom;
    need: number;
  };
};

const columnsOf = ([x, n, c]: readonly (string | number)[]) =>
  Float64Array.of(Number(x), Number(n), ...['own', 'rent', 'free'].map((name) => +(name === c)));

const STUMP = { feature: [0, 0, 0], threshold: [1, 0, 0], left: [1, -1, -1], right: [2, -1, -1] };
const brought = { trees: [{ ...STUMP, value: [[0], [1.5], [0.5]], missing: 'left' }], offset: -0.5 };

describe('the quantile', () => {
  it.each([0, 0.05, 0.5, 0.9])('leaves at least 1 - %d of the samples plausible, and hardly more', (atLeast) => {
    const plausibility = compile({ atLeast });
    const share = samples.filter((row) => plausibility.holds(columnsOf(row))).length / samples.length;
    expect(share).toBeGreaterThanOrEqual(1 - atLeast);
    expect(share).toBeLessThan(1 - atLeast + 0.05);
  });

  it('is the same whenever it is computed, and for every seed of the policy', () => {
    const again = compile({ atLeast: 0.1 }, modelOf({ samples }));
    expect(compile({ atLeast: 0.1 }).need).toBe(again.need);
    expect(compile({ atLeast: 0.1 }).atom.forest.threshold).toEqual(again.atom.forest.threshold);
  });

  it('grows with the share', () => {
    expect(compile({ atLeast: 0.5 }).need).toBeGreaterThan(compile({ atLeast: 0.05 }).need);
  });

  it('takes the size of the forest', () => {
    expect(compile({ atLeast: 0.1, trees: 7 }).atom.forest.root.length).toBe(7);
    expect(compile({ atLeast: 0.1 }).atom.forest.root.length).toBe(100);
  });
});

describe('the share that is told', () => {
  /** On whole numbers many rows are as far from their neighbours as others, but for rounding. */
  const lattice = new Dice(8);
  const model = modelOf({
    samples: Array.from({ length: 59 }, () => [10 * lattice.integer(-3, 4), lattice.integer(0, 3), 'own']),
  });
  const points = Array.from({ length: 80 }, (_, k) => columnsOf([k - 35, k % 4, 'own']));

  it.each([
    { method: 'density', k: 5 },
    { method: 'density', k: 1 },
    { method: 'density', components: 1 },
    { method: 'density', components: 2 },
    { method: 'isolation-forest' },
  ])('by $method is at least what is asked for where the limit holds, and less elsewhere: %j', (method) => {
    for (const atLeast of [0.05, 0.1, 0.2, 0.29, 0.5, 0.9]) {
      const policy = loadPolicy({ schema: 'elsewise.policy/v1', plausibility: { ...method, atLeast } }).document;
      const { limit, shareOf } = compilePolicy(policy, model).plausibility!.of([]);
      const [kept, refused] = [true, false].map((holds) =>
        points.filter((x) => limit!.holds(x) === holds).map(shareOf!),
      );
      expect(Math.min(...kept), `${atLeast}`).toBeGreaterThanOrEqual(atLeast);
      expect(Math.max(0, ...refused), `${atLeast}`).toBeLessThanOrEqual(atLeast);
      expect(Math.max(0, ...refused), `${atLeast}`).toBeLessThan(Math.min(...kept));
    }
  });
});

describe('a missing value', () => {
  it('counts as what the imputer makes of it', () => {
    const model = modelOf({ samples }, [{ type: 'impute', values: [0.25, 1, 1, 0, 0] }]);
    const plausibility = compile({ atLeast: 0.3 }, model);
    const missing = columnsOf([Number.NaN, 1, 'own']);
    expect(plausibility.holds(missing)).toBe(plausibility.holds(columnsOf([0.25, 1, 'own'])));
  });
});

describe('a forest that the model brings', () => {
  const model = modelOf({ samples, isolationForest: brought });

  it('takes the place of ours', () => {
    expect([...compile({ atLeast: 0.1 }, model).atom.forest.value]).toEqual([0, 1.5, 0.5]);
  });

  it('decides by its own offset where the policy names no share, without any samples', () => {
    const own = compile({}, modelOf({ isolationForest: brought }));
    // -2^-1.5 >= -0.5 on the left, -2^-0.5 < -0.5 on the right
    expect(own.holds(columnsOf([1, 0, 'own']))).toBe(true);
    expect(own.holds(columnsOf([1.01, 0, 'own']))).toBe(false);
  });

  it.each([
    [{ ...STUMP, value: [[0], [1], [1]], feature: [9, 0, 0] }, 'feature[0]'],
    [
      {
        ...STUMP,
        value: [
          [0, 0],
          [1, 0],
          [1, 0],
        ],
      },
      '',
    ],
    [{ ...STUMP, value: [[0], [1], [1]], categories: [[1], null, null] }, ''],
  ])('is refused with its path when it does not fit', (tree, key) => {
    const fault = faultOf(() => modelOf({ isolationForest: { trees: [tree], offset: -0.5 } }));
    expect(fault.path).toBe(['model.background.isolationForest.trees', ...(key ? [key] : [])].join('.'));
  });
});

describe('what cannot be', () => {
  it('is more trees over more samples than can be looked at while a plan is made', () => {
    const many = modelOf({ samples: Array.from({ length: 20_000 }, (_, k) => [k, 0, 'own']) });
    const fault = faultOf(() => compile({ atLeast: 0.05, trees: 1000 }, many));
    expect([fault.path, fault.message]).toEqual([
      'policy.plausibility.trees',
      expect.stringContaining('at most 907 trees'),
    ]);
  });

  it.each([
    [{ atLeast: 1 }, 'policy.plausibility.atLeast'],
    [{ atLeast: -0.1 }, 'policy.plausibility.atLeast'],
    [{ atLeast: 0.1, method: 'lof' }, 'policy.plausibility.method'],
    [{ atLeast: 0.1, tree: 5 }, 'policy.plausibility.tree'],
    [{}, 'policy.plausibility.atLeast'],
  ])('%j is refused with its path', (plausibility, path) => {
    expect(faultOf(() => compile(plausibility)).path).toBe(path);
  });

  it.each([0, 19])('with %d samples it says what to add', (count) => {
    const fault = faultOf(() => compile({ atLeast: 0.1 }, modelOf({ samples: samples.slice(0, count) })));
    expect(fault).toMatchObject({ code: 'bad-document', path: 'policy.plausibility' });
    expect(fault.message).toMatch(/at least 20 rows in model\.background\.samples/);
  });
});
