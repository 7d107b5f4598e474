import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { loadModel } from '../../../src/models/load.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { solvers } from '../../../src/solvers/index.js';
import { forestExact } from '../../../src/solvers/trees/exact/forest-exact.js';
import { singleTree } from '../../../src/solvers/trees/single/single-tree.js';
import { Dice } from '../../support/dice.js';
import { within } from '../../support/quadratic-problems.js';
import { generators } from '../../support/random-models.js';
import {
  checkAgainstAll,
  keepsPolicy,
  LATTICE_CONSTRAINTS,
  LATTICES,
  MIXED,
  pose,
  priceOf,
  sampleOf,
  TROUBLES,
} from '../../support/tree-problems.js';

const SEPARABLE = ['l0', 'l1', 'l2', 'percentile'];

describe.each(SEPARABLE)('a tree by itself under %s', (norm) => {
  it.each(TROUBLES)('is answered as by enumeration of all cells: %s', (_, options) => {
    const dice = new Dice(norm.length + norm.charCodeAt(1));
    let found = 0;
    for (let k = 0; k < 25; k++) {
      const posed = pose(dice, { features: MIXED, norm, ...options });
      if (posed.problem && checkAgainstAll(singleTree, posed)) found++;
    }
    expect(found).toBeGreaterThan(7);
  });

  it('is never dearer than what the forest search finds', () => {
    const dice = new Dice(99);
    for (let k = 0; k < 40; k++) {
      const { problem, domain } = pose(dice, { features: MIXED, norm });
      if (!problem) continue;
      const own = singleTree.prepare(problem, solvers).solve(domain, within(5000));
      const other = forestExact.prepare(problem, solvers).solve(domain, within(5000));
      expect(own.status).toBe(other.status);
      if (own.x)
        expect(own.lowerBound).toBeLessThanOrEqual(priceOf(problem, domain.origin, other.x!) * (1 + 1e-9) + 1e-12);
    }
  });
});

describe.each([...SEPARABLE, 'mahalanobis'])('a tree under constraints and %s', (norm) => {
  it('is answered as by enumeration of all lattice points', () => {
    const dice = new Dice(norm.length * 7);
    let found = 0;
    for (let k = 0; k < 40; k++) {
      const constraints = LATTICE_CONSTRAINTS.filter(() => dice.chance(0.6));
      const options = { sets: dice.chance(0.3), missing: dice.chance(0.2), narrowed: dice.chance(0.2) };
      const posed = pose(dice, { features: LATTICES, norm, constraints, ...options });
      if (posed.problem && checkAgainstAll(singleTree, posed)) found++;
    }
    expect(found).toBeGreaterThan(10);
  });
});

describe.each([...SEPARABLE, 'mahalanobis'])('a tree behind a projection under %s', (norm) => {
  const features: FeatureDocument[] = ['u', 'v', 'w'].map((name) => ({ name, type: 'continuous', min: -3, max: 3 }));

  it('has no random point cheaper than what was proved', () => {
    const dice = new Dice(norm.length);
    let found = 0;
    for (let k = 0; k < 30; k++) {
      const draw = generators['decision-tree'](dice, 2);
      if (!draw.classes) continue;
      const model = loadModel({
        schema: 'elsewise.model/v1',
        name: 'm',
        family: 'decision-tree',
        features,
        classes: Array.from({ length: draw.classes }, (_, c) => `class ${c}`),
        preprocessing: [{ type: 'affine', matrix: dice.matrix(2, 3), offset: dice.vector(2) }],
        parameters: draw.parameters,
        background: { samples: Array.from({ length: 40 }, () => sampleOf(dice, features)) },
      });
      const policy = {
        schema: 'elsewise.policy/v1',
        cost: { norm },
        constraints: dice.chance(0.5) ? ['u + v <= 2'] : [],
      };
      const compiled = compilePolicy(loadPolicy(policy).document, model);
      const [problem] = compileProblems(model, compiled, { kind: 'class', index: 0, margin: 0 });
      const domain = createDomain(model.space);
      fillDomain(domain, model.space, compiled.rules, Float64Array.from(dice.vector(3)), model.preprocessing.imputed);
      if (!keepsPolicy(problem, domain.origin, domain.origin)) continue;
      const prepared = singleTree.prepare(problem, solvers);
      const first = prepared.solve(domain, within(5000));
      const { lowerBound } = first;
      // Singles round the inputs: the pipeline goes further in until the model agrees.
      const deeper = first.x ? first : prepared.solve(domain, { ...within(5000), nudge: 1e-6 });
      if (deeper.x) {
        found++;
        expect(problem.holds(deeper.x)).toBe(true);
        expect(keepsPolicy(problem, domain.origin, deeper.x)).toBe(true);
        expect(lowerBound).toBeLessThanOrEqual(priceOf(problem, domain.origin, deeper.x) * (1 + 1e-9) + 1e-12);
      }
      for (let tries = 0; tries < 2000; tries++) {
        const reach = dice.between(0, 2);
        const x = domain.origin.map((value) => Math.max(-3, Math.min(3, value + reach * dice.normal())));
        if (problem.holds(x) && keepsPolicy(problem, domain.origin, x))
          expect(lowerBound).toBeLessThanOrEqual(priceOf(problem, domain.origin, x) * (1 + 1e-9));
      }
    }
    expect(found).toBeGreaterThan(8);
  });
});
