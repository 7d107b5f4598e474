/** Plausibility by an autoencoder that knows one line: answers stay near the line, and what is claimed is true on a grid. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { planOf } from '../../support/asking.js';

/** The projection onto a = b. */
const AUTOENCODER = {
  layers: [
    { weights: [[0.5, 0.5]], bias: [0], activation: 'identity' },
    { weights: [[1], [1]], bias: [0, 0], activation: 'identity' },
  ],
};

const modelOf = (type: string, autoencoder: object | undefined = AUTOENCODER) => ({
  schema: 'elsewise.model/v1',
  name: 'line',
  family: 'logistic-regression',
  features: ['a', 'b'].map((name) => ({ name, type, min: 0, max: 10 })),
  classes: ['no', 'yes'],
  parameters: { weights: [1, 0], bias: -6.5 },
  background: {
    samples: Array.from({ length: 40 }, (_, i) => [i % 10, (i % 10) + (i % 4) / 2].map(Math.floor)),
    autoencoder,
  },
});

const policyOf = (more: object = {}) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  unbounded: true,
  cost: { weights: 'none' },
  plausibility: { method: 'autoencoder', atLeast: 0.25, ...more },
  deadlineMs: 10_000,
});

const ROW = { id: 'r', features: { a: 2, b: 2 } };

describe('an autoencoder', () => {
  it('keeps answers near its line, at the least cost among whole numbers', async () => {
    const [answer] = (await planOf(modelOf('integer'), policyOf())).explain(ROW).counterfactuals;
    const { plausibility } = compilePolicy(loadPolicy(policyOf()).document, loadModel(modelOf('integer')));
    let least = Infinity;
    for (let a = 7; a <= 10; a++)
      for (let b = 0; b <= 10; b++)
        if (plausibility!.of([]).limit!.holds(Float64Array.of(a, b))) least = Math.min(least, a - 2 + Math.abs(b - 2));
    expect(answer).toMatchObject({ cost: least, proof: { kind: 'optimal' } });
    expect(answer.plausibility!.answer).toBeGreaterThan(0.25);
  });

  it('leaves the bound of the problem without the limit where numbers are continuous', async () => {
    const [answer] = (await planOf(modelOf('continuous'), policyOf())).explain(ROW).counterfactuals;
    expect(answer.proof.kind).toBe('gap');
    expect(answer.proof.lowerBound).toBeCloseTo(4.5, 6);
    expect(answer.cost).toBeGreaterThan(4.5);
    expect(answer.cost).toBeLessThan(9.5);
  });

  it('has the slope of its margin', () => {
    const { plausibility } = compilePolicy(loadPolicy(policyOf()).document, loadModel(modelOf('continuous')));
    const { margin, gradient } = plausibility!.of([]).limit!;
    const [x, slope, h] = [Float64Array.of(3, 5), new Float64Array(2), 1e-6];
    gradient!(x, slope);
    for (const c of [0, 1])
      expect((margin!(x.with(c, x[c] + h)) - margin!(x.with(c, x[c] - h))) / (2 * h)).toBeCloseTo(slope[c], 5);
  });

  it('is refused where it does not give back its inputs, or is missing', async () => {
    const short = { layers: AUTOENCODER.layers.slice(0, 1) };
    const path = 'model.background.autoencoder.layers[0]';
    await expect(planOf(modelOf('integer', short), policyOf())).rejects.toMatchObject({ path });
    const { autoencoder: _, ...background } = modelOf('integer').background;
    const bare = { ...modelOf('integer'), background };
    await expect(planOf(bare, policyOf())).rejects.toMatchObject({ path: 'policy.plausibility.method' });
  });
});
