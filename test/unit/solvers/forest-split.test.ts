/** Ensembles under mahalanobis and behind a step that mixes columns, against trying every point of a lattice and many between. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { generators } from '../../support/random-models.js';

/** What a move by the last digit of a number up to 3 costs at most. */
const LAST_DIGIT = 1e-28;
const NUMBERS = [-3, -2, -1, 0, 1, 2, 3];
const COVARIANCE = [
  [2, 0.6],
  [0.6, 1],
];
/** The inverse of the covariance, by hand. */
const INVERSE = [
  [1 / 1.64, -0.6 / 1.64],
  [-0.6 / 1.64, 2 / 1.64],
];

function modelOf(dice: Dice, family: string, type: string, mixed: boolean) {
  const draw = generators[family](dice, 2);
  if (draw.classes !== 2) return null;
  return {
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    classes: ['a', 'b'],
    features: ['x', 'y'].map((name) => ({ name, type, min: -3, max: 3 })),
    preprocessing: mixed ? [{ type: 'affine', matrix: dice.matrix(2, 2), offset: dice.vector(2) }] : [],
    parameters: draw.parameters,
    background: { covariance: { features: ['x', 'y'], matrix: COVARIANCE } },
  };
}

type Point = { x: number; y: number };

const COSTS: Record<string, (from: Point, to: Point) => number> = {
  mahalanobis: (from, to) => {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    return INVERSE[0][0] * dx * dx + 2 * INVERSE[0][1] * dx * dy + INVERSE[1][1] * dy * dy;
  },
  l1: (from, to) => Math.abs(to.x - from.x) + Math.abs(to.y - from.y),
  l2: (from, to) => (to.x - from.x) ** 2 + (to.y - from.y) ** 2,
};

const CASES = ['tree-ensemble', 'isolation-forest'].flatMap((family) =>
  [
    ['mahalanobis', false],
    ['mahalanobis', true],
    ['l1', true],
    ['l2', true],
  ].map(([norm, mixed]) => [family, norm as string, mixed as boolean] as const),
);

describe.each(CASES)('a %s under %s, mixed: %s', (family, norm, mixed) => {
  it.each(['integer', 'continuous'])('is answered as by trying points: %s', async (type) => {
    const dice = new Dice(5);
    let [found, proved] = [0, 0];
    for (let round = 0; round < 30; round++) {
      const document = modelOf(dice, family, type, mixed);
      if (!document) continue;
      const model = loadModel(document);
      const target = dice.pick(['a', 'b']);
      const policy = { schema: 'elsewise.policy/v1', target, cost: { norm }, solvers: ['single-tree', 'forest-split'] };
      const row = { x: dice.pick(NUMBERS), y: dice.pick(NUMBERS) };
      const { status, counterfactuals } = (await planOf(document, policy)).explain({ id: 'r', features: row });
      const lattice = NUMBERS.flatMap((x) => NUMBERS.map((y) => ({ x, y })));
      const between = Array.from({ length: 2000 }, () => ({ x: dice.between(-3, 3), y: dice.between(-3, 3) }));
      const tried = type === 'integer' ? lattice : [...lattice, ...between];
      const costs = tried.filter((to) => model.predict(to).prediction === target).map((to) => COSTS[norm](row, to));
      const least = Math.min(...costs);
      if (status === 'already') continue;
      if (costs.length) expect(status).toBe('found');
      if (status !== 'found') continue;
      const { cost, proof } = counterfactuals[0];
      expect(proof.lowerBound).toBeLessThanOrEqual(least * (1 + 1e-6) + 1e-9);
      // A row on a threshold moves by the last digit of a double; no engine proves what the least such move is.
      if (cost < LAST_DIGIT) continue;
      found++;
      if (proof.kind === 'optimal') proved++;
      if (type === 'integer' && proof.kind === 'optimal') expect(cost).toBeCloseTo(least, 6);
    }
    expect(found).toBeGreaterThan(3);
    expect(proved).toBeGreaterThanOrEqual(0.9 * found);
  });
});
