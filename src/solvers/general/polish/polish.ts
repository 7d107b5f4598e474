/**
 * The last part of every general search: from an answer to a cheaper answer. The model confirms each step.
 *
 *   1. move back along the segment towards the row, to the boundary of the region
 *   2. move along the boundary: the cheapest point of a linear model of the margin in a box around the answer (linear-step.ts). The point is scored,
 *      corrected by its missing margin, and accepted if it is a cheaper answer; else the box shrinks
 *   3. put features back to the row: several at once, or one while the others compensate
 *   4. try other discrete values: steps, categories, caps (lattice-descent.ts)
 *   5. move features without a gradient one by one to the value nearest to the row with which the point is still an answer
 */
import type { Feature } from '../../../models/features.js';
import { changeCost } from '../../../policy/cost.js';
import { mayStand } from '../../../policy/domain.js';
import { hasMoved, isContinuous, nearestValue } from '../../../policy/values.js';
import type { RelaxedProblems } from '../../reductions/relaxed-problems.js';
import { isOracle } from '../../shared/side-by-side.js';
import type { Asked, Look, PersonSearch } from '../person-search.js';
import { LatticeDescent } from './lattice-descent.js';
import { LinearStep } from './linear-step.js';
import { type MarginSlope, marginSlope } from './margin-slope.js';
import { depthAt, type MarginTangent, TangentStep, tangentAt } from './tangent-step.js';

/** The limits of a polish. */
export interface PolishEffort {
  /** The largest number of boxes in which the margin is linearised. */
  readonly boxes: number;
  /** The polish ends when a box lowers the cost by less than this fraction. */
  readonly gain: number;
  /** Boxes end when the radius falls below this fraction of the first radius. */
  readonly leastRadius: number;
  /** An answer that costs more than this multiple of the best answer after a round is dropped. */
  readonly hopeless: number;
  /** True for the last polish of an answer: discrete values are searched as well. */
  readonly isLast: boolean;
}

export const COARSE: PolishEffort = { boxes: 12, gain: 1e-3, leastRadius: 1e-3, hopeless: 1.1, isLast: false };
export const FINE: PolishEffort = { boxes: 60, gain: 1e-7, leastRadius: 1e-5, hopeless: Infinity, isLast: true };

/** The radius of the first box, relative to the move that the steepest column alone needs. */
const ROOM = 1000;
const CORRECTIONS = 3;
/** A correction asks for this multiple of the missing margin. */
const MORE = 1.05;
/** The radius of the box grows by the first factor after a sufficient gain, and shrinks by the second factor otherwise. */
const WIDER = 2;
const NARROWER = 0.25;
/** The number of linearisations on the way into the region, and how many of the last tangents are used together; fewer if they contradict. */
const ENTRIES = 20;
const KEPT = [12, 3, 1];
/** A radius that means no box. */
const FAR = 1e30;
const SWEEPS = 4;
const DROPPED = 12;
/** The number of parts of a section: for models that are scored elsewhere, and for models that are computed in this process. */
const ORACLE_PARTS = 9;
const PARTS = 2;
const COARSE_SECTION = 1e-3;
const FINE_SECTION = 1e-10;

/** The evaluation of a point with one feature put back. */
interface RestoredFeature {
  readonly feature: Feature;
  readonly look: Look;
}

export class Polish {
  private readonly step: LinearStep;
  private readonly tangentStep: TangentStep;
  private readonly slopes: MarginSlope;
  private readonly slope: Float64Array;
  private readonly parts: number;
  private readonly isSloped: boolean;
  /** Placing a point in the domain may reduce its margin. */
  private readonly isStepped: boolean;

  private readonly lattice: LatticeDescent | null;
  /** The evaluations with single features put back, for the last answer. The next part of the polish needs the same evaluations. */
  private lastAlone: { readonly at: Look; readonly restored: readonly RestoredFeature[] } | null = null;

  /** `problems`: the problems of linear models of the margin, if features are discrete. */
  constructor(
    private readonly search: PersonSearch,
    private readonly problems: RelaxedProblems | null,
  ) {
    this.step = new LinearStep(search);
    this.tangentStep = new TangentStep(search);
    this.slopes = marginSlope(search);
    this.lattice = problems && new LatticeDescent(search, problems, this.slopes);
    this.slope = new Float64Array(search.problem.space.columns);
    this.parts = isOracle(search.problem) ? ORACLE_PARTS : PARTS;
    this.isSloped = search.problem.gradient !== null;
    this.isStepped = search.problem.traits.discrete || search.problem.traits.rounded;
  }

  /** Another instance for the same person. Polishes that run side by side share no state. */
  another(): Polish {
    return new Polish(this.search, this.problems);
  }

  /** A cheaper answer, starting from an answer. */
  *from(start: Look, effort: PolishEffort = FINE): Asked<Look> {
    let at = yield* this.alongSegment(start, COARSE_SECTION);
    for (let sweep = 0; sweep < SWEEPS && !this.search.isOver; sweep++) {
      const before = this.cost(at);
      at = yield* this.slide(at, effort);
      at = yield* this.restore(at);
      at = yield* this.drop(at);
      if (!(this.cost(at) < before * (1 - effort.gain))) break;
      if (this.cost(at) > effort.hopeless * this.search.best.cost) return at;
    }
    if (effort.isLast && this.lattice && !this.search.isOver) at = yield* this.lattice.from(at);
    return yield* this.shorten(at);
  }

  /**
   * An answer, starting from a point outside of the region, by steps of linear models of the margin. Placing a point on steps and decimals reduces
   * its margin. The next step asks for this reduction in addition, and for twice as much if that was not enough.
   */
  *enter(start: Look): Asked<Look | null> {
    const { search } = this;
    const tangents: MarginTangent[] = [];
    let at = start;
    let lost = 0;
    for (let k = 0; k < ENTRIES && !search.isOver; k++) {
      if (at.isAnswer) return at;
      if (!(yield* this.slopes.at(at.x, at.margin, this.slope))) return null;
      tangents.push(this.tangentAt(at));
      const next = yield* this.nextInside(at, tangents, lost);
      if (!next) return null;
      if (this.isStepped && !next.isAnswer) lost = 2 * lost + Math.max(-next.margin, this.depth(next));
      at = next;
    }
    return at.isAnswer ? at : null;
  }

  /** The same with all methods, for a search that has found no answer. */
  *enterAtLast(start: Look): Asked<Look | null> {
    return (yield* this.enter(start)) ?? (this.lattice ? yield* this.lattice.enter(start) : null);
  }

  /** The next point: by one tangent, which may also change categories, for the first step and for features with steps; else by the last tangents together. */
  private *nextInside(at: Look, tangents: readonly MarginTangent[], lost: number): Asked<Look | null> {
    const { search, step, slope } = this;
    if (this.isStepped ? tangents.length % 3 > 0 : tangents.length === 1) {
      const need = Math.max(-at.margin, this.depth(at)) + lost;
      const x = search.place(step.solve(at.x, slope, need, this.reach(need)));
      return x && (yield* search.askOne(x));
    }
    for (const kept of KEPT) {
      const deeper = tangents.slice(-kept).map((tangent) => ({ ...tangent, depth: tangent.depth + lost }));
      const wanted = this.tangentStep.solve(deeper, at.x, FAR);
      const x = wanted && search.place(wanted);
      if (x) return yield* search.askOne(x);
    }
    return null;
  }

  private tangentAt(at: Look): MarginTangent {
    return tangentAt(this.search, at, this.slope);
  }

  private cost({ x }: Look): number {
    return this.search.costOf(x);
  }

  /** A radius that is larger than the move that any single column with a useful slope needs for a gain. */
  private reach(need: number): number {
    let steepest = 0;
    for (const c of this.search.numbers) steepest = Math.max(steepest, Math.abs(this.slope[c]) * this.search.scale[c]);
    return steepest > 0 ? (ROOM * need) / steepest : 1;
  }

  private depth({ x }: Look): number {
    return depthAt(this.search, x, this.slope);
  }

  /** The answer nearest to the row on the segment from the row. Categories are those of the answer. */
  private *alongSegment(at: Look, precision: number): Asked<Look> {
    const { home, problem } = this.search;
    const pointAt = (t: number) => {
      const x = at.x.slice();
      for (const c of this.search.numbers) x[c] = home[c] + t * (at.x[c] - home[c]);
      return this.search.place(x);
    };
    return problem.traits.norm === 'l0' ? at : yield* this.section(at, pointAt, precision);
  }

  /** The answer with the smallest t in (0, 1] that sections find. `at` is the answer for t = 1. */
  private *section(at: Look, pointAt: (t: number) => Float64Array | null, precision: number): Asked<Look> {
    let [good, bad, found] = [1, 0, at];
    while (good - bad > precision * good && !this.search.isOver) {
      const shares = Array.from({ length: this.parts - 1 }, (_, k) => bad + ((k + 1) * (good - bad)) / this.parts);
      const points = shares.map(pointAt);
      const looks = yield* this.search.ask(points.filter((point) => point !== null));
      const answers = looks.filter(({ isAnswer }) => isAnswer);
      const first = answers.length ? points.indexOf(answers[0].x) : shares.length;
      if (answers.length) [found, good] = [answers[0], shares[first]];
      if (first > 0) bad = shares[first - 1];
    }
    return this.cost(found) < this.cost(at) ? found : at;
  }

  /** Moves along the boundary while the answer gets cheaper. */
  private *slide(start: Look, { boxes, gain, leastRadius }: PolishEffort): Asked<Look> {
    const first = this.search.span(start.x);
    let at = start;
    let radius = first;
    for (let k = 0; k < boxes && radius > leastRadius * first && !this.search.isOver; k++) {
      if (!(yield* this.slopes.at(at.x, at.margin, this.slope))) break;
      const next = yield* this.cheaper(at, radius, gain);
      if (next === 'stationary') break;
      const saved = next ? 1 - this.cost(next) / this.cost(at) : 0;
      if (next) at = next;
      if (next && saved < gain && radius >= first) break;
      radius *= saved >= gain ? WIDER : NARROWER;
    }
    return at;
  }

  /** A cheaper answer in a box around an answer. Null: none was found. Stationary: the tangent predicts a gain below a fraction of the cost. */
  private *cheaper(at: Look, radius: number, gain: number): Asked<Look | null | 'stationary'> {
    const most = this.cost(at) * (1 - gain);
    const tangents = [this.tangentAt(at)];
    let need = this.depth(at) - at.margin;
    for (let k = 0; k < CORRECTIONS; k++) {
      const x = this.wanted(at, tangents, need, radius);
      if (!x || !(this.search.costOf(x) < most)) return k === 0 ? 'stationary' : null;
      const look = yield* this.search.askOne(x);
      if (look.isAnswer) return look;
      need += MORE * Math.max(-look.margin, this.depth(at), Math.abs(need) * 1e-3);
      if (this.isSloped && (yield* this.slopes.at(look.x, look.margin, this.slope)))
        tangents.push(this.tangentAt(look));
    }
    return null;
  }

  /** The next point: by one tangent, which may also change categories, or by several tangents and the policy's rows. */
  private wanted(at: Look, tangents: readonly MarginTangent[], need: number, radius: number): Float64Array | null {
    const { search, step, tangentStep } = this;
    const { traits } = search.problem;
    const isPlain = tangents.length === 1 && !traits.linked && traits.norm !== 'mahalanobis';
    const several = isPlain ? null : tangentStep.solve(tangents, at.x, radius);
    return search.place(several ?? step.solve(at.x, tangents[0].slope, need, radius));
  }

  /** Puts features back to the row while the point stays an answer: each round puts back the most expensive features that can go together. */
  private *restore(start: Look): Asked<Look> {
    let at = start;
    for (let sweep = 0; sweep < SWEEPS && !this.search.isOver; sweep++) {
      const alone = yield* this.restoredAlone(at);
      const order = alone.filter(({ look }) => look.isAnswer).map(({ feature }) => feature);
      if (!order.length) return at;
      const sets = order.map((_, k) => this.without(at.x, order.slice(0, k + 1)));
      const looks = yield* this.search.ask(sets.filter((x) => this.search.keeps(x)));
      const last = looks.findLast(({ isAnswer }) => isAnswer);
      if (!last || !(this.cost(last) < this.cost(at))) return at;
      at = last;
    }
    return at;
  }

  /** Evaluates the points with one changed feature put back, the most expensive feature first. */
  private *restoredAlone(at: Look): Asked<readonly RestoredFeature[]> {
    if (this.lastAlone?.at === at) return this.lastAlone.restored;
    const features = this.changed(at.x).filter((feature) => mayStand(this.search.domain, feature));
    const looks = yield* this.search.ask(features.map((feature) => this.without(at.x, [feature])));
    const restored = features.map((feature, k) => ({ feature, look: looks[k] }));
    this.lastAlone = { at, restored };
    return restored;
  }

  /** Puts one feature back to the row while the others compensate, as long as the answer gets cheaper. */
  private *drop(start: Look): Asked<Look> {
    if (this.search.problem.traits.norm === 'l2' || this.search.problem.traits.norm === 'mahalanobis') return start;
    let at = start;
    for (let k = 0; k < DROPPED && !this.search.isOver; k++) {
      const next = yield* this.dropOne(at);
      if (!next) return at;
      at = next;
    }
    return at;
  }

  private *dropOne(at: Look): Asked<Look | null> {
    const { search, step, slope } = this;
    if (this.changed(at.x).length < 2 || !(yield* this.slopes.at(at.x, at.margin, slope))) return null;
    const most = this.cost(at);
    for (const { feature, look } of yield* this.restoredAlone(at)) {
      const need = MORE * (this.depth(look) - look.margin);
      const x = search.place(step.solve(look.x, slope, need, search.span(at.x), feature));
      if (!x || !(search.costOf(x) < most)) continue;
      const next = yield* search.askOne(x);
      if (next.isAnswer) return next;
    }
    return null;
  }

  /** Moves single features as near to the row as the point stays an answer. Earlier steps did this for numbers with a slope. */
  private *shorten(start: Look): Asked<Look> {
    let at = start;
    for (const feature of this.changed(start.x)) {
      if (this.search.isOver) return at;
      if (feature.kind === 'choice' || (this.isSloped && isContinuous(this.search.domain, feature))) continue;
      at = yield* this.shortenOne(at, feature);
    }
    return at;
  }

  private *shortenOne(at: Look, feature: Feature): Asked<Look> {
    const { column } = feature;
    const { origin } = this.search.domain;
    const pointAt = (t: number) => {
      const value = nearestValue(this.search.domain, feature, origin[column] + t * (at.x[column] - origin[column]));
      return value === at.x[column] ? null : at.x.with(column, value);
    };
    return yield* this.section(at, pointAt, FINE_SECTION);
  }

  private without(x: Float64Array, features: readonly Feature[]): Float64Array {
    const restored = x.slice();
    for (const feature of features) this.search.restore(feature, restored);
    return restored;
  }

  /** The changed features, the most expensive first. */
  private changed(x: Float64Array): Feature[] {
    const { domain, free, problem } = this.search;
    const price = (feature: Feature) => {
      const { column, kind } = feature;
      if (problem.cost.metric && kind !== 'choice')
        return Math.abs(x[column] - domain.origin[column]) / this.search.scale[column];
      return kind === 'choice'
        ? problem.cost.weight[feature.index]
        : changeCost(problem.cost, feature, domain.origin[column], x[column]);
    };
    const moved = free.filter((feature) => hasMoved(feature, domain.origin, x));
    const prices = new Map(moved.map((feature) => [feature, price(feature)]));
    return moved.sort((a, b) => prices.get(b)! - prices.get(a)!);
  }
}
