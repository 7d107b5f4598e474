/**
 * Linear cuts below the squares of a quadratic cost, the memory of an outer approximation. On a feature's own square
 * t >= w Δ², with Δ = up + down since only one of them moves:
 *
 *   tangent at r                     t >= w (2rΔ - r² y)                    y: whether the feature changes, 1 if changes are not counted
 *   chord of a lattice at k, k+1     t >= w s² ((2k+1) Δ/s - k(k+1) y)      exact at whole multiples of the step s
 *
 * With y these are perspective cuts: they keep the cost of a change high even where y is fractional. On the square of a sum of features, t
 * >= u², tangents at both signs of u.
 */

import type { MoveModel } from '../linear/moves.js';
import type { MoveProgram } from './move-program.js';
import type { QuadraticCost } from './quadratic-cost.js';
import type { RowTerms } from './sparse-program.js';

/** t >= slope · u - height · y, in the user's units. */
interface SquareTangent {
  readonly slope: number;
  readonly height: number;
}

interface Square {
  /** The feature of an own square, or -1. */
  readonly feature: number;
  readonly weight: number;
  /** ℓ by feature, for the square of a sum. */
  readonly sum: Float64Array | null;
  readonly cuts: Map<string, SquareTangent>;
}

/** Lattices with up to this many points get all their chords at once. */
const FEW_POINTS = 12;
/** A distance, in steps, that counts as on a lattice point. */
const ON_POINT = 1e-6;

export class SquareCuts {
  private squares: readonly Square[] = [];

  constructor(
    private readonly model: MoveModel,
    private readonly cost: QuadraticCost,
  ) {}

  /** Forgets all cuts and starts with the chords of small lattices. */
  begin(rooms: Float64Array): void {
    const { model, cost } = this;
    const own = [...cost.own.keys()].filter((f) => cost.own[f] > 0);
    this.squares = [
      ...own.map((feature) => ({
        feature,
        weight: cost.own[feature],
        sum: null,
        cuts: new Map<string, SquareTangent>(),
      })),
      ...cost.sums.map((sum) => ({ feature: -1, weight: 1, sum, cuts: new Map<string, SquareTangent>() })),
    ];
    for (const square of this.squares) {
      if (square.sum) continue;
      const moves = model.movesOf[square.feature];
      const step = model.step[moves[0]];
      const points = Math.max(...moves.map((j) => rooms[j])) / step;
      if (step > 0) for (let k = 0; k < Math.min(points, FEW_POINTS); k++) addChord(square, k, step);
    }
  }

  /** Adds the cuts that are tight at Δ. False: all of them existed. */
  addAt(delta: Float64Array): boolean {
    const before = this.count();
    for (const square of this.squares) {
      if (square.sum)
        addTangent(
          square,
          square.sum.reduce((u, value, f) => u + value * delta[f], 0),
        );
      else this.addOwn(square, Math.abs(delta[square.feature]));
    }
    return this.count() > before;
  }

  private count(): number {
    return this.squares.reduce((sum, { cuts }) => sum + cuts.size, 0);
  }

  private addOwn(square: Square, amount: number): void {
    const step = this.model.step[this.model.movesOf[square.feature][0]];
    if (step === 0) addTangent(square, amount);
    else {
      const k = Math.floor(amount / step + ON_POINT);
      addChord(square, Math.max(0, k - 1), step);
      addChord(square, k, step);
    }
  }

  /** A column t >= square for each square, with cost 1 per `unit`. */
  write(program: MoveProgram, unit: number): void {
    for (const square of this.squares) {
      const argument = this.argument(square, program);
      if (!argument.length) continue;
      const t = program.sparse.addColumn(0, Infinity);
      program.sparse.cost[t] = 1;
      const changed = square.sum ? [] : this.changed(square.feature, program);
      for (const { slope, height } of square.cuts.values()) {
        const terms: RowTerms = [
          [t, 1],
          ...argument.map(([column, value]) => [column, (-slope / unit) * value] as const),
        ];
        const fall = height / unit;
        const scale = 1 / Math.max(...terms.map(([, value]) => Math.abs(value)), fall);
        const all = [...terms, ...changed.map(([column, value]) => [column, fall * value] as const)];
        // The indicator may be the move itself, so coefficients of one column are added up.
        program.sparse.addRow(merged(all, scale), changed.length ? 0 : -fall * scale, Infinity);
      }
    }
  }

  private argument({ feature, sum }: Square, { column, size }: MoveProgram): RowTerms {
    const { model, cost } = this;
    const terms: [number, number][] = [];
    for (let j = 0; j < model.n; j++) {
      const { index } = model.moves[j].feature;
      const share = sum ? sum[index] * cost.effect(j) : +(index === feature);
      if (column[j] >= 0 && share !== 0) terms.push([column[j], share * size[j]]);
    }
    return terms;
  }

  private changed(feature: number, program: MoveProgram): RowTerms {
    return this.model.problem.traits.capped ? program.indicator(feature) : [];
  }
}

function addTangent({ cuts, weight }: Square, at: number): void {
  const key = at.toPrecision(9);
  if (at !== 0 && !cuts.has(key)) cuts.set(key, { slope: 2 * weight * at, height: weight * at * at });
}

function addChord({ cuts, weight }: Square, k: number, step: number): void {
  cuts.set(String(k), { slope: weight * (2 * k + 1) * step, height: weight * k * (k + 1) * step * step });
}

function merged(terms: RowTerms, scale: number): RowTerms {
  const sums = new Map<number, number>();
  for (const [column, value] of terms) sums.set(column, (sums.get(column) ?? 0) + value * scale);
  return [...sums];
}
