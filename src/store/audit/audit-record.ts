/**
 * Results as records of the audit, without the values of the person: a digest of the input, the decision, the new values of an answer, its
 * proof. The records of a job are lines of text. The digest of a line is a leaf. The digest of all leaves is the content of the entry: one
 * line can be proved with the leaves of the others, without their lines.
 */
import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AuditedAnswer } from '../../documents/audit-document.js';
import { inputDigest } from '../../documents/digest.js';
import type { CounterfactualDocument, ResultDocument } from '../../documents/result-document.js';
import { LARGEST_BLOCK } from '../codec/block.js';

/** The records of a job, ready for the store. */
export interface AuditBlock {
  /** Compressed lines. */
  readonly data: Uint8Array;
  readonly records: number;
  /** The digest of the leaves. */
  readonly content: string;
}

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
export const asDigest = (hash: Buffer): string => `sha256:${hash.toString('hex')}`;

/** The fastest quality: records are mostly digests, which no quality makes smaller. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

export class AuditRecords {
  readonly #lines: string[] = [];
  readonly #leaves = createHash('sha256');

  add(result: ResultDocument): void {
    const line = JSON.stringify(recordOf(result));
    this.#lines.push(line);
    this.#leaves.update(sha256(line));
  }

  finish(): AuditBlock {
    const data = packLines(this.#lines);
    return { data, records: this.#lines.length, content: asDigest(this.#leaves.digest()) };
  }
}

/** Throws on damaged data, and on bytes behind the compressed lines. */
export function unpackRecords(data: Uint8Array): string[] {
  const options = { maxOutputLength: LARGEST_BLOCK, info: true };
  const { buffer, engine } = brotliDecompressSync(data, options) as unknown as WithInfo;
  if (engine.bytesWritten !== data.length) throw new Error('bytes follow the compressed records');
  return buffer.toString('utf8').split('\n');
}

/** The reply of Node with the option `info`: `bytesWritten` is the number of bytes that were used. */
interface WithInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

export const packLines = (lines: readonly string[]): Uint8Array =>
  new Uint8Array(brotliCompressSync(lines.join('\n'), QUICK));

/** A record that was taken out: its digest stands in its place. Records of answers begin with their id. */
export const redactedLine = (leaf: string): string => `{"redacted":"${leaf}"}`;
const REDACTED = /^\{"redacted":"(sha256:[0-9a-f]{64})"\}$/;

export const isRedacted = (line: string): boolean => REDACTED.test(line);

/** The digest of a record. */
export const leafOf = (line: string): string => REDACTED.exec(line)?.[1] ?? asDigest(sha256(line));

/** The digest of leaves, given their lines. */
export function contentOf(lines: readonly string[]): string {
  const leaves = createHash('sha256');
  for (const line of lines) leaves.update(Buffer.from(leafOf(line).slice('sha256:'.length), 'hex'));
  return asDigest(leaves.digest());
}

export function recordOf(result: ResultDocument): AuditedAnswer {
  const { id, status, factual, target, counterfactuals, reason, attempts, degraded, limitedBy } = result;
  return {
    id,
    input: factual && inputDigest(factual.features, target),
    status,
    decision: factual && { prediction: factual.prediction, score: factual.score },
    answers: counterfactuals.map(answerOf),
    ...(reason && { reason: { code: reason.code, ...(reason.blocking && { blocking: reason.blocking }) } }),
    attempts: attempts.map(({ solver, outcome }) => ({ solver, outcome })),
    degraded,
    ...(limitedBy && { limitedBy }),
  };
}

function answerOf(answer: CounterfactualDocument): AuditedAnswer['answers'][number] {
  const { changes, prediction, score, cost, proof, solver, lever } = answer;
  const to: Record<string, CounterfactualDocument['changes'][number]['to']> = {};
  for (const change of changes) to[change.feature] = change.to;
  return { changes: to, prediction, score, cost, proof, solver, ...(lever !== undefined && { lever }) };
}
