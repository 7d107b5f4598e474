/**
 * One question, as a user asks it: a model document, a policy document and a row; and what the oracle knows of it: which points
 * are answers, and what they cost. Written from the documents alone.
 */
import { MixtureDensity } from './evaluate/density.js';
import type { Evaluator } from './evaluate/evaluator.js';
import { evaluatorOf } from './evaluate/families.js';
import {
  columnsOf,
  type FeatureSpec,
  isSame,
  numberOf,
  numbersOf,
  type Row,
  spreadRow,
  startsOf,
  widthOf,
} from './evaluate/features.js';
import { type Goal, goalsOf, type Target } from './evaluate/goal.js';
import { compileSteps, createInputs, type Inputs, imputedColumns, type Step } from './evaluate/inputs.js';
import { type IsolationParameters, pathSum, type TreeSpec, takesMissing } from './evaluate/trees.js';
import { atLeastZero, both, either, type Verdict } from './evaluate/verdict.js';
import { type Condition, readConstraint } from './policy/constraint.js';
import { type BackgroundSpec, type Cost, type CostSpec, compileCost } from './policy/cost.js';
import {
  type ChangeRule,
  changeRule,
  type Present,
  type RuleSpec,
  seenRule,
  type Values,
  valuesOf,
} from './policy/values.js';

export interface ModelSpec {
  schema: string;
  name: string;
  family: string;
  features: FeatureSpec[];
  classes?: string[];
  preprocessing?: Step[];
  parameters: Record<string, unknown>;
  background?: BackgroundSpec;
}

export interface PolicySpec {
  schema: string;
  target: Target;
  tolerance?: number;
  cost?: CostSpec;
  features?: Record<string, RuleSpec>;
  unbounded?: boolean;
  constraints?: string[];
  maxChanges?: number;
  count?: number;
  margin?: number;
  plausibility?: { method: 'isolation-forest' | 'density'; atLeast?: number; weight?: number };
  region?: boolean;
  deadlineMs?: number;
}

export interface Case {
  model: ModelSpec;
  policy: PolicySpec;
  row: Row;
}

/** The rules by feature, with the ends of the background where the policy has none. */
export function rulesOf(
  { features, background }: ModelSpec,
  policy: Pick<PolicySpec, 'features' | 'unbounded'>,
): RuleSpec[] {
  const given = features.map(({ name }) => policy.features?.[name] ?? {});
  if (policy.unbounded) return given;
  return features.map((feature, f) => seenRule(feature, given[f], background?.quantiles?.[feature.name]));
}

/** The policy with the ends of the background as entries of its own. */
function settle(model: ModelSpec, policy: PolicySpec): PolicySpec {
  const rules = rulesOf(model, policy).map((rule, f) => [model.features[f].name, rule] as const);
  return { ...policy, unbounded: true, features: Object.fromEntries(rules) };
}

export class Question {
  readonly features: readonly FeatureSpec[];
  readonly classes: readonly string[];
  readonly goals: readonly Goal[];
  /** By feature: as given, and with missing values imputed. */
  readonly factual: Float64Array;
  readonly baseline: Float64Array;
  readonly presents: readonly Present[];
  readonly values: readonly Values[];
  readonly maxChanges: number;
  readonly cost: Cost;
  private readonly changeRules: readonly ChangeRule[];
  private readonly evaluator: Evaluator;
  private readonly conditions: readonly Condition[];
  private readonly run: (columns: Inputs) => Inputs;
  private readonly columns: Inputs;
  private readonly imputed: Float64Array;
  private readonly plausible: (() => Verdict) | null;
  private readonly density: MixtureDensity | null;
  private readonly effective: Float64Array;

  /** The policy whose entries an analysis names. */
  get settled(): PolicySpec {
    return settle(this.source.model, this.source.policy);
  }

  constructor(readonly source: Case) {
    const { model, policy, row } = source;
    this.features = model.features;
    this.classes = model.classes ?? [];
    this.goals = goalsOf(policy.target, model.classes, policy.margin ?? 0, policy.tolerance);
    this.evaluator = evaluatorOf(model.family, model.parameters, this.classes);
    const width = columnsOf(model.features);
    const steps = model.preprocessing ?? [];
    this.run = compileSteps(steps, width);
    this.imputed = imputedColumns(steps, width);
    this.columns = createInputs(width);
    this.factual = numbersOf(model.features, row);
    const starts = startsOf(model.features);
    this.baseline = this.factual.map((value, f) =>
      Number.isNaN(value) ? imputedValue(this.imputed, starts[f], widthOf(model.features[f])) : value,
    );
    this.effective = this.baseline.slice();
    const rules = rulesOf(model, policy);
    this.presents = model.features.map((_, f) => ({ from: this.baseline[f], missing: Number.isNaN(this.factual[f]) }));
    this.values = model.features.map((feature, f) => valuesOf(feature, rules[f], this.presents[f]));
    this.changeRules = model.features.map((feature, f) => changeRule(feature, rules[f], this.presents[f]));
    this.conditions = (policy.constraints ?? []).map((text) => readConstraint(text, model.features));
    this.maxChanges = policy.maxChanges ?? Infinity;
    this.cost = compileCost(policy.cost ?? {}, model.features, model.background ?? {});
    const { mixture } = model.background ?? {};
    this.density = policy.plausibility && mixture ? new MixtureDensity(mixture, model.features) : null;
    this.plausible = policy.plausibility ? this.compilePlausibility() : null;
  }

  /** Whether the row may be asked about at all: nothing is missing that the model cannot do without. */
  isReadable(): boolean {
    const { family, parameters } = this.source.model;
    const trees = treesOf(family, parameters);
    if (trees && takesMissing(trees)) return true;
    return this.baseline.every((value) => !Number.isNaN(value));
  }

  private inputsOf(values: ArrayLike<number>): Inputs {
    const { columns } = this;
    spreadRow(this.features, values, columns.x);
    for (let c = 0; c < columns.x.length; c++) columns.size[c] = Math.abs(columns.x[c]);
    return this.run(columns);
  }

  scores(values: ArrayLike<number>): number[] {
    return this.evaluator.scores(this.inputsOf(values));
  }

  scoreError(values: ArrayLike<number>): number {
    return this.evaluator.scoreError(this.inputsOf(values));
  }

  predicted(values: ArrayLike<number>): number {
    return this.evaluator.predicted(this.inputsOf(values));
  }

  hasTarget(values: ArrayLike<number>): Verdict {
    const inputs = this.inputsOf(values);
    if (!this.isDefined(inputs)) return 'no';
    let verdict: Verdict = 'no';
    for (const goal of this.goals) verdict = either(verdict, this.evaluator.reaches(inputs, goal));
    return verdict;
  }

  /** Below the domain of a function only trees have a score. */
  private isDefined({ x }: Inputs): boolean {
    const { family, parameters } = this.source.model;
    return !x.includes(Number.NEGATIVE_INFINITY) || treesOf(family, parameters) !== null;
  }

  /** What the policy has against the changes to single features. */
  changeFaults(values: ArrayLike<number>): string[] {
    return this.features.flatMap((feature, f) => {
      if (isSame(values[f], this.factual[f])) return [];
      const fault = this.changeRules[f](values[f]);
      return fault ? [`${feature.name} ${fault}: ${this.baseline[f]} -> ${values[f]}`] : [];
    });
  }

  /** Whether every feature alone may take its value. */
  allowsChanges(values: ArrayLike<number>): boolean {
    for (let f = 0; f < this.features.length; f++)
      if (!isSame(values[f], this.factual[f]) && this.changeRules[f](values[f])) return false;
    return true;
  }

  changedCount(values: ArrayLike<number>): number {
    let count = 0;
    for (let f = 0; f < this.features.length; f++) if (!isSame(values[f], this.factual[f])) count++;
    return count;
  }

  /** Constraints and plausibility. */
  keepsConditions(values: ArrayLike<number>): Verdict {
    for (let f = 0; f < this.features.length; f++)
      this.effective[f] = Number.isNaN(values[f]) ? this.baseline[f] : values[f];
    let verdict: Verdict = 'yes';
    for (const condition of this.conditions) {
      verdict = both(verdict, condition(this.effective));
      if (verdict === 'no') return 'no';
    }
    if (!this.plausible) return verdict;
    return both(verdict, this.plausible());
  }

  /** Whether values that single features may take are an answer together. */
  isAnswer(values: ArrayLike<number>): Verdict {
    if (this.changedCount(values) > this.maxChanges) return 'no';
    const kept = this.keepsConditions(values);
    return kept === 'no' ? 'no' : both(kept, this.hasTarget(values));
  }

  costOf(values: ArrayLike<number>): number {
    for (let f = 0; f < this.features.length; f++)
      this.effective[f] = Number.isNaN(values[f]) ? this.baseline[f] : values[f];
    return this.cost(this.baseline, this.effective) + this.termWeight * (this.density?.penalty(this.effective) ?? 0);
  }

  /** What two right computations of a cost may differ by, beside a share of it. */
  costDoubt(values: ArrayLike<number>): number {
    return 1e-300 + this.termWeight * (this.density?.penaltyError(values) ?? 0);
  }

  private get termWeight(): number {
    return this.source.policy.plausibility?.weight ?? 0;
  }

  /** The same row under another policy. */
  under(policy: PolicySpec): Question {
    return new Question({ ...this.source, policy });
  }

  /** Of the effective values. */
  private compilePlausibility(): (() => Verdict) | null {
    const { features, density, source } = this;
    const { samples = [], isolationForest } = source.model.background!;
    if (density) {
      const { atLeast } = source.policy.plausibility!;
      if (atLeast === undefined) return null;
      const rows = samples.map((row) => features.map((feature, f) => numberOf(feature, row[f] as Row[string])));
      const holds = density.limit(rows, atLeast);
      return () => holds(this.effective);
    }
    const { trees, offset } = isolationForest as IsolationParameters;
    const need = -trees.length * Math.log2(-offset);
    return () => {
      spreadRow(features, this.effective, this.columns.x);
      return atLeastZero(pathSum(trees, this.columns) - need, 1e-12 * Math.abs(need));
    };
  }
}

function imputedValue(imputed: Float64Array, start: number, width: number): number {
  if (width === 1) return imputed[start];
  for (let k = 0; k < width; k++) if (imputed[start + k] > 0) return k;
  return Number.NaN;
}

export function treesOf(family: string, parameters: Record<string, unknown>): TreeSpec[] | null {
  if (family === 'decision-tree') return [parameters.tree as TreeSpec];
  return family === 'tree-ensemble' || family === 'isolation-forest' ? (parameters.trees as TreeSpec[]) : null;
}
