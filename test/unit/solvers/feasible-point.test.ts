import { describe, expect, it } from 'vitest';
import { loadPolicy, prepare } from '../../../src/index.js';
import { loadModel } from '../../../src/models/load.js';
import { contains } from '../../../src/models/region.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { Budget } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { feasiblePoint } from '../../../src/solvers/quadratic/feasible-point.js';
import { RegionLines } from '../../../src/solvers/quadratic/region-lines.js';
import { isAnswer } from '../../../src/solvers/shared/answer-check.js';
import { Dice } from '../../support/dice.js';
import { patient, pose } from '../../support/quadratic-problems.js';

const FAMILIES = ['qda', 'gaussian-naive-bayes', 'lvq'] as const;

describe('a search among many categories', () => {
  it('counts each category that it tries, and ends with its budget', () => {
    const width = 200;
    const categories = Array.from({ length: width }, (_, k) => `c${k}`);
    const mean = (at: number) => [at, ...Array<number>(width).fill(1 / width)];
    const model = loadModel({
      ...{ schema: 'elsewise.model/v1', name: 'm', family: 'gaussian-naive-bayes', classes: ['no', 'yes'] },
      features: [
        { name: 'x', type: 'continuous' },
        { name: 'c', type: 'categorical', categories },
      ],
      parameters: {
        priors: [0.5, 0.5],
        means: [mean(0), mean(9)],
        variances: [1, 2].map((variance) => Array<number>(width + 1).fill(variance)),
      },
    });
    const policy = loadPolicy({ schema: 'elsewise.policy/v1', features: { x: { change: 'never' } }, maxChanges: 1 });
    const compiled = compilePolicy(policy.document, model);
    const [problem] = compileProblems(model, compiled, { kind: 'class', index: 1, margin: 0 });
    const domain = createDomain(model.space);
    fillDomain(domain, model.space, compiled.rules, Float64Array.of(0, 0), model.preprocessing.imputed);
    const triedWith = (effort: number) => {
      let tried = 0;
      const counted = { ...problem, holds: (x: Float64Array) => ++tried > 0 && problem.holds(x) };
      const budget = new Budget(effort, { now: () => 0 }, Infinity);
      feasiblePoint.prepare(counted, []).solve(domain, { ...patient, budget });
      return tried;
    };
    expect(triedWith(1e6)).toBeGreaterThan(width - 2);
    expect(triedWith(500)).toBeLessThan(width / 10);
  });
});

describe('a region along a line', () => {
  it('is where sampled points of the line are in the region', () => {
    const dice = new Dice(5);
    for (let k = 0; k < 60; k++) {
      const units = [10 ** dice.integer(-9, 9), 1, 10 ** dice.integer(-9, 9)];
      const { problems, row } = pose(dice, { family: dice.pick(FAMILIES), size: 3, units });
      const v = Float64Array.from(units, (unit) => unit * dice.normal());
      for (const problem of problems) {
        const spans = new RegionLines(problem).spans(row, v, 0);
        for (let draw = 0; draw < 50; draw++) {
          const t = 4 * dice.normal();
          const near = spans.some(({ low, high }) => [low, high].some((end) => Math.abs(t - end) < 1e-6));
          const x = row.map((value, c) => value + t * v[c]);
          if (!near) expect(spans.some(({ low, high }) => t >= low && t <= high)).toBe(contains(problem.piece, x));
        }
      }
    }
  });
});

describe.each(['l0', 'l1', 'l2'] as const)('answers without a relaxation under %s', (norm) => {
  it.each(FAMILIES)('are found for %s wherever random points of the domain are answers', (family) => {
    const dice = new Dice(100 + norm.charCodeAt(1));
    let found = 0;
    for (let k = 0; k < 80; k++) {
      const units = Array.from({ length: 3 }, () => 10 ** dice.integer(-9, 9));
      const features = {
        f0: dice.pick([{}, { change: 'increase' }, { step: 0.3 * units[0] }]),
        f1: dice.pick([{}, { change: 'never' }, { maxDecrease: units[1] }]),
        f2: dice.pick([{}, { maxIncrease: 2 * units[2] }]),
      };
      const policy = { cost: { norm }, features, maxChanges: dice.integer(1, 3) };
      const { problems, domain, row } = pose(dice, { family, size: 3, units, policy });
      if (feasiblePoint.accepts(problems[0], []) === 'no') continue;
      const outcomes = problems.map((problem) => feasiblePoint.prepare(problem, []).solve(domain, patient).x?.slice());
      for (const x of outcomes) if (x) expect(isAnswer(problems[0], domain, x)).toBe(true);
      if (outcomes.some((x) => x)) {
        found++;
        continue;
      }
      for (let draw = 0; draw < 4000; draw++) {
        const changed = dice.shuffle([0, 1, 2]).slice(0, policy.maxChanges);
        const x = row.map((value, c) => {
          if (!changed.includes(c)) return value;
          const step = domain.step[c] || 0;
          const move = units[c] * dice.normal() * 10 ** dice.between(-1, 2);
          const moved = value + (step ? step * Math.round(move / step) : move);
          return Math.min(domain.upper[c], Math.max(domain.lower[c], moved));
        });
        expect(isAnswer(problems[0], domain, x)).toBe(false);
      }
    }
    expect(found).toBeGreaterThan(20);
  });
});

describe('rows of which the answer is far or narrow', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, type: 'continuous' }));
  const explain = async (model: Record<string, unknown>, policy: Record<string, unknown>, row: number[]) => {
    const loaded = loadModel({ schema: 'elsewise.model/v1', name: 'm', ...model });
    const plan = await prepare(loaded, loadPolicy({ schema: 'elsewise.policy/v1', ...policy }));
    return plan.explainRecord('1', row);
  };

  it('a class that wins only far outside, one change allowed, in the metric of the background', async () => {
    const result = await explain(
      {
        family: 'qda',
        classes: ['near', 'far'],
        features: numbers(2),
        parameters: {
          means: [
            [0, 0],
            [0, 0],
          ],
          covariances: [
            [
              [1, 0],
              [0, 1],
            ],
            [
              [1.02, 0],
              [0, 1.01],
            ],
          ],
          priors: [0.999999, 0.000001],
        },
        background: {
          covariance: {
            features: ['f0', 'f1'],
            matrix: [
              [1, 0.5],
              [0.5, 2],
            ],
          },
        },
      },
      { target: { class: 'far', from: 0.9 }, cost: { norm: 'mahalanobis' }, maxChanges: 1 },
      [0.3, -0.2],
    );
    expect(result.status).toBe('found');
    expect(result.counterfactuals[0].changes).toHaveLength(1);
  });

  it('a sliver between three classes, beside a constraint, weights of 1 and 1e9', async () => {
    const result = await explain(
      {
        family: 'gaussian-naive-bayes',
        classes: ['a', 'b', 'c', 'sliver'],
        features: numbers(2),
        parameters: {
          means: [
            [-2, 0],
            [2, 0],
            [0, 3],
            [0, 0.4],
          ],
          variances: [
            [1, 1],
            [1, 1],
            [1, 1],
            [0.4, 0.3],
          ],
          priors: [0.3, 0.3, 0.3, 0.1],
        },
      },
      {
        target: 'sliver',
        cost: { norm: 'l1', weights: { f0: 0.8, f1: 1e9 } },
        constraints: ['f0 - f1 <= 0.03'],
      },
      [-3, -1],
    );
    expect(result.status).toBe('found');
  });
});
