/**
 * Claims of a reported result that go beyond the other search. A search that ended early may claim less than a complete search, and never more:
 *
 *   status         `not-found` in place of all others; `infeasible` is proved anew
 *   lower bounds   no higher than the bound of the other search, where that search ended by itself; never above the cost of its answer
 *   regions        proved anew, unless the other search has the same box
 *   reasons        `blocking` and `relaxation` are proved anew, and the words follow from them
 *   paths          only those of the other search, where that search ended by itself. So are reasons of levers and targets
 *
 * The answers themselves are checked by model and policy (comparison.ts).
 */
import type { CounterfactualDocument, Reason, ResultDocument } from '../../documents/result-document.js';
import type { Claims } from '../../explain/checks/reprove.js';
import { reasonInWords } from '../../explain/infeasible.js';
import type { Plan } from '../../explain/plan.js';
import { proofOf } from '../../explain/result.js';

/** `isWhole`: the other search ended by itself. `plan`: null where the model is scored elsewhere. */
export function excessClaims(given: ResultDocument, solved: ResultDocument, isWhole: boolean, plan: Plan | null) {
  return [
    ...statusFaults(given, solved, isWhole),
    ...given.counterfactuals.flatMap((_, k) => answerFaults(given, solved, k, isWhole)),
    ...partFaults(given, solved, isWhole),
    ...reasonFaults(given, solved),
    ...(plan || isWhole ? unprovedClaims(given, solved, plan) : []),
  ];
}

function statusFaults(given: ResultDocument, solved: ResultDocument, isWhole: boolean): string[] {
  const { status, counterfactuals } = given;
  if ((status === 'found') !== counterfactuals.length > 0)
    return [`the status is ${status}, and the result has ${counterfactuals.length} answers`];
  const [best] = solved.counterfactuals;
  if (status === 'infeasible' && best) return [`an answer of cost ${best.cost} exists`];
  const isOther = status !== solved.status && status !== 'not-found' && solved.status !== 'not-found';
  if (isOther) return [`the status is ${status}, and solving again gives ${solved.status}`];
  if (!isWhole || given.degraded || !solved.degraded) return [];
  return ['`degraded` is false, and the search ends before a proof'];
}

function answerFaults(given: ResultDocument, solved: ResultDocument, k: number, isWhole: boolean): string[] {
  const claimed = given.counterfactuals[k];
  const { cost, proof, path } = claimed;
  const at = `counterfactuals[${k}]`;
  const bound = proof.lowerBound ?? Number.NEGATIVE_INFINITY;
  const isOtherPath = isWhole && path && !solved.counterfactuals.some((other) => isSame(other.path, path));
  return [
    ...boundFault(given, solved, k, isWhole).map((fault) => `${at}.proof: ${fault}`),
    ...(isSame(proof, proofOf(cost, bound)) ? [] : [`${at}.proof: kind, bound and gap do not fit the cost`]),
    ...(isOtherPath ? [`${at}.path: the path is not that of the other search`] : []),
  ];
}

/** The share by which costs of one answer may differ. */
const SLACK = 1e-6;

/** Answers of a lever and a target have their own order. The first of them bounds all. */
function boundFault(given: ResultDocument, solved: ResultDocument, k: number, isWhole: boolean): string[] {
  const claimed = given.counterfactuals[k];
  const { lowerBound } = claimed.proof;
  if (lowerBound === null) return [];
  const [before, others] = [
    rivals(given.counterfactuals.slice(0, k), claimed),
    rivals(solved.counterfactuals, claimed),
  ];
  const place = before.length;
  const [best, other] = [others[0], others[place]];
  const isHigher = (limit: number) => lowerBound > limit + SLACK * Math.abs(limit);
  if (place === 0 && best && isHigher(best.cost))
    return [`the lower bound ${lowerBound} is wrong: an answer of cost ${best.cost} exists`];
  if (!isWhole || !isHigher(best?.proof.lowerBound ?? Number.NEGATIVE_INFINITY)) return [];
  const areBefore = before.every(({ features }, j) => isSame(features, others[j]?.features));
  if (areBefore && other && !isHigher(other.proof.lowerBound ?? Number.NEGATIVE_INFINITY)) return [];
  return [`the lower bound ${lowerBound} is not proved by solving again`];
}

const rivals = (answers: readonly CounterfactualDocument[], { lever, target }: CounterfactualDocument) =>
  answers.filter((other) => other.lever === lever && isSame(other.target, target));

/** A group of features or a target without an answer: proved by the other search, or not known. */
function partFaults(given: ResultDocument, solved: ResultDocument, isWhole: boolean): string[] {
  return (['levers', 'targets'] as const).flatMap((key) => {
    const [parts, others] = [given[key] ?? [], solved[key] ?? []];
    if (parts.length > others.length)
      return [`${key}: has ${parts.length} parts, and solving again gives ${others.length}`];
    return parts.flatMap(({ status, reason, ...name }, k) => {
      const { status: otherStatus, reason: otherReason, ...otherName } = others[k];
      const isLess = status === 'not-found' && !hasProof(reason);
      const isUnknown = !isWhole && otherStatus === 'not-found';
      const isConfirmed = isUnknown || (status === otherStatus && isSame(reason, otherReason));
      const isAnswered = status === 'found' && reason === undefined && hasAnswer(given, name);
      if (isSame(name, otherName) && (isLess || isConfirmed || isAnswered)) return [];
      return [`${key}[${k}]: is not what solving again gives`];
    });
  });
}

const hasAnswer = ({ counterfactuals }: ResultDocument, name: object): boolean =>
  counterfactuals.some(({ lever, target }) => isSame({ ...(lever === undefined ? { target } : { lever }) }, name));

const hasProof = (reason: Reason | undefined): boolean =>
  reason?.blocking !== undefined || reason?.minimal !== undefined || reason?.relaxation !== undefined;

function reasonFaults({ status, reason }: ResultDocument, solved: ResultDocument): string[] {
  const { reason: other, counterfactuals } = solved;
  if (isSame(reason, other) || reason === undefined) return [];
  const person = other?.plausibility?.person ?? counterfactuals[0]?.plausibility?.person;
  if (reason.plausibility && person !== undefined && reason.plausibility.person !== person)
    return [`reason.plausibility: the row has ${person}`];
  if (status !== 'infeasible') return hasProof(reason) ? [`reason: the status is ${status}, and needs no proof`] : [];
  if (!reason.blocking) return ['reason: is not what solving again gives'];
  return [...relaxationFaults(reason, other), ...wordFaults(reason, other)];
}

/** The bound of a relaxation holds for all single entries: only the other search proves it. */
function relaxationFaults({ relaxation }: Reason, other: Reason | undefined): string[] {
  const found = other?.relaxation;
  if (relaxation === undefined || relaxation === 'undetermined' || isSame(relaxation, found)) return [];
  if (relaxation === null) return ['reason.relaxation: solving again does not prove that no single entry helps'];
  const { cost, proof } = relaxation;
  const limit = typeof found === 'object' && found ? (found.proof.lowerBound ?? -1) : -1;
  const isKnown = proof.lowerBound === null || proof.lowerBound <= limit + SLACK * Math.abs(limit);
  const isWritten = isSame(proof, proofOf(cost, proof.lowerBound ?? Number.NEGATIVE_INFINITY));
  return isKnown && isWritten ? [] : ['reason.relaxation.proof: solving again does not prove the bound'];
}

/** The names of missing features are those of the other search. */
function wordFaults({ message, blocking, minimal, relaxation }: Reason, other: Reason | undefined): string[] {
  const words = blocking!.length
    ? reasonInWords(blocking!, minimal, relaxation ?? 'undetermined', [])
    : (other?.message ?? message);
  return words === message ? [] : ['reason.message: the words do not fit the entries'];
}

/** Regions and proofs that the other search does not have. */
function unprovedClaims(given: ResultDocument, solved: ResultDocument, plan: Plan | null): readonly string[] {
  const { id, factual, target, counterfactuals, reason } = given;
  const regions = counterfactuals.map(({ features, region, target: rung, lever }) => {
    const isKnown = solved.counterfactuals.some(
      (other) =>
        other.lever === lever &&
        isSame(other.region, region) &&
        isSame(other.features, features) &&
        isSame(other.target, rung),
    );
    return isKnown ? undefined : region;
  });
  const proved = reason && hasProof(reason) && !isSame(reason, solved.reason) ? reason : undefined;
  if (!proved && regions.every((region) => region === undefined)) return [];
  if (!plan || !factual || target === null) return ['a region or a reason cannot be proved here'];
  const claims: Claims = { id, factual, target, counterfactuals, regions, ...(proved && { reason: proved }) };
  return plan.reprove(claims);
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
