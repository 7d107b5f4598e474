/**
 * Costs that are a sum over features, in a mixed-integer program over moves:
 *
 *   l0           w_f on the indicator of a change
 *   l1           w_f per unit
 *   percentile   φ(v) = Σ_s σ_s δ_s with v = Σ_s δ_s, one δ_s in [0, L_s] for each stretch of slope σ_s
 *
 * Where slopes rise, stretches fill up in order by themselves. Where they fall, a binary b says that all stretches
 * before are full (incremental formulation): with R the stretches since the last such place and N those until the next,
 *
 *   Σ_R δ >= b Σ_R L,      Σ_N δ <= b Σ_N L
 *
 * On a lattice only the cost at lattice points matters, so a corner between two of them is replaced by both. An infinite room, which only
 * relaxations have, is priced by the least slope.
 */
import { changeCost } from '../../policy/cost.js';
import type { MoveModel } from '../linear/moves.js';
import type { MoveProgram } from './move-program.js';

interface Stretch {
  readonly length: number;
  readonly slope: number;
}

/** Slopes with a smaller relative difference count as equal. */
const SAME_SLOPE = 1e-12;

export class SeparableCost {
  constructor(private readonly model: MoveModel) {}

  /** The cost of an amount of a move by itself. */
  price(j: number, amount: number): number {
    const { feature, kind } = this.model.moves[j];
    if (kind === 'choose') return amount > 0 ? this.model.choicePrice[j] : 0;
    const origin = this.model.originOf(j);
    return changeCost(this.model.problem.cost, feature, origin, kind === 'up' ? origin + amount : origin - amount);
  }

  total(amounts: Float64Array): number {
    return amounts.reduce((sum, amount, j) => (amount > 0 ? sum + this.price(j, amount) : sum), 0);
  }

  /** Puts the cost into a program. */
  write(program: MoveProgram): void {
    const { model } = this;
    const { sparse, column, size } = program;
    const { norm, weight } = model.problem.cost;
    if (norm === 'l0') {
      for (const { index } of model.problem.space.features)
        for (const [y] of program.indicator(index)) sparse.cost[y] = weight[index];
      return;
    }
    for (let j = 0; j < model.n; j++) {
      if (column[j] < 0) continue;
      if (model.moves[j].kind === 'choose') sparse.cost[column[j]] = model.choicePrice[j];
      else this.writeStretches(program, j, this.stretches(j, size[j] * sparse.upper[column[j]]));
    }
  }

  /** The cost of a numeric move up to its room, as stretches of one slope; the last may be infinite. */
  stretches(j: number, room: number): Stretch[] {
    const corners = this.corners(j, room);
    const beyond = 2 * (corners.at(-1) ?? this.model.unit[j]);
    const points = [0, ...corners, Math.min(room, beyond)];
    const stretches: Stretch[] = [];
    for (let k = 1; k < points.length; k++) {
      const last = k === points.length - 1;
      const slope = (this.price(j, points[k]) - this.price(j, points[k - 1])) / (points[k] - points[k - 1]);
      const length = (last ? room : points[k]) - points[k - 1];
      const before = stretches.at(-1);
      const same = before && Math.abs(slope - before.slope) <= SAME_SLOPE * slope;
      if (same) stretches[stretches.length - 1] = { length: before.length + length, slope: before.slope };
      else stretches.push({ length, slope });
    }
    return stretches;
  }

  /** The amounts where the cost bends, strictly within the room, on the move's lattice. */
  private corners(j: number, room: number): number[] {
    const { feature, kind } = this.model.moves[j];
    const curve = this.model.problem.cost.curves[feature.index];
    if (!curve) return [];
    const origin = this.model.originOf(j);
    const step = this.model.step[j];
    const distances = Array.from(curve.points, (point) => (kind === 'up' ? point - origin : origin - point));
    const ends = distances.flatMap((d) => (step > 0 ? [step * Math.floor(d / step), step * Math.ceil(d / step)] : [d]));
    return [...new Set(ends)].filter((d) => d > 0 && d < room).sort((a, b) => a - b);
  }

  private writeStretches({ sparse, column, size }: MoveProgram, j: number, stretches: readonly Stretch[]): void {
    if (stretches.length === 1 || sparse.upper[column[j]] === Infinity) {
      sparse.cost[column[j]] = size[j] * Math.min(...stretches.map(({ slope }) => slope));
      return;
    }
    let before: [number, number][] = [];
    let run: [number, number][] = [];
    let full = -1;
    const filled = (terms: [number, number][]) => terms.reduce((sum, [delta]) => sum + sparse.upper[delta], 0);
    const close = () => {
      if (full < 0) return;
      sparse.addRow([...before, [full, -filled(before)]], 0, Infinity);
      sparse.addRow([...run, [full, -filled(run)]], Number.NEGATIVE_INFINITY, 0);
    };
    const all: [number, number][] = [[column[j], -1]];
    for (const [s, { length, slope }] of stretches.entries()) {
      if (s > 0 && slope < stretches[s - 1].slope) {
        close();
        full = sparse.addBinary();
        before = run;
        run = [];
      }
      const delta = sparse.addColumn(0, length / size[j]);
      sparse.cost[delta] = slope * size[j];
      run.push([delta, 1]);
      all.push([delta, 1]);
    }
    close();
    sparse.addRow(all, 0, 0);
  }
}
