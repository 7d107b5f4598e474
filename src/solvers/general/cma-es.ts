/**
 * CMA-ES (Hansen 2016) on equation (1) as merit.ts has it: numbers in a box, integers and steps by placing, categories by weights.
 *
 *   y_k = mean + σ A z_k,  A Aᵀ = C_cov (Cholesky, once a generation);  the better half moves the mean, the paths turn σ and the covariance
 *
 * C of equation (1) is halved while a generation has no answer, and doubled while all points of a generation are answers. The first mean is the cheapest
 * answer on the smallest sphere with an answer. Without such a sphere the first mean is the row.
 */
import { factorInPlace, forward } from '../../linalg/cholesky.js';
import { dot } from '../../linalg/vector.js';
import type { Problem } from '../../problems/problem.js';
import type { LadderPlace, Solver } from '../solver.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { isMixed } from './genetic.js';
import { Merit } from './merit.js';
import { isOpaque } from './opaque.js';
import type { Asked, Look, PersonSearch } from './person-search.js';
import { SphereGrowth } from './sphere-growth.js';

const LEAST_POINTS = 32;
const GENERATIONS = 150;
/** The search ends after this many generations without a cheaper answer. */
const PATIENCE = 12;
const POLISHED = 2;
/** σ at the start, relative to the radius of the sphere. The search ends when σ has shrunk by the second factor. */
const FIRST_SIGMA = 0.3;
const LAST_SIGMA = 1e-4;
/** Above this many columns the covariance is diagonal: the work of a full Cholesky factor grows with the cube of the columns. */
const MOST_FULL = 120;

function* adapt(parts: SearchParts): Asked<void> {
  const { search, home } = parts;
  const { answers, radius } = yield* new SphereGrowth(search).grow();
  const start = cheapest(search, answers) ?? home;
  const merit = new Merit(search, home, search.costOf(start.x) || 1);
  if (!merit.columns.length || search.isOver) return;
  const state = new Adaptation(search, merit, start.x, FIRST_SIGMA * radius);
  const found = [...answers];
  let best = search.best.cost;
  for (let k = 0, idle = 0; k < GENERATIONS && idle < PATIENCE && !search.isOver; k++) {
    const points = state.sample();
    const looks = yield* merit.ask(points);
    state.update(points, looks);
    const own = looks.filter((look) => look?.isAnswer) as Look[];
    found.push(...own);
    if (own.length === 0) merit.strength /= 2;
    else if (own.length === looks.length) merit.strength *= 2;
    idle = search.best.cost < best * (1 - 1e-4) ? 0 : idle + 1;
    best = search.best.cost;
    if (state.sigma < LAST_SIGMA * FIRST_SIGMA * radius) break;
  }
  yield* polishBest(parts, found, POLISHED);
}

const cheapest = (search: PersonSearch, answers: readonly Look[]): Look | undefined =>
  answers.reduce<Look | undefined>((a, b) => (a && search.costOf(a.x) <= search.costOf(b.x) ? a : b), undefined);

class Adaptation {
  readonly n: number;
  private readonly mean: Float64Array;
  private readonly covariance: Float64Array;
  private factor: Float64Array;
  private readonly pathSigma: Float64Array;
  private readonly pathCovariance: Float64Array;
  private readonly weights: Float64Array;
  private readonly muEffective: number;
  private readonly isFull: boolean;
  private readonly expectedNorm: number;
  private readonly points: number;

  constructor(
    private readonly search: PersonSearch,
    private readonly merit: Merit,
    start: Float64Array,
    public sigma: number,
  ) {
    const n = merit.columns.length;
    this.n = n;
    this.isFull = n <= MOST_FULL;
    this.points = Math.max(LEAST_POINTS, 2 * Math.ceil(4 + 3 * Math.log(n)));
    this.mean = new Float64Array(n);
    merit.read(start, this.mean);
    this.covariance = identity(n);
    this.factor = identity(n);
    [this.pathSigma, this.pathCovariance] = [new Float64Array(n), new Float64Array(n)];
    const half = Math.floor(this.points / 2);
    const raw = Float64Array.from({ length: half }, (_, k) => Math.log(half + 0.5) - Math.log(k + 1));
    const sum = raw.reduce((total, weight) => total + weight, 0);
    this.weights = raw.map((weight) => weight / sum);
    this.muEffective = 1 / dot(this.weights, this.weights);
    this.expectedNorm = Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  }

  sample(): Float64Array[] {
    return Array.from({ length: this.points }, () => {
      const z = Float64Array.from({ length: this.n }, () => this.search.normal());
      return Float64Array.from({ length: this.n }, (_, i) => this.mean[i] + this.sigma * this.timesFactor(z, i));
    });
  }

  private timesFactor(z: Float64Array, i: number): number {
    if (!this.isFull) return this.factor[i * this.n + i] * z[i];
    let sum = 0;
    for (let k = 0; k <= i; k++) sum += this.factor[i * this.n + k] * z[k];
    return sum;
  }

  update(points: readonly Float64Array[], looks: readonly (Look | null)[]): void {
    const merits = looks.map((look) => this.merit.of(look));
    const order = [...points.keys()].sort((a, b) => merits[a] - merits[b]).slice(0, this.weights.length);
    const steps = order.map((k) => points[k].map((value, i) => (value - this.mean[i]) / this.sigma));
    const mean = new Float64Array(this.n);
    for (const [r, step] of steps.entries()) for (let i = 0; i < this.n; i++) mean[i] += this.weights[r] * step[i];
    for (let i = 0; i < this.n; i++) this.mean[i] += this.sigma * mean[i];
    this.turnPaths(mean);
    this.turnCovariance(steps);
    this.refactor();
  }

  private turnPaths(mean: Float64Array): void {
    const { n, muEffective, pathSigma, pathCovariance } = this;
    const rate = (muEffective + 2) / (n + muEffective + 5);
    const damping = 1 + 2 * Math.max(0, Math.sqrt((muEffective - 1) / (n + 1)) - 1) + rate;
    const white = mean.slice();
    if (this.isFull) forward(this.factor, n, white);
    else for (let i = 0; i < n; i++) white[i] /= this.factor[i * n + i];
    const gain = Math.sqrt(rate * (2 - rate) * muEffective);
    for (let i = 0; i < n; i++) pathSigma[i] = (1 - rate) * pathSigma[i] + gain * white[i];
    const length = Math.sqrt(dot(pathSigma, pathSigma));
    this.sigma *= Math.exp(Math.min(1, (rate / damping) * (length / this.expectedNorm - 1)));
    const turn = (4 + muEffective / n) / (n + 4 + (2 * muEffective) / n);
    const turnGain = length < (1.4 + 2 / (n + 1)) * this.expectedNorm ? Math.sqrt(turn * (2 - turn) * muEffective) : 0;
    for (let i = 0; i < n; i++) pathCovariance[i] = (1 - turn) * pathCovariance[i] + turnGain * mean[i];
  }

  private turnCovariance(steps: readonly Float64Array[]): void {
    const { n, muEffective, covariance, pathCovariance: path, weights } = this;
    const one = 2 / ((n + 1.3) ** 2 + muEffective);
    const many = Math.min(1 - one, (2 * (muEffective - 2 + 1 / muEffective)) / ((n + 2) ** 2 + muEffective));
    for (let i = 0; i < n; i++) {
      for (let j = this.isFull ? 0 : i; j <= i; j++) {
        let sum = 0;
        for (let r = 0; r < steps.length; r++) sum += weights[r] * steps[r][i] * steps[r][j];
        covariance[i * n + j] = (1 - one - many) * covariance[i * n + j] + one * path[i] * path[j] + many * sum;
      }
    }
  }

  /** A covariance that is not positive definite in doubles is reset to the identity. */
  private refactor(): void {
    const { n, covariance } = this;
    this.factor = covariance.slice();
    if (this.isFull && factorInPlace(this.factor, n)) return;
    for (let i = 0; i < n && !this.isFull; i++) this.factor[i * n + i] = Math.sqrt(covariance[i * n + i]);
    if (!this.isFull) return;
    covariance.set(identity(n));
    this.factor = identity(n);
  }
}

function identity(n: number): Float64Array {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = 1;
  return matrix;
}

/** For models of which only scores are known, if every feature is a number without steps. */
const place = (problem: Problem): LadderPlace =>
  isOpaque(problem) && !problem.gradient && !isMixed(problem) ? 'rung' : 'by-name';

export const cmaEs: Solver = generalSolver('cma-es', adapt, place);
