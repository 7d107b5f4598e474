/** Answers of searches that know a model by its word alone: a library that adds up in another order says the same of them. */
import { describe, expect, it } from 'vitest';
import { createPlan } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { NearestSamples } from '../../../src/models/machines/nearest-samples.js';
import { NeighbourTies } from '../../../src/models/machines/neighbour-ties.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Dice } from '../../support/dice.js';

const SCHEMA = { schema: 'elsewise.policy/v1', effort: 20_000, deadlineMs: 60_000 };
const SPACE = { schema: 'elsewise.model/v1', name: 'm', classes: ['no', 'yes'] };
const numbers = (count: number) => Array.from({ length: count }, (_, j) => ({ name: `x${j}`, type: 'continuous' }));

describe('an answer of a network', () => {
  const drawLayers = (dice: Dice) => [
    {
      weights: Array.from({ length: 3 }, () => [dice.normal(), dice.normal(), dice.normal()]),
      bias: [dice.normal(), dice.normal(), dice.normal()],
      activation: 'relu',
    },
    { weights: [[dice.normal(), dice.normal(), dice.normal()]], bias: [0.1 * dice.normal()], activation: 'logistic' },
  ];
  type Layers = ReturnType<typeof drawLayers>;

  /** The last sum with every sum from its end, the bias first. */
  const backwards = (layers: Layers, x: number[]): number => {
    const run = (input: number[], { weights, bias }: Layers[number]) =>
      weights.map((row, i) => row.reduceRight((sum, weight, j) => sum + weight * input[j], bias[i]));
    const hidden = run(x, layers[0]).map((z) => Math.max(0, z));
    return run(hidden, layers[1])[0];
  };

  it.each(['lbfgs', 'nelder-mead', 'spheres'])('by %s stands where sums are made backwards', (solver) => {
    const dice = new Dice(3);
    let found = 0;
    for (let m = 0; m < 40; m++) {
      const layers = drawLayers(dice);
      const model = loadModel({ ...SPACE, family: 'mlp', features: numbers(3), parameters: { layers } });
      const plan = createPlan(model, loadPolicy({ ...SCHEMA, cost: { norm: 'l1' }, solvers: [solver] }));
      for (const target of ['no', 'yes']) {
        const features = { x0: dice.normal(), x1: dice.normal(), x2: dice.normal() };
        const { counterfactuals } = plan.explain({ id: 'r', features, target });
        if (!counterfactuals.length) continue;
        const { x0, x1, x2 } = counterfactuals[0].features as typeof features;
        expect(backwards(layers, [x0, x1, x2]) > 0, `${m} ${target}`).toBe(target === 'yes');
        found++;
      }
    }
    expect(found).toBeGreaterThan(20);
  });
});

describe('an answer of neighbours by the Manhattan metric', () => {
  /** Beyond both samples in both columns their distances are the same, but for rounding. */
  const parameters = {
    samples: [
      [1.1, 0.3],
      [0.3, 1.1],
    ],
    labels: ['no', 'yes'],
    k: 1,
    metric: 'manhattan',
  };
  const model = loadModel({ ...SPACE, family: 'knn', features: numbers(2), parameters });
  const lead = ({ x0, x1 }: Record<string, number>) =>
    Math.abs(x0 - 1.1) + Math.abs(x1 - 0.3) - Math.abs(x0 - 0.3) - Math.abs(x1 - 1.1);

  it.each(['neighbours', 'spheres', 'genetic', 'cma-es'])('by %s is no tie that rounding decides', (solver) => {
    const dice = new Dice(12);
    const plan = createPlan(model, loadPolicy({ ...SCHEMA, target: 'yes', solvers: [solver], cost: { norm: 'l2' } }));
    let found = 0;
    for (let r = 0; r < 30; r++) {
      const features = { x0: dice.between(1.2, 4), x1: dice.between(1.2, 4) };
      const { counterfactuals } = plan.explain({ id: 'r', features });
      if (!counterfactuals.length) continue;
      expect(lead(counterfactuals[0].features as typeof features)).toBeGreaterThan(1e-13);
      found++;
    }
    expect(found).toBeGreaterThan(5);
  });

  it('is given for want of a better one', () => {
    const features = { x0: { min: 1.2, max: 4 }, x1: { min: 1.2, max: 4 } };
    const plan = createPlan(model, loadPolicy({ ...SCHEMA, target: 'yes', solvers: ['spheres'], features }));
    const rows = Array.from({ length: 10 }, (_, r) => ({ x0: 2.1 + 0.01 * r, x1: 3.3 }));
    const found = rows
      .map((row) => plan.explain({ id: 'r', features: row }))
      .filter(({ status }) => status === 'found');
    expect(found.length).toBeGreaterThan(2);
    for (const { counterfactuals } of found) expect(counterfactuals[0].prediction).toBe('yes');
  });
});

describe('sets of neighbours', () => {
  const setsAt = (samples: number[][], k: number, x: number[], metric: 'euclidean' | 'manhattan' = 'euclidean') =>
    new NeighbourTies(new NearestSamples(Float64Array.from(samples.flat()), x.length, k, metric)).setsAt(
      Float64Array.from(x),
    );

  it('are one where distances differ', () => {
    expect(setsAt([[0], [1], [3]], 2, [0.2])).toEqual([[0, 1]]);
  });

  it('are several where the last neighbour is as near as another but for rounding', () => {
    expect(setsAt([[0], [0.2], [0.4]], 2, [0.2])!.map((set) => set.toSorted())).toEqual([
      [1, 2],
      [0, 1],
    ]);
  });

  it('take the earlier of samples at the same place', () => {
    expect(setsAt([[1], [1], [5]], 1, [0])).toEqual([[0]]);
  });

  it('are too many to look at where all samples are equally far', () => {
    const circle = Array.from({ length: 24 }, (_, i) => [Math.cos(i), Math.sin(i)]);
    expect(setsAt(circle, 12, [0, 0])).toBeNull();
  });
});
