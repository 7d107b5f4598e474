/**
 * Issues receipts: the decision and the offers of a result, signed with the first key. A receipt holds until the end of a day (UTC), as a
 * date in a letter does.
 */
import { CompactSign } from 'jose';
import type { Config } from '../config.js';
import { inputDigest } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import type { ReceiptDocument, SignedReceipt } from '../documents/receipt-document.js';
import type { CounterfactualDocument, ResultDocument } from '../documents/result-document.js';
import { ALGORITHM, type KeySet } from './key-set.js';

/** Keeps a signature of another purpose from being taken for a receipt (RFC 8725, 3.11). */
export const RECEIPT_TYPE = 'elsewise-receipt+jwt';

const DAY_S = 86_400;

export interface ReceiptTerms extends Pick<Config['receipts'], 'validDays' | 'issuer' | 'maxBytes'> {
  /** Name and version of the program. */
  readonly software: string;
}

/** Null: the row was not read, and nothing is known about the person. */
export function receiptOf(result: ResultDocument, terms: ReceiptTerms, now: Date): ReceiptDocument | null {
  const { id, status, model, policy, target, factual, counterfactuals } = result;
  if (status === 'invalid' || factual === null || target === null) return null;
  const issuedAt = Math.floor(now.getTime() / 1000);
  const lastDay = Math.floor(issuedAt / DAY_S) + terms.validDays;
  return {
    schema: 'elsewise.receipt/v1',
    ...(terms.issuer && { iss: terms.issuer }),
    iat: issuedAt,
    exp: (lastDay + 1) * DAY_S,
    validUntil: dayOf(lastDay),
    software: terms.software,
    id,
    input: inputDigest(factual.features, target),
    ...{ model, policy, target, status },
    decision: { prediction: factual.prediction, score: factual.score },
    offers: counterfactuals.map(offerOf),
  };
}

const dayOf = (days: number): string => new Date(days * DAY_S * 1000).toISOString().slice(0, 10);

/** The last day of a receipt with this end. */
export const lastDayOf = (exp: number): string => dayOf(Math.ceil(exp / DAY_S) - 1);

function offerOf(answer: CounterfactualDocument): ReceiptDocument['offers'][number] {
  const { changes, prediction, score, cost, proof, lever, target } = answer;
  const values = Object.fromEntries(changes.map(({ feature, to }) => [feature, to]));
  return {
    ...{ changes: values, prediction, score, cost, proof },
    ...(lever !== undefined && { lever }),
    ...(target !== undefined && { target }),
  };
}

export class ReceiptIssuer {
  readonly #keys: () => Promise<KeySet>;
  readonly #terms: ReceiptTerms;

  /** `keys`: asked for each receipt, because keys are rotated. */
  constructor(keys: () => Promise<KeySet>, terms: ReceiptTerms) {
    this.#keys = keys;
    this.#terms = terms;
  }

  async issue(result: ResultDocument, now: Date): Promise<SignedReceipt | null> {
    const receipt = receiptOf(result, this.#terms, now);
    return receipt && this.#sign(receipt);
  }

  async #sign(receipt: ReceiptDocument): Promise<SignedReceipt> {
    const { signer } = await this.#keys();
    if (!signer) throw noPrivateKey();
    const header = { alg: ALGORITHM, typ: RECEIPT_TYPE, kid: signer.kid };
    const payload = new TextEncoder().encode(JSON.stringify(receipt));
    const text = await new CompactSign(payload).setProtectedHeader(header).sign(signer.key);
    if (text.length > this.#terms.maxBytes)
      throw new ElsewiseError('too-large', `the receipt of "${receipt.id}" is longer than receipts.maxBytes allows`);
    return { schema: 'elsewise.signed-receipt/v1', id: receipt.id, validUntil: receipt.validUntil, receipt: text };
  }
}

const noPrivateKey = (): ElsewiseError =>
  new ElsewiseError(
    'usage',
    'the first key has no private part: receipts are signed with the file that `elsewise receipts keys` writes',
  );
