/**
 * The heuristics for tree ensembles: what they return is an answer by the judge's count, costs no less than the proved
 * optimum and seldom much more; and the running sums that they steer by are the model's.
 */

import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { loadModel } from '../../../src/models/load.js';
import { contains } from '../../../src/models/region.js';
import { leafOf } from '../../../src/models/trees/tree.js';
import { createDomain, type Domain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Budget } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { isAnswer } from '../../../src/solvers/shared/answer-check.js';
import { CellScores } from '../../../src/solvers/trees/cells/cell-scores.js';
import { Cells, PersonCells, treesOf } from '../../../src/solvers/trees/cells/cells.js';
import { forestExact } from '../../../src/solvers/trees/exact/forest-exact.js';
import { Incumbents } from '../../../src/solvers/trees/exact/forest-incumbents.js';
import { forestDescent } from '../../../src/solvers/trees/heuristics/forest-descent.js';
import { forestPull } from '../../../src/solvers/trees/heuristics/forest-pull.js';
import { forestTweak } from '../../../src/solvers/trees/heuristics/forest-tweak.js';
import { judge } from '../../conformance/judge.js';
import { Dice } from '../../support/dice.js';
import { patient, within } from '../../support/quadratic-problems.js';
import { columnCount, generators } from '../../support/random-models.js';

const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'continuous' },
  { name: 'b', type: 'continuous', decimals: 1, min: -5, max: 5 },
  { name: 'n', type: 'integer', min: -4, max: 4 },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z', 'w'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
  { name: 't', type: 'boolean' },
];
const COLUMNS = columnCount(FEATURES);
const HEURISTICS = [forestDescent, forestPull, forestTweak];

const drawRow = (dice: Dice): (number | string | boolean)[] => [
  dice.pick([dice.normal(), 0.5, 1]),
  dice.integer(-30, 30) / 10,
  dice.integer(-4, 4),
  dice.pick(['x', 'y', 'z', 'w']),
  dice.pick(['low', 'mid', 'high']),
  dice.chance(0.5),
];

/** Scales turn some features around. */
const scaling = (dice: Dice) => ({
  type: 'scale',
  mean: dice.vector(COLUMNS),
  scale: dice.vector(COLUMNS, () => dice.between(0.5, 2) * dice.pick([1, -1])),
});

interface Setting {
  family?: string;
  policy?: Record<string, unknown>;
  samples?: number;
  /** The row has no value for its first feature. */
  missing?: boolean;
}

interface Posed {
  problem: Problem;
  domain: Domain;
}

/** A random model, a row that it gives another result than the goal, and the problem of that goal; undefined: no such luck. */
function pose(
  dice: Dice,
  { family = 'tree-ensemble', policy = {}, samples = 30, missing }: Setting,
): Posed | undefined {
  const draw = generators[family](dice, COLUMNS);
  const classes = draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {};
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features: FEATURES,
    ...classes,
    preprocessing: dice.chance(0.3) ? [scaling(dice)] : [],
    parameters: draw.parameters,
    background: { samples: Array.from({ length: Math.max(2, samples) }, () => drawRow(dice)) },
  });
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
  const goal = draw.classes
    ? ({ kind: 'class', index: dice.integer(0, draw.classes - 1), margin: 0 } as const)
    : ({ kind: 'interval', index: 0, from: dice.normal() + 1, to: dice.pick([Infinity, 3]) } as const);
  const problem = compileProblems(model, compiled, goal).at(0);
  if (!problem) return undefined;
  const values = Float64Array.of(
    missing ? Number.NaN : dice.pick([dice.normal(), 0.5, 1]),
    dice.integer(-30, 30) / 10,
    dice.integer(-4, 4),
    dice.integer(0, 3),
    dice.integer(0, 2),
    dice.integer(0, 1),
  );
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
  if (!missing && problem.holds(domain.origin)) return undefined;
  return { problem: samples ? problem : { ...problem, samples: [] }, domain };
}

function poseMany(seed: number, count: number, setting: Setting): Posed[] {
  const dice = new Dice(seed);
  const found: Posed[] = [];
  while (found.length < count) {
    const posed = pose(dice, setting);
    if (posed) found.push(posed);
  }
  return found;
}

const RULES = {
  a: { change: 'increase', maxIncrease: 2 },
  b: { step: 0.5 },
  c: { allow: ['x', 'z'] },
  o: { allow: ['low', 'high'] },
  t: { change: 'never' },
};

const SETTINGS: [name: string, setting: Setting][] = [
  ['under l0', { policy: { cost: { norm: 'l0' } } }],
  ['under l1', { policy: { cost: { norm: 'l1' } } }],
  ['under l2', { policy: { cost: { norm: 'l2' } } }],
  ['under percentile', { policy: { cost: { norm: 'percentile' } } }],
  ['with steps, directions and allowed categories', { policy: { cost: { norm: 'l1' }, features: RULES } }],
  ['with one change', { policy: { cost: { norm: 'l1' }, maxChanges: 1 } }],
  ['with two changes', { policy: { cost: { norm: 'l2' }, maxChanges: 2 } }],
  ['without background rows', { policy: { cost: { norm: 'l1' } }, samples: 0 }],
  ['on one tree', { family: 'decision-tree', policy: { cost: { norm: 'l1' } } }],
  ['on path lengths', { family: 'isolation-forest', policy: { cost: { norm: 'l1' } } }],
];

/** Tries all vectors of cells. */
function someCellsAnswer(problem: Problem, domain: Domain): boolean {
  const person = new PersonCells(new Cells(problem, treesOf(problem)));
  person.fill(domain);
  const columns = new Float64Array(problem.space.columns);
  const visit = (at: readonly number[]): boolean => {
    if (at.length < person.cost.length)
      return [...person.cost[at.length]].some((cost, cell) => cost < Infinity && visit([...at, cell]));
    person.toColumns(at, domain, columns);
    return isAnswer(problem, domain, columns);
  };
  return visit([]);
}

describe.each(HEURISTICS.map((solver) => [solver.name, solver] as const))('%s', (_, solver) => {
  it.each(SETTINGS)('finds answers %s, none below the proved optimum', (_, setting) => {
    let [possible, found] = [0, 0];
    const ratios: number[] = [];
    for (const { problem, domain } of poseMany(11, 40, setting)) {
      expect(solver.accepts(problem, solvers)).toBe('heuristic');
      const exact = forestExact.prepare(problem, solvers).solve(domain, within(5000));
      expect(['solved', 'infeasible']).toContain(exact.status);
      const { x, status, lowerBound } = solver.prepare(problem, solvers).solve(domain, patient);
      expect([status, lowerBound]).toEqual(['limit', Number.NEGATIVE_INFINITY]);
      possible += +(exact.status === 'solved');
      if (!x) continue;
      found++;
      const { faults, cost } = judge(problem, domain, x);
      expect(faults).toEqual([]);
      expect(exact.status).toBe('solved');
      expect(cost).toBeGreaterThanOrEqual(exact.lowerBound * (1 - 1e-9));
      ratios.push(cost / judge(problem, domain, exact.x!).cost);
    }
    expect(possible).toBeGreaterThan(8);
    expect(found).toBeGreaterThanOrEqual(0.9 * possible);
    expect(ratios.sort((p, q) => p - q)[ratios.length >> 1]).toBeLessThan(1.1);
  });

  it('keeps the constraints between features, and finds an answer nearly wherever some vector of cells is one', () => {
    const constraints = ['a + b <= 2', 'n >= 0 or t = true'];
    let [found, missed] = [0, 0];
    for (const { problem, domain } of poseMany(5, 80, { policy: { cost: { norm: 'l1' }, constraints } })) {
      expect(solver.accepts(problem, solvers)).toBe('heuristic');
      const { x } = solver.prepare(problem, solvers).solve(domain, patient);
      if (x) {
        found++;
        expect(judge(problem, domain, x).faults).toEqual([]);
      } else missed += +someCellsAnswer(problem, domain);
    }
    expect(found).toBeGreaterThan(40);
    expect(missed).toBeLessThanOrEqual(2);
  });

  it('gives the same answer again, whoever was before', () => {
    const dice = new Dice(3);
    const { problem, domain } = pose(dice, {}) ?? poseMany(4, 1, {})[0];
    const prepared = solver.prepare(problem, solvers);
    const first = prepared.solve(domain, patient).x?.slice();
    const other = createDomain(problem.space);
    fillDomain(other, problem.space, problem.rules, Float64Array.of(3, 1, 2, 1, 0, 1), domain.origin);
    prepared.solve(other, patient);
    expect(prepared.solve(domain, patient).x?.slice()).toEqual(first);
  });

  it('stops when time is up', () => {
    for (const { problem, domain } of poseMany(8, 5, {})) {
      const { status } = solver
        .prepare(problem, solvers)
        .solve(domain, { ...patient, budget: new Budget(0, { now: () => 0 }, 1) });
      expect(status).toBe('limit');
    }
  });

  it('does not stumble over a row without a value', () => {
    for (const { problem, domain } of poseMany(9, 20, { missing: true })) {
      const { x, status } = solver.prepare(problem, solvers).solve(domain, patient);
      expect(status).toBe('limit');
      if (x) expect(problem.holds(x)).toBe(true);
    }
  });

  it('leaves other problems and costs alone', () => {
    const [{ problem }] = poseMany(2, 1, {});
    expect(solver.accepts({ ...problem, traits: { ...problem.traits, norm: 'mahalanobis' } }, solvers)).toBe('no');
    expect(solver.accepts({ ...problem, piece: { rows: [], atoms: [] } }, solvers)).toBe('no');
  });
});

describe('first answers', () => {
  it('are answers at the cost that they say, and nothing better is found from them', () => {
    for (const { problem, domain } of poseMany(21, 60, {})) {
      const cells = new Cells(problem, treesOf(problem));
      const person = new PersonCells(cells);
      person.fill(domain);
      const incumbents = new Incumbents(cells);
      const found = incumbents.best(person, domain, patient.budget);
      if (!found) continue;
      const x = new Float64Array(problem.space.columns);
      person.toColumns(found.at, domain, x);
      const { faults, cost } = judge(problem, domain, x);
      expect(faults).toEqual([]);
      expect(found.cost).toBeCloseTo(cost, 9);
      expect(incumbents.from(found.at)).toBeNull();
    }
  });
});

/** A margin's sum by the model's own walk down its trees. */
function gainAt(cells: Cells, columns: Float64Array, margin: number): number {
  const { forest, margins } = cells.atom;
  return Array.from(forest.root, (_, t) => margins[margin].gain[leafOf(forest, t, columns)]).reduce((a, b) => a + b);
}

describe('running sums', () => {
  it.each(['tree-ensemble', 'isolation-forest', 'decision-tree'])(
    'of a %s are those from scratch, of the model, and of every move looked at',
    (family) => {
      const dice = new Dice(33);
      for (const { problem, domain } of poseMany(17, 12, { family })) {
        const cells = new Cells(problem, treesOf(problem));
        const person = new PersonCells(cells);
        person.fill(domain);
        const [running, fresh] = [new CellScores(cells), new CellScores(cells)];
        running.load(person.present);
        const columns = new Float64Array(problem.space.columns);
        for (let k = 0; k < 20; k++) {
          const f = dice.integer(0, FEATURES.length - 1);
          const open = [...person.cost[f].keys()].filter((cell) => person.cost[f][cell] < Infinity);
          running.look();
          const cell = dice.pick(open);
          const foreseen = running.rise.map((rise, m) => running.slack[m] + rise[running.first[f] + cell]);
          running.move(f, cell);
          fresh.load(running.at);
          person.toColumns(running.at, domain, columns);
          for (let m = 0; m < cells.atom.margins.length; m++) {
            expect(running.slack[m]).toBeCloseTo(fresh.slack[m], 9);
            expect(foreseen[m]).toBeCloseTo(fresh.slack[m], 9);
            expect(gainAt(cells, columns, m) - cells.atom.margins[m].need).toBeCloseTo(fresh.slack[m], 9);
          }
          if (Math.abs(fresh.worst()) > 1e-6) expect(fresh.worst() > 0).toBe(contains(problem.piece, columns));
        }
      }
    },
  );
});
