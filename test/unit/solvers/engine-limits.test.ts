/** The engines below the searches give up when the effort is spent, also in the middle of one problem. */
import { describe, expect, it } from 'vitest';
import { Budget } from '../../../src/problems/budget.js';
import { highs, runHighs } from '../../../src/solvers/highs/highs.js';
import { SparseProgram } from '../../../src/solvers/highs/sparse-program.js';
import { BoundedSimplex } from '../../../src/solvers/linear/bounded-simplex.js';
import { Projection } from '../../../src/solvers/projection/projection.js';

const budgetOf = (effort: number) => new Budget(effort, { now: () => 0 }, 60_000);
const SIZE = 2000;

/** Every coordinate ends at a bound, and each takes a step. */
function crowded(): Projection {
  const projection = new Projection(1, SIZE, new Float64Array(SIZE).fill(1));
  for (let j = 0; j < SIZE; j++) projection.hi[j] = (1 + j / SIZE) / 10;
  projection.lower[0] = 0.1499 * SIZE;
  projection.upper[0] = Infinity;
  return projection;
}

/** Row k asks for more of coordinate k than the rows before. */
function staircase(): { simplex: BoundedSimplex; rows: Float64Array; cost: Float64Array } {
  const m = 200;
  const simplex = new BoundedSimplex(m, m);
  const rows = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) rows[i * m + j] = 1 / (1 + i - j);
    simplex.hi[i] = Infinity;
    simplex.lo[m + i] = i + 1;
    simplex.hi[m + i] = Infinity;
  }
  return { simplex, rows, cost: new Float64Array(m).fill(1) };
}

describe('the projection', () => {
  it('ends by itself where the effort suffices', () => {
    const projection = crowded();
    expect(projection.solve(budgetOf(1e9))).toBe('optimal');
    expect(projection.work).toBeGreaterThan(4000);
  });

  it('gives up when its work comes to the effort', () => {
    const projection = crowded();
    expect(projection.solve(budgetOf(2000))).toBe('numerical');
    expect(projection.work).toBeGreaterThanOrEqual(2000);
    expect(projection.work).toBeLessThan(2100);
  });
});

describe('the simplex', () => {
  it('ends by itself where the effort suffices', () => {
    const { simplex, rows, cost } = staircase();
    expect(simplex.solve(rows, cost, budgetOf(1e9))).toBe('optimal');
    expect(simplex.work).toBeGreaterThan(4000);
  });

  it('gives up when its work comes to the effort', () => {
    const { simplex, rows, cost } = staircase();
    expect(simplex.solve(rows, cost, budgetOf(2000))).toBe('numerical');
    expect(simplex.work).toBeLessThan(2200);
  });
});

/** min k with 2 k >= least for a whole k up to an end. */
function halves(least: number, end: number): SparseProgram {
  const program = new SparseProgram();
  program.addColumn(0, end, true);
  program.cost[0] = 1;
  program.addRow([[0, 2]], least, Infinity);
  return program;
}

describe('HiGHS', () => {
  it('claims a proof for whole numbers that it can count', async () => {
    await highs.load();
    expect(runHighs(halves(7, 1e9), budgetOf(1e9))).toMatchObject({ status: 'optimal', bound: 4 });
  });

  it('tells the budget that its own clock ended a search', async () => {
    await highs.load();
    const program = new SparseProgram();
    const columns = Array.from({ length: 60 }, () => program.addColumn(0, 1, true));
    for (const j of columns) program.cost[j] = -(1000 + ((j * 37) % 101));
    for (let row = 0; row < 20; row++)
      program.addRow(
        columns.map((j) => [j, 500 + ((j * 91 + row * 53) % 311)] as const),
        -Infinity,
        9000.5,
      );
    const budget = new Budget(1e9, { now: () => 0 }, 1);
    expect(runHighs(program, budget).status).toBe('limit');
    expect([budget.limitedBy, budget.isSpent]).toEqual(['time', true]);
  });

  it('looks for whole numbers within the size that it can count, and claims no proof', async () => {
    await highs.load();
    const { status, bound, values } = runHighs(halves(7, 8.2e14), budgetOf(1e9));
    expect([status, bound, values?.[0]]).toEqual(['limit', -Infinity, 4]);
    // the only points lie beyond that size
    expect(runHighs(halves(4e9, 8.2e14), budgetOf(1e9))).toMatchObject({ status: 'limit', values: null });
  });
});
