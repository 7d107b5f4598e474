/**
 * How branch.ts divides a part of a person's domain. Every answer of the part is in one of its children.
 *
 *   a value between two of its feature's     below | above          two categories at once   only the larger | without it
 *   too many changes, or L0                  changed | unchanged    a broken clause          one child per alternative
 *   a cost above its hull                    before | after a bend  an answer that is none   below | at | above its value
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { type Domain, mayStand } from '../../policy/domain.js';
import { isContinuous, lastWithin, nearestValue, nextValue, spacing } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import type { BoundsPool } from './bounds-pool.js';
import type { MoveModel } from './moves.js';
import type { Edit, NodePart, NodeProgram } from './node-program.js';

/** A value this near to a permitted value counts as that value, in units of the distance between two permitted values. */
const ON_LATTICE = 1e-7;
/** A move up to this size, in units of the gap, counts as none. */
const NO_MOVE = 1e-13;

export class Splits {
  private origin: Float64Array = new Float64Array();
  private ranks: Domain['ranks'] = [];

  constructor(
    private readonly problem: Problem,
    private readonly model: MoveModel,
    private readonly program: NodeProgram,
    private readonly pool: BoundsPool,
  ) {}

  /** Begins a person. Returns the whole domain as a part. */
  begin(domain: Domain): NodePart {
    const { lower, upper, origin, ranks } = domain;
    this.origin = origin;
    this.ranks = ranks;
    const changed = Uint8Array.from(
      this.problem.space.features,
      (feature) => +(this.model.movesOf[feature.index].length > 0 && !mayStand(domain, feature)),
    );
    const alternative = new Int32Array(this.problem.clauses.length).fill(-1);
    return { lower, upper, changed, alternative, bound: 0, edit: null };
  }

  /** Features that the relaxation's point changes by more than noise. */
  changed(): number[] {
    const { model, program } = this;
    const changed: number[] = [];
    for (let j = 0; j < model.n; j++) {
      const { index } = model.moves[j].feature;
      if (program.amounts[j] > NO_MOVE * model.unit[j] && changed[changed.length - 1] !== index) changed.push(index);
    }
    return changed;
  }

  /** The feature whose value is farthest from a permitted value. Undefined: all values are permitted. */
  mostFractional(view: Domain): Feature | undefined {
    let worst: Feature | undefined;
    let most = ON_LATTICE;
    for (const feature of this.problem.space.features) {
      if (!this.model.movesOf[feature.index].length) continue;
      const off = feature.kind === 'choice' ? this.splitShare(feature) : this.offLattice(feature, view);
      if (off > most) {
        most = off;
        worst = feature;
      }
    }
    return worst;
  }

  private offLattice(feature: Feature, view: Domain): number {
    const { column, index } = feature;
    const value = this.program.x[column];
    const stands = value === view.origin[column] && !view.ranks[index];
    if (stands || isContinuous(view, feature) || view.lower[column] === view.upper[column]) return 0;
    return Math.abs(value - nearestValue(view, feature, value)) / spacing(view, feature);
  }

  private splitShare({ index }: Feature): number {
    let off = 0;
    for (const j of this.model.movesOf[index]) {
      const share = this.program.amounts[j];
      off = Math.max(off, Math.min(share, 1 - share));
    }
    return off;
  }

  /** Divides at a value of a feature that is not permitted. */
  atFraction(part: NodePart, feature: Feature, view: Domain): NodePart[] {
    if (feature.kind === 'choice') return this.atCategory(part, feature);
    const x = this.program.x[feature.column];
    const below = lastWithin(view, feature, x, 1);
    const above = lastWithin(view, feature, x, -1);
    return this.twoSides(part, feature, below, above);
  }

  /** Up to `below` | from `above` on, with the side away from the present value first: answers are more likely there. */
  private twoSides(part: NodePart, feature: Feature, below: number, above: number): NodePart[] {
    const { column } = feature;
    const low = this.within(part, feature, part.lower[column], below);
    const high = this.within(part, feature, above, part.upper[column]);
    if (!low || !high) return low ? [low] : high ? [high] : [];
    return above > this.origin[column] ? [high, low] : [low, high];
  }

  /** The part with a numeric feature in an interval. Null: the interval is empty. */
  private within(part: NodePart, feature: Feature, low: number, high: number): NodePart | null {
    return low <= high ? childOf(part, { feature, low, high, category: -1 }) : null;
  }

  /** Gives a part its own bounds if it still shares the bounds of its parent and has a pending edit. */
  open(part: NodePart): void {
    const { edit } = part;
    if (!edit) return;
    const { feature, low, high, category } = edit;
    const { column, width } = feature;
    part.lower = this.pool.copyOf(part.lower);
    part.upper = this.pool.copyOf(part.upper);
    part.edit = null;
    if (feature.kind !== 'choice') {
      part.lower[column] = low;
      part.upper[column] = high;
    } else if (category < 0) {
      for (let c = column; c < column + width; c++) part.lower[c] = part.upper[c] = this.origin[c];
    } else if (low > 0) {
      part.upper.fill(0, column, column + width)[category] = 1;
      part.lower[category] = 1;
    } else part.upper[category] = 0;
    this.count(part, feature);
  }

  /** Counts a feature as changed if its bounds exclude the present value. */
  private count(part: NodePart, { index, column, width }: Feature): void {
    if (part.changed[index]) return;
    let stands = this.ranks[index]?.[this.origin[column]] !== 0;
    for (let c = column; c < column + width; c++)
      stands &&= this.origin[c] >= part.lower[c] && this.origin[c] <= part.upper[c];
    if (stands) return;
    part.changed = part.changed.slice();
    part.changed[index] = 1;
  }

  private atCategory(part: NodePart, feature: Feature): NodePart[] {
    const { amounts } = this.program;
    const moves = this.model.movesOf[feature.index];
    const share = (j: number) => Math.min(amounts[j], 1 - amounts[j]);
    const largest = moves.reduce((a, b) => (share(b) > share(a) ? b : a));
    return this.onCategory(part, feature, feature.column + this.model.moves[largest].category);
  }

  /** Only a category | without it. */
  private onCategory(part: NodePart, feature: Feature, category: number): NodePart[] {
    const only = childOf(part, { feature, low: 1, high: 1, category });
    return [only, childOf(part, { feature, low: 0, high: 0, category })];
  }

  /** changed | unchanged, for the undecided feature on which the relaxation spends most. */
  atChange(part: NodePart, changes: readonly number[]): NodePart[] {
    const { model, program } = this;
    const spent = (f: number) => model.movesOf[f].reduce((sum, j) => sum + program.spent(j), 0);
    return this.onChange(part, changes, spent).reverse();
  }

  /** unchanged | changed, for the undecided feature with the largest measure. */
  private onChange(part: NodePart, changes: readonly number[], measure: (feature: number) => number): NodePart[] {
    const undecided = changes.filter((f) => !part.changed[f]);
    if (!undecided.length) return [];
    const largest = undecided.reduce((a, b) => (measure(b) > measure(a) ? b : a));
    const feature = this.problem.space.features[largest];
    const here = this.origin[feature.column];
    const changed = part.changed.slice();
    changed[largest] = 1;
    return [childOf(part, { feature, low: here, high: here, category: -1 }), { ...part, changed }];
  }

  atClause(part: NodePart, clause: number): NodePart[] {
    const { clauseStart } = this.model;
    return this.problem.clauses[clause].rows.map((_, k) => {
      const alternative = part.alternative.slice();
      alternative[clause] = clauseStart[clause] + k;
      return { ...part, alternative };
    });
  }

  /** Divides where the true cost lies above its hull: the hull on a smaller interval is closer. */
  atCost(part: NodePart, changes: readonly number[], view: Domain, worth: number): NodePart[] {
    const { norm, weight } = this.problem.cost;
    if (norm === 'l0') return this.onChange(part, changes, (f) => weight[f]);
    if (norm !== 'percentile') return [];
    let worst = -1;
    let most = worth;
    for (let j = 0; j < this.model.n; j++) {
      if (this.model.moves[j].kind === 'choose' || this.program.amounts[j] === 0) continue;
      const excess = this.program.excess(j);
      if (excess > most) {
        most = excess;
        worst = j;
      }
    }
    return worst < 0 ? [] : this.atBend(part, worst, view);
  }

  /** Divides at the bend nearest to the present amount: between bends the cost is linear. */
  private atBend(part: NodePart, j: number, view: Domain): NodePart[] {
    const { feature, kind } = this.model.moves[j];
    const { column } = feature;
    const side = kind === 'up' ? 1 : -1;
    const points = this.problem.cost.curves[feature.index]?.points ?? new Float64Array();
    const x = this.program.x[column];
    let nearest = Number.NaN;
    for (const point of points) {
      const inside =
        point > part.lower[column] && point < part.upper[column] && (point - this.origin[column]) * side > 0;
      if (inside && !(Math.abs(point - x) >= Math.abs(nearest - x))) nearest = point;
    }
    if (Number.isNaN(nearest)) return [];
    if (isContinuous(view, feature)) return this.twoSides(part, feature, nearest, nearest);
    const below = lastWithin(view, feature, nearest, 1);
    return this.twoSides(part, feature, below, nextValue(view, feature, nearest, 1));
  }

  /**
   * Separates a value that was dealt with from all other values. Empty: no other values exist. Where x breaks a row, a feature of that row
   * is divided, because other values of other features would break the row as well.
   */
  aroundValue(part: NodePart, view: Domain, x: Float64Array, broken?: LinearRow): NodePart[] {
    const features = this.dividedFirst(part, view);
    const feature = (broken && features.find((other) => reads(broken, other))) ?? features[0];
    if (!feature) return [];
    return feature.kind === 'choice'
      ? this.onCategory(part, feature, takenCategory(feature, part, x))
      : this.threeWays(part, feature, view, nearestValue(view, feature, x[feature.column]));
  }

  /** Features with more than one value left, numbers before categories. */
  private dividedFirst(part: NodePart, view: Domain): Feature[] {
    const numbers = this.problem.space.features.filter((feature) => {
      const { kind, column, index } = feature;
      const isOpen = kind !== 'choice' && part.lower[column] !== part.upper[column] && !isContinuous(view, feature);
      return isOpen && this.model.movesOf[index].length > 0;
    });
    return [...numbers, ...this.problem.space.features.filter((feature) => this.openCategories(feature, part) > 1)];
  }

  /** below | at | above a value */
  private threeWays(part: NodePart, feature: Feature, view: Domain, value: number): NodePart[] {
    const { column } = feature;
    return [
      this.within(part, feature, part.lower[column], nextValue(view, feature, value, -1)),
      this.within(part, feature, value, value),
      this.within(part, feature, nextValue(view, feature, value, 1), part.upper[column]),
    ].flatMap((child) => child ?? []);
  }

  private openCategories({ kind, column, width, index }: Feature, { upper }: NodePart): number {
    if (kind !== 'choice' || !this.model.movesOf[index].length) return 0;
    let open = 0;
    for (let c = column; c < column + width; c++) open += +(upper[c] > 0);
    return open;
  }
}

const reads = ({ a }: LinearRow, { column, width }: Feature): boolean =>
  a.subarray(column, column + width).some((coefficient) => coefficient !== 0);

/** A part that differs from its parent in one feature. The bounds stay shared, because many parts are closed before they are visited. */
const childOf = ({ lower, upper, changed, alternative, bound }: NodePart, edit: Edit): NodePart => ({
  lower,
  upper,
  changed,
  alternative,
  bound,
  edit,
});

/** The open category that x takes, or that has the largest share in x. */
function takenCategory({ column, width }: Feature, { upper }: NodePart, x: Float64Array): number {
  let taken = upper.findIndex((end, c) => c >= column && end > 0);
  for (let c = taken; c < column + width; c++) if (upper[c] > 0 && x[c] > x[taken]) taken = c;
  return taken;
}
