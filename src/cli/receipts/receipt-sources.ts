/** Receipts and rows from files: lines of `receipts sign`, receipts alone, or letters. */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { recordOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { rowValue } from '../../documents/model-document.js';
import { parseDocument } from '../../documents/parse.js';
import { targetSchema } from '../../documents/policy-document.js';
import { signedReceiptSchema } from '../../documents/receipt-document.js';
import { refuseRepeatedKeys } from '../../documents/repeated-key.js';
import { openSource } from '../../jobs/rows/streams.js';
import type { GivenRow } from '../../receipts/check-offer.js';
import type { ReceiptWrapper } from '../../receipts/check-wrapper.js';
import { readJson } from '../documents.js';

/** A JSON object in base64url, and two more parts. */
const WITHIN_TEXT = /\beyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;

export interface FoundReceipt {
  readonly text: string;
  /** The place in the file, for people. */
  readonly place: string;
  /** The keys beside the receipt, in a line of `receipts sign`. */
  readonly wrapper?: ReceiptWrapper;
}

export async function readReceipts(path: string): Promise<FoundReceipt[]> {
  const { bytes } = await openSource(path);
  const text = (await buffer(bytes)).toString();
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.some(isProse)
    ? (text.match(WITHIN_TEXT) ?? []).map((receipt, k) => ({ text: receipt, place: `receipt ${k + 1}` }))
    : lines.flatMap((line, k) => onLine(line, path, k));
  if (found.length) return found;
  throw new ElsewiseError('bad-input', 'no receipt is in the file', path);
}

/** A line of a letter. */
const isProse = (line: string): boolean => /\s|^</.test(line) && !line.startsWith('{');

function onLine(line: string, path: string, k: number): FoundReceipt[] {
  const place = `line ${k + 1}`;
  if (!line.startsWith('{')) return line === '' ? [] : [{ text: line, place }];
  const root = `${path}, ${place}`;
  const { receipt: text, ...wrapper } = parseDocument(signedReceiptSchema, jsonOf(line, root), root);
  return [{ text, place, wrapper }];
}

/** The message of a parser may quote data of people. */
function jsonOf(text: string, place: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ElsewiseError('bad-input', 'this is no JSON: is the line whole?', place);
  }
  refuseRepeatedKeys(text, 'bad-input', place);
  return value;
}

const rowSchema = z.object({ features: recordOf(rowValue), target: targetSchema.optional() });

/** A row as an event has it, or its values alone. */
export async function readGivenRow(path: string): Promise<GivenRow> {
  const given = await readJson(path);
  const isFlat = typeof given === 'object' && given !== null && !('features' in given);
  return parseDocument(rowSchema, isFlat ? flatRow(given) : given, 'row');
}

function flatRow(given: object): object {
  const { id: _, target, ...features } = given as Record<string, unknown>;
  return { features, ...(target !== undefined && { target }) };
}
