/**
 * The last part of every general search: from an answer to a cheaper one, each step confirmed by the model.
 *
 *   1. back along the segment towards the row, onto the boundary of the region
 *   2. along the boundary: the cheapest point of a linear model of the margin in a box around the answer (linear-step.ts). The point
 *      is asked for, corrected by what it misses, and taken where it is an answer and cheaper; else the box shrinks
 *   3. features back to the row, several at once, or one of them while the others make up for it
 *   4. other values where values exclude each other: steps, categories, caps (lattice-descent.ts)
 *   5. features without a slope one after the other: the value nearest to the row with which the rest is still an answer
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

/** How far a polish goes. */
export interface PolishEffort {
  /** Boxes around which the margin is made linear, at most. */
  readonly boxes: number;
  /** The polish ends when a box gains less than this share of the cost. */
  readonly gain: number;
  /** Boxes are given up when their radius falls below this share of the first one. */
  readonly leastRadius: number;
  /** An answer that costs so many times the best one after a round is given up. */
  readonly hopeless: number;
  /** The answer is polished no further: values that exclude each other are searched as well. */
  readonly isLast: boolean;
}

export const COARSE: PolishEffort = { boxes: 12, gain: 1e-3, leastRadius: 1e-3, hopeless: 1.1, isLast: false };
export const FINE: PolishEffort = { boxes: 60, gain: 1e-7, leastRadius: 1e-5, hopeless: Infinity, isLast: true };

/** How much further than the steepest column needs a box reaches. */
const ROOM = 1000;
const CORRECTIONS = 3;
/** A correction asks for more than was missed. */
const MORE = 1.05;
/** A box that gains this share of what it promised was not too large. */
const WIDER = 2;
const NARROWER = 0.25;
/** Linear models of the margin on the way into the region, and how many of the last ones are taken together, fewer where they contradict. */
const ENTRIES = 20;
const KEPT = [12, 3, 1];
/** A box of this radius is none. */
const FAR = 1e30;
const SWEEPS = 4;
const DROPPED = 12;
/** Parts into which a section is cut where points are scored elsewhere, and where the model answers at once. */
const ORACLE_PARTS = 9;
const PARTS = 2;
const COARSE_SECTION = 1e-3;
const FINE_SECTION = 1e-10;

/** What the model says where a feature alone is put back. */
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
  /** Placing a point may take some of its margin. */
  private readonly isStepped: boolean;

  private readonly lattice: LatticeDescent | null;
  /** Of the last answer, about which the next part of the polish asks again. */
  private lastAlone: { readonly at: Look; readonly restored: readonly RestoredFeature[] } | null = null;

  /** `problems`: of linear models of the margin, where values exclude each other. */
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

  /** Another one for the same person: polishes that run side by side share nothing. */
  another(): Polish {
    return new Polish(this.search, this.problems);
  }

  /** A cheaper answer, starting from one. */
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
   * An answer from a point outside of the region, by moves that linear models of the margin ask for. What placing a point on steps and
   * decimals takes of its margin is asked for in addition the next time, and twice as much where that was not enough.
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

  /** The same by all means, for a search that has found no answer. */
  *enterAtLast(start: Look): Asked<Look | null> {
    return (yield* this.enter(start)) ?? (this.lattice ? yield* this.lattice.enter(start) : null);
  }

  /** By one tangent, which may change categories as well, at first and where features have steps; or by the last tangents together. */
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

  /** More than any single column has to go for a gain, where one has a slope that is worth it. */
  private reach(need: number): number {
    let steepest = 0;
    for (const c of this.search.numbers) steepest = Math.max(steepest, Math.abs(this.slope[c]) * this.search.scale[c]);
    return steepest > 0 ? (ROOM * need) / steepest : 1;
  }

  private depth({ x }: Look): number {
    return depthAt(this.search, x, this.slope);
  }

  /** The answer nearest to home on the way from it; categories are those of the answer. */
  private *alongSegment(at: Look, precision: number): Asked<Look> {
    const { home, problem } = this.search;
    const pointAt = (t: number) => {
      const x = at.x.slice();
      for (const c of this.search.numbers) x[c] = home[c] + t * (at.x[c] - home[c]);
      return this.search.place(x);
    };
    return problem.traits.norm === 'l0' ? at : yield* this.section(at, pointAt, precision);
  }

  /** The answer with the least t in (0, 1], as far as sections find it. The answer `at` stands for t = 1. */
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

  /** Along the boundary for as long as it gets cheaper. */
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

  /** A cheaper answer in a box around one; null: none was found; stationary: the tangent promises less than a share of the cost. */
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

  /** By one tangent, which may change categories as well, or by several and the policy's rows. */
  private wanted(at: Look, tangents: readonly MarginTangent[], need: number, radius: number): Float64Array | null {
    const { search, step, tangentStep } = this;
    const { traits } = search.problem;
    const isPlain = tangents.length === 1 && !traits.linked && traits.norm !== 'mahalanobis';
    const several = isPlain ? null : tangentStep.solve(tangents, at.x, radius);
    return search.place(several ?? step.solve(at.x, tangents[0].slope, need, radius));
  }

  /** Features back to the row while the rest is an answer: the set of the dearest ones that can go together, again and again. */
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

  /** What the model says where one changed feature is put back, the dearest feature first. */
  private *restoredAlone(at: Look): Asked<readonly RestoredFeature[]> {
    if (this.lastAlone?.at === at) return this.lastAlone.restored;
    const features = this.changed(at.x).filter((feature) => mayStand(this.search.domain, feature));
    const looks = yield* this.search.ask(features.map((feature) => this.without(at.x, [feature])));
    const restored = features.map((feature, k) => ({ feature, look: looks[k] }));
    this.lastAlone = { at, restored };
    return restored;
  }

  /** A feature back to the row while the others make up for it, for as long as it gets cheaper. */
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

  /** Values of single features as near to the row as the others let them; numbers with a slope were there already. */
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

  /** Changed features, the dearest first. */
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
