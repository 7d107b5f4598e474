/**
 * A problem with linear rows in terms of moves v >= 0, the variables of the simplex and of branch and bound:
 *
 *   numeric feature   x_c = origin_c + up - down
 *   category          x = origin + Σ_k choose_k (e_k - e_present),   Σ_k choose_k <= 1   (= 1 when it must change)
 *   ordinal feature with an allow list: the same with ranks: x_c = origin_c + Σ_k choose_k (k - origin_c)
 *
 * Rows of the tableau: region and policy rows, one per choice, one for the number of changes, one per alternative of
 * each clause.
 *
 * Scaling: rows and moves get units that spread the entries of each evenly around 1 (geometric means, once per model), and all moves are
 * measured in the gap between the person and the rows. Units are powers of two, and scaling is exact: a proof about scaled rows is a proof
 * about the rows.
 */
import { nearestPowerOfTwo } from '../../linalg/floats.js';
import { dot, largestSize } from '../../linalg/vector.js';
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { linearRows, type Problem } from '../../problems/problem.js';
import { presentValue } from '../shared/feature-values.js';
import {
  depthFor,
  distanceRoundingBetween,
  growthOf,
  linkDepthFor,
  linkSlackFor,
  magnitude,
  readsDistances,
  roundingAt,
  termsOf,
} from '../shared/linear-rows.js';
import { NOISE_REACH } from './dual-bound.js';
import { geometricScale } from './geometric-scale.js';

/** The rounding residual of a row that is met, in units of the gap. */
const LEAST_SLACK = 1e-15;

export interface Move {
  readonly feature: Feature;
  readonly kind: 'up' | 'down' | 'choose';
  /** The category or rank that a `choose` move selects. */
  readonly category: number;
}

export class MoveModel {
  readonly moves: readonly Move[];
  /** Moves by feature: positions in `moves`. */
  readonly movesOf: readonly (readonly number[])[];
  /** The rows that always hold, unscaled, in columns. */
  readonly always: readonly LinearRow[];
  readonly regionRows: number;
  private readonly readsDistances: boolean;
  /** Features with a choice among categories: one row each. */
  readonly choices: readonly Feature[];
  readonly atoms: readonly LinearRow[];
  /** First atom row of each clause; one more entry at the end. */
  readonly clauseStart: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly choiceRow: number;
  readonly changesRow: number;
  readonly atomRow: number;

  // of the present row:
  readonly rows: Float64Array;
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  /** By move, in the feature's own units: the length of one scaled unit. */
  readonly unit: Float64Array;
  /**
   * By row, scaled. `slack`: a violation up to this size counts as none. `doubt`: how far outside the ends, which lie a depth inside, the
   * model may still see the row as met.
   */
  readonly slack: Float64Array;
  readonly doubt: Float64Array;
  /** By row, for every person: the factor by which the model's rounding errors exceed those of an entry (dual-bound.ts). */
  readonly growth: Float64Array;
  /** Least and largest amount of each move, unscaled. */
  readonly least: Float64Array;
  readonly room: Float64Array;
  /** Lattice of each move, unscaled; 0: continuous. */
  readonly step: Float64Array;
  /** By row: the depth inside the row that answers keep, unscaled. */
  readonly depth: Float64Array;
  /** The cost of choosing, by move; 0 for numeric moves, whose cost the solver knows. */
  readonly choicePrice: Float64Array;
  private origin: Float64Array = new Float64Array();
  /** a·origin by row, and the size of its terms. */
  private readonly activity: Float64Array;
  private readonly size: Float64Array;
  /** By row: the size of the largest terms that choices add. */
  private readonly choiceSize: Float64Array;

  /** Units of moves and rows before they are scaled by the gap. */
  private readonly ownUnit: Float64Array;
  private readonly ownScale: Float64Array;
  private gap = 1;

  /** `chooses`: a rank with an allow list is a choice like a category, instead of a number that moves up and down. */
  constructor(
    readonly problem: Problem,
    private readonly useGrid: boolean,
    chooses = true,
  ) {
    this.moves = problem.rules
      .filter((rule) => !rule.never)
      .flatMap((rule) => movesOf(rule.feature, chooses && rule.allowed !== null));
    const ofFeature: number[][] = problem.space.features.map(() => []);
    for (const [j, { feature }] of this.moves.entries()) ofFeature[feature.index].push(j);
    this.movesOf = ofFeature;
    this.always = linearRows(problem);
    this.regionRows = problem.piece.rows.length;
    this.readsDistances = problem.piece.rows.some(readsDistances);
    this.choices = problem.space.features.filter((f) =>
      this.movesOf[f.index].some((j) => this.moves[j].kind === 'choose'),
    );
    this.atoms = problem.clauses.flatMap((clause) => clause.rows);
    const starts = [0];
    for (const clause of problem.clauses) starts.push(starts[starts.length - 1] + clause.rows.length);
    this.clauseStart = starts;
    this.n = this.moves.length;
    this.choiceRow = this.always.length;
    this.changesRow = this.choiceRow + this.choices.length;
    this.atomRow = this.changesRow + (problem.traits.capped ? 1 : 0);
    this.m = this.atomRow + this.atoms.length;
    const perMove = () => new Float64Array(this.n);
    const perRow = () => new Float64Array(this.m);
    this.rows = new Float64Array(this.m * this.n);
    this.lo = new Float64Array(this.n + this.m);
    this.hi = new Float64Array(this.n + this.m);
    this.slack = perRow();
    this.doubt = perRow();
    this.activity = perRow();
    this.size = perRow();
    this.choiceSize = perRow();
    this.growth = perRow().fill(1);
    this.depth = perRow();
    this.least = perMove();
    this.room = perMove();
    this.step = perMove();
    this.unit = perMove();
    this.choicePrice = perMove();
    this.ownUnit = perMove().fill(1);
    this.ownScale = perRow().fill(1);
    this.scale();
    this.writeNumericEntries();
    for (const [row, at] of this.tableauRows()) this.measureTerms(row, at);
  }

  private measureTerms(row: LinearRow, at: number): void {
    const terms = termsOf(row);
    this.growth[at] = growthOf(row) * (1 + terms.length / 16);
    for (const { column, width } of this.choices)
      this.choiceSize[at] += terms.subarray(column, column + width).reduce((most, term) => Math.max(most, term), 0);
  }

  /** Factor between an original row and its scaled one. */
  scaleOf(row: number): number {
    return this.ownScale[row] / this.gap;
  }

  /** The unit of a numeric move of the feature, the same for every person. */
  unitOf(feature: Feature): number {
    return Math.min(...this.movesOf[feature.index].map((j) => this.ownUnit[j]));
  }

  /** The original rows and their positions in the tableau. */
  private tableauRows(): [row: LinearRow, at: number][] {
    return [
      ...this.always.map((row, i): [LinearRow, number] => [row, i]),
      ...this.atoms.map((row, k): [LinearRow, number] => [row, this.atomRow + k]),
    ];
  }

  private scale(): void {
    const tableau = this.tableauRows();
    const numeric = [
      ...new Set(this.moves.flatMap(({ kind, feature }) => (kind === 'choose' ? [] : [feature.column]))),
    ];
    const { rows, columns } = geometricScale(
      tableau.map(([{ a }]) => a),
      numeric,
    );
    for (const [k, [row, at]] of tableau.entries())
      this.ownScale[at] = numeric.some((c) => row.a[c] !== 0)
        ? rows[k]
        : nearestPowerOfTwo(1 / (largestSize(row.a) || 1));
    for (const [j, { kind, feature }] of this.moves.entries())
      if (kind !== 'choose' && tableau.length) this.ownUnit[j] = columns[feature.column];
  }

  /** Entries of numeric moves are the same for everybody: the gap is a factor of the move's unit and, inversely, of the row's scale. */
  private writeNumericEntries(): void {
    for (const [row, at] of this.tableauRows()) {
      for (const [j, { kind, feature }] of this.moves.entries()) {
        const sign = kind === 'up' ? 1 : kind === 'down' ? -1 : 0;
        this.rows[at * this.n + j] = sign * this.ownScale[at] * this.ownUnit[j] * row.a[feature.column];
      }
    }
  }

  /** Writes the rows, bounds and lattices of one person. False: a row overflows for this person. */
  fill(domain: Domain, nudge: number): boolean {
    if (!this.fillRows(domain, nudge)) return false;
    this.fillMoves(domain);
    return true;
  }

  /** Writes the rows of one person and the costs of choices. */
  fillRows(domain: Domain, nudge: number): boolean {
    this.origin = domain.origin;
    if (!this.measure(domain.origin)) return false;
    for (let j = 0; j < this.n; j++) this.unit[j] = this.ownUnit[j] * this.gap;
    for (let i = 0; i < this.always.length; i++) {
      const row = this.always[i];
      this.depth[i] = (i < this.regionRows ? depthFor : linkDepthFor)(row, this.size[i], nudge);
      this.fillRow(i, row, domain);
    }
    for (const [k, feature] of this.choices.entries()) this.fillChoice(this.choiceRow + k, feature, domain);
    for (const [k, row] of this.atoms.entries()) {
      const i = this.atomRow + k;
      this.depth[i] = linkDepthFor(row, this.size[i], nudge);
      this.fillRow(i, row, domain);
    }
    return true;
  }

  /** Activities and sizes of the rows, and the gap: how far the person is away from the farthest row, in scaled rows. */
  private measure(origin: Float64Array): boolean {
    let gap = 0;
    for (let i = 0; i < this.always.length; i++) {
      const { lower, upper } = this.always[i];
      if (!this.measureRow(i, this.always[i], origin)) return false;
      const lack = Math.max(lower - this.activity[i], this.activity[i] - upper);
      gap = Math.max(gap, this.ownScale[i] * lack);
    }
    for (let k = 0; k < this.atoms.length; k++)
      if (!this.measureRow(this.atomRow + k, this.atoms[k], origin)) return false;
    this.gap = gap > 0 ? nearestPowerOfTwo(gap) : 1;
    return true;
  }

  private measureRow(at: number, row: LinearRow, origin: Float64Array): boolean {
    this.activity[at] = dot(row.a, origin);
    this.size[at] = magnitude(row, origin) + this.choiceSize[at];
    return Number.isFinite(this.size[at]);
  }

  private fillMoves(domain: Domain): void {
    const { origin, lower, upper } = domain;
    for (let j = 0; j < this.n; j++) {
      const { feature, kind, category } = this.moves[j];
      const c = feature.column;
      if (kind === 'choose') {
        this.least[j] = 0;
        this.room[j] = this.mayChoose(domain, feature, category) ? 1 : 0;
        this.step[j] = 1;
      } else {
        const up = kind === 'up';
        this.least[j] = Math.max(0, up ? lower[c] - origin[c] : origin[c] - upper[c]);
        this.room[j] = Math.max(0, up ? upper[c] - origin[c] : origin[c] - lower[c]);
        this.step[j] = domain.step[feature.index] || (this.useGrid ? domain.grid[feature.index] : 0);
        // The bounds of a domain are permitted values: up to rounding they are whole numbers of steps away.
        if (this.step[j] > 0) {
          this.least[j] = this.step[j] * Math.round(this.least[j] / this.step[j]);
          if (this.room[j] < Infinity) this.room[j] = this.step[j] * Math.round(this.room[j] / this.step[j]);
        }
      }
      this.lo[j] = this.least[j] / this.unit[j];
      this.hi[j] = this.room[j] / this.unit[j];
    }
  }

  private mayChoose({ origin, lower, upper, ranks }: Domain, feature: Feature, category: number): boolean {
    const { column, kind, index } = feature;
    if (kind === 'choice') return origin[column + category] !== 1 && upper[column + category] > 0;
    const inside = category >= lower[column] && category <= upper[column] && category !== origin[column];
    return inside && (ranks[index] === null || ranks[index]![category] === 1);
  }

  /** Whether answers stay a depth inside a row of the tableau: a row of the region, or a row with an open end. */
  isInner(i: number): boolean {
    return (
      i < this.regionRows || (i < this.choiceRow ? this.always[i] : this.atoms[i - this.atomRow])?.open !== undefined
    );
  }

  private fillRow(i: number, row: LinearRow, domain: Domain): void {
    const { n, rows } = this;
    const scale = this.scaleOf(i);
    const depth = this.depth[i];
    const slack = this.isInner(i) ? 0.25 * depth : linkSlackFor(this.size[i]);
    for (const feature of this.choices) {
      const present = feature.kind === 'choice' ? presentShare(row, feature, domain) : 0;
      for (const j of this.movesOf[feature.index])
        rows[i * n + j] = scale * this.unit[j] * this.effect(row, j, present, domain);
    }
    this.lo[n + i] = scale * (row.lower + depth - this.activity[i]);
    this.hi[n + i] = scale * (row.upper - depth - this.activity[i]);
    this.slack[i] = Math.max(scale * slack, LEAST_SLACK);
    this.doubt[i] = scale * (depth + roundingAt(row, domain.origin, this.size[i]));
  }

  /** The effect of one unit of a choice on a row. `present`: the contribution of the row's own category. */
  private effect({ a }: LinearRow, j: number, present: number, { origin }: Domain): number {
    const { feature, category } = this.moves[j];
    const c = feature.column;
    return feature.kind === 'choice' ? a[c + category] - present : a[c] * (category - origin[c]);
  }

  private fillChoice(i: number, feature: Feature, domain: Domain): void {
    const { n } = this;
    const one = 1 / this.gap;
    const present = presentValue(feature, domain.origin);
    this.rows.fill(0, i * n, (i + 1) * n);
    for (const j of this.movesOf[feature.index]) {
      this.rows[i * n + j] = one * this.unit[j];
      this.choicePrice[j] = changeCost(this.problem.cost, feature, present, this.moves[j].category);
    }
    this.lo[n + i] = mayStand(domain, feature) ? 0 : one;
    this.hi[n + i] = one;
    this.slack[i] = 1e-12 * one;
  }

  /** The present value of a numeric move's feature. */
  originOf(j: number): number {
    return this.origin[this.moves[j].feature.column];
  }

  /**
   * The largest effect of rounded distances on the multipliers of the rows that always hold. `longest`: how far a move may go, unscaled.
   * Distances beyond NOISE_REACH gaps are not considered.
   */
  distanceDoubt(multipliers: Float64Array, longest: (move: number) => number): number {
    if (!this.readsDistances) return 0;
    const reach = new Float64Array(this.origin.length);
    for (let j = 0; j < this.n; j++) {
      const { kind, feature } = this.moves[j];
      const move = kind === 'choose' ? feature.max : Math.min(longest(j), NOISE_REACH * this.unit[j]);
      for (let c = feature.column; c < feature.column + feature.width; c++) reach[c] = Math.max(reach[c], move);
    }
    const low = this.origin.map((here, c) => here - reach[c]);
    const high = this.origin.map((here, c) => here + reach[c]);
    let sum = 0;
    for (let i = 0; i < this.regionRows; i++)
      if (multipliers[i] !== 0)
        sum += Math.abs(multipliers[i]) * this.scaleOf(i) * distanceRoundingBetween(this.always[i], low, high);
    return sum;
  }

  /** Scaled moves -> columns. */
  toColumns(values: Float64Array, domain: Domain, x: Float64Array): void {
    x.set(domain.origin);
    for (let j = 0; j < this.n; j++) {
      const amount = values[j] * this.unit[j];
      if (amount === 0) continue;
      const { feature, kind, category } = this.moves[j];
      const c = feature.column;
      if (kind === 'up') x[c] += amount;
      else if (kind === 'down') x[c] -= amount;
      else if (feature.kind !== 'choice') x[c] += amount * (category - domain.origin[c]);
      else {
        for (let k = c; k < c + feature.width; k++) x[k] -= amount * domain.origin[k];
        x[c + category] += amount;
      }
    }
  }
}

function movesOf(feature: Feature, listed: boolean): Move[] {
  if (feature.kind === 'choice' || (feature.kind === 'ordinal' && listed)) {
    return feature.categories.map((_, category) => ({ feature, kind: 'choose', category }));
  }
  return [
    { feature, kind: 'up', category: -1 },
    { feature, kind: 'down', category: -1 },
  ];
}

/** The contribution of the person's present category to a row, for a category in columns of its own. */
function presentShare({ a }: LinearRow, { column, width }: Feature, { origin }: Domain): number {
  let present = 0;
  for (let k = column; k < column + width; k++) present += a[k] * origin[k];
  return present;
}
