/**
 * A reported result checked by itself, without a search: the model scores the row and each answer, and every policy entry is checked against
 * the row. The rest of an answer follows from its values: prediction, score, changes, cost, distances. The rest is written anew.
 */
import type { TargetDocument } from '../../documents/policy-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../documents/result-document.js';
import type { LoadedModel } from '../../models/load.js';
import { readRecord, recordOf } from '../../models/read-row.js';
import type { ResultWriter } from '../result.js';
import type { Person, TargetPlan } from '../search.js';
import type { Verifier } from '../verify.js';

/** The parts of a plan that a check needs. */
export interface Checker {
  readonly model: LoadedModel;
  readonly person: Person;
  readonly verifier: Verifier;
  readonly writer: ResultWriter;
  /** The verifier of the policy under which the answers of a lever are searched. */
  verifierOf(lever: string | undefined): Verifier;
  /** The target of an answer of a ladder of targets. */
  targetOf(target: TargetDocument): TargetPlan;
}

export interface Recheck {
  /** The row as the model scores it. */
  readonly factual: ResultDocument['factual'];
  readonly answers: readonly CheckedAnswer[];
}

export interface CheckedAnswer {
  /** The fault by which the answer fails; empty: the answer holds. */
  readonly fault: string;
  /** The parts that follow from the values of the answer; undefined where it fails. */
  readonly written?: Pick<CounterfactualDocument, (typeof FOLLOWING)[number]>;
}

/** The keys of an answer that its values decide. */
export const FOLLOWING = [
  'features',
  'prediction',
  'score',
  'band',
  'changes',
  'cost',
  'distances',
  'plausibility',
] as const;

/** The result must have values of its row. Throws an `ElsewiseError` if the values are invalid. */
export function recheckResult(
  checker: Checker,
  { id, factual, counterfactuals }: Pick<ResultDocument, 'id' | 'factual' | 'counterfactuals'>,
  target: TargetPlan,
): Recheck {
  const { model, person, verifier, writer } = checker;
  readRecord(model, recordOf(model, factual!.features), person.factual);
  verifier.baselineOf(person.factual, person.baseline);
  verifier.scorer.runValues(person.factual);
  writer.begin(id, target, person, 'full');
  const { factual: scored } = writer.already(0);
  return { factual: scored, answers: counterfactuals.map((claimed) => checkAnswer(checker, claimed, target)) };
}

function checkAnswer(checker: Checker, claimed: CounterfactualDocument, target: TargetPlan): CheckedAnswer {
  const { model, person, writer } = checker;
  const values = new Float64Array(model.space.features.length);
  readRecord(model, recordOf(model, claimed.features), values);
  const rung = claimed.target === undefined ? undefined : checker.targetOf(claimed.target);
  const { fault, cost } = checker
    .verifierOf(claimed.lever)
    .check(person.factual, person.baseline, values, rung ?? target);
  return fault ? { fault } : { fault: '', written: writer.answer(values, cost, rung) };
}
