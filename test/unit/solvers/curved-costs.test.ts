/** L0 and percentile cost on quadratic regions: against trying all on lattices, and against random points where features are continuous. */
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { Dice } from '../../support/dice.js';

const NAMES = ['f0', 'f1', 'f2'];
const CLASSES = ['a', 'b', 'c'];
const SOLVER = { l0: 'feature-sets', percentile: 'percentile-chords' } as const;
type Norm = keyof typeof SOLVER;

function positive(dice: Dice, size: number): number[][] {
  const root = dice.matrix(size, size);
  return root.map((p, i) =>
    root.map((q, j) => p.reduce((sum, v, k) => sum + v * q[k], 0) / size + (i === j ? 0.3 : 0)),
  );
}

const FAMILIES = {
  qda: (dice: Dice) => ({
    means: dice.matrix(3, 3, () => 1.5 * dice.normal()),
    covariances: CLASSES.map(() => positive(dice, 3)),
    priors: [0.3, 0.3, 0.4],
  }),
  lvq: (dice: Dice) => ({
    prototypes: dice.matrix(3, 3, () => 1.5 * dice.normal()),
    labels: CLASSES,
    relevances: CLASSES.map(() => positive(dice, 3)),
  }),
};

/** Quantiles in uneven steps, so that a unit of change costs more in some places. */
const quantiles = (dice: Dice) =>
  Object.fromEntries(NAMES.map((name) => [name, [-3, -1, -0.8, 0, 0.2, 1.5, 3].map((v) => v + 0.1 * dice.unit())]));

function curvedModel(dice: Dice, family: keyof typeof FAMILIES) {
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    classes: CLASSES,
    features: NAMES.map((name) => ({ name, type: 'continuous' })),
    parameters: FAMILIES[family](dice),
    background: { quantiles: quantiles(dice) },
  });
}

const policyOf = (parts: object) =>
  loadPolicy({ schema: 'elsewise.policy/v1', effort: 40_000, deadlineMs: 60_000, ...parts });
const drawRow = (dice: Dice) => Object.fromEntries(NAMES.map((name) => [name, dice.integer(-8, 8) / 4]));

describe.each([
  ['l0', 'qda', {}],
  ['l0', 'qda', { from: 0.6 }],
  ['l0', 'lvq', {}],
  ['percentile', 'qda', {}],
  ['percentile', 'qda', { from: 0.6 }],
  ['percentile', 'lvq', {}],
] as [Norm, keyof typeof FAMILIES, { from?: number }][])('%s on %s, target %o', (norm, family, part) => {
  const target = part.from ? { class: 'b', ...part } : 'b';

  it('proves on a lattice what trying all proves', async () => {
    const dice = new Dice(3);
    let [proved, found] = [0, 0];
    for (let round = 0; round < 8; round++) {
      const model = curvedModel(dice, family);
      const rule = { step: 0.5, min: -3, max: 3 };
      const cost = { norm, weights: { f0: 1.3, f1: 2.1, f2: 0.8 } };
      const shared = { target, cost, features: Object.fromEntries(NAMES.map((name) => [name, rule])) };
      const row = { id: 'r', features: drawRow(dice) };
      const [own, all] = await Promise.all(
        [[SOLVER[norm]], ['enumerate']].map(async (solvers) =>
          (await prepare(model, policyOf({ ...shared, solvers }))).explain(row),
        ),
      );
      if (all.status !== 'found') {
        expect([all.status, 'not-found']).toContain(own.status);
        continue;
      }
      found++;
      expect(own.status).toBe('found');
      const [{ cost: ownCost, proof }, { cost: least }] = [own.counterfactuals[0], all.counterfactuals[0]];
      expect(proof.lowerBound!).toBeLessThanOrEqual(least * (1 + 1e-9));
      expect(ownCost).toBeGreaterThanOrEqual(least * (1 - 1e-9));
      proved += +(proof.kind === 'optimal');
    }
    expect(found).toBeGreaterThan(2);
    // Probabilities on lattices are seldom proved without trying all.
    if (!part.from) expect(proved).toBeGreaterThan(0);
  });

  it('answers continuous features with a bound that no random point beats', async () => {
    const dice = new Dice(8);
    let found = 0;
    for (let round = 0; round < 6; round++) {
      const model = curvedModel(dice, family);
      const plan = await prepare(model, policyOf({ target, cost: { norm } }));
      const row = drawRow(dice);
      const result = plan.explain({ id: 'r', features: row });
      expect(['found', 'already', 'infeasible']).toContain(result.status);
      if (result.status === 'already') continue;
      const bound = result.status === 'found' ? result.counterfactuals[0].proof.lowerBound! : Infinity;
      found += +(result.status === 'found');
      for (let k = 0; k < 1500; k++) {
        const to = Object.fromEntries(NAMES.map((name) => [name, dice.chance(0.5) ? row[name] : 4 * dice.normal()]));
        const { prediction, scores } = model.predict(to);
        const isReached = part.from ? scores.b >= part.from : prediction === 'b';
        if (isReached) expect(costOf(model, norm, row, to)).toBeGreaterThanOrEqual(bound * (1 - 1e-6));
      }
    }
    expect(found).toBeGreaterThan(1);
  });
});

/** The cost as its definition has it, computed here. */
function costOf(
  model: ReturnType<typeof curvedModel>,
  norm: Norm,
  from: Record<string, number>,
  to: Record<string, number>,
) {
  const known = model.document.background!.quantiles as Record<string, number[]>;
  const height = (name: string, x: number) => {
    const q = known[name];
    const last = q.length - 1;
    const mean = 1 / (q[last] - q[0]);
    if (x <= q[0]) return (x - q[0]) * mean;
    if (x >= q[last]) return 1 + (x - q[last]) * mean;
    const k = q.findIndex((v) => v > x) - 1;
    return (k + (x - q[k]) / (q[k + 1] - q[k])) / last;
  };
  const price = (name: string) =>
    norm === 'l0' ? +(from[name] !== to[name]) : Math.abs(height(name, to[name]) - height(name, from[name]));
  return NAMES.reduce((sum, name) => sum + price(name), 0);
}
