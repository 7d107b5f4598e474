/**
 * A person's problem in moves (moves.ts) as the constraints of a mixed-integer program:
 *
 *   a move on a lattice        k whole, its amount k · step           a continuous move   its amount v · unit · g
 *   at most K changes          v_j <= U_j y_f for the moves j of feature f,   Σ_f y_f + Σ choose <= K,   y_f in {0, 1}
 *   a clause                   Σ z_a >= 1,   a·v >= lower z_a + least(a·v) (1 - z_a),  and so for upper ends
 *
 * g is the gap between the person and the rows, so continuous moves have size 1. Each row is then scaled to a largest entry of 1. A switch
 * needs a finite room U_j (big-m.ts). Where the room is infinite, the switch is left out: the feature does not count as changed, the clause
 * is dropped, and the program is a relaxation. The caller adds the costs.
 *
 * A program at the edge of the region serves for bounds: its rows are moved outwards by the largest rounding error, here or in the model's
 * sums, and by several times HiGHS's tolerance. HiGHS's own sums round as well. Where the terms of a row may add up to more than WIDEST, or
 * HiGHS cannot distinguish neighbouring lattice points, its claims are not reliable (`isTame`).
 */
import type { MoveModel } from '../linear/moves.js';
import { HALF_ULP } from '../shared/linear-rows.js';
import { type RowTerms, SparseProgram } from './sparse-program.js';

/** How far the rows of a program for bounds are moved outwards beyond rounding: ten times HiGHS's tolerance. */
const EASE = 1e-9;
/** Where the terms of a row add up to more, the rounding error of a double exceeds HiGHS's tolerance. */
const WIDEST = 1e7;
/** HiGHS drops entries below DROPPED. Below LEAST_ENTRY a column without an end reaches further than HiGHS can count. */
const LEAST_ENTRY = 1e-7;
const DROPPED = 1e-11;
/**
 * The largest relative size of a unit in the last place of a value, as a share of its step, at which HiGHS distinguishes lattice points.
 */
const LATTICE_SHARE = 1e-9;

/** Rounding errors of an entry, apart from those that `growth` multiplies. */
const NOISE = 32 * HALF_ULP;

/** A continuous move below this share of the gap counts as none. */
const NOTHING = 1e-9;
/** A gap below this share of a row's scale comes from rounding or depth and is no distance to cover. */
const NO_GAP = 1e-9;

/** The distance of the person from the farthest row, in scaled rows; 1 when no row is missed. */
export function gapOf({ always, n, lo, hi }: MoveModel): number {
  let gap = 0;
  for (let i = 0; i < always.length; i++) gap = Math.max(gap, lo[n + i], -hi[n + i]);
  return gap > NO_GAP ? gap : 1;
}

export class MoveProgram {
  readonly sparse = new SparseProgram();
  /** By move: its column, -1 when it has no room, and the amount of one unit of the column. */
  readonly column: Int32Array;
  readonly size: Float64Array;
  /** By atom of the clauses: the column that switches it on, or -1. */
  readonly switchOf: Int32Array;
  private readonly indicators = new Map<number, RowTerms>();

  /** `rooms` by move, unscaled. `depth`: the least depth inside the region's rows, in their final scale; 0: at the edge. */
  constructor(
    private readonly model: MoveModel,
    private readonly rooms: Float64Array,
    private readonly depth: number,
  ) {
    this.column = new Int32Array(model.n).fill(-1);
    this.size = new Float64Array(model.n);
    this.switchOf = new Int32Array(model.atoms.length).fill(-1);
    this.addMoves();
    for (let i = 0; i < model.changesRow; i++) this.addRow(i);
    if (model.problem.traits.capped) this.addCap();
    for (let clause = 0; clause < model.problem.clauses.length; clause++) this.addClause(clause);
  }

  private addMoves(): void {
    const { model, rooms } = this;
    const gap = gapOf(model);
    for (let j = 0; j < model.n; j++) {
      const step = model.step[j];
      this.size[j] = step || model.unit[j] * gap;
      if (rooms[j] <= 0) continue;
      const least = model.least[j] / this.size[j];
      const most = rooms[j] / this.size[j];
      this.column[j] = step
        ? this.sparse.addColumn(Math.round(least), Math.round(most), true)
        : this.sparse.addColumn(least, most);
    }
  }

  /** A tableau row as terms over columns. */
  private terms(i: number): [column: number, coefficient: number][] {
    const { model, column, size } = this;
    const terms: [number, number][] = [];
    for (let j = 0; j < model.n; j++) {
      if (column[j] >= 0) terms.push([column[j], (model.rows[i * model.n + j] / model.unit[j]) * size[j]]);
    }
    return terms;
  }

  private addRow(i: number): void {
    const { model } = this;
    const low = model.lo[model.n + i];
    const high = model.hi[model.n + i];
    const terms = this.terms(i);
    const scale = 1 / largest(terms);
    const wanted = model.isInner(i) ? this.depth - scale * model.scaleOf(i) * model.depth[i] : 0;
    const deeper = Math.max(0, Math.min(wanted, 0.25 * scale * (high - low)));
    const ease = this.depth === 0 ? this.ease(i, terms, scale) : 0;
    this.sparse.addRow(scaled(terms, scale), scale * low + deeper - ease, scale * high - deeper + ease);
  }

  /** How far a row of a program for bounds is moved outwards. */
  private ease(i: number, terms: RowTerms, scale: number): number {
    const { model } = this;
    const noise = model.growth[i] * NOISE * this.spanOf(terms);
    const alone = new Float64Array(model.m).fill(1, i, i + 1);
    const distances = model.distanceDoubt(alone, (j) => this.rooms[j]);
    return EASE + scale * (model.doubt[i] + noise + distances);
  }

  /** The largest sum of a row's terms, without columns that have no end. */
  private spanOf(terms: RowTerms): number {
    const { lower, upper } = this.sparse;
    return terms.reduce((sum, [column, coefficient]) => {
      const most = Math.max(Math.abs(lower[column]), Math.abs(upper[column]));
      return sum + Math.abs(coefficient) * (most < Infinity ? most : 1);
    }, 0);
  }

  /** Whether an entry is too small for HiGHS to see the effect of its column on the row. */
  private isLost(column: number, coefficient: number): boolean {
    const size = Math.abs(coefficient);
    const { lower, upper } = this.sparse;
    const most = Math.max(Math.abs(lower[column]), Math.abs(upper[column]));
    return most === Infinity ? size < LEAST_ENTRY : size < DROPPED && size * most > 0.1 * EASE;
  }

  /** Whether HiGHS's claims about the program are reliable. */
  get isTame(): boolean {
    const { model, sparse } = this;
    for (let i = 0; i < sparse.rowLower.length; i++) {
      const terms = Array.from({ length: sparse.starts[i + 1] - sparse.starts[i] }, (_, k) => {
        const at = sparse.starts[i] + k;
        return [sparse.indices[at], sparse.values[at]] as const;
      });
      if (!(this.spanOf(terms) <= WIDEST) || terms.some((term) => this.isLost(...term))) return false;
    }
    return model.moves.every(
      ({ kind }, j) =>
        kind === 'choose' ||
        model.step[j] === 0 ||
        2 ** -50 * Math.abs(model.originOf(j)) <= LATTICE_SHARE * model.step[j],
    );
  }

  /** Terms that are 1 when the feature changes and 0 otherwise. */
  indicator(feature: number): RowTerms {
    let known = this.indicators.get(feature);
    if (!known) {
      known = this.createIndicator(this.model.movesOf[feature].filter((j) => this.column[j] >= 0));
      this.indicators.set(feature, known);
    }
    return known;
  }

  private createIndicator(moves: readonly number[]): RowTerms {
    const { sparse, column, model } = this;
    const single = moves.length === 1 && model.step[moves[0]] > 0 && sparse.upper[column[moves[0]]] === 1;
    if (single || moves.some((j) => model.moves[j].kind === 'choose')) return moves.map((j) => [column[j], 1]);
    if (!moves.length || moves.some((j) => sparse.upper[column[j]] === Infinity)) return [];
    const y = sparse.addBinary();
    for (const j of moves) {
      const most = sparse.upper[column[j]];
      const scale = 1 / Math.max(1, most);
      sparse.addRow(
        [
          [column[j], scale],
          [y, -most * scale],
        ],
        Number.NEGATIVE_INFINITY,
        0,
      );
    }
    return [[y, 1]];
  }

  private addCap(): void {
    const { problem } = this.model;
    const all = problem.space.features.flatMap((feature) => this.indicator(feature.index));
    this.sparse.addRow(all, Number.NEGATIVE_INFINITY, problem.maxChanges);
  }

  private addClause(clause: number): void {
    const { clauseStart } = this.model;
    const atoms = Array.from(
      { length: clauseStart[clause + 1] - clauseStart[clause] },
      (_, k) => clauseStart[clause] + k,
    );
    const ranges = atoms.map((atom) => this.range(atom));
    if (ranges.flat().some((end) => !Number.isFinite(end))) return;
    if (atoms.some((atom, k) => this.alwaysHolds(atom, ranges[k]))) return;
    for (const [k, atom] of atoms.entries()) this.addAtom(atom, ranges[k]);
    this.sparse.addRow(
      atoms.map((atom) => [this.switchOf[atom], 1] as const),
      1,
      Infinity,
    );
  }

  private alwaysHolds(atom: number, [least, most]: readonly [number, number]): boolean {
    const i = this.model.n + this.model.atomRow + atom;
    return least >= this.model.lo[i] && most <= this.model.hi[i];
  }

  /** Least and greatest value of an atom's row within the rooms. At most one of the moves of a feature is made. */
  private range(atom: number): [number, number] {
    const { model, rooms } = this;
    const at = (model.atomRow + atom) * model.n;
    let least = 0;
    let most = 0;
    for (const moves of model.movesOf) {
      const felt = moves.filter((j) => rooms[j] > 0 && model.rows[at + j] !== 0);
      const reach = felt.map((j) => (model.rows[at + j] / model.unit[j]) * rooms[j]);
      least += Math.min(0, ...reach);
      most += Math.max(0, ...reach);
    }
    return [least, most];
  }

  private addAtom(atom: number, [least, most]: readonly [number, number]): void {
    const { model, sparse } = this;
    const row = model.atomRow + atom;
    const low = model.lo[model.n + row];
    const high = model.hi[model.n + row];
    const z = sparse.addBinary();
    this.switchOf[atom] = z;
    const terms = this.terms(row);
    if (low > least) this.addScaled(row, [...terms, [z, least - low]], least, Infinity);
    if (high < most) this.addScaled(row, [...terms, [z, most - high]], Number.NEGATIVE_INFINITY, most);
  }

  private addScaled(i: number, terms: RowTerms, low: number, high: number): void {
    const scale = 1 / largest(terms);
    const ease = this.depth === 0 ? this.ease(i, terms, scale) : 0;
    this.sparse.addRow(scaled(terms, scale), scale * low - ease, scale * high + ease);
  }

  /** Values by column -> amounts by move, on their lattices. A feature moves up or down, not both. */
  readAmounts(values: Float64Array, amounts: Float64Array): void {
    const { model, column, size } = this;
    for (let j = 0; j < model.n; j++) {
      const value = column[j] < 0 ? 0 : Math.min(values[column[j]], this.sparse.upper[column[j]]);
      amounts[j] = size[j] * (model.step[j] ? Math.round(value) : value > NOTHING ? value : 0);
    }
    for (const [up, down] of model.movesOf) {
      if (up === undefined || model.moves[up].kind !== 'up') continue;
      const both = Math.min(amounts[up], amounts[down]);
      amounts[up] -= both;
      amounts[down] -= both;
    }
  }

  /** Whether a feature counts as changed. */
  isChanged(feature: number, values: Float64Array): boolean {
    return this.indicator(feature).some(([column]) => values[column] > 0.5);
  }

  /** The alternative that a clause has chosen: an atom, or -1 when the clause holds anyway. */
  chosenAtom(clause: number, values: Float64Array): number {
    const { clauseStart } = this.model;
    for (let atom = clauseStart[clause]; atom < clauseStart[clause + 1]; atom++) {
      if (this.switchOf[atom] >= 0 && values[this.switchOf[atom]] > 0.5) return atom;
    }
    return -1;
  }
}

const largest = (terms: RowTerms): number => Math.max(...terms.map(([, coefficient]) => Math.abs(coefficient)), 0) || 1;

const scaled = (terms: RowTerms, scale: number): RowTerms =>
  terms.map(([column, coefficient]) => [column, coefficient * scale]);
