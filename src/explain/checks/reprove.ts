/**
 * Claims of a reported result that another search did not confirm, proved anew by themselves:
 *
 *   region       every point of the box is proved to be an answer, and `maximal` is what widening gives
 *   blocking     no answer exists under these entries of the policy; `minimal`: without each of them an answer exists
 *   relaxation   the changes are an answer under the policy without the entry, for this cost
 *
 * The bound of a relaxation is no part of the proof.
 */
import type { TargetDocument } from '../../documents/policy-document.js';
import type { Reason, RegionDocument, ResultDocument } from '../../documents/result-document.js';
import { readRecord, recordOf } from '../../models/read-row.js';
import { entriesOf } from '../../policy/entries.js';
import type { Budget } from '../../problems/budget.js';
import { relaxedPlan } from '../infeasible.js';
import type { Searcher } from '../search.js';

/** The claims to prove. A claim that is left out needs no proof. */
export interface Claims extends Pick<ResultDocument, 'id' | 'factual' | 'counterfactuals'> {
  readonly target: TargetDocument;
  /** By answer, in the order of the answers. */
  readonly regions: readonly (RegionDocument | undefined)[];
  readonly reason?: Reason;
}

/** A searcher with proofs of its own. */
export interface Prover extends Searcher {
  /** The fault of an answer to the person's row; empty: it holds for this cost. */
  faultAt(values: Float64Array, target: TargetDocument, cost: number): string;
  budget(): Budget;
}

type Features = NonNullable<ResultDocument['factual']>['features'];

const NOT_BLOCKING = 'the entries of `blocking` are not proved to block all answers';
const NOT_MINIMAL = 'not every entry of `blocking` is proved to be needed';

/** The person of the prover is that of the claims. */
export function reasonFaults(prover: Prover, reason: Reason, features: Features, target: TargetDocument): string[] {
  const blocking = reason.blocking && blockingFault(prover, reason.blocking, reason.minimal, target);
  const { relaxation } = reason;
  const isAnswer = typeof relaxation === 'object' && relaxation !== null;
  const relaxed = isAnswer && relaxationFault(prover, relaxation, features, target);
  return [...(blocking ? [`reason: ${blocking}`] : []), ...(relaxed ? [`reason.relaxation: ${relaxed}`] : [])];
}

function blockingFault(
  prover: Prover,
  blocking: readonly string[],
  minimal: Reason['minimal'],
  target: TargetDocument,
): string {
  const all = entriesOf(prover.policy.document);
  const factual = prover.person.factual.slice();
  const under = (kept: readonly string[]) =>
    relaxedPlan(prover, kept).searchFor(factual, target, prover.budget(), true);
  const isBlocked = (kept: readonly string[]): boolean => {
    const { answer, finished } = under(kept);
    return !answer && finished;
  };
  if (blocking.some((entry) => !all.includes(entry)) || !isBlocked(all) || !isBlocked(blocking)) return NOT_BLOCKING;
  const isNeeded = (entry: string) => under(blocking.filter((other) => other !== entry)).answer !== null;
  return minimal === true && !blocking.every(isNeeded) ? NOT_MINIMAL : '';
}

function relaxationFault(
  prover: Prover,
  { entry, changes, cost }: Exclude<Reason['relaxation'], string | null | undefined>,
  features: Features,
  target: TargetDocument,
): string {
  const { model, person, policy } = prover;
  const all = entriesOf(policy.document);
  if (!all.includes(entry)) return `the policy has no entry ${entry}`;
  const values = new Float64Array(model.space.features.length);
  const changed = Object.fromEntries(changes.map(({ feature, to }) => [feature, to]));
  readRecord(model, recordOf(model, { ...features, ...changed }), values);
  if (JSON.stringify(prover.changes(values)) !== JSON.stringify(changes)) return 'the changes do not begin at the row';
  const kept = all.filter((other) => other !== entry);
  const relaxed = relaxedPlan(prover, kept) as Prover;
  relaxed.person.factual.set(person.factual);
  return relaxed.faultAt(values, target, cost);
}
