/**
 * Whether a change of one feature alone reaches the target under the policy. The question goes through the whole pipeline, as the question of
 * a lever that has only this feature:
 *
 *   true           an answer, verified as every answer        false   proved that there is none
 *   undetermined   the budget ended first
 *
 * A policy under which nothing is proved to lead to the target permits no single change either, and an answer that changes only this feature
 * is itself the proof. Every question has a budget of its own, so that no question takes from the search for answers.
 */
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { ReasonCode } from '../../documents/result-document.js';
import { showValue } from '../../models/features.js';
import { isLevered } from '../../policy/levers.js';
import { ruleOf } from '../../policy/rules.js';
import type { Budget } from '../../problems/budget.js';
import type { Conclusion } from '../result.js';
import type { Searcher, TargetPlan } from '../search.js';
import type { ReasonDraft } from './reason-codes.js';

/** The share of the effort of a row for each question. */
const QUESTION_SHARE = 0.1;

/** `whole`: the budget of the row. */
export function showReasons(
  plan: Searcher,
  drafts: readonly ReasonDraft[],
  target: TargetPlan,
  conclusion: Conclusion,
  whole: Budget,
): ReasonCode[] {
  const { model, person } = plan;
  return drafts.map(({ feature: f, contribution, share }) => {
    const feature = model.space.features[f];
    const budget = () => whole.beside(QUESTION_SHARE);
    const alone = reachesAlone(plan, feature.name, target, conclusion, budget);
    return { feature: feature.name, value: showValue(feature, person.factual[f]), contribution, share, alone };
  });
}

function reachesAlone(
  plan: Searcher,
  name: string,
  target: TargetPlan,
  conclusion: Conclusion,
  budget: () => Budget,
): ReasonCode['alone'] {
  const { document } = plan.policy;
  if (ruleOf(document, name).change === 'never' || !isLevered(document, name)) return false;
  if (conclusion.status === 'infeasible') return false;
  if (conclusion.answers.some(({ settled: { values } }) => changesOnly(plan, name, values))) return true;
  const { answer, finished } = searcherOf(plan, name).searchFor(plan.person.factual, target.shown, budget(), true);
  if (answer) return true;
  return finished ? false : 'undetermined';
}

function changesOnly(plan: Searcher, name: string, values: Float64Array): boolean {
  const changes = plan.changes(values);
  return changes.length === 1 && changes[0].feature === name;
}

const searcherOf = (plan: Searcher, name: string): Searcher =>
  plan.parts.take(
    `alone ${name}`,
    () => plan.under(onlyThis(plan.policy.document, name)),
    (searcher) => searcher.ownBytes,
  );

/** Each question brings its own target. */
const onlyThis = (policy: PolicyDocument, name: string): PolicyDocument => ({
  ...policy,
  levers: { [name]: [name] },
  target: undefined,
  path: undefined,
  reasons: undefined,
  region: false,
  count: 1,
});
