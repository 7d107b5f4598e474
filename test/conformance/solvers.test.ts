/**
 * Every exact solver of the table on the same random problems: they agree on whether there is an answer and on what the
 * best one costs, no lower bound is above it, and every answer keeps rows, domain, cap and clauses by the judge's count.
 * Where everything is discrete and small, all lattice points are tried. The engine below the HiGHS solvers is held to
 * the optimality conditions of known programs.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Feature } from '../../src/models/features.js';
import type { Domain } from '../../src/policy/domain.js';
import type { Problem } from '../../src/problems/problem.js';
import { runHighs } from '../../src/solvers/highs/highs.js';
import { SparseProgram } from '../../src/solvers/highs/sparse-program.js';
import { stationaryPoint } from '../../src/solvers/highs/stationary-point.js';
import { solvers } from '../../src/solvers/index.js';
import type { Outcome, Prepared, Solver } from '../../src/solvers/solver.js';
import { within } from '../support/quadratic-problems.js';
import { type Judgement, judge } from './judge.js';
import { type Case, Dice, type Kind, type Norm, type Recipe, randomCase } from './random-problems.js';

const NUDGES = [1e-12, 1e-10, 1e-8, 1e-6];
const DEADLINE_MS = 3000;
const SAME_COST = 1e-6;

beforeAll(async () => {
  await Promise.all(solvers.map((solver) => solver.engine?.load()));
});

interface Verdict {
  readonly solver: string;
  readonly outcome: Outcome;
  readonly judgement: Judgement | null;
}

/** As the pipeline does it: deeper inside the region until the answer stands. */
function solveDeeper(prepared: Prepared, problem: Problem, domain: Domain): Omit<Verdict, 'solver'> {
  let lowerBound = Number.NEGATIVE_INFINITY;
  for (const nudge of NUDGES) {
    const limits = {
      ...within(DEADLINE_MS),
      nudge,
    };
    const outcome = prepared.solve(domain, limits);
    const judgement = outcome.x && judge(problem, domain, outcome.x);
    if (nudge === NUDGES[0]) lowerBound = outcome.lowerBound;
    if (!judgement?.faults.length || nudge === NUDGES.at(-1)) return { outcome: { ...outcome, lowerBound }, judgement };
  }
  throw new Error('there is a last nudge');
}

const exactSolvers = (problem: Problem) => solvers.filter((solver) => solver.accepts(problem, solvers) === 'exact');

function solveAll(problem: Problem, domain: Domain, chosen: readonly Solver[] = exactSolvers(problem)): Verdict[] {
  return chosen.map((solver) => ({
    solver: solver.name,
    ...solveDeeper(solver.prepare(problem, solvers), problem, domain),
  }));
}

/** What the verdicts say against each other and against the optimum, if that is known. */
function disagreements(verdicts: readonly Verdict[], known = Infinity): string[] {
  const costs = verdicts
    .filter(({ judgement }) => judgement?.faults.length === 0)
    .map(({ judgement }) => judgement!.cost);
  const best = Math.min(known, ...costs);
  const most = best * (1 + SAME_COST) + 1e-8;
  return verdicts.flatMap(({ solver, outcome, judgement }) => {
    const { status, lowerBound } = outcome;
    const says = (message: string) => [`${solver}: ${message}`];
    if (judgement?.faults.length) return says(judgement.faults.join(', '));
    if (status === 'infeasible' && best < Infinity) return says(`infeasible, but there is an answer of cost ${best}`);
    if (status === 'solved' && judgement!.cost > most)
      return says(`${judgement!.cost} as optimum, but there is ${best}`);
    return lowerBound > most ? says(`lower bound ${lowerBound}, but there is ${best}`) : [];
  });
}

const NORMS: readonly Norm[] = ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'];
const KINDS: readonly Kind[] = ['continuous', 'integer', 'step', 'boolean', 'ordinal', 'one-hot'];

const recipes = (norm: Norm, kinds: readonly Kind[] = KINDS): fc.Arbitrary<Recipe> =>
  fc.record({
    norm: fc.constant(norm),
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 5 }),
    rows: fc.integer({ min: 1, max: 4 }),
    maxChanges: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    links: fc.boolean(),
    clauses: fc.boolean(),
    badlyScaled: fc.boolean(),
    ties: fc.boolean(),
    open: fc.constant(false),
  });

/** A metric needs a covariance that is not singular: small samples of few values may have none. */
function caseOf(recipe: Recipe, seed: number): Case | null {
  try {
    return randomCase(recipe, seed);
  } catch (error) {
    if (/singular/.test((error as Error).message)) return null;
    throw error;
  }
}

const people = ({ problem, people: all }: Case) => all.filter(({ domain }) => !problem.holds(domain.origin));

function checkAgreement(recipe: Recipe, seed: number): void {
  const made = caseOf(recipe, seed);
  if (!made?.problem) return;
  for (const { domain } of people(made)) expect(disagreements(solveAll(made.problem, domain))).toEqual([]);
}

/** What fails is shrunk and printed with its seed; FC_SEED looks elsewhere. */
const agree = (recipe: fc.Arbitrary<Recipe>, numRuns: number, seed: number) =>
  fc.assert(fc.property(recipe, fc.nat(1e6), checkAgreement), { numRuns, seed: Number(process.env.FC_SEED ?? seed) });

describe('solvers agree', () => {
  it.each(NORMS)('%s, everything mixed', (norm) => {
    agree(
      recipes(norm).map((recipe) => ({ ...recipe, ties: false })),
      50,
      1,
    );
  });

  it.each(NORMS)('%s, rows met with equality', (norm) => {
    agree(
      recipes(norm).map((recipe) => ({ ...recipe, ties: true, badlyScaled: false })),
      50,
      2,
    );
  });

  it.each<Norm>(['l1', 'l2', 'mahalanobis'])('%s, continuous features and linear rows', (norm) => {
    const plain = recipes(norm, ['continuous']);
    agree(
      plain.map((recipe) => ({ ...recipe, ties: false, maxChanges: undefined, clauses: false })),
      50,
      3,
    );
  });

  it.each(NORMS)('%s, one tree', (norm) => {
    agree(
      recipes(norm).map((recipe) => ({ ...recipe, tree: 'plain' as const })),
      50,
      5,
    );
  });

  it.each(NORMS)('%s, features without bounds', (norm) => {
    const open = recipes(norm).map((recipe) => ({ ...recipe, open: true, ties: false }));
    agree(
      open.map((recipe) => ({ ...recipe, kinds: recipe.kinds.slice(0, 3) })),
      30,
      4,
    );
  });
});

describe('the solvers over HiGHS', () => {
  const engines = ['lp', 'qp', 'milp', 'miqp'].map((name) => solvers.find((solver) => solver.name === name)!);

  it.each(engines.map((solver) => [solver.name, solver] as const))(
    '%s settles nearly all that it accepts',
    (_, solver) => {
      const statuses: string[] = [];
      for (let seed = 1; statuses.length < 60; seed++) {
        const dice = new Dice(seed);
        const smooth = solver.name === 'lp' || solver.name === 'qp';
        const recipe: Recipe = {
          norm: dice.pick(NORMS),
          kinds: Array.from({ length: 4 }, () => (smooth ? 'continuous' : dice.pick(KINDS))),
          rows: dice.whole(1, 4),
          links: dice.chance(0.5),
          maxChanges: smooth ? undefined : 2,
        };
        const made = caseOf(recipe, seed);
        if (!made?.problem || solver.accepts(made.problem, solvers) !== 'exact') continue;
        for (const { domain } of people(made))
          statuses.push(solveAll(made.problem, domain, [solver])[0].outcome.status);
      }
      const settled = statuses.filter((status) => status === 'solved' || status === 'infeasible').length;
      expect(settled / statuses.length).toBeGreaterThan(0.95);
    },
  );

  it('answer each row alike, whatever was solved before it', () => {
    for (const [norm, kinds] of [
      ['l1', ['continuous', 'continuous', 'continuous']],
      ['l2', ['continuous', 'continuous', 'continuous']],
      ['l1', ['continuous', 'integer', 'one-hot']],
      ['percentile', ['continuous', 'integer', 'boolean']],
      ['l2', ['continuous', 'integer', 'one-hot']],
    ] as const) {
      const { problem, people: all } = randomCase({ norm, kinds, rows: 2 }, 5, 6);
      for (const solver of engines.filter((engine) => engine.accepts(problem, solvers) === 'exact')) {
        const there = solver.prepare(problem, solvers);
        const forward = all.map(({ domain }) => show(solveDeeper(there, problem, domain).outcome));
        const back = all.toReversed().map(({ domain }) => show(solveDeeper(there, problem, domain).outcome));
        expect(back.toReversed(), solver.name).toEqual(forward);
      }
    }
  });
});

const show = ({ status, x, lowerBound }: Outcome): string => `${status} ${lowerBound} ${x?.join()}`;

/** All values that a feature may take, as columns. */
function valuesOf(feature: Feature, domain: Domain): Float64Array[] {
  const { column, width, kind, index } = feature;
  const { origin, lower, upper, step, ranks } = domain;
  if (kind === 'choice') {
    const open = Array.from({ length: width }, (_, k) => k).filter(
      (k) => upper[column + k] > 0 || origin[column + k] > 0,
    );
    return lower[column] === upper[column] && origin[column] === lower[column] && open.length === 1
      ? [origin.slice(column, column + width)]
      : open.map((k) => Float64Array.from({ length: width }, (_, c) => +(c === k)));
  }
  const least = step[index] > 0 ? Math.round((lower[column] - origin[column]) / step[index]) : 0;
  const most = step[index] > 0 ? Math.round((upper[column] - origin[column]) / step[index]) : 0;
  const points = Array.from({ length: most - least + 1 }, (_, k) => origin[column] + step[index] * (least + k));
  return points.filter((point) => !ranks[index] || ranks[index]![point] === 1).map((point) => Float64Array.of(point));
}

/** The least cost of all lattice points that are answers. */
function tryAll(problem: Problem, domain: Domain): number {
  const x = domain.origin.slice();
  let best = Infinity;
  const descend = (f: number): void => {
    if (f === problem.space.features.length) {
      const { faults, cost } = problem.holds(x) ? judge(problem, domain, x) : { faults: ['refused'], cost: 0 };
      if (!faults.length) best = Math.min(best, cost);
      return;
    }
    const feature = problem.space.features[f];
    for (const columns of valuesOf(feature, domain)) {
      x.set(columns, feature.column);
      descend(f + 1);
    }
  };
  descend(0);
  return best;
}

describe.each([undefined, 'plain', 'mixed'] as const)('trying all lattice points, tree: %s', (tree) => {
  const DISCRETE: readonly Kind[] = ['integer', 'step', 'boolean', 'ordinal', 'one-hot'];

  it.each(NORMS)('%s', (norm) => {
    for (let seed = 1; seed <= 25; seed++) {
      const dice = new Dice(seed * 13);
      const recipe: Recipe = {
        norm,
        kinds: Array.from({ length: 3 }, () => dice.pick(DISCRETE)),
        rows: dice.whole(1, 3),
        links: dice.chance(0.4),
        clauses: dice.chance(0.4),
        ties: dice.chance(0.5),
        badlyScaled: dice.chance(0.3),
        maxChanges: dice.chance(0.4) ? dice.whole(1, 2) : undefined,
        tree,
      };
      const made = caseOf(recipe, seed);
      if (!made?.problem || (recipe.ties && recipe.badlyScaled)) continue;
      for (const { domain } of people(made)) {
        const best = tryAll(made.problem, domain);
        const verdicts = solveAll(made.problem, domain);
        expect(disagreements(verdicts, best), `seed ${seed}`).toEqual([]);
        if (best === Infinity) continue;
        expect(
          verdicts.some(({ outcome }) => outcome.status === 'solved'),
          `seed ${seed}`,
        ).toBe(true);
      }
    }
  });
});

/** Rows of a program as dense vectors. */
function denseRows({ starts, indices, values, cost, rowLower }: SparseProgram): number[][] {
  return rowLower.map((_, i) => {
    const row = cost.map(() => 0);
    for (let k = starts[i]; k < starts[i + 1]; k++) row[indices[k]] = values[k];
    return row;
  });
}

/** Largest violation of the optimality conditions: gradient = Aᵀy + μ, signs, complementarity, feasibility. */
function kktResidual(
  program: SparseProgram,
  v: Float64Array,
  y: Float64Array,
  mu: Float64Array,
  gradient: readonly number[],
): number {
  const rows = denseRows(program);
  const product = (row: readonly number[]) => row.reduce((sum, value, j) => sum + value * v[j], 0);
  const stationarity = gradient.map((g, j) =>
    Math.abs(g - mu[j] - rows.reduce((sum, row, i) => sum + y[i] * row[j], 0)),
  );
  const ends = (value: number, low: number, high: number, dual: number) => {
    const outside = Math.max(0, low - value, value - high);
    const slack = dual > 0 ? value - low : dual < 0 ? high - value : 0;
    return Math.max(outside, Math.abs(dual) * Math.min(1, Math.abs(slack)));
  };
  const inRows = rows.map((row, i) => ends(product(row), program.rowLower[i], program.rowUpper[i], y[i]));
  const inBox = [...v].map((value, j) => ends(value, program.lower[j], program.upper[j], mu[j]));
  return Math.max(...stationarity, ...inRows, ...inBox);
}

function randomProgram(dice: Dice, columns: number, rows: number): SparseProgram {
  const program = new SparseProgram();
  for (let j = 0; j < columns; j++)
    program.cost[program.addColumn(0, dice.chance(0.3) ? Infinity : dice.within(0.5, 3))] = dice.within(0.1, 2);
  for (let i = 0; i < rows; i++) {
    const terms = Array.from({ length: columns }, (_, j) => [j, dice.within(-0.3, 1)] as const);
    program.addRow(terms, dice.within(0.2, 0.6), dice.chance(0.5) ? Infinity : 2);
  }
  return program;
}

describe('the engine', () => {
  it('solves a textbook LP', () => {
    // max 3a + 5b, a <= 4, 2b <= 12, 3a + 2b <= 18: (2, 6) with 36 and prices 0, 3/2, 1
    const program = new SparseProgram();
    program.addColumn(0, Infinity);
    program.addColumn(0, Infinity);
    program.cost.splice(0, 2, -3, -5);
    program.addRow([[0, 1]], Number.NEGATIVE_INFINITY, 4);
    program.addRow([[1, 2]], Number.NEGATIVE_INFINITY, 12);
    program.addRow(
      [
        [0, 3],
        [1, 2],
      ],
      Number.NEGATIVE_INFINITY,
      18,
    );
    const { status, values, rowDuals, bound } = runHighs(program, within(1000).budget);
    expect(status).toBe('optimal');
    expect([...values!]).toEqual([expect.closeTo(2, 9), expect.closeTo(6, 9)]);
    expect([...rowDuals]).toEqual([expect.closeTo(0, 9), expect.closeTo(-1.5, 9), expect.closeTo(-1, 9)]);
    // A column without an end costs the proof some of its last digits.
    expect(bound).toBeLessThanOrEqual(-36);
    expect(bound).toBeCloseTo(-36, 6);
  });

  it('meets the optimality conditions of random LPs', () => {
    const dice = new Dice(1);
    for (let k = 0; k < 100; k++) {
      const program = randomProgram(dice, 8, 4);
      const { status, values, rowDuals, columnDuals } = runHighs(program, within(1000).budget);
      if (status === 'infeasible') continue;
      expect(kktResidual(program, values!, rowDuals, columnDuals, program.cost)).toBeLessThan(1e-8);
    }
  });

  it('meets the optimality conditions of random QPs', () => {
    const dice = new Dice(2);
    for (let k = 0; k < 60; k++) {
      const program = randomProgram(dice, 6, 3);
      const curvature = program.cost.map(() => dice.within(0.5, 3));
      program.hessian = { starts: [...curvature.keys(), 6], indices: [...curvature.keys()], values: curvature };
      const { status, values, rowDuals, columnDuals } = runHighs(program, within(1000).budget);
      if (status !== 'optimal') continue;
      const gradient = program.cost.map((price, j) => price + curvature[j] * values![j]);
      expect(kktResidual(program, values!, rowDuals, columnDuals, gradient)).toBeLessThan(1e-6);
    }
  });

  it('says how rows contradict each other', () => {
    const program = new SparseProgram();
    program.addColumn(0, 1);
    program.addColumn(0, 1);
    program.addRow(
      [
        [0, 1],
        [1, 1],
      ],
      3,
      Infinity,
    );
    const { status, ray } = runHighs(program, within(1000).budget);
    expect(status).toBe('infeasible');
    expect(ray![0]).toBeGreaterThan(0);
  });

  it('proves a bound on integers and stops in time', () => {
    const program = new SparseProgram();
    for (const price of [3, 4, 5]) program.cost[program.addColumn(0, 10, true)] = price;
    program.addRow(
      [
        [0, 2],
        [1, 3],
        [2, 4],
      ],
      7,
      Infinity,
    );
    const { status, values, bound } = runHighs(program, within(1000).budget);
    expect(status).toBe('optimal');
    expect([...values!].map(Math.round)).toEqual([0, 1, 1]);
    expect(bound).toBeCloseTo(9, 6);
    expect(runHighs(program, within(0).budget).status).not.toBe('failed');
  });

  it('wraps errors and goes on', () => {
    const broken = new SparseProgram();
    broken.cost[broken.addColumn(0, 1)] = Number.NaN;
    const { status, detail } = runHighs(broken, within(1000).budget);
    expect(status).toBe('failed');
    expect(detail).toMatch(/^HiGHS: /);
    expect(detail.length).toBeLessThan(300);
    const fine = new SparseProgram();
    fine.cost[fine.addColumn(1, 2)] = 1;
    expect(runHighs(fine, within(1000).budget).bound).toBeCloseTo(1, 12);
  });
});

describe('a stationary point', () => {
  it('meets its ends and the optimality conditions', () => {
    const q = [Float64Array.of(2, 0.5, 0), Float64Array.of(0.5, 1, 0.2), Float64Array.of(0, 0.2, 3)];
    const row = Float64Array.of(1, 2, -1);
    const { z, y, mu } = stationaryPoint(q, [row], [1.5], Float64Array.of(Number.NaN, Number.NaN, 0.25))!;
    expect(z[2]).toBe(0.25);
    expect(row.reduce((sum, value, k) => sum + value * z[k], 0)).toBeCloseTo(1.5, 12);
    for (const [k, normal] of row.entries()) {
      const gradient = 2 * q[k].reduce((sum, value, j) => sum + value * z[j], 0);
      expect(gradient).toBeCloseTo(y[0] * normal + mu[k], 12);
    }
    expect([mu[0], mu[1]]).toEqual([0, 0]);
  });

  it('is none where rows depend on each other', () => {
    const q = [Float64Array.of(1, 0), Float64Array.of(0, 1)];
    const rows = [Float64Array.of(1, 1), Float64Array.of(2, 2)];
    expect(stationaryPoint(q, rows, [1, 2], Float64Array.of(Number.NaN, Number.NaN))).toBeNull();
  });
});
