/**
 * Decision trees and their ensembles (survey, 3.7, and beyond).
 *
 *   decision-tree     one tree: class shares or a number at its leaves
 *   tree-ensemble     Σ over trees of the leaf's outputs:  mean (forests), vote (each tree's best class), sum + base (boosting)
 *                     link of a sum s: identity, logit 1/(1 + e^-s), exp e^s, softplus log(1 + e^s), signed-square s|s|;
 *                     of the sums of all classes: softmax, or logit for each class by itself (one against the rest)
 *   members           Σ_i w_i · mean of the trees of member i, divided by Σ_i w_i: forests that vote, trees that weigh differently
 *
 * The sum is computed in tree order and in the library's precision. The largest score wins, ties go to the lower class. The region of a
 * goal consists of the points where certain sums over trees are large enough: a `trees` atom.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { bounded, vector } from '../../documents/model-document.js';
import { type TreeDocument, treeSchema } from '../../documents/tree-document.js';
import { argmax } from '../../linalg/vector.js';
import {
  checkWidth,
  defineFamily,
  EVEN_PROBABILITIES,
  type FamilyContext,
  type Model,
  refuseGoal,
  type Thresholds,
} from '../family.js';
import { goalMargin } from '../margins.js';
import { logit, softmax } from '../probabilities.js';
import type { Goal, Piece, TreeMargin, TreesAtom } from '../region.js';
import { type Ends, endsOf, isEmpty } from '../score-ends.js';
import type { SharedParts } from '../shared-parts.js';
import type { TreeSum } from '../sums/score-sum.js';
import { isTotal, pairTotals } from '../trees/pair-totals.js';
import { type Forest, flatten, forestOf, largestSum, leafOf, partsOf } from '../trees/tree.js';

const LINK_NAMES = ['identity', 'logit', 'softmax', 'exp', 'softplus', 'signed-square'] as const;
type Link = (typeof LINK_NAMES)[number];

/** The score of a sum that is one number. */
const LINKS: Record<Link, (sum: number) => number> = {
  identity: (sum) => sum,
  logit: (sum) => 1 / (1 + Math.exp(-sum)),
  exp: Math.exp,
  softmax: (sum) => sum,
  softplus: (sum) => Math.log1p(Math.exp(sum)),
  'signed-square': (sum) => sum * Math.abs(sum),
};

/** Links that no regressor has, and links that no classifier has. */
const OF_CLASSES: ReadonlySet<Link> = new Set(['logit', 'softmax']);
const OF_NUMBERS: ReadonlySet<Link> = new Set(['exp', 'softplus', 'signed-square']);
/** Links that are computed by way of an exponential. */
const EXPONENTIALS: ReadonlySet<Link> = new Set(['logit', 'exp', 'softplus']);

/** The effect of an exponential's rounding on its argument. */
const LINK_ROUNDING = 2 ** -48;
/** An upper bound on the rounding error of a probability. */
const PROBABILITY_ROUNDING = 2 ** -48;

export interface SummedForest {
  readonly forest: Forest;
  /** The class to which a tree adds, when its leaves hold one number for one of several classes; else null. */
  readonly treeClass: Int32Array | null;
  readonly base: Float64Array;
  /** Length of the sum. */
  readonly outputs: number;
  /** Divisor of the sum. */
  readonly count: number;
  readonly single: boolean;
  /** The means of which the sum is made; null: it is made of the trees. */
  readonly members: readonly Member[] | null;
}

/** A score in points: the logarithm of the odds of the second class is  logOdds + (sum - points) / unit. */
export interface PointOdds {
  readonly points: number;
  readonly logOdds: number;
  readonly unit: number;
}

/** What an additive model says beside its trees. */
export interface TreeModelOptions {
  /** For two classes and one sum: the score from which on the second class is predicted. Absent: it is predicted where the sum is above 0. */
  readonly threshold?: number;
  /** For the link `logit`: the sum is in points, and so is the threshold. Absent: the sum is a logarithm of odds. */
  readonly odds?: PointOdds;
  /** By column: 1 where a missing value is invalid, although others are not. */
  readonly required?: Uint8Array;
}

export class TreeModel implements Model {
  readonly rawOutputs: number;
  readonly forest: Forest;
  readonly takesMissing: boolean;
  readonly required?: Uint8Array;
  readonly shared: SharedParts;
  private readonly shown: Float64Array;
  private readonly threshold?: number;
  private readonly odds?: PointOdds;

  constructor(
    private readonly sum: SummedForest,
    private readonly link: Link,
    private readonly classes: number,
    { threshold, odds, required }: TreeModelOptions = {},
  ) {
    this.rawOutputs = sum.outputs;
    this.forest = sum.forest;
    this.takesMissing = required ? required.includes(0) : sum.forest.takesMissing;
    this.required = required;
    this.shared = { ...partsOf(sum.forest), ...(required && { required }) };
    this.shown = new Float64Array(Math.max(1, classes));
    this.threshold = threshold;
    this.odds = odds;
  }

  raw(x: Float64Array, out: Float64Array): void {
    const { forest, treeClass, base, count, single, members } = this.sum;
    if (members) {
      weightedMean(this.sum, members, x, out);
      return;
    }
    out.set(base);
    for (let t = 0; t < forest.root.length; t++) {
      const at = leafOf(forest, t, x) * forest.outputs;
      if (treeClass) out[treeClass[t]] += forest.value[at];
      else for (let k = 0; k < out.length; k++) out[k] += forest.value[at + k];
      if (single) for (let k = 0; k < out.length; k++) out[k] = Math.fround(out[k]);
    }
    if (count !== 1) for (let k = 0; k < out.length; k++) out[k] /= count;
  }

  scores(raw: Float64Array, out: Float64Array): void {
    if (this.link === 'softmax') softmax(raw, out);
    else if (this.isOneNumber) for (let k = 0; k < out.length; k++) out[k] = this.scoreOf(raw[0], k);
    else for (let k = 0; k < out.length; k++) out[k] = LINKS[this.link](raw[k]);
  }

  /** Whether one sum serves two classes or a prediction. Otherwise each class has its own sum. */
  private get isOneNumber(): boolean {
    return this.sum.outputs === 1 && this.classes !== 1;
  }

  /**
   * The reported score of a class, or the prediction, where the sum is one number. The score rises with the sum, except for the first
   * class.
   */
  private scoreOf(sum: number, index: number): number {
    const second = this.linked(sum);
    if (this.isRising(index)) return second;
    return this.link === 'logit' ? 1 - second : -second;
  }

  /** The prediction, or the score of the second class. */
  private linked(sum: number): number {
    const { odds } = this;
    return LINKS[this.link](odds ? odds.logOdds + (sum - odds.points) / odds.unit : sum);
  }

  private isRising(index: number): boolean {
    return this.classes === 0 || index === 1;
  }

  get thresholds(): Thresholds | undefined {
    if (this.classes !== 2) return undefined;
    if (this.isOneNumber) return [this.boundary(0), this.boundary(1)];
    return this.link === 'softmax' || this.hasShares() ? EVEN_PROBABILITIES : undefined;
  }

  /** Whether the scores of two classes add up to 1 for every row: they are then shares. */
  private hasShares(): boolean {
    const { forest, treeClass, base, count, members } = this.sum;
    const totals = treeClass ? null : pairTotals(forest);
    if (!totals) return false;
    if (members) return totals.every((total) => isTotal(total, 1));
    return isTotal(totals.reduce((sum, total) => sum + total, base[0] + base[1]) / count, 1);
  }

  decide(raw: Float64Array): number {
    if (this.classes === 0) return 0;
    if (!this.isOneNumber) return argmax(raw);
    if (this.threshold === undefined) return +(raw[0] > 0);
    return +((this.odds ? raw[0] : this.linked(raw[0])) >= this.threshold);
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    this.scores(raw, this.shown);
    const own = this.shown[goal.index];
    if (goal.kind === 'interval') return own >= goal.from && own <= goal.to;
    if (!this.classes || this.decide(raw) !== goal.index) return false;
    if (goal.margin === 0) return true;
    if (this.isOneNumber) return own >= this.boundary(goal.index) + goal.margin;
    return this.shown.every((score, k) => k === goal.index || own - score >= goal.margin);
  }

  margin(raw: Float64Array, goal: Goal): number {
    this.scores(raw, this.shown);
    if (this.threshold === undefined || goal.kind === 'interval') return goalMargin(this.shown, goal);
    return this.shown[goal.index] - this.boundary(goal.index) - goal.margin;
  }

  /** The score of one of two classes at which the decision changes. */
  private boundary(index: number): number {
    const second = this.odds ? this.linked(this.threshold!) : (this.threshold ?? this.linked(0));
    if (index === 1) return second;
    return this.link === 'logit' ? 1 - second : -second;
  }

  /** With one sum, the sum. For shares of two classes and for an interval, the score itself. Else the lead over the rival. */
  scoreSum({ kind, index }: Goal, rival: number): TreeSum | null {
    if (this.isOneNumber) return this.sumOf([this.isRising(index) ? 1 : -1]);
    const isLead = this.link === 'softmax' || (kind === 'class' && !(this.classes === 2 && this.hasShares()));
    if (isLead && kind === 'interval' && this.classes > 2) return null;
    return this.sumOf(Array.from({ length: this.classes }, (_, k) => +(k === index) - +(isLead && k === rival)));
  }

  private sumOf(weights: readonly number[]): TreeSum {
    const { forest, count } = this.sum;
    return { kind: 'trees', forest, gain: this.marginOf(weights, 0).gain, count };
  }

  region(goal: Goal): Piece[] {
    const margins = this.isOneNumber ? this.sumMargins(goal) : this.classMargins(goal);
    if (!margins) return [];
    const trees: TreesAtom = { kind: 'trees', forest: this.sum.forest, margins, slack: this.slack(), map: null };
    return [{ rows: [], atoms: [this.isCurved(goal) ? { ...trees, relaxed: true } : trees] }];
  }

  /** Whether a goal for one of several classes is no interval of sums over trees. The margins on the sums are then only necessary. */
  private isCurved(goal: Goal): boolean {
    if (this.isOneNumber || this.link === 'identity') return false;
    return goal.kind === 'class' ? goal.margin > 0 : this.link === 'softmax';
  }

  /** The largest difference between a computed score and its margins, in sums: one rounding per tree, and the link's own. */
  private slack(): number {
    const { base, single, count, forest } = this.sum;
    const size = largestSum(forest) + base.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const { unit = 1, points = 0 } = this.odds ?? {};
    const ofLink = EXPONENTIALS.has(this.link) ? LINK_ROUNDING * (count * unit + Math.abs(points)) : 0;
    return size * (forest.root.length + 2) * (single ? 2 ** -23 : 2 ** -50) + ofLink;
  }

  /** For one number the goal is an interval of sums, whose ends are found in the model's own arithmetic. Null: no sum reaches the goal. */
  private sumMargins(goal: Goal): TreeMargin[] | null {
    if (goal.kind === 'class' && !this.classes)
      return refuseGoal('a regressor', 'classes: its target is a number or an interval');
    const [from, to] =
      goal.kind === 'interval' ? [goal.from, goal.to] : [this.boundary(goal.index) + goal.margin, Infinity];
    const ends = this.sumsBetween(goal.index, from, to);
    if (isEmpty(ends)) return null;
    return this.marginsWithin([1], ends);
  }

  /** The sum of the weighted outputs lies within the ends. */
  private marginsWithin(weights: readonly number[], [low, high]: Ends): TreeMargin[] {
    const margins: TreeMargin[] = [];
    if (low > -Infinity) margins.push(this.marginOf(weights, low));
    if (high < Infinity)
      margins.push(
        this.marginOf(
          weights.map((v) => -v),
          -high,
        ),
      );
    return margins;
  }

  /** The least and the largest sum at which a score is within [from, to]. */
  private sumsBetween(index: number, from: number, to: number): Ends {
    const score = (sum: number) => this.scoreOf(sum, index);
    return this.isRising(index) ? endsOf(score, from, to) : endsOf((sum) => -score(sum), -to, -from);
  }

  /** The margins where each class has its own sum. Null: no sums reach the goal. */
  private classMargins(goal: Goal): TreeMargin[] | null {
    if (this.link === 'softmax') return this.softmaxMargins(goal);
    const lead = goal.kind === 'class' ? this.leastLead(goal.margin) : 0;
    if (goal.kind === 'class') return lead < Infinity ? this.leads(goal.index, lead) : null;
    const ends = endsOf(LINKS[this.link], goal.from, goal.to);
    if (goal.from > goal.to || isEmpty(ends)) return null;
    const unit = Array.from({ length: this.classes }, (_, k) => +(k === goal.index));
    return this.marginsWithin(unit, ends);
  }

  /** A lead m of logistic scores, s(a) - s(b) >= m, implies a - b >= 2 logit((1 + m) / 2): s is steepest at 0. */
  private leastLead(margin: number): number {
    if (this.link !== 'logit' || margin <= 0) return margin;
    return margin > 1 ? Infinity : 2 * logit((1 + margin - PROBABILITY_ROUNDING) / 2);
  }

  /**
   * The necessary margins on the sums for a goal in probability. A lead m of p_i over p_k, with p_i + p_k <= 1, implies p_i / p_k >= (1 +
   * m) / (1 - m); p_i >= from leaves a rival at most 1 - from. Only the model checks an upper end.
   */
  private softmaxMargins(goal: Goal): TreeMargin[] | null {
    if (goal.kind === 'interval') {
      if (goal.from > 1 || goal.to < 0) return null;
      return goal.from > PROBABILITY_ROUNDING ? this.leads(goal.index, logit(goal.from - PROBABILITY_ROUNDING)) : [];
    }
    if (goal.margin > 1) return null;
    const lead = goal.margin > 0 ? logit((1 + goal.margin - PROBABILITY_ROUNDING) / 2) : 0;
    return this.leads(goal.index, lead);
  }

  /** The margins with which the sum of one class leads all others. */
  private leads(index: number, lead: number): TreeMargin[] {
    const classes = Array.from({ length: this.classes }, (_, k) => k);
    const rivals = classes.filter((k) => k !== index);
    return rivals.map((k) =>
      this.marginOf(
        classes.map((c) => +(c === index) - +(c === k)),
        lead,
      ),
    );
  }

  /** Σ over trees of weights · leaf >= lead, as a gain per node and a need. */
  private marginOf(weights: readonly number[], lead: number): TreeMargin {
    const { forest, treeClass, base, count, members } = this.sum;
    const gain = new Float64Array(forest.feature.length);
    const factors = members ? factorsOf(members) : null;
    for (let t = 0; t < forest.root.length; t++) {
      const end = t + 1 < forest.root.length ? forest.root[t + 1] : forest.feature.length;
      for (let n = forest.root[t]; n < end; n++) {
        if (treeClass) gain[n] = weights[treeClass[t]] * forest.value[n];
        else for (let k = 0; k < forest.outputs; k++) gain[n] += weights[k] * forest.value[n * forest.outputs + k];
        if (factors) gain[n] *= factors[t];
      }
    }
    return { gain, need: lead * count - base.reduce((sum, value, k) => sum + weights[k] * value, 0) };
  }
}

/** In the order of scikit-learn: the mean of each member, times its weight. */
function weightedMean(
  { forest, count }: SummedForest,
  members: readonly Member[],
  x: Float64Array,
  out: Float64Array,
): void {
  const own = new Float64Array(out.length);
  let t = 0;
  out.fill(0);
  for (const { trees, weight } of members) {
    own.fill(0);
    for (const end = t + trees; t < end; t++) {
      const at = leafOf(forest, t, x) * forest.outputs;
      for (let k = 0; k < own.length; k++) own[k] += forest.value[at + k];
    }
    for (let k = 0; k < own.length; k++) out[k] += (own[k] / trees) * weight;
  }
  for (let k = 0; k < out.length; k++) out[k] /= count;
}

const weightOf = (members: readonly Member[]) => members.reduce((total, { weight }) => total + weight, 0);

/** What the leaves of each tree are multiplied by. */
const factorsOf = (members: readonly Member[]) =>
  members.flatMap(({ trees, weight }) => Array<number>(trees).fill(weight / trees));

const parameterError = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.${path}`);

export const decisionTree = defineFamily({
  name: 'decision-tree',
  task: 'either',
  schema: z.strictObject({
    tree: treeSchema.describe('The tree. A leaf has a probability for each class, or one number for a regressor.'),
    task: z.enum(['classification', 'regression']).describe('Whether the tree predicts a class or a number.'),
  }),
  shares: ['tree'],
  load: (p, context) => {
    const outputs = p.task === 'classification' ? context.classes : 1;
    if ((p.task === 'classification') !== context.classes > 0)
      throw parameterError('task', "does not go with the model's classes");
    const forest = forestOf(context.shared) ?? flattenOne(p.tree, outputs, context);
    return new TreeModel(
      { forest, treeClass: null, base: new Float64Array(outputs), outputs, count: 1, single: false, members: null },
      'identity',
      context.classes,
    );
  },
});

function flattenOne(tree: TreeDocument, outputs: number, { inputs, bounds }: FamilyContext): Forest {
  if (tree.value[0].length !== outputs)
    throw parameterError('tree.value[0]', `expected ${outputs} outputs, got ${tree.value[0].length}`);
  return flatten([tree], inputs, 'model.parameters.tree', bounds);
}

const memberForm = z.strictObject({
  trees: z.int().min(1).describe('How many trees the member has: those that follow the trees of the member before.'),
  weight: z.number().min(0).describe('The weight of the mean of these trees.'),
});

type Member = z.output<typeof memberForm>;

const ensembleForm = z.strictObject({
  trees: listOf(treeSchema).min(1).describe('The trees, in the order of the sum.'),
  aggregation: z
    .enum(['mean', 'vote', 'sum'])
    .describe('The result of all trees: the mean of outputs, votes for classes, or the sum of outputs.'),
  base: z
    .union([bounded, vector])
    .default(0)
    .describe('The number that is added to the sum, for all outputs or by output.'),
  link: z
    .enum(LINK_NAMES)
    .default('identity')
    .describe(
      'The function from sums to scores. Boosted classifiers have `softmax`, or `logit` for two classes and for one class against the rest. `exp`, `softplus` and `signed-square` (the square with the sign of the sum) are for regressors.',
    ),
  treeClass: listOf(z.int().min(0))
    .optional()
    .describe('The class to which each tree adds. For boosted classifiers of several classes.'),
  accumulate: z
    .enum(['float32', 'float64'])
    .default('float64')
    .describe('The arithmetic in which the source library adds up the trees.'),
  members: listOf(memberForm)
    .min(1)
    .optional()
    .describe('Forests that vote: with `mean`, the result is the mean of their means by weight.'),
});

function loadEnsemble(p: z.output<typeof ensembleForm>, context: FamilyContext): Model {
  const forest = forestOf(context.shared) ?? flatten(p.trees, context.inputs, 'model.parameters.trees', context.bounds);
  const trees = forest.root.length;
  if (p.treeClass) checkWidth(p.treeClass, trees, 'treeClass', 'tree');
  const outputs = p.treeClass ? context.classes : forest.outputs;
  const wrong = p.treeClass?.findIndex((k) => k >= context.classes) ?? -1;
  if (wrong >= 0) throw parameterError(`treeClass[${wrong}]`, `there is no class ${p.treeClass![wrong]}`);
  if (p.treeClass && forest.outputs !== 1)
    throw parameterError('trees', `treeClass goes with leaves of one output, got ${forest.outputs}`);
  checkOutputs(outputs, p.link, context.classes);
  if (p.aggregation === 'vote' && forest.outputs !== context.classes)
    throw parameterError('aggregation', 'vote needs leaves with an output for each class');
  const base = Float64Array.from(Array.isArray(p.base) ? p.base : Array<number>(outputs).fill(p.base));
  checkWidth([...base], outputs, 'base', 'output');
  if (p.aggregation === 'vote' && !context.shared) voteByLeaf(forest);
  const single = p.accumulate === 'float32';
  if (p.members) checkMembers(p, p.members, trees);
  const count = p.members ? weightOf(p.members) : p.aggregation === 'sum' ? 1 : trees;
  const sum: SummedForest = {
    forest,
    treeClass: p.treeClass ? Int32Array.from(p.treeClass) : null,
    base: single ? base.map(Math.fround) : base,
    outputs,
    count,
    single,
    members: p.members ?? null,
  };
  return new TreeModel(sum, p.link, context.classes);
}

function checkMembers(p: z.output<typeof ensembleForm>, members: readonly Member[], trees: number): void {
  const own = members.reduce((total, member) => total + member.trees, 0);
  if (own !== trees) throw parameterError('members', `have ${own} trees, but there are ${trees}`);
  if (!(weightOf(members) > 0)) throw parameterError('members', 'one weight must be larger than 0');
  const isPlain =
    p.aggregation === 'mean' && p.accumulate === 'float64' && !p.treeClass && [p.base].flat().every((b) => b === 0);
  if (!isPlain) throw parameterError('members', 'go with the aggregation mean in float64, without base and treeClass');
}

function checkOutputs(outputs: number, link: Link, classes: number): void {
  const fits =
    classes === 0
      ? outputs === 1 && !OF_CLASSES.has(link)
      : !OF_NUMBERS.has(link) && (outputs === classes || (classes === 2 && outputs === 1 && link !== 'softmax'));
  if (!fits)
    throw parameterError(
      'trees',
      `leaves with ${outputs} outputs and the link ${link} do not go with ${classes || 'no'} classes`,
    );
}

/** Each tree gives its best class one vote. The votes overwrite the leaves, so the leaves must be new. */
function voteByLeaf({ value, outputs }: Forest): void {
  for (let at = 0; at < value.length; at += outputs) {
    const best = argmax(value.subarray(at, at + outputs));
    value.fill(0, at, at + outputs);
    value[at + best] = 1;
  }
}

export const treeEnsemble = defineFamily({
  name: 'tree-ensemble',
  task: 'either',
  schema: ensembleForm,
  shares: ['trees'],
  load: loadEnsemble,
});
