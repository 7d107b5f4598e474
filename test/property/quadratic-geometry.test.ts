import { beforeAll, describe, expect, it } from 'vitest';
import { loadPolicy, prepare } from '../../src/index.js';
import { loadModel } from '../../src/models/load.js';
import { Dice } from '../support/dice.js';

type Matrix = number[][];

const times = (a: Matrix, x: readonly number[]) => a.map((row) => row.reduce((sum, value, i) => sum + value * x[i], 0));
const transpose = (a: Matrix) => a[0].map((_, j) => a.map((row) => row[j]));
const product = (a: Matrix, b: Matrix) => transpose(transpose(b).map((column) => times(a, column)));

/** A rotation of d dimensions: Gram-Schmidt on random vectors. */
function rotation(dice: Dice, d: number): Matrix {
  const rows: Matrix = [];
  while (rows.length < d) {
    const v = dice.vector(d);
    for (const row of rows) {
      const along = row.reduce((sum, value, i) => sum + value * v[i], 0);
      for (let i = 0; i < d; i++) v[i] -= along * row[i];
    }
    const length = Math.hypot(...v);
    if (length > 0.1) rows.push(v.map((value) => value / length));
  }
  return rows;
}

interface Gaussians {
  means: Matrix;
  covariances: Matrix[];
  priors: number[];
}

function randomGaussians(dice: Dice, d: number, classes: number): Gaussians {
  const covariances = Array.from({ length: classes }, () => {
    const root = dice.matrix(d, d);
    return product(root, transpose(root)).map((row, i) => row.map((value, j) => value / d + (i === j ? 0.2 : 0)));
  });
  return { means: dice.matrix(classes, d), covariances, priors: Array<number>(classes).fill(1 / classes) };
}

async function optimum(parameters: Gaussians, row: readonly number[], target: string) {
  const features = row.map((_, i) => ({ name: `f${i}`, type: 'continuous' }));
  const classes = parameters.means.map((_, k) => `class ${k}`);
  const model = loadModel({ schema: 'elsewise.model/v1', name: 'm', family: 'qda', features, classes, parameters });
  const plan = await prepare(
    model,
    loadPolicy({ schema: 'elsewise.policy/v1', target, cost: { norm: 'l2' }, deadlineMs: 25_000 }),
  );
  const result = plan.explain({ id: 'r', features: Object.fromEntries(row.map((value, i) => [`f${i}`, value])) });
  if (result.status === 'already') return { cost: 0, point: [...row] };
  const [answer] = result.counterfactuals;
  expect(answer.proof.kind).toBe('optimal');
  return { cost: answer.cost, point: row.map((_, i) => answer.features[`f${i}`] as number) };
}

describe('the optimum of a quadratic region under squared cost', () => {
  const dice = new Dice(77);
  const questions = Array.from({ length: 25 }, (_, k) => {
    const d = dice.integer(2, 5);
    const parameters = randomGaussians(dice, d, 2 + (k % 2));
    const row = dice.vector(d, () => 2 * dice.normal());
    return {
      d,
      parameters,
      row,
      shift: dice.vector(d, () => 1000 * dice.normal()),
      turn: rotation(dice, d),
    };
  });

  /** As the questions stand, for all that is done to them. */
  let asPosed: Awaited<ReturnType<typeof optimum>>[];

  beforeAll(async () => {
    asPosed = await Promise.all(questions.map(({ parameters, row }) => optimum(parameters, row, 'class 1')));
  });

  it('moves with the model and the row', async () => {
    for (const [k, { parameters, row, shift }] of questions.entries()) {
      const add = (x: readonly number[]) => x.map((value, i) => value + shift[i]);
      const there = await optimum({ ...parameters, means: parameters.means.map(add) }, add(row), 'class 1');
      expect(there.cost).toBeCloseTo(asPosed[k].cost, 6);
    }
  });

  it('turns with the model and the row', async () => {
    for (const [k, { parameters, row, turn }] of questions.entries()) {
      const covariances = parameters.covariances.map((covariance) =>
        product(product(turn, covariance), transpose(turn)),
      );
      const there = await optimum(
        { ...parameters, means: parameters.means.map((mean) => times(turn, mean)), covariances },
        times(turn, row),
        'class 1',
      );
      expect(there.cost).toBeCloseTo(asPosed[k].cost, 6);
    }
  });

  it('grows with the square of the scale', async () => {
    for (const [k, { parameters, row }] of questions.entries()) {
      const scaled = {
        ...parameters,
        means: parameters.means.map((mean) => mean.map((v) => 50 * v)),
        covariances: parameters.covariances.map((c) => c.map((r) => r.map((v) => 2500 * v))),
      };
      const there = await optimum(
        scaled,
        row.map((v) => 50 * v),
        'class 1',
      );
      expect(there.cost / 2500).toBeCloseTo(asPosed[k].cost, 6);
    }
  });
});
