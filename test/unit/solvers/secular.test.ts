import { describe, expect, it } from 'vitest';
import { evaluateCost } from '../../../src/policy/cost.js';
import { unlimited } from '../../../src/problems/budget.js';
import { solvers } from '../../../src/solvers/index.js';
import { LagrangeDual } from '../../../src/solvers/quadratic/dual-newton.js';
import { decompose, secular, solveSecular } from '../../../src/solvers/quadratic/secular.js';
import { Dice } from '../../support/dice.js';
import { patient, pose } from '../../support/quadratic-problems.js';

const sum = (values: Float64Array, of: (value: number, i: number) => number) =>
  values.reduce((total, value, i) => total + of(value, i), 0);
const value = (alpha: Float64Array, beta: Float64Array, c: number, y: Float64Array) =>
  c + sum(y, (v, i) => alpha[i] * v * v + 2 * beta[i] * v);

describe('the secular equation', () => {
  it('gives a point on the boundary that meets the conditions of optimality', () => {
    const dice = new Dice(1);
    for (let k = 0; k < 300; k++) {
      const d = dice.integer(1, 8);
      const alpha = Float64Array.from({ length: d }, () => dice.normal());
      const beta = Float64Array.from({ length: d }, () => dice.normal());
      const c = Math.abs(dice.normal()) + 0.01;
      const y = solveSecular(alpha, beta, c);
      if (y === 'infeasible') {
        expect(Math.min(...alpha)).toBeGreaterThanOrEqual(0);
        expect(c - sum(beta, (b, i) => (b * b) / alpha[i])).toBeGreaterThan(-1e-9);
        continue;
      }
      expect(Math.abs(value(alpha, beta, c, y))).toBeLessThan(1e-8 * (c + sum(y, (v) => v * v)));
      // y = -λ(αy + β) with one λ >= 0 for which 1 + λα >= 0: sufficient for the global optimum.
      const ratios = [...y.keys()].map((i) => -y[i] / (alpha[i] * y[i] + beta[i]));
      const lambda = ratios[0];
      expect(lambda).toBeGreaterThanOrEqual(0);
      for (const ratio of ratios) expect(ratio).toBeCloseTo(lambda, 5);
      expect(1 + lambda * Math.min(...alpha)).toBeGreaterThan(-1e-7);
    }
  });

  it('solves the hard case, where the row has no part in the lowest eigenspace', () => {
    const alpha = Float64Array.of(-1, 0.5);
    const beta = Float64Array.of(0, 0.25);
    const y = solveSecular(alpha, beta, 1) as Float64Array;
    // λ = 1: y₂ = -0.25/1.5, and y₁² makes up the rest.
    expect(y[1]).toBeCloseTo(-1 / 6, 12);
    expect(value(alpha, beta, 1, y)).toBeCloseTo(0, 12);
    for (let t = 0; t < 2 * Math.PI; t += 0.001) {
      const shorter = Float64Array.of(Math.cos(t), Math.sin(t)).map((v) => 0.999 * v * Math.hypot(...y));
      expect(value(alpha, beta, 1, shorter)).toBeGreaterThan(0);
    }
  });

  it('agrees with the Lagrangian dual of the same problem', () => {
    const dice = new Dice(2);
    for (let k = 0; k < 100; k++) {
      const d = dice.integer(2, 6);
      const rows = dice.matrix(d, d);
      const A = Float64Array.from(rows.flatMap((row, i) => row.map((v, j) => 0.5 * (v + rows[j][i]))));
      const b = Float64Array.from(dice.vector(d));
      const { values, vectors } = decompose(A, d);
      const beta = Float64Array.from(values, (_, i) => b.reduce((total, v, j) => total + vectors[i * d + j] * v, 0));
      const y = solveSecular(values, beta, 1);
      const dual = new LagrangeDual(d, [{ A, b, c: 1, size: 1 }], unlimited()).solve();
      if (y === 'infeasible') expect(dual.exact).toBe(false);
      else
        expect(dual.bound).toBeCloseTo(
          sum(y, (v) => v * v),
          6,
        );
    }
  });
});

describe('the secular solver', () => {
  it('beats every point of a grid in two dimensions', () => {
    const dice = new Dice(3);
    for (let k = 0; k < 25; k++) {
      const { problems, domain, row } = pose(dice, {
        family: dice.pick(['qda', 'gaussian-naive-bayes']),
        size: 2,
        classes: 2,
        policy: { cost: { norm: 'l2' } },
      });
      const outcome = secular.prepare(problems[0], solvers).solve(domain, patient);
      expect(outcome.status).toBe('solved');
      const best = evaluateCost(problems[0].cost, problems[0].space, row, outcome.x!);
      expect(outcome.lowerBound).toBeLessThanOrEqual(best);
      const reach = Math.sqrt(best) * 0.999;
      for (let i = 0; i < 120; i++) {
        for (let j = 0; j < 40; j++) {
          const [angle, radius] = [(i / 120) * 2 * Math.PI, (j / 40) * reach];
          const point = Float64Array.of(row[0] + radius * Math.cos(angle), row[1] + radius * Math.sin(angle));
          expect(problems[0].holds(point)).toBe(false);
        }
      }
    }
  });

  it('is as good in any units: features from 1e-3 to 1e3', () => {
    const units = [1e-3, 1, 1e3, 50, 1e-2];
    const weights = Object.fromEntries(units.map((unit, i) => [`f${i}`, 1 / unit ** 2]));
    for (let seed = 0; seed < 40; seed++) {
      const plain = pose(new Dice(seed), { family: 'qda', size: 5, classes: 2, policy: { cost: { norm: 'l2' } } });
      const scaled = pose(new Dice(seed), {
        family: 'qda',
        size: 5,
        classes: 2,
        units,
        policy: { cost: { norm: 'l2', weights } },
      });
      const bounds = [plain, scaled].map(
        ({ problems, domain }) => secular.prepare(problems[0], solvers).solve(domain, patient).lowerBound,
      );
      expect(bounds[1] / bounds[0]).toBeCloseTo(1, 6);
    }
  });
});
