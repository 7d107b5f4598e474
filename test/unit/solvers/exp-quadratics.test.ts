/** Probability targets of several classes, lower and upper ends and leads: against trying all, and against random points. */
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { Dice } from '../../support/dice.js';

const FAMILIES = ['gaussian-naive-bayes', 'qda', 'lda'] as const;
const CLASSES = ['a', 'b', 'c', 'd'];
type Family = (typeof FAMILIES)[number];

function positive(dice: Dice, size: number): number[][] {
  const root = dice.matrix(size, size);
  return root.map((p, i) =>
    root.map((q, j) => p.reduce((sum, v, k) => sum + v * q[k], 0) / size + (i === j ? 0.3 : 0)),
  );
}

function gaussianModel(dice: Dice, family: Family, size: number, units = 1) {
  const classes = CLASSES.slice(0, dice.integer(3, 4));
  const means = dice.matrix(classes.length, size, () => 1.5 * dice.normal());
  const spreads = {
    'gaussian-naive-bayes': { variances: dice.matrix(classes.length, size, () => dice.between(0.3, 1.5)) },
    qda: { covariances: classes.map(() => positive(dice, size)) },
    lda: { covariance: positive(dice, size) },
  };
  const priors = classes.map(() => 1 / classes.length);
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    classes,
    features: means[0].map((_, f) => ({ name: `f${f}`, type: 'continuous' })),
    preprocessing: [{ type: 'scale', mean: means[0].map(() => 0), scale: means[0].map(() => units) }],
    parameters: { means, priors, ...spreads[family] },
  });
}

/** A target, and the policy's margin. */
interface Asked {
  readonly target: string | { readonly class: string; readonly from?: number; readonly to?: number };
  readonly margin?: number;
}

function drawTarget(dice: Dice, classes: readonly string[]): Asked {
  const name = dice.pick([...classes]);
  const p = dice.pick([0.2, 0.5, 0.8]);
  return dice.pick<Asked>([
    { target: { class: name, from: p } },
    { target: { class: name, to: p } },
    { target: { class: name, from: p, to: p + 0.1 } },
    { target: name, margin: p },
  ]);
}

function reached(scores: Record<string, number>, { target, margin = 0 }: Asked): boolean {
  if (typeof target === 'string')
    return Object.entries(scores).every(([name, score]) => name === target || scores[target] - score >= margin);
  const { class: name, from = 0, to = 1 } = target;
  return scores[name] >= from && scores[name] <= to;
}

const policyOf = (parts: object) => loadPolicy({ schema: 'elsewise.policy/v1', deadlineMs: 60_000, ...parts });

describe.each(FAMILIES)('probabilities of %s', (family) => {
  it.each(['l1', 'l2'] as const)('on a lattice under %s are answered as by trying all', async (norm) => {
    const dice = new Dice(17);
    let [proved, found] = [0, 0];
    for (let round = 0; round < 12; round++) {
      const model = gaussianModel(dice, family, 2);
      const asked = drawTarget(dice, model.classes);
      const rule = { step: 0.5, min: -3, max: 3 };
      const shared = { ...asked, cost: { norm }, features: { f0: rule, f1: rule } };
      const row = { id: 'r', features: { f0: dice.integer(-6, 6) / 2, f1: dice.integer(-6, 6) / 2 } };
      const [cut, all] = await Promise.all(
        ['cuts', 'enumerate'].map(async (solver) =>
          (await prepare(model, policyOf({ ...shared, effort: 100_000, solvers: [solver] }))).explain(row),
        ),
      );
      expect(cut.status).toBe(all.status);
      const [own, best] = [cut, all].map(({ counterfactuals }) => counterfactuals[0]);
      if (!best) continue;
      found++;
      proved += +(own.proof.kind === 'optimal');
      expect(own.proof.lowerBound!).toBeLessThanOrEqual(best.cost * (1 + 1e-9));
      if (own.proof.kind === 'optimal') expect(own.cost).toBeCloseTo(best.cost, 9);
    }
    expect(found).toBeGreaterThan(2);
    // Quadratics on lattices are seldom proved without trying all.
    expect(proved).toBeGreaterThanOrEqual(family === 'qda' ? 1 : 0.8 * found);
  });

  it.each([1, 1e6, 1e-6])('of continuous features in units of %d have no cheaper random point', async (units) => {
    const dice = new Dice(23);
    let proved = 0;
    for (let round = 0; round < 8; round++) {
      const model = gaussianModel(dice, family, 2, units);
      const asked = drawTarget(dice, model.classes);
      const norm = dice.pick(['l1', 'l2'] as const);
      const plan = await prepare(model, policyOf({ ...asked, effort: 20_000, cost: { norm } }));
      const from = [2 * units * dice.normal(), 2 * units * dice.normal()];
      const result = plan.explain({ id: 'r', features: { f0: from[0], f1: from[1] } });
      if (result.status !== 'found') {
        expect(['already', 'infeasible']).toContain(result.status);
        continue;
      }
      const [{ cost, proof, features }] = result.counterfactuals;
      expect(reached(model.predict(features).scores, asked)).toBe(true);
      proved += +(proof.kind === 'optimal');
      const length = norm === 'l1' ? cost : Math.sqrt(cost);
      for (let k = 0; k < 1500; k++) {
        const [u, v] = [dice.normal(), dice.chance(0.3) ? 0 : dice.normal()];
        const size = norm === 'l1' ? Math.abs(u) + Math.abs(v) : Math.hypot(u, v);
        const share = 1 - 0.9 * dice.unit() ** 3;
        const [f0, f1] = [from[0] + (u / size) * share * length, from[1] + (v / size) * share * length];
        const price = norm === 'l1' ? share * cost : share ** 2 * cost;
        if (price < proof.lowerBound! * (1 - 2e-6))
          expect(reached(model.predict({ f0, f1 }).scores, asked)).toBe(false);
      }
    }
    expect(proved).toBeGreaterThan(2);
  });

  it('near 0 and 1 are answered, and beyond proved infeasible', async () => {
    const model = gaussianModel(new Dice(2), family, 2);
    const row = { id: 'r', features: { f0: 0.1, f1: -0.2 } };
    const explain = async (target: object) =>
      (
        await prepare(model, policyOf({ target: { class: 'b', ...target }, effort: 20_000, cost: { norm: 'l2' } }))
      ).explain(row);
    for (const target of [{ from: 1 - 1e-9 }, { to: 1e-9 }, { to: 1e-300 }]) {
      const { status, counterfactuals } = await explain(target);
      if (status === 'infeasible' && 'from' in target) continue;
      expect(status).toBe('found');
      expect(reached(model.predict(counterfactuals[0].features).scores, { target: { class: 'b', ...target } })).toBe(
        true,
      );
    }
    expect((await explain({ from: 1.5, to: 2 })).status).toBe('infeasible');
    expect((await explain({ to: -0.5 })).status).toBe('infeasible');
  });
});
