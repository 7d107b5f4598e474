/**
 * The entries of the chain. An entry is the head of a job as JSON, a line end, and the compressed records of its answers. The digest of an
 * entry is the digest of its head. The head names the digest of the entry before and the digest of its own records.
 *
 * In an export each answer is a line: the head, the digest of the entry, the place and the leaf of the answer, the record.
 */
import { type AuditHead, type ChainEntryHead, chainHeadSchema } from '../../documents/audit-document.js';
import { type AuditBlock, asDigest, isRedacted, leafOf, sha256, unpackRecords } from './audit-record.js';

const LF = 0x0a;

export interface AuditEntry {
  readonly head: ChainEntryHead;
  /** The digest of the head, as it is stored. */
  readonly digest: string;
  readonly headText: string;
  /** The compressed records. */
  readonly data: Uint8Array;
}

/** The place of the entry of a job in the list of its day, from 0. */
export interface JobPlace {
  readonly job: string;
  readonly place: number;
}

/** The number of answers. The entry of a redaction has none. */
export const recordsIn = (head: ChainEntryHead): number => ('records' in head ? head.records : 0);

export const hasRecords = (head: ChainEntryHead): head is AuditHead => 'records' in head;

export function writeEntry(
  head: ChainEntryHead,
  { data }: Pick<AuditBlock, 'data'>,
): { bytes: Buffer; digest: string } {
  const text = JSON.stringify(head);
  return { bytes: writeStored(text, data), digest: headDigest(text) };
}

/** The head is stored as text: its digest is that of its bytes. */
export const writeStored = (headText: string, data: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${headText}\n`), data]);

export const headDigest = (headText: string): string => asDigest(sha256(headText));

/** Throws on damaged bytes. */
export function readEntry(bytes: Buffer): AuditEntry {
  const end = bytes.indexOf(LF);
  const headText = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
  const head = chainHeadSchema.parse(JSON.parse(headText));
  return { head, headText, digest: headDigest(headText), data: bytes.subarray(end + 1) };
}

/** The records of an entry as lines. Throws on damaged data. */
export function linesOf({ head, data }: AuditEntry): string[] {
  if (hasRecords(head)) return unpackRecords(data);
  if (data.length) throw new Error('an entry of a redaction has no records');
  return [];
}

/** The answers of an entry as lines of NDJSON, without line ends. The entry of a redaction is one line. */
export function* exportedLines(entry: AuditEntry): Generator<string> {
  const { head, headText, digest } = entry;
  const beginning = `${headText.slice(0, -1)},"entry":"${digest}"`;
  if (!hasRecords(head)) yield `${beginning}}`;
  for (const [index, record] of linesOf(entry).entries())
    yield `${beginning},"index":${index},"leaf":"${leafOf(record)}","record":${isRedacted(record) ? 'null' : record}}`;
}
