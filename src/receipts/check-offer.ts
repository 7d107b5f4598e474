/**
 * Compares a receipt with the row of the person, and with model and policy: the model scores the row and each offer again, every entry of
 * the policy is checked, and the row is solved again for the other claims (check-claims.ts). A receipt has no values of the person. The row
 * is therefore needed for the scores.
 */
import { inputDigest } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import type { ReceiptDocument } from '../documents/receipt-document.js';
import type { CounterfactualDocument, ResultDocument } from '../documents/result-document.js';
import type { CheckedAnswer } from '../explain/checks/recheck.js';
import type { Plan } from '../explain/plan.js';
import { claimFaults, repeats } from './check-claims.js';

/** What was found to fit, in words. */
export const FITS = {
  row: 'the row is that of the receipt',
  origin: 'model and policy are those of the receipt',
  offers: 'the decision and the scores are those of the model, and every offer holds',
  repeated: 'solving the row again gives the same status, offers and proofs',
  other:
    'solving the row again gives other offers or proofs, which do not refute the receipt: "elsewise verify" tells more',
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

interface Origin {
  readonly name: string;
  /** Null: a file has no version. */
  readonly version?: number | null;
  readonly digest: string;
}

/** The faults of names, versions and digests: another model or policy than that of the receipt. */
export function originFaults(receipt: ReceiptDocument, given: { model: Origin; policy: Origin }): string[] {
  return (['model', 'policy'] as const).flatMap((kind) => {
    const [signed, own]: [Origin, Origin] = [receipt[kind], given[kind]];
    if (signed.digest !== own.digest)
      return [`the receipt is of the ${kind} ${signed.name} ${signed.digest}, not ${own.digest}`];
    if (signed.name !== own.name) return [`the receipt calls the ${kind} "${signed.name}", not "${own.name}"`];
    const isOther = signed.version != null && own.version != null && signed.version !== own.version;
    return isOther ? [`the receipt is of version ${signed.version} of the ${kind}, not ${own.version}`] : [];
  });
}

export interface OfferCheck {
  /** The parts that fit, in words. */
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

const failing = (...faults: readonly string[]): OfferCheck => ({ notes: [], faults });

/** Checks the row and all claims about the row, by the model and the policy of a plan. */
export function checkOffers(receipt: ReceiptDocument, row: GivenRow, plan: Plan): OfferCheck {
  try {
    const { factual, answers } = plan.recheck(claimOf(receipt, row));
    const target = row.target ?? receipt.target;
    const fault = rowFault(receipt, { features: factual!.features, target });
    if (fault) return failing(fault);
    const solved = plan.explain({ ...row, id: receipt.id, target: plan.policy.document.targets ? undefined : target });
    const levers = Object.keys(plan.policy.document.levers ?? {});
    const faults = [
      ...decisionFaults(receipt, factual!),
      ...answers.flatMap((answer, k) => offerFault(answer, receipt, k)),
      ...claimFaults(receipt, solved, levers),
    ];
    if (faults.length) return failing(...faults);
    return { notes: [FITS.row, FITS.offers, repeats(receipt, solved) ? FITS.repeated : FITS.other], faults };
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return failing(`the row cannot be scored: ${error.message}`);
  }
}

function decisionFaults(
  { decision: { prediction, score } }: ReceiptDocument,
  factual: NonNullable<ResultDocument['factual']>,
): string[] {
  if (factual.prediction === prediction && factual.score === score) return [];
  const own = `the model decides ${factual.prediction} with the score ${factual.score}`;
  return [`${own}, and the receipt says ${prediction} with ${score}`];
}

function offerFault({ fault, written }: CheckedAnswer, { offers }: ReceiptDocument, k: number): string[] {
  if (fault) return [`offer ${k + 1} does not hold: ${fault}`];
  return (['prediction', 'score', 'cost'] as const)
    .filter((key) => written![key] !== offers[k][key])
    .map((key) => `offer ${k + 1}: the ${key} is ${written![key]}, and the receipt says ${offers[k][key]}`);
}

/** The receipt and the row as a result. A check reads only values of the row and of the answers. */
function claimOf({ id, target, offers }: ReceiptDocument, { features }: GivenRow): ResultDocument {
  const answers = offers.map(({ changes, lever, target: own }) => ({
    ...{ features: { ...features, ...changes }, lever, target: own },
  }));
  return {
    ...{ id, target, factual: { features } },
    counterfactuals: answers as unknown as CounterfactualDocument[],
  } as unknown as ResultDocument;
}
