/** The records of the audit as lines of NDJSON, in the order of the chain. */
import { ElsewiseError } from '../../documents/error.js';
import { type AuditEntry, exportedLines, readEntry } from './audit-entry.js';
import type { AuditStore } from './audit-store.js';

export interface AuditRange {
  /** The first and the last day, as `2026-01-31`. Omitted: no bound. */
  readonly from?: string;
  readonly to?: string;
  /** Only entries behind this number. */
  readonly after?: number;
}

/** Throws `damaged` at an entry that cannot be read. Entries behind the last entry of a day are no part of the chain. */
export async function* auditEntries(
  audit: AuditStore,
  { from, to, after = 0 }: AuditRange,
): AsyncGenerator<AuditEntry> {
  for (const { day, isStored, entries } of await audit.days()) {
    if (!isStored || (from !== undefined && day < from) || (to !== undefined && day > to)) continue;
    let index = 0;
    for await (const bytes of audit.entries(day, await firstIndex(audit, day, entries, after), entries)) {
      index++;
      const entry = readOrThrow(bytes, day, index);
      if (entry.head.number > after) yield entry;
    }
  }
}

/** Numbers of a day are consecutive: the first entry tells where to begin. */
async function firstIndex(audit: AuditStore, day: string, entries: number, after: number): Promise<number> {
  if (after === 0) return 0;
  for await (const bytes of audit.entries(day))
    return Math.max(0, Math.min(entries, after + 1 - readOrThrow(bytes, day, 1).head.number));
  return 0;
}

function readOrThrow(bytes: Buffer, day: string, index: number): AuditEntry {
  try {
    return readEntry(bytes);
  } catch {
    throw new ElsewiseError(
      'damaged',
      'the entry cannot be read: run `elsewise audit verify`',
      `audit of ${day}, entry ${index}`,
    );
  }
}

/** The lines about the row of an id, newest first. */
export async function recordsOf(audit: AuditStore, id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const line of linesOf(audit, id, {})) found.push(line);
  return found.reverse();
}

/** The same in the order of the chain. */
export async function* linesOf(audit: AuditStore, id: string, range: AuditRange): AsyncGenerator<string> {
  const needle = `"record":{"id":${JSON.stringify(id)},`;
  for await (const entry of auditEntries(audit, range))
    for (const line of exportedLines(entry)) if (line.includes(needle)) yield line;
}
