/**
 * A model with a decision layer. Let s be the own score of the model for the second of two classes, or its prediction, and g a function
 * that never falls (calibration.ts):
 *
 *   scores          1 - g(s), g(s);        for a regressor g(s)
 *   second class    g(s) > t,              or g(s) >= t where the threshold is inclusive
 *   goal in g       { s : first <= s <= last },   first and last doubles (score-ends.ts)
 *
 * The goal is handed to the model as this interval of s. Level parts and steps of g are therefore exact: `first` is the first double whose
 * g reaches the goal. Distance and slope are those of the model inside the interval, because g has no slope where it is level.
 */
import { nextDown, nextUp } from '../../linalg/floats.js';
import type { Model, Thresholds } from '../family.js';
import type { Goal, Region } from '../region.js';
import { type Ends, endsOf, isEmpty } from '../score-ends.js';
import type { Calibration } from './calibration.js';

type ClassGoal = Extract<Goal, { kind: 'class' }>;
type IntervalGoal = Extract<Goal, { kind: 'interval' }>;

/** The cut-off between two classes, in reported scores. */
export interface CutOff {
  readonly threshold: number;
  readonly isInclusive: boolean;
  /** The sum of the scores of the two classes: 1 for probabilities, 0 for raw scores. */
  readonly total: number;
}

const UNLIMITED: Ends = [-Infinity, Infinity];

const common = ([a, b]: Ends, [c, d]: Ends): Ends => [Math.max(a, c), Math.min(b, d)];

export class DecidedModel implements Model {
  readonly thresholds?: Thresholds;
  readonly memory: Model['memory'];
  readonly scoring: Model['scoring'];
  readonly volatile: Model['volatile'];
  readonly takesMissing: Model['takesMissing'];
  readonly required: Model['required'];
  readonly forest: Model['forest'];
  readonly shared: Model['shared'];
  readonly rawOutputs: number;
  readonly gradient: Model['gradient'];
  readonly scoreSum: Model['scoreSum'];
  readonly isClear: Model['isClear'];
  /** The class or the prediction whose score is s. */
  private readonly index: number;
  private readonly own: Float64Array;
  private readonly goals = new WeakMap<Goal, { readonly inner: IntervalGoal | null }>();

  /** `calibration`: null for the identity. `cutOff`: null for a regressor. */
  constructor(
    private readonly inner: Model,
    private readonly calibration: Calibration | null,
    private readonly cutOff: CutOff | null,
  ) {
    this.index = cutOff ? 1 : 0;
    this.own = new Float64Array(this.index + 1);
    if (cutOff) this.thresholds = [cutOff.total - cutOff.threshold, cutOff.threshold];
    this.memory = inner.memory;
    this.scoring = inner.scoring;
    this.volatile = inner.volatile;
    this.takesMissing = inner.takesMissing;
    this.required = inner.required;
    // The function never falls: the sum that decides is that of the model.
    this.scoreSum = inner.scoreSum && ((goal, rival) => inner.scoreSum!(goal, rival));
    this.forest = inner.forest;
    this.shared = inner.shared;
    this.rawOutputs = inner.rawOutputs;
    this.gradient = inner.gradient && ((x, goal, out) => this.slope(x, goal, out));
    this.isClear = inner.isClear && ((x, goal) => this.isClearAt(x, goal));
  }

  raw(x: Float64Array, out: Float64Array): void {
    this.inner.raw(x, out);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    this.inner.scores(raw, out);
    if (!this.calibration) return;
    out[this.index] = this.calibration(out[this.index]);
    if (this.cutOff) out[0] = this.other(out[1]);
  }

  decide(raw: Float64Array): number {
    return this.cutOff ? +this.isSecond(this.reported(raw)) : 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'class') return this.achievesClass(this.reported(raw), goal);
    if (!this.calibration) return this.inner.achieves(raw, goal);
    const score = this.scoreOf(this.reported(raw), goal.index);
    return score >= goal.from && score <= goal.to;
  }

  margin(raw: Float64Array, goal: Goal): number {
    const inner = this.innerGoal(goal);
    return inner ? this.inner.margin(raw, inner) : -Infinity;
  }

  region(goal: Goal): Region {
    const inner = this.innerGoal(goal);
    return inner ? this.inner.region(inner) : [];
  }

  private slope(x: Float64Array, goal: Goal, out: Float64Array): void {
    const inner = this.innerGoal(goal);
    if (inner) this.inner.gradient!(x, inner, out);
    else out.fill(0);
  }

  private isClearAt(x: Float64Array, goal: Goal): boolean {
    const inner = this.innerGoal(goal);
    return inner !== null && this.inner.isClear!(x, inner);
  }

  /** g(s) */
  private reported(raw: Float64Array): number {
    this.inner.scores(raw, this.own);
    return this.calibrated(this.own[this.index]);
  }

  private calibrated(score: number): number {
    return this.calibration ? this.calibration(score) : score;
  }

  private other(second: number): number {
    return this.cutOff!.total - second;
  }

  private scoreOf(reported: number, index: number): number {
    return index === this.index ? reported : this.other(reported);
  }

  private isSecond(reported: number): boolean {
    const { threshold, isInclusive } = this.cutOff!;
    return isInclusive ? reported >= threshold : reported > threshold;
  }

  private achievesClass(reported: number, { index, margin }: ClassGoal): boolean {
    if (!this.cutOff || +this.isSecond(reported) !== index) return false;
    return margin === 0 || this.scoreOf(reported, index) >= this.thresholds![index as 0 | 1] + margin;
  }

  /** The goal as an interval of s. Null: no s reaches the goal. */
  private innerGoal(goal: Goal): IntervalGoal | null {
    const known = this.goals.get(goal);
    if (known) return known.inner;
    const inner = goal.kind === 'class' ? this.within(this.classEnds(goal)) : this.innerInterval(goal);
    this.goals.set(goal, { inner });
    return inner;
  }

  private innerInterval(goal: IntervalGoal): IntervalGoal | null {
    return this.calibration ? this.within(this.endsOfScores(goal.index, goal.from, goal.to)) : goal;
  }

  private within(ends: Ends): IntervalGoal | null {
    const [from, to] = ends;
    return isEmpty(ends) ? null : { kind: 'interval', index: this.index, from, to };
  }

  private classEnds({ index, margin }: ClassGoal): Ends {
    if (!this.cutOff) return [Infinity, -Infinity];
    const { threshold, isInclusive } = this.cutOff;
    const side: Ends =
      index === 1
        ? [isInclusive ? threshold : nextUp(threshold), Infinity]
        : [-Infinity, isInclusive ? nextDown(threshold) : threshold];
    const least = this.thresholds![index as 0 | 1] + margin;
    const beyond = margin === 0 ? UNLIMITED : this.endsOfScores(index, least, Infinity);
    return common(this.endsOfScores(1, ...side), beyond);
  }

  /** The s at which the reported score of a class is within [from, to]. The score of the first class falls as s rises. */
  private endsOfScores(index: number, from: number, to: number): Ends {
    if (index === this.index) return endsOf((s) => this.calibrated(s), from, to);
    return endsOf((s) => -this.other(this.calibrated(s)), -to, -from);
  }
}
