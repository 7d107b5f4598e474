/** Quadratic problems for the solvers' tests: random Gaussian and prototype models, compiled through the public pieces. */

import { loadModel } from '../../src/models/load.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { Budget, unlimited } from '../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';
import type { Limits } from '../../src/solvers/solver.js';
import type { Dice } from './dice.js';
import { generators } from './random-models.js';

export interface Posed {
  readonly problems: Problem[];
  readonly domain: Domain;
  /** The row, by column. */
  readonly row: Float64Array;
}

export interface Pose {
  family: 'gaussian-naive-bayes' | 'qda' | 'lvq';
  size: number;
  policy?: Record<string, unknown>;
  /** Units of the features: the model sees z, the row is z times its unit. */
  units?: readonly number[];
  classes?: number;
}

/** A random model of the family, a random row that it gives another class than the target, and the pieces of that target. */
export function pose(dice: Dice, { family, size, policy = {}, units, classes }: Pose): Posed {
  for (;;) {
    const draw = generators[family](dice, size);
    if (classes && draw.classes !== classes) continue;
    const labels = Array.from({ length: draw.classes }, (_, k) => `class ${k}`);
    const features = Array.from({ length: size }, (_, i) => ({ name: `f${i}`, type: 'continuous' }));
    const scale = units ? [{ type: 'scale', mean: features.map(() => 0), scale: [...units] }] : [];
    const model = loadModel({
      schema: 'elsewise.model/v1',
      name: 'random',
      family,
      features,
      classes: labels,
      preprocessing: scale,
      parameters: draw.parameters,
    });
    const values = Float64Array.from(features, (_, i) => dice.normal() * 1.5 * (units?.[i] ?? 1));
    const { prediction } = model.predict(Object.fromEntries(features.map((f, i) => [f.name, values[i]])));
    const target = labels.find((label) => label !== prediction)!;
    const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
    const domain = createDomain(model.space);
    fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
    const goal = { kind: 'class', index: labels.indexOf(target), margin: 0 } as const;
    return { problems: compileProblems(model, compiled, goal), domain, row: domain.origin.slice() };
  }
}

const UNITS_PER_MS = 1000;
const FAR_MS = 600_000;
const STILL = { now: () => 0 };

export const patient: Limits = {
  budget: unlimited(),
  nudge: 1e-12,
  seed: 0,
  anyAnswer: false,
  cutoff: Infinity,
  gap: 0,
};

/** The work that one core does alone in so many milliseconds. The clock stands still: a busy machine gives the same outcome. */
export function within(milliseconds: number): Limits {
  return { ...patient, budget: new Budget(UNITS_PER_MS * milliseconds, STILL, FAR_MS) };
}
