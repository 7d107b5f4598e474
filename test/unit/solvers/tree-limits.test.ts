/** What a search over trees says when only answers below a cutoff matter, or an answer within a gap is enough. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { unlimited } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { solvers } from '../../../src/solvers/index.js';
import type { Limits } from '../../../src/solvers/solver.js';
import { Dice } from '../../support/dice.js';
import { generators } from '../../support/random-models.js';

function pose(seed: number, family: string, norm: string) {
  const dice = new Dice(seed);
  const draw = generators[family](dice, 3);
  if (!draw.classes) return null;
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`),
    features: ['x', 'y', 'z'].map((name) => ({ name, type: 'continuous', min: -3, max: 3 })),
    parameters: draw.parameters,
    background: {
      covariance: {
        features: ['x', 'y', 'z'],
        matrix: [
          [1, 0.2, 0],
          [0.2, 1, 0],
          [0, 0, 2],
        ],
      },
    },
  });
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', cost: { norm } }).document, model);
  const [problem] = compileProblems(model, compiled, { kind: 'class', index: 0, margin: 0 });
  const domain = createDomain(model.space);
  const row = Float64Array.from([0, 0, 0], () => dice.normal());
  fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
  return problem && !problem.holds(domain.origin) ? { problem, domain } : null;
}

const CASES = [
  ['forest-exact', 'tree-ensemble', 'l1'],
  ['single-tree', 'decision-tree', 'l1'],
  ['forest-split', 'tree-ensemble', 'mahalanobis'],
];

describe.each(CASES)('%s', (name, family, norm) => {
  const solver = solvers.find((known) => known.name === name)!;
  const plain: Limits = { budget: unlimited(), nudge: 1e-12, seed: 1, cutoff: Infinity, gap: 0, anyAnswer: false };

  it('never calls a problem infeasible because of a cutoff, and bounds by the cutoff', () => {
    let looked = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const posed = pose(seed, family, norm);
      if (!posed || solver.accepts(posed.problem, solvers) !== 'exact') continue;
      const prepared = solver.prepare(posed.problem, solvers);
      const free = prepared.solve(posed.domain, plain);
      if (free.status !== 'solved') continue;
      looked++;
      const least = free.lowerBound;
      const low = prepared.solve(posed.domain, { ...plain, cutoff: 0.5 * least });
      expect([low.status, low.lowerBound >= 0.5 * least * (1 - 1e-9)]).toEqual(['limit', true]);
      expect(low.lowerBound).toBeLessThanOrEqual(least * (1 + 1e-6));
      const high = prepared.solve(posed.domain, { ...plain, cutoff: 2 * least + 1e-9 });
      expect(high.lowerBound).toBeCloseTo(least, 5);
      const near = prepared.solve(posed.domain, { ...plain, gap: 0.3 });
      expect(near.x).not.toBeNull();
      expect(near.lowerBound).toBeLessThanOrEqual(least * (1 + 1e-6));
    }
    expect(looked).toBeGreaterThan(5);
  });
});
