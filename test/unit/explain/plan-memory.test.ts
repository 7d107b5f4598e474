/** A plan says how much memory it keeps. The heap is asked whether that is true. */
import { describe, expect, it } from 'vitest';
import { type Plan, prepare } from '../../../src/explain/plan.js';
import { retainedBytes } from '../../../src/explain/retained-bytes.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';
import { heapBytes } from '../../support/heap.js';
import { SLOW_FOREST } from '../../support/slow-forest.js';

const KB = 2 ** 10;
const MB = 2 ** 20;
const dice = new Dice(11);

const features = (count: number) =>
  Array.from({ length: count }, (_, f) => ({ name: `x${f}`, type: 'continuous', min: -50, max: 50 }));

const model = (family: string, count: number, classes: string[] | undefined, parameters: object) => ({
  ...{ schema: 'elsewise.model/v1', name: 'kept', family, features: features(count) },
  ...(classes && { classes }),
  parameters,
});

const identity = (size: number, scale: number) =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? scale : 0)));

const LOGISTIC = model('logistic-regression', 200, ['no', 'yes'], { weights: dice.vector(200), bias: -40 });
const REGRESSION = model('linear-regression', 60, undefined, { weights: dice.vector(60), bias: 0 });
const CLASSES = Array.from({ length: 12 }, (_, k) => `c${k}`);
const QDA = model('qda', 12, CLASSES, {
  means: dice.matrix(12, 12).map((mean) => mean.map((value) => 8 * value)),
  covariances: CLASSES.map((_, k) => identity(12, 1 + k / 12)),
  priors: CLASSES.map(() => 1 / 12),
});

interface Case {
  readonly document: { readonly features: readonly { name: string }[] };
  readonly policy: object;
  targetOf(i: number): unknown;
}

const CASES: Readonly<Record<string, Case>> = {
  'linear rows, capped': {
    document: LOGISTIC,
    policy: { maxChanges: 3, constraints: ['x0 <= x1 + 3'] },
    targetOf: (i) => ({ from: 0.6 + i / 1000 }),
  },
  'a regression': { document: REGRESSION, policy: { maxChanges: 2 }, targetOf: (i) => ({ from: 50 + i, to: 60 + i }) },
  'a forest': { document: SLOW_FOREST, policy: { effort: 1000 }, targetOf: (i) => ({ from: 0.4 + i / 1000 }) },
  'quadratics, capped': {
    document: QDA,
    policy: { maxChanges: 3, effort: 300 },
    targetOf: (i) => [CLASSES[i % 12], CLASSES[(i + 1 + Math.floor(i / 12)) % 12]],
  },
};

const load = ({ document, policy }: Case, more: object = {}, partBytes?: number): Promise<Plan> =>
  prepare(loadModel(document), loadPolicy({ schema: 'elsewise.policy/v1', ...policy, ...more }), { partBytes });

const rowOf = ({ document }: Case) => ({
  id: 'r',
  features: Object.fromEntries(document.features.map(({ name }) => [name, 0.25])),
});

/** Of a plan that is warm: the heap keeps compiled code as well. */
async function growthOf(plan: Plan, work: (round: number) => void): Promise<{ real: number; told: number }> {
  work(0);
  const [real, told] = [await heapBytes(), plan.bytes];
  work(1);
  return { told: plan.bytes - told, real: (await heapBytes()) - real };
}

const TARGETS = 30;

describe('the memory of a plan', () => {
  it.each(Object.entries(CASES))('grows with its targets as the heap does: %s', async (_name, one) => {
    const plan = await load(one);
    const { real, told } = await growthOf(plan, (round) => {
      for (let i = 0; i < TARGETS; i++) plan.explain({ ...rowOf(one), target: one.targetOf(TARGETS * round + i) });
    });
    expect(real).toBeGreaterThan(MB);
    expect(told / real).toBeGreaterThan(0.6);
    expect(told / real).toBeLessThan(1.5);
  });

  it('grows with the policies that infeasible rows are tried under', async () => {
    const document = model('logistic-regression', 16, ['no', 'yes'], { weights: dice.vector(16), bias: -40 });
    const features = Object.fromEntries(document.features.map(({ name }) => [name, { min: -1, max: 1 }]));
    const one = { document, policy: { features, maxChanges: 4 }, targetOf: (i: number) => ({ from: 0.9 + i / 1000 }) };
    const plan = await load(one);
    const { real, told } = await growthOf(plan, (round) => {
      for (let i = 0; i < 8; i++) {
        const result = plan.explain({ ...rowOf(one), target: one.targetOf(8 * round + i) });
        expect(result.status).toBe('infeasible');
      }
    });
    expect(real).toBeGreaterThan(MB);
    expect(told / real).toBeGreaterThan(0.5);
    expect(told / real).toBeLessThan(2); // a plan that is used several times for a row is weighed a row later
  });

  it('does not grow beyond its budget, and the answers stay the same', async () => {
    const one = CASES['a regression'];
    const budget = 256 * KB;
    const [bounded, unbounded] = await Promise.all([load(one, {}, budget), load(one, {}, 1e9)]);
    const before = bounded.bytes;
    const untimed = (plan: Plan, i: number) => {
      const { attempts, elapsedMs: _, ...rest } = plan.explain({ ...rowOf(one), target: one.targetOf(i % 60) });
      return { ...rest, attempts: attempts.map(({ solver, outcome }) => [solver, outcome]) };
    };
    for (let i = 0; i < 150; i++) {
      expect(untimed(bounded, i)).toEqual(untimed(unbounded, i));
      expect(bounded.bytes - before).toBeLessThan(budget + 64 * KB);
    }
    expect(unbounded.bytes).toBeGreaterThan(2 * bounded.bytes);
  });

  it('counts what threads share as nothing', () => {
    const shared = new Float64Array(new SharedArrayBuffer(8 * MB));
    const own = new Float64Array(MB / 8);
    expect(retainedBytes({ shared })).toBeLessThan(KB);
    expect(retainedBytes({ own, again: own })).toBeGreaterThanOrEqual(MB);
    expect(retainedBytes({ own, again: own })).toBeLessThan(MB + KB);
  });
});
