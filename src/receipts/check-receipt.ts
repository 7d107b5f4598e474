/**
 * Checks a receipt against public keys, without a network. The header of a receipt chooses only among the known keys: the algorithm is
 * fixed, and keys or addresses in the header are never used. Everything but the verdict is trusted only behind a good signature.
 */
import { compactVerify } from 'jose';
import { documentFaults } from '../documents/parse.js';
import { type ReceiptDocument, receiptSchema } from '../documents/receipt-document.js';
import { ALGORITHM, type KeySet } from './key-set.js';
import { lastDayOf, RECEIPT_TYPE } from './receipt-issuer.js';

export const RECEIPT_STATES = ['valid', 'expired', 'not yet valid', 'altered', 'key unknown', 'no receipt'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

export interface ReceiptVerdict {
  readonly state: ReceiptState;
  /** The reason, or the date. */
  readonly words: string;
  /** Present behind a good signature. */
  readonly receipt?: ReceiptDocument;
}

export interface CheckTerms {
  readonly now: Date;
  readonly maxBytes: number;
}

/** The clocks of two machines differ by less. */
const CLOCK_SKEW_S = 60;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)$/;

export async function checkReceipt(text: string, keys: KeySet, { now, maxBytes }: CheckTerms): Promise<ReceiptVerdict> {
  if (text.length > maxBytes) return no(`the text is longer than ${maxBytes} bytes (receipts.maxBytes)`);
  const parts = COMPACT.exec(text);
  if (!parts) return no('expected three parts of base64url with points between them: is the text whole?');
  const header = jsonOf(parts[1]);
  if (!isObject(header)) return no('the first part cannot be read');
  if (header.alg !== ALGORITHM) return altered(`the header names the algorithm ${shown(header.alg)}, not ${ALGORITHM}`);
  if (header.typ !== RECEIPT_TYPE) return no(`the header names the type ${shown(header.typ)}, not ${RECEIPT_TYPE}`);
  const key = typeof header.kid === 'string' ? keys.verifiers.get(header.kid) : undefined;
  if (!key) return { state: 'key unknown', words: `no known key is called ${shown(header.kid)}` };
  const isGood =
    isCanonical(parts[3]) && (await compactVerify(text, key, { algorithms: [ALGORITHM] }).catch(() => null));
  if (!isGood) return altered('the signature does not fit: the text was changed, or a part of it is missing');
  return datedVerdict(jsonOf(parts[2]), Math.floor(now.getTime() / 1000));
}

function datedVerdict(payload: unknown, now: number): ReceiptVerdict {
  const [fault] = documentFaults(receiptSchema, payload, 'receipt');
  if (fault) return no(`the key signed another document: ${fault.path}: ${fault.message}`);
  const receipt = payload as ReceiptDocument;
  const { iat, exp, validUntil } = receipt;
  if (lastDayOf(exp) !== validUntil) return { ...no('`exp` and `validUntil` are different days'), receipt };
  if (iat > now + CLOCK_SKEW_S)
    return { state: 'not yet valid', words: `issued at ${timeOf(iat)}, which is in the future`, receipt };
  if (now >= exp) return { state: 'expired', words: `since ${timeOf(exp)}`, receipt };
  return { state: 'valid', words: `until ${validUntil} (UTC)`, receipt };
}

const no = (words: string): ReceiptVerdict => ({ state: 'no receipt', words });
const altered = (words: string): ReceiptVerdict => ({ state: 'altered', words });

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Another spelling of the same signature is another text. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

const MOST_CHARACTERS = 80;
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, MOST_CHARACTERS);
