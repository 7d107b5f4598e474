/**
 * Every solution is checked by its optimality conditions, in plain arithmetic on the data as given: feasible in (P) and in
 * (D), complementary, no gap. Known optima and programs that were built around their solution come on top.
 */

import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { Budget, unlimited } from '../../../src/problems/budget.js';
import { type SemidefiniteSolution, solveSemidefinite } from '../../../src/solvers/quadratic/interior-point.js';
import {
  addForm,
  dense,
  innerProduct,
  NONE,
  normOf,
  product,
  type SemidefiniteProgram,
  type SemidefiniteRow,
  type SymmetricForm,
  sparse,
  unit,
} from '../../../src/solvers/quadratic/semidefinite-program.js';
import { Dice } from '../../support/dice.js';

const NO_LINEAR = new Float64Array();

const diagonal = (values: readonly number[]) =>
  Float64Array.from({ length: values.length ** 2 }, (_, k) =>
    k % (values.length + 1) === 0 ? values[Math.floor(k / values.length)] : 0,
  );

const equals = (form: SymmetricForm, value: number): SemidefiniteRow => ({ form, linear: NONE, value });

function eigenvalues(A: Float64Array, n: number): number[] {
  const rows = Array.from({ length: n }, (_, i) => [...A.subarray(i * n, (i + 1) * n)]);
  return new EigenvalueDecomposition(new Matrix(rows), { assumeSymmetric: true }).realEigenvalues;
}

const largest = (values: Iterable<number>) => Math.max(0, ...Array.from(values, Math.abs));

/** The dense matrix of a form. */
function matrixOf(form: SymmetricForm, n: number): Float64Array {
  const out = new Float64Array(n * n);
  addForm(form, 1, out, n);
  return out;
}

/** Worst violation of the optimality conditions, each relative to the size of its terms. */
function kktError({ order: n, cost, linearCost, rows }: SemidefiniteProgram, s: SemidefiniteSolution): number {
  const Z = cost.slice();
  const z = linearCost.slice();
  const primal = rows.map(({ form, linear, value }, i) => {
    addForm(form, -s.y[i], Z, n);
    linear.index.forEach((k, at) => {
      z[k] -= s.y[i] * linear.value[at];
    });
    const terms = [innerProduct(form, s.X, n), ...Array.from(linear.index, (k, at) => linear.value[at] * s.x[k])];
    const size = normOf(form) * largest(s.X) + largest(linear.value) * largest(s.x);
    return (terms.reduce((sum, term) => sum + term, 0) - value) / size;
  });
  const dualSize = largest(cost) + largest(rows.map(({ form }, i) => s.y[i] * normOf(form))) + largest(linearCost);
  const least = (values: readonly number[], size: number) => Math.max(0, -Math.min(0, ...values)) / size;
  // Both are positive semidefinite, so that X Z = 0 exactly where their inner product is 0.
  const together = innerProduct(dense(Z), s.X, n) + z.reduce((sum, value, k) => sum + value * s.x[k], 0);
  return Math.max(
    largest(primal),
    least(eigenvalues(s.X, n), largest(s.X)),
    least([...s.x], 1),
    least(eigenvalues(Z, n), dualSize),
    least([...z], dualSize),
    largest(Z.map((value, k) => value - s.Z[k])) / dualSize,
    Math.abs(together) / (1 + Math.abs(s.objective)),
    Math.abs(s.objective - s.dualObjective) / (1 + Math.abs(s.objective)),
  );
}

function solveChecked(program: SemidefiniteProgram, tolerance = 1e-7): SemidefiniteSolution {
  const solution = solveSemidefinite(program);
  expect(solution.status).toBe('optimal');
  expect(kktError(program, solution)).toBeLessThan(tolerance);
  return solution;
}

describe('known optima', () => {
  it('the least eigenvalue: min C•X over tr X = 1', () => {
    const dice = new Dice(1);
    for (const n of [1, 2, 5, 12, 33]) {
      const half = Float64Array.from({ length: n * n }, () => dice.normal());
      const cost = half.map((value, k) => value + half[(k % n) * n + Math.floor(k / n)]);
      const rows = [equals(dense(diagonal(new Array(n).fill(1))), 1)];
      const { objective } = solveChecked({ order: n, cost, linearCost: NO_LINEAR, rows });
      expect(objective).toBeCloseTo(Math.min(...eigenvalues(cost, n)), 7);
    }
  });

  it("Lovász' theta of the pentagon is √5", () => {
    const edges = [0, 1, 2, 3, 4].map((i) => equals(product(unit(i), unit((i + 1) % 5)), 0));
    const rows = [equals(dense(diagonal([1, 1, 1, 1, 1])), 1), ...edges];
    const program = { order: 5, cost: new Float64Array(25).fill(-1), linearCost: NO_LINEAR, rows };
    expect(solveChecked(program).objective).toBeCloseTo(-Math.sqrt(5), 8);
  });

  it('the relaxed maximum cut of the pentagon is 5/2 (1 + cos(π/5))', () => {
    const cost = diagonal([-0.5, -0.5, -0.5, -0.5, -0.5]);
    for (let i = 0; i < 5; i++) addForm(product(unit(i), unit((i + 1) % 5)), 0.5, cost, 5);
    const rows = [0, 1, 2, 3, 4].map((i) => equals(product(unit(i), unit(i)), 1));
    const { objective } = solveChecked({ order: 5, cost, linearCost: NO_LINEAR, rows });
    expect(-objective).toBeCloseTo(2.5 * (1 + Math.cos(Math.PI / 5)), 8);
  });

  it('a linear program beside a block that does nothing', () => {
    // min -3 x0 - 2 x1  s.t.  x0 + x1 + s = 4,  x0 + 3 x1 + t = 6,  x0 + u = 3
    const rows = [
      equals(product(unit(0), unit(0)), 1),
      { form: product(NONE, NONE), linear: sparse([1, 1, 1, 0, 0]), value: 4 },
      { form: product(NONE, NONE), linear: sparse([1, 3, 0, 1, 0]), value: 6 },
      { form: product(NONE, NONE), linear: sparse([1, 0, 0, 0, 1]), value: 3 },
    ];
    const program = { order: 1, cost: Float64Array.of(0), linearCost: Float64Array.of(-3, -2, 0, 0, 0), rows };
    const { x, objective } = solveSemidefinite(program);
    expect(objective).toBeCloseTo(-11, 7);
    expect([x[0], x[1]].map((value) => Math.round(value * 1e6) / 1e6)).toEqual([3, 1]);
  });
});

/** Orthonormal rows, by Gram and Schmidt. */
function orthonormal(n: number, dice: Dice): number[][] {
  const basis: number[][] = [];
  while (basis.length < n) {
    let v = dice.vector(n);
    for (const u of [...basis, ...basis]) {
      const along = u.reduce((sum, value, k) => sum + value * v[k], 0);
      v = v.map((value, k) => value - along * u[k]);
    }
    const size = Math.hypot(...v);
    basis.push(v.map((value) => value / size));
  }
  return basis;
}

interface Built {
  readonly program: SemidefiniteProgram;
  readonly optimum: number;
}

/** A program around its solution: X and Z share eigenvectors and split the space, x and z split the coordinates. */
function buildAround(seed: number, n: number, m: number, sizes: () => number = () => 1): Built {
  const dice = new Dice(seed);
  const basis = orthonormal(n, dice);
  const rank = dice.integer(1, n - 1);
  const X = new Float64Array(n * n);
  const cost = new Float64Array(n * n);
  for (const [k, v] of basis.entries())
    addForm(product(sparse(v), sparse(v)), dice.between(0.5, 2), k < rank ? X : cost, n);
  const x = Float64Array.from({ length: m }, (_, k) => (k % 2 ? dice.between(0.5, 2) : 0));
  const linearCost = Float64Array.from(x, (value) => (value === 0 ? dice.between(0.5, 2) : 0));
  let optimum = 0;
  const rows = Array.from({ length: m }, (_, i): SemidefiniteRow => {
    const size = sizes();
    const form =
      i % 3 === 0 ? dense(symmetric(n, size, dice)) : product(someEntries(n, size, dice), someEntries(n, 1, dice));
    const linear = unit(i, size * dice.between(0.5, 1));
    const value = innerProduct(form, X, n) + linear.value[0] * x[i];
    const multiplier = dice.normal() / size;
    addForm(form, multiplier, cost, n);
    linearCost[i] += multiplier * linear.value[0];
    optimum += multiplier * value;
    return { form, linear, value };
  });
  return { program: { order: n, cost, linearCost, rows }, optimum };
}

function symmetric(n: number, size: number, dice: Dice): Float64Array {
  const A = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = size * dice.normal();
  return A;
}

const someEntries = (n: number, size: number, dice: Dice) =>
  sparse(Array.from({ length: n }, () => (dice.chance(0.4) ? size * dice.normal() : 0)));

describe('programs built around their solution', () => {
  it.each([2, 3, 5, 9, 16, 31])('order %i', (n) => {
    for (let seed = 1; seed <= 8; seed++) {
      const { program, optimum } = buildAround(seed * 100 + n, n, Math.min(2 * n, 30));
      const { objective } = solveChecked(program);
      expect(Math.abs(objective - optimum)).toBeLessThan(1e-7 * (1 + Math.abs(optimum)));
    }
  });

  it('rows of sizes between 1e-3 and 1e3', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const dice = new Dice(seed);
      const { program, optimum } = buildAround(seed, 6, 8, () => 10 ** dice.between(-3, 3));
      const { objective } = solveChecked(program);
      expect(Math.abs(objective - optimum)).toBeLessThan(1e-7 * (1 + Math.abs(optimum)));
    }
  });

  it('at the largest order it is made for', () => {
    const { program, optimum } = buildAround(7, 65, 70);
    expect(Math.abs(solveChecked(program).objective - optimum)).toBeLessThan(1e-6 * (1 + Math.abs(optimum)));
  });

  it('sparse products and their dense matrices are the same rows', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { program } = buildAround(seed, 7, 9);
      const rows = program.rows.map((row) => ({ ...row, form: dense(matrixOf(row.form, 7)) }));
      const [one, other] = [program, { ...program, rows }].map((p) => solveChecked(p).objective);
      expect(Math.abs(one - other)).toBeLessThan(1e-8 * (1 + Math.abs(one)));
    }
  });

  it('a row that is there twice', () => {
    const { program, optimum } = buildAround(3, 5, 6);
    const trace = equals(dense(diagonal([1, 1, 1, 1, 1])), 0);
    const value = innerProduct(trace.form, solveChecked(program).X, 5);
    const rows = [...program.rows, { ...trace, value }, { ...trace, value }];
    const { objective } = solveSemidefinite({ ...program, rows });
    expect(Math.abs(objective - optimum)).toBeLessThan(1e-5 * (1 + Math.abs(optimum)));
  });
});

describe('no solution', () => {
  function expectCertificate({ order: n, rows, linearCost }: SemidefiniteProgram, s: SemidefiniteSolution): void {
    expect(s.status).toBe('infeasible');
    const Z = new Float64Array(n * n);
    const z = new Float64Array(linearCost.length);
    let gain = 0;
    for (const [i, { form, linear, value }] of rows.entries()) {
      addForm(form, -s.y[i], Z, n);
      linear.index.forEach((k, at) => {
        z[k] -= s.y[i] * linear.value[at];
      });
      gain += s.y[i] * value;
    }
    expect(gain).toBeCloseTo(1, 9);
    expect(Math.min(...eigenvalues(Z, n))).toBeGreaterThan(-1e-7);
    expect(Math.min(0, ...z)).toBeGreaterThan(-1e-7);
    expect(largest(Z.map((value, k) => value - s.Z[k]))).toBeLessThan(1e-9 * (1 + largest(Z)));
  }

  it('a diagonal entry below zero', () => {
    const rows = [equals(product(unit(1), unit(1)), -1)];
    const program = { order: 3, cost: diagonal([1, 1, 1]), linearCost: NO_LINEAR, rows };
    expectCertificate(program, solveSemidefinite(program));
  });

  it('an entry too large for its diagonal', () => {
    const rows = [equals(dense(diagonal([1, 1])), 1), equals(product(unit(0), unit(1)), 0.75)];
    const program = { order: 2, cost: diagonal([0, 0]), linearCost: NO_LINEAR, rows };
    expectCertificate(program, solveSemidefinite(program));
  });

  it('random rows with a positive definite combination that would have to vanish', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const dice = new Dice(seed);
      const { program } = buildAround(seed, 6, 5);
      const sum = matrixOf(dense(diagonal([1, 1, 1, 1, 1, 1])), 6);
      const factors = program.rows.map(() => dice.normal());
      program.rows.forEach(({ form }, i) => {
        addForm(form, factors[i], sum, 6);
      });
      const rows = program.rows.map((row) => ({ ...row, linear: NONE }));
      const value = rows.reduce((total, row, i) => total + factors[i] * row.value, -1);
      const broken = { ...program, linearCost: NO_LINEAR, rows: [...rows, equals(dense(sum), value)] };
      expectCertificate(broken, solveSemidefinite(broken));
    }
  });

  it('a dual without solution ends at the limit', () => {
    const rows = [equals(product(unit(0), unit(0)), 1)];
    const { status } = solveSemidefinite({ order: 2, cost: diagonal([1, -1]), linearCost: NO_LINEAR, rows });
    expect(status).toBe('limit');
  });
});

it('stops when its effort is spent', () => {
  const { program } = buildAround(1, 8, 8);
  const whole = unlimited();
  const { iterations } = solveSemidefinite(program, whole);
  const perIteration = whole.spent / (iterations + 1);
  const solution = solveSemidefinite(program, new Budget(3.5 * perIteration, { now: () => 0 }, 1));
  expect(solution.status).toBe('limit');
  expect(solution.iterations).toBe(3);
  expect([...solution.X, ...solution.y].every(Number.isFinite)).toBe(true);
});
