/**
 * The final check of every answer, independent of the solver: the model scores the answer again, every policy entry is checked
 * against the original row, and the cost is computed anew. An answer that fails is never reported.
 */
import { ElsewiseError } from '../documents/error.js';
import { LARGEST } from '../documents/numbers.js';
import { decimalSum } from '../linalg/decimals.js';
import { imputedValue, spread } from '../models/features.js';
import { isDefinedAt, type LoadedModel, Scorer } from '../models/load.js';
import type { Goal } from '../models/region.js';
import { holds } from '../policy/constraint.js';
import { evaluateCost } from '../policy/cost.js';
import { isDecimal, isStep } from '../policy/lattice.js';
import type { Plausibility } from '../policy/plausibility/plausibility-measure.js';
import type { FeatureRule } from '../policy/rules.js';
import { isSame } from '../policy/values.js';
import type { CompiledPolicy } from '../problems/compile.js';

export interface Verification {
  readonly ok: boolean;
  readonly cost: number;
  /** The fault as a message; empty when ok. */
  readonly fault: string;
}

/** The conditions of an answer. */
export interface CheckedTarget {
  readonly goals: readonly Goal[];
  /** The policy's plausibility for this target. Null: the policy asks for none. */
  readonly plausibility: Plausibility | null;
}

export class Verifier {
  readonly scorer: Scorer;
  private readonly effective: Float64Array;

  constructor(
    private readonly loaded: LoadedModel,
    private readonly policy: CompiledPolicy,
  ) {
    this.scorer = new Scorer(loaded);
    this.effective = new Float64Array(loaded.space.features.length);
  }

  /** Checks `answer` for a person: `factual` as given, `baseline` the same with missing values imputed. */
  check(factual: Float64Array, baseline: Float64Array, answer: Float64Array, target: CheckedTarget): Verification {
    const fault = this.policyFault(factual, baseline, answer) ?? this.modelFault(answer, target);
    if (fault) return { ok: false, cost: Infinity, fault };
    const norm = evaluateCost(this.policy.cost, this.loaded.space, baseline, this.effective);
    const { plausibility } = target;
    const cost = plausibility?.term ? norm + plausibility.term.of(this.scorer.columns) : norm;
    return Number.isFinite(cost)
      ? { ok: true, cost, fault: '' }
      : { ok: false, cost: Infinity, fault: 'the cost is not finite' };
  }

  /** Scores a person. */
  score(factual: Float64Array): void {
    this.scorer.runValues(factual);
    this.scorer.show();
    if (!this.scorer.isFinite())
      throw new ElsewiseError('bad-row', 'the model gives no finite score for this row', 'features');
  }

  /** Whether the row that was scored last has a target. */
  hasTarget({ goals }: Pick<CheckedTarget, 'goals'>): boolean {
    return goals.some((goal) => this.loaded.model.achieves(this.scorer.raw, goal));
  }

  /** The row from which changes are measured: imputed values replace missing ones. */
  baselineOf(factual: Float64Array, baseline: Float64Array): void {
    const { space, preprocessing } = this.loaded;
    for (const feature of space.features) {
      const value = factual[feature.index];
      baseline[feature.index] = Number.isNaN(value) ? imputedValue(feature, preprocessing.imputed) : value;
    }
  }

  /** Whether a row keeps the policy's rules, constraints and number of changes for the person. */
  keepsPolicy(factual: Float64Array, baseline: Float64Array, row: Float64Array): boolean {
    return this.policyFault(factual, baseline, row) === undefined;
  }

  isPlausible(values: Float64Array, { plausibility }: CheckedTarget): boolean {
    spread(this.loaded.space, values, this.scorer.columns);
    return plausibility?.limit?.holds(this.scorer.columns) ?? true;
  }

  private modelFault(answer: Float64Array, { goals, plausibility }: CheckedTarget): string | undefined {
    const { scorer, loaded } = this;
    spread(loaded.space, answer, scorer.columns);
    scorer.runColumns(scorer.columns);
    scorer.show();
    if (!scorer.isFinite() || !isDefinedAt(loaded, scorer.columns)) return 'the model does not give a finite score';
    if (!goals.some((goal) => loaded.model.achieves(scorer.raw, goal))) return 'the model does not give the target';
    return plausibility?.limit?.holds(scorer.columns) === false ? 'it is not plausible' : undefined;
  }

  private policyFault(factual: Float64Array, baseline: Float64Array, answer: Float64Array): string | undefined {
    let changes = 0;
    for (const rule of this.policy.rules) {
      const f = rule.feature.index;
      this.effective[f] = Number.isNaN(answer[f]) ? baseline[f] : answer[f];
      if (isSame(factual[f], answer[f])) continue;
      changes++;
      const fault = ruleFault(rule, baseline[f], answer[f], Number.isNaN(factual[f]));
      if (fault) return `${rule.feature.name} ${fault}`;
    }
    if (changes > this.policy.maxChanges) return `${changes} features change`;
    const broken = this.policy.constraints.find((constraint) => !holds(constraint, this.effective));
    return broken ? `breaks "${broken.text}"` : undefined;
  }
}

/** `missing`: the present value is imputed, so steps have no start. */
function ruleFault(rule: FeatureRule, from: number, to: number, missing: boolean): string | undefined {
  const { feature } = rule;
  if (!Number.isFinite(to)) return 'is not a finite number';
  if (Math.abs(to) > LARGEST) return 'is too large';
  if (rule.never) return 'must not change';
  const category = feature.kind === 'choice' || feature.kind === 'ordinal' || feature.kind === 'boolean';
  if (category && (!Number.isInteger(to) || to < 0 || to > feature.max)) return 'is no category';
  if (rule.allowed && rule.allowed[to] !== 1) return 'is not allowed';
  return feature.kind === 'choice' ? undefined : numberFault(rule, from, to, missing);
}

/** Uses the arithmetic of the value kernel, without a tolerance: a value is allowed or not. */
function numberFault(rule: FeatureRule, from: number, to: number, missing: boolean): string | undefined {
  const { decimals, kind } = rule.feature;
  if (to > from && !rule.mayIncrease) return 'may not increase';
  if (to < from && !rule.mayDecrease) return 'may not decrease';
  if (to > Math.max(from, rule.max) || to < Math.min(from, rule.min)) return 'leaves its bounds';
  if (to > decimalSum(from, rule.maxIncrease) || to < decimalSum(from, -rule.maxDecrease)) return 'changes too much';
  if (kind === 'integer' && !Number.isInteger(to)) return 'is not a whole number';
  if (rule.step > 0 && !missing) return isStep(from, rule.step, to) ? undefined : 'is off its step';
  return decimals < 0 || isDecimal(decimals, to) ? undefined : 'has too many decimals';
}
