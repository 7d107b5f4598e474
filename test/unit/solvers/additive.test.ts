import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../src/index.js';
import { gather } from '../../../src/models/features.js';
import { loadModel } from '../../../src/models/load.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { additive } from '../../../src/solvers/additive/additive.js';
import { TermsBuilder } from '../../../src/solvers/additive/additive-terms.js';
import { DualAscent } from '../../../src/solvers/additive/dual-ascent.js';
import { costParts, reachOf } from '../../../src/solvers/additive/feature-costs.js';
import { Lagrangian, type Part } from '../../../src/solvers/additive/lagrangian.js';
import { solvers } from '../../../src/solvers/index.js';
import { isAnswer } from '../../../src/solvers/shared/answer-check.js';
import { type AskedProblem, enumeratedCost } from '../../support/asked-problem.js';
import { Dice } from '../../support/dice.js';
import { patient } from '../../support/quadratic-problems.js';

const NORMS = ['l0', 'l1', 'l2', 'percentile'] as const;
const CATEGORIES = ['a', 'b', 'c'];

/** Naive Bayes over the columns of the features, in their units, and a row of another class. */
function ask(
  dice: Dice,
  features: readonly Record<string, unknown>[],
  units: readonly number[],
  policy: Record<string, unknown>,
  classes = 3,
): AskedProblem {
  const labels = Array.from({ length: classes }, (_, k) => `class ${k}`);
  const numbers = (draw: () => number) => units.map((unit) => unit * draw());
  const draw = (feature: Record<string, unknown>, i: number) => {
    if (feature.type === 'categorical') return dice.pick(CATEGORIES);
    if (feature.type === 'boolean') return dice.chance(0.5);
    if (feature.decimals === 0) return Math.round(dice.between(-4, 4));
    const value = feature.type === 'continuous' ? 2 * units[i] * dice.normal() : Math.round(2 * dice.normal());
    return Math.min((feature.max as number) ?? Infinity, Math.max((feature.min as number) ?? -Infinity, value));
  };
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'sums',
    family: 'gaussian-naive-bayes',
    features,
    classes: labels,
    parameters: {
      means: labels.map(() => numbers(() => 1.5 * dice.normal())),
      variances: labels.map(() => units.map((unit) => unit ** 2 * dice.between(0.2, 2))),
      priors: labels.map(() => 1 / classes),
    },
    background: { samples: Array.from({ length: 12 }, () => features.map(draw)) },
  });
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
  const domain = createDomain(model.space);
  for (;;) {
    const raw = features.map(draw);
    const values = Float64Array.from(raw, (value) => (typeof value === 'string' ? CATEGORIES.indexOf(value) : +value));
    fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
    const index = dice.integer(0, classes - 1);
    const [problem] = compileProblems(model, compiled, { kind: 'class', index, margin: 0 });
    if (!problem.holds(domain.origin)) return { model, problem, domain, values };
  }
}

const whole = ({ terms }: Lagrangian): Part => ({
  low: Float64Array.from(terms.features, (f) => (f.kind === 'curve' ? f.low : 0)),
  high: Float64Array.from(terms.features, (f) => (f.kind === 'curve' ? f.high : 0)),
  changed: new Uint8Array(terms.features.length),
  open: terms.features.map(() => null),
  chosen: new Int8Array(),
});

describe.each(NORMS)('sums over features under %s', (norm) => {
  const seed = 10 * NORMS.indexOf(norm);

  it('cost what the policy says, part by part', () => {
    const dice = new Dice(seed + 1);
    const { problem, values, model } = ask(dice, [{ name: 'x', type: 'continuous' }], [1e3], { cost: { norm } });
    const [feature] = model.space.features;
    const parts = costParts(problem.cost, feature, values[0]);
    for (let k = 0; k < 200; k++) {
      const delta = 3e3 * dice.normal();
      const { c0, c1, c2 } = parts.find(({ low, high }) => delta >= low && delta <= high)!;
      const cost = evaluateCost(problem.cost, model.space, values, Float64Array.of(values[0] + delta));
      expect(c0 + delta * (c1 + c2 * delta)).toBeCloseTo(cost, 8);
      if (norm !== 'l0') expect(reachOf(parts, delta > 0 ? 1 : -1, cost)).toBeCloseTo(delta, 5);
    }
  });

  it('have answers that enumeration does not beat: steps, categories, caps, links, alternatives', () => {
    const dice = new Dice(seed + 2);
    const features = [
      { name: 'i', type: 'integer', min: -5, max: 5 },
      { name: 'b', type: 'boolean' },
      { name: 'k', type: 'categorical', categories: CATEGORIES },
      { name: 's', type: 'continuous', min: -3, max: 3 },
      { name: 'd', type: 'continuous', min: -4, max: 4, decimals: 0 },
    ];
    let feasible = 0;
    for (let round = 0; round < 40; round++) {
      const policy = {
        cost: { norm, weights: { i: 0.7, k: dice.between(0.2, 3) } },
        features: { s: { step: 0.5 }, i: dice.pick([{}, { change: 'increase' }, { maxDecrease: 3 }]) },
        constraints: dice.pick([[], ['i + d <= 3'], ['i - s >= -2', 'b implies k = "a"']]),
        ...(dice.chance(0.5) && { maxChanges: dice.integer(1, 3) }),
      };
      const asked = ask(dice, features, [2, 1, 1, 1, 1, 1, 2], policy);
      const known = enumeratedCost(asked);
      const outcome = additive.prepare(asked.problem, solvers).solve(asked.domain, patient);
      if (known === Infinity) {
        expect(outcome.status).toBe('infeasible');
        continue;
      }
      feasible++;
      const to = new Float64Array(features.length);
      gather(asked.model.space, outcome.x!, to);
      expect(isAnswer(asked.problem, asked.domain, outcome.x!)).toBe(true);
      expect(evaluateCost(asked.problem.cost, asked.model.space, asked.values, to)).toBeCloseTo(known, 8);
      expect(outcome.status).toBe('solved');
      expect(outcome.lowerBound).toBeLessThanOrEqual(known * (1 + 1e-12));
    }
    expect(feasible).toBeGreaterThan(20);
  });

  it('are bounded from below for all multipliers, at scales from 1e-9 to 1e9', () => {
    const dice = new Dice(seed + 3);
    for (let round = 0; round < 30; round++) {
      const units = Array.from({ length: 3 }, () => 10 ** dice.integer(-9, 9));
      const features = units.map((unit, i) => ({ name: `f${i}`, type: 'continuous', min: -6 * unit, max: 6 * unit }));
      const weights = Object.fromEntries(features.map(({ name }, i) => [name, norm === 'l1' ? 1 / units[i] : 1]));
      const { problem, domain, model, values } = ask(dice, features, units, { cost: { norm, weights } });
      const lagrangian = new Lagrangian(new TermsBuilder(problem).build(domain));
      const answers: number[] = [];
      for (let draw = 0; draw < 2000; draw++) {
        const x = Float64Array.from(units, (unit, c) =>
          dice.chance(0.4) ? values[c] : 6 * unit * (2 * dice.unit() - 1),
        );
        if (problem.holds(x)) answers.push(evaluateCost(problem.cost, model.space, values, x));
      }
      for (let k = 0; k < 20; k++) {
        const lambda = Float64Array.from({ length: lagrangian.m }, () => 10 ** dice.between(-3, 2));
        const bound = lagrangian.prove(lambda, whole(lagrangian));
        expect(bound).toBeLessThanOrEqual(Math.min(...answers));
        expect(bound).toBeLessThanOrEqual(lagrangian.evaluate(lambda, whole(lagrangian)));
      }
    }
  });

  it('are solved within their effort in ten features', () => {
    const dice = new Dice(seed + 4);
    let settled = 0;
    for (let round = 0; round < 20; round++) {
      const features = Array.from({ length: 10 }, (_, i) => ({ name: `f${i}`, type: 'continuous', min: -6, max: 6 }));
      const asked = ask(
        dice,
        features,
        features.map(() => 1),
        { cost: { norm } },
      );
      const { problem, domain } = asked;
      const budget = patient.budget.share(1);
      const outcome = additive.prepare(problem, solvers).solve(domain, { ...patient, budget });
      settled += +(outcome.status !== 'limit');
      expect(budget.spent).toBeLessThan(200_000);
    }
    expect(settled).toBe(20);
  });
});

describe('the ascent over multipliers', () => {
  it('finds the top of a roof of planes, with signs kept', () => {
    const dice = new Dice(9);
    for (let round = 0; round < 20; round++) {
      const m = dice.integer(1, 4);
      const top = dice.vector(m, () => dice.between(0.5, 3));
      // Planes through the top whose slopes surround 0.
      const slopes = [...Array.from({ length: 3 * m }, () => dice.vector(m))];
      slopes.push(slopes.reduce((sum, s) => sum.map((value, i) => value - s[i]), Array<number>(m).fill(0)));
      const slope = new Float64Array(m);
      const evaluate = (lambda: Float64Array) => {
        let least = Infinity;
        for (const s of slopes) {
          const value = s.reduce((sum, value, i) => sum + value * (lambda[i] - top[i]), 5);
          if (value < least) {
            least = value;
            slope.set(s);
          }
        }
        return least;
      };
      const ascent = new DualAscent({ m, slope, evaluate, mayBe: (_, sign) => sign > 0 });
      ascent.run(new Float64Array(m), new Float64Array(m).fill(1), Infinity, 150 * m);
      expect(ascent.bestValue).toBeGreaterThan(5 - 1e-4);
    }
  });
});
