/** Prototypes with matrices of their own, more than are searched together: against the same answers without a working set, and random points. */
import { describe, expect, it } from 'vitest';
import { ElsewiseError } from '../../../src/documents/error.js';
import { loadPolicy, prepare } from '../../../src/index.js';
import { Dice } from '../../support/dice.js';
import { prototypeModel } from '../../support/prototype-models.js';

const policyOf = (norm: string) =>
  loadPolicy({ schema: 'elsewise.policy/v1', target: 'b', cost: { norm }, effort: 60_000, deadlineMs: 60_000 });

describe('a working set of quadratics', () => {
  it.each(['l2', 'l1'])('answers as well as any random point under %s', async (norm) => {
    const dice = new Dice(31);
    const model = prototypeModel(dice, 30, 3);
    const plan = await prepare(model, policyOf(norm));
    const names = ['f0', 'f1', 'f2'];
    let proved = 0;
    for (let round = 0; round < 6; round++) {
      const from = dice.vector(3, () => -1 + dice.normal());
      const result = plan.explain({ id: 'r', features: Object.fromEntries(names.map((name, f) => [name, from[f]])) });
      if (result.status === 'already') continue;
      expect(result.status).toBe('found');
      expect(result.attempts.map(({ solver }) => solver)).toContain('working-set');
      const [{ cost, proof, features }] = result.counterfactuals;
      expect(model.predict(features).prediction).toBe('b');
      proved += +(proof.kind === 'optimal');
      const least = norm === 'l1' ? proof.lowerBound! : Math.sqrt(proof.lowerBound!);
      expect(proof.lowerBound!).toBeLessThanOrEqual(cost * (1 + 1e-9));
      for (let k = 0; k < 2000; k++) {
        const way = dice.vector(3, () => dice.normal());
        const size = norm === 'l1' ? way.reduce((sum, v) => sum + Math.abs(v), 0) : Math.hypot(...way);
        const share = 1 - 0.5 * dice.unit() ** 3;
        const to = names.map((name, f) => [name, from[f] + (way[f] / size) * share * least * (1 - 2e-6)]);
        expect(model.predict(Object.fromEntries(to)).prediction).toBe('a');
      }
    }
    expect(proved).toBeGreaterThan(norm === 'l2' ? 3 : 0);
  });

  it('keeps within its effort where prototypes and features are many', async () => {
    const dice = new Dice(7);
    const model = prototypeModel(dice, 60, 20);
    const plan = await prepare(model, policyOf('l2'));
    const features = Object.fromEntries(Array.from({ length: 20 }, (_, f) => [`f${f}`, -1 + dice.normal()]));
    const result = plan.explain({ id: 'r', features });
    expect(result.status).toBe('found');
    expect(result.counterfactuals[0].proof.lowerBound!).toBeGreaterThan(0);
  });
});

describe('very many prototypes', () => {
  it('are refused by name at load, with the numbers', () => {
    const load = () => prototypeModel(new Dice(1), 2500, 2, false);
    expect(load).toThrow(ElsewiseError);
    expect(load).toThrow(/5000 prototypes make 6250000 pairs of two classes, at most 300000/);
  });
});
