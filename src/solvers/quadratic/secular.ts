/**
 * One quadratic under L2 or Mahalanobis cost: the survey's SDP (7.9.2) through its one-dimensional dual, with zero gap.
 *
 *   min ‖y‖²  s.t.  yᵀA y + 2 b·y + c <= 0,   c > 0
 *
 * With A = V diag(α) Vᵀ, once per model, and β = Vᵀb, O(d²) per row: for a multiplier λ >= 0 with 1 + λα_i > 0 the
 * minimiser of the Lagrangian is y_i = -λβ_i/(1 + λα_i), and the constraint becomes the secular equation
 *
 *   φ(λ) = c - Σ β_i² λ (2 + λα_i)/(1 + λα_i)²  = 0,      φ falls from c; safeguarded Newton.
 *
 * Hard case: φ stays positive up to λ* = -1/min α because β has no part in the lowest eigenspace. Then y(λ*) plus a step along that
 * eigenvector meets the constraint, at the same dual value. Infeasible: A >= 0 and min q > 0. Bounds are ignored: an answer within them is
 * optimal, and the cost of an answer outside is a lower bound for the next method.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { Domain } from '../../policy/domain.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { INFEASIBLE, type Limits, limit, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { provedBound, provedEmpty, quadraticConstraint } from './proved-bound.js';
import { type Frame, QuadraticView, type ScaledQuadratic, standing } from './quadratic-view.js';

export function oneQuadratic(problem: Problem): boolean {
  const { traits } = problem;
  const squared = traits.norm === 'l2' || traits.norm === 'mahalanobis';
  return onlyAtoms(problem, 'quadratic').length === 1 && traits.rows === 0 && squared;
}

function accepts(problem: Problem): 'no' | 'exact' {
  const { traits } = problem;
  return oneQuadratic(problem) && !traits.discrete && !traits.capped && !traits.disjunctive ? 'exact' : 'no';
}

interface Spectrum {
  readonly values: Float64Array;
  /** Eigenvectors by row. */
  readonly vectors: Float64Array;
}

/** A smaller share of β in the lowest eigenspace is rounding noise: the hard case. */
const NO_PART = 1e-14;
const NEWTON_STEPS = 100;

class PreparedSecular implements Prepared {
  private readonly view: QuadraticView;
  private readonly spectra = new WeakMap<Frame, Spectrum>();
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.view = new QuadraticView(problem);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { view, x } = this;
    const frame = view.frame(domain);
    if (!frame.free.length) return standing(view.problem, domain);
    const [q] = view.at(frame, domain, limits.nudge);
    const spectrum = this.spectrum(frame);
    const beta = rotate(spectrum.vectors, q.b);
    const y = solveSecular(spectrum.values, beta, q.c);
    const [least] = view.underestimates(frame, domain);
    const form = quadraticConstraint(least.A, least.b, least.c);
    const weights = new Float64Array(frame.free.length).fill(frame.share);
    if (y === 'infeasible') {
      const bound = provedEmpty(weights, [form], Float64Array.of(1));
      return bound === Infinity ? INFEASIBLE : limit(null, Math.max(0, bound));
    }
    const moved = rotateBack(spectrum.vectors, y);
    view.toColumns(frame, moved, domain, x);
    const bound = Math.max(0, provedBound(weights, [form], Float64Array.of(multiplierOf(q, moved))));
    return withinBounds(frame, moved, domain) ? solved(x, bound) : limit(x, bound);
  }

  private spectrum(frame: Frame): Spectrum {
    let known = this.spectra.get(frame);
    if (!known) {
      known = decompose(frame.matrices[0], frame.free.length);
      this.spectra.set(frame, known);
    }
    return known;
  }
}

export function smallestEigenvalue(A: Float64Array, d: number): number {
  return Math.min(...decompose(A, d).values);
}

export function decompose(A: Float64Array, d: number): Spectrum {
  const rows = Array.from({ length: d }, (_, i) => [...A.subarray(i * d, (i + 1) * d)]);
  const eigen = new EigenvalueDecomposition(new Matrix(rows), { assumeSymmetric: true });
  const vectors = Float64Array.from(eigen.eigenvectorMatrix.transpose().to2DArray().flat());
  return { values: Float64Array.from(eigen.realEigenvalues), vectors };
}

/** The multiplier λ with which y = -λ(Ay + b). */
function multiplierOf({ A, b }: ScaledQuadratic, y: Float64Array): number {
  const d = y.length;
  let [along, square] = [0, 0];
  for (let i = 0; i < d; i++) {
    let slope = b[i];
    for (let j = 0; j < d; j++) slope += A[i * d + j] * y[j];
    along += slope * y[i];
    square += y[i] * y[i];
  }
  return along < 0 ? -square / along : 0;
}

function rotate(vectors: Float64Array, b: Float64Array): Float64Array {
  const d = b.length;
  const out = new Float64Array(d);
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) out[i] += vectors[i * d + j] * b[j];
  return out;
}

function rotateBack(vectors: Float64Array, y: Float64Array): Float64Array {
  const d = y.length;
  const out = new Float64Array(d);
  for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) out[j] += vectors[i * d + j] * y[i];
  return out;
}

/** The minimiser in the eigenbasis, or 'infeasible'. */
export function solveSecular(alpha: Float64Array, beta: Float64Array, c: number): Float64Array | 'infeasible' {
  const d = alpha.length;
  if (c <= 0) return new Float64Array(d);
  let lowest = Infinity;
  for (let i = 0; i < d; i++) lowest = Math.min(lowest, alpha[i]);
  const scale = alpha.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const end = lowest < -1e-15 * scale ? -1 / lowest : Infinity;
  const hard = end < Infinity ? hardCase(alpha, beta, c, lowest, end) : undefined;
  if (hard) return hard;
  const lambda = rootOf((l) => phi(alpha, beta, c, l), end);
  if (lambda === undefined) return 'infeasible';
  return beta.map((value, i) => (-lambda * value) / (1 + lambda * alpha[i]));
}

/** φ and its derivative: φ' = -2 Σ β²/(1 + λα)³. */
function phi(alpha: Float64Array, beta: Float64Array, c: number, lambda: number): [number, number] {
  let value = c;
  let slope = 0;
  for (let i = 0; i < alpha.length; i++) {
    const square = beta[i] * beta[i];
    if (square === 0) continue;
    const w = 1 / (1 + lambda * alpha[i]);
    value -= square * lambda * (2 + lambda * alpha[i]) * w * w;
    slope -= 2 * square * w * w * w;
  }
  return [value, slope];
}

/** The root of a falling function on (0, end), by Newton's method within a bracket. */
function rootOf(f: (lambda: number) => [number, number], end: number): number | undefined {
  let low = 0;
  let high = Math.min(end, 1);
  for (let k = 0; end === Infinity && f(high)[0] > 0; k++) {
    if (k > 1000 || !Number.isFinite(high)) return undefined;
    low = high;
    high *= 4;
    if (high > 1e100) return undefined;
  }
  if (end < Infinity) high = end;
  let lambda = end < Infinity ? low + (high - low) / 2 : high;
  for (let k = 0; k < NEWTON_STEPS; k++) {
    const [value, slope] = f(lambda);
    if (value > 0) low = lambda;
    else high = lambda;
    const newton = lambda - value / slope;
    const next = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (Math.abs(next - lambda) <= 1e-16 * Math.abs(lambda) || next === low || next === high)
      return value <= 0 ? lambda : high;
    lambda = next;
  }
  return high;
}

/** β has no part in the lowest eigenspace and the rest cannot meet the constraint: adds the missing amount along that eigenspace. */
function hardCase(
  alpha: Float64Array,
  beta: Float64Array,
  c: number,
  lowest: number,
  end: number,
): Float64Array | undefined {
  const size = Math.sqrt(beta.reduce((sum, value) => sum + value * value, 0));
  const isLowest = (i: number) => alpha[i] <= lowest * (1 - 1e-12);
  let part = 0;
  for (let i = 0; i < alpha.length; i++) if (isLowest(i)) part += beta[i] * beta[i];
  if (Math.sqrt(part) > NO_PART * Math.max(size, 1e-300)) return undefined;
  const y = beta.map((value, i) => (isLowest(i) ? 0 : (-end * value) / (1 + end * alpha[i])));
  const left = y.reduce((sum, v, i) => sum + alpha[i] * v * v + 2 * beta[i] * v, c);
  if (left < 0) return undefined;
  const along = alpha.findIndex((_, i) => isLowest(i));
  y[along] = Math.sqrt(left / -lowest);
  return y;
}

function withinBounds(frame: Frame, y: Float64Array, { origin, lower, upper }: Domain): boolean {
  const d = frame.free.length;
  for (let i = 0; i < d; i++) {
    let move = 0;
    for (let j = 0; j < d; j++) move += frame.S[i * d + j] * y[j];
    const c = frame.free[i];
    const slack = 1e-12 * Math.max(1, Math.abs(origin[c]));
    if (origin[c] + move < lower[c] - slack || origin[c] + move > upper[c] + slack) return false;
  }
  return true;
}

export const secular: Solver = { name: 'secular', accepts, prepare: (problem) => new PreparedSecular(problem) };
