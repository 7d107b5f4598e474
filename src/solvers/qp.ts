/**
 * L2 and Mahalanobis over linear rows and a box by HiGHS's active set for convex QPs (survey, section 3.2, the QP): the
 * second opinion below our own projection, which is ten to a hundred times faster and therefore comes first.
 *
 *   min Δᵀ Q Δ   s.t.   lower_i <= a_i·(x + Δ) <= upper_i,   Δ in a box;      Q = diag(w) or S⁻¹
 *
 * Variables z_j = √Q_jj Δ_j / g over the features that may change, g the gap in those units: Q gets a unit diagonal and
 * the answer is of size 1. Rows have norm 1; answers stay a few of HiGHS's tolerances inside. Infeasibility is certified
 * on the original rows with the ray of the LP without objective. The lower bound is weak duality in closed form, with
 * the multipliers y of rows and μ of bounds as HiGHS gives them, on the rows as they are without depth:
 *
 *   y·b + μ·β - ¼ rᵀ Q⁻¹ r,    r = Aᵀy + μ,    b and β the ends that the multipliers' signs speak of
 *
 * HiGHS at times calls a QP optimal that is not, or fails on degenerate ones: an answer counts as solved only where the
 * bound meets it.
 */
import { solvePositive } from '../linalg/symmetric.js';
import { dot } from '../linalg/vector.js';
import type { Feature } from '../models/features.js';
import type { LinearRow } from '../models/region.js';
import type { Domain } from '../policy/domain.js';
import { linearRows, type Problem } from '../problems/problem.js';
import { loadHighs, type Run, runHighs } from './highs.js';
import { depthOf, provesInfeasible, violation } from './rows.js';
import { INFEASIBLE, type Limits, limit, numerical, type Outcome, type Prepared, type Solver, solved } from './solver.js';
import { type SparseHessian, SparseProgram } from './sparse-program.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  const fits = traits.linear && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

/** How far inside its rows to stay at least, relative to the gap: several times what HiGHS leaves open. */
const DEPTH_FLOOR = 2e-7;
const LINK_TOLERANCE = 1e-9;
/** A share of the cost by which the bound may stay below it in a proof. */
const PROVED = 2e-6;

class PreparedQp implements Prepared {
  private readonly rows: readonly LinearRow[];
  private readonly free: readonly Feature[];
  /** Δ = unit · z by variable. */
  private readonly unit: Float64Array;
  /** Q in units of z, with a unit diagonal, and its inverse. */
  private readonly quadratic: readonly Float64Array[];
  private readonly inverse: readonly Float64Array[] | undefined;
  /** Rows over z, of norm 1, and the factors that made them so. */
  private readonly scaled: readonly Float64Array[];
  private readonly rowScale: Float64Array;
  private readonly x: Float64Array;

  constructor(private readonly problem: Problem) {
    this.rows = linearRows(problem);
    this.free = problem.rules.filter((rule) => !rule.never).map((rule) => rule.feature);
    const q = quadraticOf(problem, this.free);
    this.unit = Float64Array.from(q, (row, i) => 1 / Math.sqrt(row[i]));
    this.quadratic = q.map((row, i) => row.map((value, j) => value * this.unit[i] * this.unit[j]));
    const identity = q.map((_, i) => q.map((__, j) => +(i === j)));
    this.inverse = solvePositive(this.quadratic.map((row) => [...row]), identity);
    const inZ = this.rows.map((row) => Float64Array.from(this.free, (feature, k) => row.a[feature.column] * this.unit[k]));
    this.rowScale = Float64Array.from(inZ, (a) => 1 / (Math.sqrt(dot(a, a)) || 1));
    this.scaled = inZ.map((a, i) => a.map((value) => value * this.rowScale[i]));
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const ends = this.endsOf(domain);
    const gap = Math.max(...ends.map(([low, high]) => Math.max(low, -high)), 0) || 1;
    const program = this.program(domain, ends, gap, limits.nudge);
    const run = runHighs(program, limits.deadline - limits.now());
    if (run.status === 'infeasible') return this.certify(program, domain, limits);
    if (run.status === 'limit') return limit(null, 0);
    if (!run.values) return numerical(run.detail);
    this.toColumns(run.values, gap, domain);
    if (this.breaksRow()) return numerical('HiGHS left a row');
    const bound = this.lowerBound(run, program, ends, gap);
    const proved = this.objective(run.values) <= bound * (1 + PROVED) + PROVED ** 2;
    return proved ? solved(this.x, gap * gap * bound) : limit(this.x, gap * gap * bound);
  }

  private objective(z: Float64Array): number {
    return this.quadratic.reduce((sum, row, k) => sum + z[k] * dot(row, z), 0);
  }

  /** What each scaled row still asks for, without depth. */
  private endsOf({ origin }: Domain): [number, number][] {
    return this.rows.map((row, i) => {
      const activity = dot(row.a, origin);
      return [this.rowScale[i] * (row.lower - activity), this.rowScale[i] * (row.upper - activity)];
    });
  }

  private program({ origin, lower, upper }: Domain, ends: readonly [number, number][], gap: number, nudge: number): SparseProgram {
    const program = new SparseProgram();
    for (const [k, { column }] of this.free.entries()) {
      const size = this.unit[k] * gap;
      program.addColumn((lower[column] - origin[column]) / size, (upper[column] - origin[column]) / size);
    }
    for (const [i, [low, high]] of ends.entries()) {
      const wanted = Math.max(this.rowScale[i] * depthOf(this.rows[i], origin, nudge), DEPTH_FLOOR * gap);
      const depth = Math.min(wanted, 0.25 * (high - low));
      program.addRow(Array.from(this.scaled[i], (value, k) => [k, value] as const), (low + depth) / gap, (high - depth) / gap);
    }
    program.hessian = this.hessian();
    return program;
  }

  /** HiGHS minimises ½ zᵀHz. */
  private hessian(): SparseHessian {
    const starts = [0];
    const indices: number[] = [];
    const values: number[] = [];
    for (let j = 0; j < this.quadratic.length; j++) {
      for (let i = j; i < this.quadratic.length; i++) {
        if (this.quadratic[i][j] === 0) continue;
        indices.push(i);
        values.push(2 * this.quadratic[i][j]);
      }
      starts.push(indices.length);
    }
    return { starts, indices, values };
  }

  private toColumns(values: Float64Array, gap: number, { origin, lower, upper }: Domain): void {
    this.x.set(origin);
    for (const [k, { column }] of this.free.entries()) {
      const moved = origin[column] + values[k] * this.unit[k] * gap;
      this.x[column] = Math.min(upper[column], Math.max(lower[column], moved));
    }
  }

  private breaksRow(): boolean {
    const { rows, x, rowScale } = this;
    return rows.some((row, i) => violation(row, x) > (i < this.problem.piece.rows.length ? 0 : LINK_TOLERANCE / rowScale[i]));
  }

  /** Weak duality for the program over z, its rows without depth. */
  private lowerBound({ rowDuals, columnDuals }: Run, program: SparseProgram, ends: readonly [number, number][], gap: number): number {
    const r = new Float64Array(this.free.length);
    let bound = 0;
    for (const [i, [low, high]] of ends.entries()) {
      const end = rowDuals[i] > 0 ? low : high;
      if (rowDuals[i] === 0 || !Number.isFinite(end)) continue;
      bound += (rowDuals[i] * end) / gap;
      for (let k = 0; k < r.length; k++) r[k] += rowDuals[i] * this.scaled[i][k];
    }
    for (let k = 0; k < r.length; k++) {
      const end = columnDuals[k] > 0 ? program.lower[k] : program.upper[k];
      if (columnDuals[k] === 0 || !Number.isFinite(end)) continue;
      bound += columnDuals[k] * end;
      r[k] += columnDuals[k];
    }
    if (!this.inverse) return 0;
    const curved = this.inverse.reduce((sum, row, k) => sum + r[k] * dot(row, r), 0);
    return Math.max(0, bound - curved / 4 || 0);
  }

  private certify(program: SparseProgram, domain: Domain, limits: Limits): Outcome {
    program.hessian = null;
    const { ray } = runHighs(program, limits.deadline - limits.now());
    const y = ray && Float64Array.from(this.rows, (_, i) => ray[i] * this.rowScale[i]);
    return y && provesInfeasible(this.rows, y, domain) ? INFEASIBLE : numerical('infeasible, but the certificate is not certain');
  }
}

/** Q over the features that may change; all of them are numbers here. */
function quadraticOf({ cost }: Problem, free: readonly Feature[]): Float64Array[] {
  const { metric } = cost;
  if (!metric) return free.map((f) => Float64Array.from(free, (g) => (f === g ? cost.weight[f.index] : 0)));
  const place = free.map((feature) => metric.features.indexOf(feature));
  return place.map((i) => Float64Array.from(place, (j) => metric.inverse[i][j]));
}

export const qp: Solver = { name: 'qp', load: loadHighs, accepts, prepare: (problem) => new PreparedQp(problem) };
