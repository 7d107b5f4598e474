/**
 * Compares a receipt with the row of the person, and with model and policy: the model scores the row and each offer again, every entry of
 * the policy is checked, and the row is solved again for its status. A receipt has no values of the person. The row is therefore needed for
 * the scores.
 */
import { inputDigest } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import type { ReceiptDocument } from '../documents/receipt-document.js';
import type { CounterfactualDocument, ResultDocument } from '../documents/result-document.js';
import type { CheckedAnswer } from '../explain/checks/recheck.js';
import type { Plan } from '../explain/plan.js';

/** What was found to fit, in words. */
export const FITS = {
  row: 'the row is that of the receipt',
  origin: 'model and policy are those of the receipt',
  offers:
    'the decision and the scores are those of the model, every offer holds, and the status is not refuted by solving again',
} as const;

export type Features = Readonly<Record<string, RowValue>>;

export interface GivenRow {
  readonly features: Features;
  /** Omitted: the target of the receipt. */
  readonly target?: unknown;
}

/** The fault of the row as it is written; undefined: the row is that of the receipt. */
export function rowFault(
  receipt: ReceiptDocument,
  { features, target = receipt.target }: GivenRow,
): string | undefined {
  return inputDigest(features, target) === receipt.input ? undefined : 'the row has another digest than the receipt';
}

/** The faults of digests: another model or policy than that of the receipt. */
export function originFaults(receipt: ReceiptDocument, given: { model: string; policy: string }): string[] {
  return (['model', 'policy'] as const).flatMap((kind) => {
    const { name, digest } = receipt[kind];
    return digest === given[kind] ? [] : [`the receipt is of the ${kind} ${name} ${digest}, not ${given[kind]}`];
  });
}

/** The faults of a row and of the offers, by the model and the policy of a plan. */
export function offerFaults(receipt: ReceiptDocument, row: GivenRow, plan: Plan): string[] {
  try {
    const { factual, answers } = plan.recheck(claimOf(receipt, row));
    const target = row.target ?? receipt.target;
    const fault = rowFault(receipt, { features: factual!.features, target });
    if (fault) return [fault];
    const { prediction, score } = receipt.decision;
    const isSame = factual!.prediction === prediction && factual!.score === score;
    const decided = `the model decides ${factual!.prediction} with the score ${factual!.score}, and the receipt says ${prediction} with ${score}`;
    const ofOffers = answers.flatMap((answer, k) => offerFault(answer, receipt, k));
    return [
      ...(isSame ? [] : [decided]),
      ...ofOffers,
      ...statusFault(receipt, plan.explain({ ...row, id: receipt.id, target })),
    ];
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return [`the row cannot be scored: ${error.message}`];
  }
}

type Status = ReceiptDocument['status'];

/** The statuses that refute a status. A search that ended early may find an answer, or a proof, in its next run. */
const REFUTED_BY: Record<Status, readonly ResultDocument['status'][]> = {
  already: ['found', 'infeasible', 'not-found'],
  found: ['already', 'infeasible'],
  infeasible: ['already', 'found'],
  'not-found': ['already'],
};

function statusFault({ status }: ReceiptDocument, solved: ResultDocument): string[] {
  const isRefuted = REFUTED_BY[status].includes(solved.status);
  return isRefuted ? [`the receipt says ${status}, and solving the row again gives ${solved.status}`] : [];
}

function offerFault({ fault, written }: CheckedAnswer, { offers }: ReceiptDocument, k: number): string[] {
  if (fault) return [`offer ${k + 1} does not hold: ${fault}`];
  return (['prediction', 'score', 'cost'] as const)
    .filter((key) => written![key] !== offers[k][key])
    .map((key) => `offer ${k + 1}: the ${key} is ${written![key]}, and the receipt says ${offers[k][key]}`);
}

/** The receipt and the row as a result. A check reads only values of the row and of the answers. */
function claimOf({ id, target, offers }: ReceiptDocument, { features }: GivenRow): ResultDocument {
  const answers = offers.map(({ changes, lever }) => ({ features: { ...features, ...changes }, lever }));
  return {
    ...{ id, target, factual: { features } },
    counterfactuals: answers as unknown as CounterfactualDocument[],
  } as unknown as ResultDocument;
}
