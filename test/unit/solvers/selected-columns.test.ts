/** Trees whose inputs read one column each, several of them the same one, and rescues of searches that end early. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { generators } from '../../support/random-models.js';

const VALUES = Array.from({ length: 13 }, (_, k) => k - 6);
const FEATURES = ['x', 'y'];
const INPUTS = 6;

interface Row extends Record<string, number> {
  x: number;
  y: number;
}
const GRID: Row[] = VALUES.flatMap((x) => VALUES.map((y) => ({ x, y })));

/** A matrix whose rows have one number each, or none. */
function selection(dice: Dice): number[][] {
  return Array.from({ length: INPUTS }, () => {
    const row = FEATURES.map(() => 0);
    row[dice.integer(0, 1)] = dice.pick([0.5, 1, -0.7, 0]);
    return row;
  });
}

function modelOf(dice: Dice, matrix: number[][]) {
  const { classes, parameters } = generators['tree-ensemble'](dice, matrix.length);
  // A matrix would spread a missing value over all inputs.
  const trees = (parameters.trees as object[]).map((tree) => ({ ...tree, missing: 'error' }));
  return {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'tree-ensemble',
    features: FEATURES.map((name) => ({ name, type: 'integer', min: -6, max: 6 })),
    ...(classes && { classes: Array.from({ length: classes }, (_, k) => `class ${k}`) }),
    preprocessing: [
      { type: 'scale', mean: [0.3, -1], scale: [2, -1.5] },
      { type: 'affine', matrix, offset: dice.vector(matrix.length) },
      { type: 'scale', mean: dice.vector(matrix.length), scale: matrix.map(() => 0.9) },
    ],
    parameters: { ...parameters, trees },
  };
}

const costOf = (from: Row, to: Row) => Math.abs(to.x - from.x) + Math.abs(to.y - from.y);

describe('trees behind a matrix that mixes nothing', () => {
  it('are answered by the search over cells as by trying all points', async () => {
    const dice = new Dice(8);
    let found = 0;
    for (let round = 0; round < 60; round++) {
      const document = modelOf(dice, selection(dice));
      if (!document.classes) continue;
      const model = loadModel(document);
      const target = dice.pick(document.classes);
      const row = dice.pick(GRID);
      const policy = { schema: 'elsewise.policy/v1', target, cost: { norm: 'l1' } };
      const { status, counterfactuals, attempts } = (await planOf(document, policy)).explain({
        id: 'r',
        features: row,
      });
      const answers = GRID.filter((to) => model.predict(to).prediction === target);
      if (status === 'already') continue;
      expect(status).toBe(answers.length ? 'found' : 'infeasible');
      expect(attempts.map(({ solver }) => solver)).not.toContain('forest-split');
      if (status !== 'found') continue;
      found++;
      expect(counterfactuals[0].proof.kind).toBe('optimal');
      expect(counterfactuals[0].cost).toBeCloseTo(Math.min(...answers.map((to) => costOf(row, to))), 9);
    }
    expect(found).toBeGreaterThan(8);
  });
});

describe('a search that ends early', () => {
  /** Twelve numbers in sums of two: no box of inputs is a box of columns. */
  const numbers = Array.from({ length: 12 }, (_, c) => `x${c}`);
  const stump = (feature: number) => ({
    ...{ feature: [feature, 0, 0], threshold: [0.5, 0, 0], left: [1, -1, -1], right: [2, -1, -1] },
    ...{ value: [[0], [0], [1]], comparison: '<=', precision: 'float64', missing: 'error' },
  });
  const document = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'tree-ensemble',
    features: numbers.map((name) => ({ name, type: 'continuous', min: -4, max: 4 })),
    classes: ['no', 'yes'],
    preprocessing: [
      {
        type: 'affine',
        matrix: numbers.map((_, r) => numbers.map((_, c) => +(c === r) + 0.3 * +(c === (r + 1) % 12))),
        offset: numbers.map(() => 0),
      },
    ],
    parameters: { trees: numbers.map((_, c) => stump(c)), aggregation: 'sum', base: -8.5, link: 'logit' },
  };

  it('leaves work for a search that finds an answer', async () => {
    const policy = { schema: 'elsewise.policy/v1', target: 'yes', cost: { norm: 'l1' }, effort: 20_000 };
    const features = Object.fromEntries(numbers.map((name) => [name, -1]));
    const result = (await planOf(document, policy)).explain({ id: 'r', features });
    expect(result.attempts.map(({ solver, outcome }) => [solver, outcome])).toEqual([
      ['forest-split', 'limit'],
      ['spheres', 'limit'],
    ]);
    expect(result.status).toBe('found');
    expect(result.limitedBy).toBe('effort');
    expect(result.counterfactuals[0].proof.lowerBound).toBeGreaterThan(0);
  });
});
