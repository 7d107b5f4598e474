/**
 * Takes the records of a row out of the chain. A record is replaced by its leaf: the digests of its entry and of the chain stay. First an
 * entry is appended that names the places. A record without such an entry was redacted by somebody else, and verify-chain.ts tells so.
 */
import type { AuditRedactionHead } from '../../documents/audit-document.js';
import { digestOfText } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import { readEntry, writeStored } from './audit-entry.js';
import { leafOf, packLines, redactedLine, unpackRecords } from './audit-record.js';
import type { AuditStore } from './audit-store.js';

export interface Redactor extends Pick<AuditRedactionHead, 'software' | 'by'> {
  /** The records stay, and only the removal of the other data is recorded. */
  readonly keepsRecords: boolean;
}

export interface Redaction {
  readonly records: number;
  /** The digest of the entry that records the redaction. */
  readonly entry: string;
}

interface Place {
  readonly day: string;
  /** The place of the entry in its day. */
  readonly at: number;
  readonly number: number;
  readonly indices: readonly number[];
}

export async function redactRecords(audit: AuditStore, id: string, redactor: Redactor): Promise<Redaction> {
  const { software, by, keepsRecords } = redactor;
  const places = keepsRecords ? [] : await findRecords(audit, id);
  const redacted = places.flatMap(({ number, indices }) => indices.map((index) => ({ entry: number, index })));
  const entry = await audit.appendRedaction({ software, by, subject: digestOfText(id), redacted });
  for (const place of places) await redactEntry(audit, place, id);
  return { records: redacted.length, entry };
}

/** The beginning of the record of a row. */
const beginningOf = (id: string): string => `{"id":${JSON.stringify(id)},`;

export async function findRecords(audit: AuditStore, id: string): Promise<Place[]> {
  const found: Place[] = [];
  const beginning = beginningOf(id);
  for (const { day, isStored } of await audit.days()) {
    if (!isStored) continue;
    let at = 0;
    for await (const bytes of audit.entries(day)) {
      const { head, data } = readOrThrow(bytes, day, at + 1);
      const lines = 'content' in head ? unpackRecords(data) : [];
      const indices = lines.flatMap((line, k) => (line.startsWith(beginning) ? [k] : []));
      if (indices.length) found.push({ day, at, number: head.number, indices });
      at++;
    }
  }
  return found;
}

function readOrThrow(bytes: Buffer, day: string, place: number) {
  try {
    return readEntry(bytes);
  } catch {
    const advice = 'the entry cannot be read: run `elsewise audit verify`';
    throw new ElsewiseError('damaged', advice, `audit of ${day}, entry ${place}`);
  }
}

/** Another process may redact another row of the same entry meanwhile. */
async function redactEntry(audit: AuditStore, { day, at }: Place, id: string): Promise<void> {
  for (;;) {
    const bytes = await audit.entryAt(day, at);
    if (!bytes) return; // the day was dropped
    const { headText, data } = readEntry(bytes);
    const lines = unpackRecords(data).map((line) =>
      line.startsWith(beginningOf(id)) ? redactedLine(leafOf(line)) : line,
    );
    if (await audit.replaceEntry(day, at, bytes, writeStored(headText, packLines(lines)))) return;
  }
}
