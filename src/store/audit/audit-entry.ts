/**
 * The entries of the chain. An entry is the head of a job as JSON, a line end, and the compressed records of its answers. The digest of an
 * entry is the digest of its head. The head names the digest of the entry before and the digest of its own records.
 *
 * In an export each answer is a line: the head, the digest of the entry, the place and the leaf of the answer, the record.
 */
import { type AuditHead, auditHeadSchema } from '../../documents/audit-document.js';
import { type AuditBlock, asDigest, sha256, unpackRecords } from './audit-record.js';

const LF = 0x0a;

export interface AuditEntry {
  readonly head: AuditHead;
  /** The digest of the head, as it is stored. */
  readonly digest: string;
  readonly headText: string;
  /** The compressed records. */
  readonly data: Uint8Array;
}

export function writeEntry(head: AuditHead, { data }: AuditBlock): { bytes: Buffer; digest: string } {
  const text = JSON.stringify(head);
  return { bytes: Buffer.concat([Buffer.from(`${text}\n`), data]), digest: headDigest(text) };
}

export const headDigest = (headText: string): string => asDigest(sha256(headText));

/** Throws on damaged bytes. */
export function readEntry(bytes: Buffer): AuditEntry {
  const end = bytes.indexOf(LF);
  const headText = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
  const head = auditHeadSchema.parse(JSON.parse(headText));
  return { head, headText, digest: headDigest(headText), data: bytes.subarray(end + 1) };
}

/** The answers of an entry as lines of NDJSON, without line ends. */
export function* exportedLines({ headText, digest, data }: AuditEntry): Generator<string> {
  for (const [index, record] of unpackRecords(data).entries()) {
    const leaf = asDigest(sha256(record));
    yield `${headText.slice(0, -1)},"entry":"${digest}","index":${index},"leaf":"${leaf}","record":${record}}`;
  }
}
