/** The margin of every family agrees with the model's word, and its slope with differences of the margin. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import type { Goal } from '../../src/models/region.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';
import { Dice } from '../support/dice.js';
import { generators, randomModel } from '../support/random-models.js';

const MODELS = 12;
const POINTS = 12;
/** Their margins are made of steps. */
const STEPS = ['decision-tree', 'tree-ensemble', 'isolation-forest', 'additive', 'knn'];
const policy = loadPolicy({ schema: 'elsewise.policy/v1' }).document;

function goalsOf(classes: number): Goal[] {
  if (!classes) return [{ kind: 'interval', index: 0, from: 0.2, to: 1.5 }];
  return [
    { kind: 'class', index: 1, margin: 0 },
    { kind: 'class', index: 0, margin: 0.1 },
    { kind: 'interval', index: 1, from: 0.3, to: Infinity },
  ];
}

/** Problems of random models of a family; goals that it refuses have none. */
function* problemsOf(family: string): Generator<{ problem: Problem; dice: Dice }> {
  const dice = new Dice(5);
  for (let m = 0; m < MODELS; m++) {
    const { document, classes } = randomModel(dice, family);
    const model = loadModel(document);
    for (const goal of goalsOf(classes)) {
      const problems = tryCompile(model, goal);
      if (problems[0]) yield { problem: problems[0], dice };
    }
  }
}

function tryCompile(model: ReturnType<typeof loadModel>, goal: Goal): Problem[] {
  try {
    return compileProblems(model, compilePolicy(policy, model), goal);
  } catch {
    return [];
  }
}

const pointOf = ({ space }: Problem, dice: Dice) =>
  Float64Array.from({ length: space.columns }, () => 2 * dice.normal());

describe.each(Object.keys(generators))('%s', (family) => {
  it('has a margin of at least 0 exactly where the model says yes, ties aside', () => {
    const sides = new Set<boolean>();
    for (const { problem, dice } of problemsOf(family)) {
      for (let k = 0; k < POINTS; k++) {
        const x = pointOf(problem, dice);
        const margin = problem.margin(x);
        if (Math.abs(margin) < 1e-9) continue;
        expect(margin > 0).toBe(problem.reaches(x));
        sides.add(margin > 0);
      }
    }
    expect(sides.size).toBe(2);
  });

  it('has the slope of its margin, or none', () => {
    let compared = 0;
    for (const { problem, dice } of problemsOf(family)) {
      if (STEPS.includes(family)) {
        expect(problem.gradient).toBe(null);
        continue;
      }
      for (let k = 0; k < POINTS; k++) compared += +agrees(problem, pointOf(problem, dice));
    }
    if (!STEPS.includes(family)) expect(compared).toBeGreaterThan(MODELS * POINTS * 0.5);
  });
});

/** False: the margin has a corner here, where another rival or end takes over. */
function agrees(problem: Problem, x: Float64Array): boolean {
  const slope = new Float64Array(x.length);
  problem.gradient!(x, slope);
  const size = 1e-6;
  for (let c = 0; c < x.length; c++) {
    const [below, above] = [-size, size].map((step) => problem.margin(x.with(c, x[c] + step)));
    const here = problem.margin(x);
    if (Math.abs(above - here - (here - below)) > 1e-4 * Math.abs(above - below) + 1e-11) return false;
    const difference = (above - below) / (2 * size);
    expect(Math.abs(difference - slope[c])).toBeLessThanOrEqual(1e-4 * (1e-3 + Math.abs(difference)) + 1e-5);
  }
  return true;
}
