/**
 * Branch and bound over parts of a person's domain, for problems that are sums over features (additive-terms.ts).
 *
 *   bound of a part    max over λ of its Lagrangian (lagrangian.ts, dual-ascent.ts), starting from the multipliers of the parent
 *   split of a part    the feature with two competing minima: between them, or into changed and unchanged;
 *                      a broken clause: one part for each alternative; a number off its values: below and above.
 *                      A curve is split where the incumbent stands, if that is between the minima: the bounds of both parts are then exact
 *                      for the incumbent
 *
 * Where every feature has a single minimum the Lagrangian has no gap. Parts are visited best bound first.
 */
import type { Domain } from '../../policy/domain.js';
import { isContinuous, lastWithin, nearestValue, nextValue, spacing } from '../../policy/values.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { isAnswer } from '../shared/answer-check.js';
import type { BestAnswer } from '../shared/best-answer.js';
import { keepsLink } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import type { Limits } from '../solver.js';
import type { AdditiveTerms, CurveFeature, ListedFeature } from './additive-terms.js';
import { type Concave, DualAscent } from './dual-ascent.js';
import { reachOf } from './feature-costs.js';
import { type Choice, Lagrangian, type Part } from './lagrangian.js';
import { LineAscent } from './line-ascent.js';
import { narrowed } from './narrowing.js';
import { setColumns } from './row-filling.js';

/** The source of a search's incumbents. */
export interface AnswerSource {
  /** Offers an answer near the minimiser of a part, given as columns and as moves and options by feature. */
  improve(x: Float64Array, at: Float64Array): void;
  /** An offer takes less time than a bound: every part makes one. */
  readonly isQuick: boolean;
  /** By feature: moves beyond these ends are not cheaper than the incumbent. */
  readonly ends: { readonly low: Float64Array; readonly high: Float64Array } | null;
}

interface AdditiveNode extends Part {
  readonly bound: number;
  readonly lambda: Float64Array;
}

interface Fork {
  readonly feature: number;
  readonly first: Choice;
  readonly second: Choice;
  readonly score: number;
}

/** A relative gap up to this size counts as closed. */
const WORTH = 1e-7;
/** Evaluations of the Lagrangian for each multiplier, at the root and below. */
const ROOT_LOOKS = 60;
const NODE_LOOKS = 14;
/** The largest move that the incumbent's cost allows a feature is rounded up by this share. */
const REACH_SHARE = 1e-9;
/** A move nearer to another move than this share of their distance to a third is beside it. */
const BESIDE = 1e-3;
/** A number further from its values than this share of their distance is off its values. */
const OFF = 1e-6;
/** A part narrower than this share of the whole is not split further. */
const NARROW = 1e-12;

/**
 * Work of a part apart from the evaluations of its dual, in units of effort, and the factor from the operations of an evaluation to its
 * work.
 */
const NODE_WORK = 6;
const EVALUATION_SHARE = 1.6;

export class AdditiveSearch {
  private readonly lagrangian: Lagrangian;
  private readonly emptiness: Lagrangian;
  private readonly scales: Float64Array;
  /** Narrowing pays where features are bent. Quadratic searches spend their effort better on parts. */
  private readonly isNarrowed: boolean;
  private readonly work: number;
  private root!: AdditiveNode;
  /** The least bound of parts that could be neither closed nor split. */
  unresolved = Infinity;

  constructor(
    private readonly problem: Problem,
    private readonly domain: Domain,
    private readonly terms: AdditiveTerms,
    private readonly best: BestAnswer,
    private readonly limits: Limits,
    private readonly answers: AnswerSource,
  ) {
    this.lagrangian = new Lagrangian(terms);
    this.emptiness = new Lagrangian(terms, false);
    this.work = (EVALUATION_SHARE * this.lagrangian.flops) / FLOPS_PER_UNIT;
    this.scales = this.firstScales();
    this.isNarrowed = terms.features.some((own) => own.kind === 'curve' && own.bent !== null);
  }

  /** Runs the search. Returns the least remaining bound; Infinity: no part remains. */
  run(): number {
    this.root = this.wholeDomain();
    const open = new NodeHeap<AdditiveNode>();
    open.push(this.root, 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (!this.worthwhile(bound)) break;
      if (this.limits.budget.isSpent || (this.limits.anyAnswer && this.best.isFound))
        return Math.min(bound, this.unresolved);
      for (const child of this.visit(open.pop()!, visited)) open.push(child, child.bound);
    }
    // Closed parts are proved to contain no answer below this value. Nothing more is claimed about them.
    const closed = this.cutoff * (1 - Math.max(WORTH, this.limits.gap));
    return Math.min(this.unresolved, open.size ? open.least() : Infinity, closed);
  }

  private get cutoff(): number {
    return Math.min(this.best.cost, this.limits.cutoff);
  }

  private worthwhile(bound: number): boolean {
    return bound < this.cutoff * (1 - Math.max(WORTH, this.limits.gap));
  }

  /** The multipliers with which a constraint costs about as much as the answer. */
  private firstScales(): Float64Array {
    const { lower, upper } = this.terms;
    const cost = this.cutoff < Infinity ? this.cutoff : 1;
    return upper.map((high, i) => {
      const size = Math.max(
        Math.abs(Number.isFinite(high) ? high : 0),
        Math.abs(Number.isFinite(lower[i]) ? lower[i] : 0),
      );
      return cost / (size || 1);
    });
  }

  /** The part of the domain that an answer cheaper than the incumbent can reach. */
  private wholeDomain(): AdditiveNode {
    const { features, upper } = this.terms;
    const intervals = features.map((own, f) => (own.kind === 'curve' ? this.intervalOf(own, f) : [0, 0]));
    return {
      low: Float64Array.from(intervals, ([low]) => low),
      high: Float64Array.from(intervals, ([, high]) => high),
      changed: new Uint8Array(features.length),
      open: features.map(() => null),
      chosen: new Int8Array(this.problem.clauses.length).fill(-1),
      bound: 0,
      lambda: new Float64Array(upper.length),
    };
  }

  /** The moves of a feature that the incumbent's cost allows and that may help. */
  private intervalOf(own: CurveFeature, f: number): readonly [number, number] {
    const most = this.cutoff * (1 + REACH_SHARE);
    const reach = (side: 1 | -1) =>
      most < Infinity ? reachOf(own.parts, side, most) * (1 + REACH_SHARE) : side * Infinity;
    const { ends } = this.answers;
    const low = Math.max(own.low, reach(-1), ends?.low[f] ?? Number.NEGATIVE_INFINITY);
    const high = Math.min(own.high, reach(1), ends?.high[f] ?? Infinity);
    const side = this.usefulSide(own);
    const home = Math.min(high, Math.max(low, 0));
    return side === null ? [low, high] : [side < 0 ? low : home, side > 0 ? high : home];
  }

  /**
   * The direction in which a feature helps the only constraint; 0: none. A move in the other direction may be taken back: the answer stays
   * one and gets cheaper. Null: more than one end of constraints is to be kept, and nothing is known.
   */
  private usefulSide({ bent, slopes, bends }: CurveFeature): number | null {
    const { lower, upper, changes } = this.terms;
    const isOnly = this.lagrangian.m === (changes < 0 ? 1 : 2) && bends[0] === 0;
    if (!isOnly || (Number.isFinite(lower[0]) && Number.isFinite(upper[0]))) return null;
    const gain = bent ? bent.gains[0] : slopes[0];
    return Math.sign(gain) * (Number.isFinite(lower[0]) ? 1 : -1);
  }

  private visit(node: AdditiveNode, visited: number): AdditiveNode[] {
    const reached = this.bounded(node, visited === 0 ? ROOT_LOOKS : NODE_LOOKS, this.scales);
    if (!reached) return [];
    const isLooked = this.answers.isQuick || visited < 4 || visited % 32 === 0;
    const children = this.branch(reached, isLooked);
    return children.length ? children : this.refine(reached);
  }

  /** The part with its bound and multipliers, narrowed. Undefined: the part is closed. */
  private bounded(node: AdditiveNode, looks: number, scales: Float64Array): AdditiveNode | undefined {
    const lambda = this.ascend(node, looks, scales);
    const proved = this.lagrangian.prove(lambda, node);
    if (proved === Number.NEGATIVE_INFINITY) return this.unpriced(node, lambda);
    const bound = Math.max(node.bound, proved);
    if (!this.worthwhile(bound) || this.isEmpty(lambda, node)) return undefined;
    if (!this.isNarrowed) return { ...node, bound, lambda };
    const isClosed = (value: number) => !this.worthwhile(value);
    const kept = narrowed(this.lagrangian, this.terms, this.domain, lambda, node, proved, isClosed);
    return kept ? { ...node, ...kept, bound, lambda } : undefined;
  }

  /** The part with the bound of its costs alone: the multipliers have no finite bound. */
  private unpriced(node: AdditiveNode, lambda: Float64Array): AdditiveNode | undefined {
    const bound = Math.max(
      node.bound,
      this.lagrangian.prove(
        lambda.map(() => 0),
        node,
      ),
    );
    return this.worthwhile(bound) && !this.isEmpty(lambda, node) ? { ...node, bound, lambda } : undefined;
  }

  /** Takes the part's answer if it has one. Returns the parts between competing minima. */
  private branch(node: AdditiveNode, isLooked: boolean): AdditiveNode[] {
    this.lagrangian.evaluate(node.lambda, node);
    const x = this.columns();
    const isFound = isAnswer(this.problem, this.domain, x);
    if (isFound) this.best.offer(x);
    if (isLooked && (!isFound || this.answers.isQuick)) this.answers.improve(x, this.lagrangian.at);
    return this.worthwhile(node.bound) ? this.splitTorn(node, x) : [];
  }

  /** No feature has competing minima: either the multipliers are inexact in the last digits, or numbers are off their values. */
  private refine(node: AdditiveNode): AdditiveNode[] {
    if (!this.worthwhile(node.bound)) return [];
    const steps = this.scales.map((scale, i) => Math.min(scale, 0.01 * (Math.abs(node.lambda[i]) || scale)));
    const reached = this.bounded(node, ROOT_LOOKS, steps);
    if (!reached) return [];
    const torn = this.branch(reached, true);
    if (torn.length || !this.worthwhile(reached.bound)) return torn;
    const parts = this.splitOffValues(reached) ?? this.splitWidest(reached);
    if (!parts.length && !this.isPoint(reached)) this.unresolved = Math.min(this.unresolved, reached.bound);
    return parts;
  }

  private ascend(node: AdditiveNode, looks: number, scales: Float64Array): Float64Array {
    const { lagrangian, limits } = this;
    const { m, slope } = lagrangian;
    const concave: Concave = {
      m,
      slope,
      evaluate: (lambda) => lagrangian.evaluate(lambda, node),
      mayBe: (i, sign) => lagrangian.mayBe(i, sign, node),
    };
    const ascent = m === 1 ? new LineAscent(concave) : new DualAscent(concave);
    const steps = node.bound > 0 ? scales.map((scale) => 0.1 * scale) : scales;
    ascent.run(node.lambda, steps, this.cutoff, looks * m);
    limits.budget.spend(NODE_WORK + ascent.evaluations * this.work);
    return ascent.best.slice();
  }

  /** Whether no point of the part meets Σ λ_i h_i. Checked because costs may hide emptiness. */
  private isEmpty(lambda: Float64Array, node: AdditiveNode): boolean {
    return this.emptiness.prove(lambda, node) > 0;
  }

  /** The minimiser as columns, with numbers at the nearest permitted value. */
  private columns(): Float64Array {
    const x = this.domain.origin.slice();
    for (const [f, own] of this.terms.features.entries()) setColumns(x, this.domain, own, this.lagrangian.at[f]);
    return x;
  }

  private splitTorn(node: AdditiveNode, x: Float64Array): AdditiveNode[] {
    const clause = this.problem.clauses.findIndex(
      ({ rows }, k) => node.chosen[k] < 0 && !rows.some((row) => keepsLink(row, x)),
    );
    if (clause >= 0)
      return this.problem.clauses[clause].rows.map((_, k) => ({ ...node, chosen: node.chosen.with(clause, k) }));
    const fork = this.widestFork(node);
    return fork ? this.splitAt(node, fork) : [];
  }

  /** The feature with the highest barrier between its two best minima. */
  private widestFork(node: AdditiveNode): Fork | undefined {
    let best: Fork | undefined;
    for (const f of this.terms.features.keys()) {
      const fork = this.forkOf(f, node);
      if (fork && fork.score > (best?.score ?? 0)) best = fork;
    }
    return best;
  }

  private forkOf(f: number, node: AdditiveNode): Fork | undefined {
    const { lagrangian } = this;
    const [first, ...others] = lagrangian.minima(f, node.lambda, node);
    const own = this.terms.features[f];
    const width = own.kind === 'curve' ? NARROW * this.width(f) : 0;
    const second = others.find(({ at }) => Math.abs(at - first.at) > width);
    if (!first || !second) return undefined;
    const tie = second.value - first.value;
    if (own.kind === 'list')
      return { feature: f, first, second, score: 0.5 * this.pull(own, first, second, node) - tie };
    const middle = lagrangian.valueAt(f, (first.at + second.at) / 2, node.lambda, node);
    return { feature: f, first, second, score: middle - second.value };
  }

  /** The difference of two options in the terms that the multipliers price. */
  private pull({ terms }: ListedFeature, first: Choice, second: Choice, { lambda }: AdditiveNode): number {
    const { m } = this.lagrangian;
    let sum = 0;
    for (let i = 0; i < m; i++) sum += lambda[i] * (terms[second.at * m + i] - terms[first.at * m + i]);
    return Math.abs(sum);
  }

  private width(f: number): number {
    const { low, high } = this.root;
    return Number.isFinite(high[f] - low[f]) ? high[f] - low[f] : 1;
  }

  private splitAt(node: AdditiveNode, { feature: f, first, second }: Fork): AdditiveNode[] {
    const own = this.terms.features[f];
    if (own.kind === 'list') return this.splitList(node, f, own, first.at);
    const isTorn = (first.at === 0 || second.at === 0) && !node.changed[f];
    if (isTorn && (this.problem.cost.norm === 'l0' || this.terms.changes >= 0)) return this.splitChanged(node, f);
    return this.splitCurve(node, f, own, this.incumbentBetween(own, first.at, second.at) ?? (first.at + second.at) / 2);
  }

  /** The incumbent's move of a feature, if it is between two moves and not next to one of them. */
  private incumbentBetween({ feature: { column } }: CurveFeature, one: number, other: number): number | undefined {
    if (!this.best.isFound) return undefined;
    const move = this.best.x[column] - this.domain.origin[column];
    const share = (move - one) / (other - one);
    return share > BESIDE && share < 1 - BESIDE ? move : undefined;
  }

  /** Splits a list into one option and the others. */
  private splitList(node: AdditiveNode, f: number, { values }: ListedFeature, k: number): AdditiveNode[] {
    const all = node.open[f] ?? new Uint8Array(values.length).fill(1);
    const only = new Uint8Array(values.length).fill(1, k, k + 1);
    return [only, all.with(k, 0)]
      .filter((open) => open.includes(1))
      .map((open) => ({ ...node, open: node.open.with(f, open) }));
  }

  private splitChanged(node: AdditiveNode, f: number): AdditiveNode[] {
    const still = { ...node, low: node.low.with(f, 0), high: node.high.with(f, 0) };
    return [still, { ...node, changed: node.changed.with(f, 1) }];
  }

  /** Splits a curve below and above a move. The ends are permitted values of the feature. */
  private splitCurve(node: AdditiveNode, f: number, { feature }: CurveFeature, at: number): AdditiveNode[] {
    const { domain } = this;
    const here = domain.origin[feature.column];
    let [below, above] = [at, at];
    if (!isContinuous(domain, feature)) {
      const last = lastWithin(domain, feature, here + at, 1);
      below = last - here;
      above = nextValue(domain, feature, last, 1) - here;
    }
    const parts: [number, number][] = [
      [node.low[f], below],
      [above, node.high[f]],
    ];
    return parts
      .filter(([low, high]) => low <= high)
      .map(([low, high]) => ({ ...node, low: node.low.with(f, low), high: node.high.with(f, high) }));
  }

  /** Splits between two neighbouring values of a feature whose best move is between them. */
  private splitOffValues(node: AdditiveNode): AdditiveNode[] | undefined {
    let [widest, most] = [-1, 0];
    for (const [f, own] of this.terms.features.entries()) {
      if (own.kind === 'list' || isContinuous(this.domain, own.feature)) continue;
      const move = this.lagrangian.at[f];
      const here = this.domain.origin[own.feature.column];
      const off = Math.abs(nearestValue(this.domain, own.feature, here + move) - here - move);
      const share = off / spacing(this.domain, own.feature);
      if (share > most && share > OFF) [widest, most] = [f, share];
    }
    if (widest < 0) return undefined;
    const parts = this.splitCurve(
      node,
      widest,
      this.terms.features[widest] as CurveFeature,
      this.lagrangian.at[widest],
    );
    return parts.length > 1 ? parts : undefined;
  }

  /** Splits a part in two along the feature with the largest share of its whole range. */
  private splitWidest(node: AdditiveNode): AdditiveNode[] {
    let [widest, most] = [-1, NARROW];
    for (const f of this.terms.features.keys()) {
      const share = this.share(node, f);
      if (share > most) [widest, most] = [f, share];
    }
    if (widest < 0) return [];
    const own = this.terms.features[widest];
    if (own.kind === 'list') return this.splitList(node, widest, own, this.lagrangian.at[widest]);
    const [low, high] = [node.low[widest], node.high[widest]];
    const middle = Number.isFinite(high - low) ? (low + high) / 2 : this.lagrangian.at[widest];
    return Number.isFinite(middle) ? this.splitCurve(node, widest, own, middle) : [];
  }

  /** The share of a feature's range that a part contains. */
  private share({ low, high, open }: AdditiveNode, f: number): number {
    const own = this.terms.features[f];
    if (own.kind === 'curve') return (high[f] - low[f]) / this.width(f);
    const options = own.values.length;
    const left = open[f] ? open[f]!.reduce((sum, isOpen) => sum + isOpen, 0) : options;
    return (left - 1) / options;
  }

  /** Whether a part is a single point, which the model has already decided. */
  private isPoint(node: AdditiveNode): boolean {
    return this.terms.features.every((own, f) =>
      own.kind === 'curve' ? node.low[f] === node.high[f] : this.share(node, f) === 0,
    );
  }
}
