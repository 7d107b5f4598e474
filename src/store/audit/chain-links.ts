/**
 * The links between the entries of a chain, in order, and the records that were taken out. The entry of a redaction names the places of these
 * records and comes behind them. A record that is missing without such an entry is a fault.
 */
import type { AuditRedactionHead, ChainEntryHead } from '../../documents/audit-document.js';
import { hasRecords, recordsIn } from './audit-entry.js';
import { contentOf, isRedacted } from './audit-record.js';

export interface ChainVerdict {
  readonly entries: number;
  /** Answers on record, with the redacted ones. */
  readonly records: number;
  readonly redacted: number;
  /** The digest of the last entry that was checked; empty without entries. */
  readonly head: string;
  /** Days whose entries were dropped. */
  readonly dropped: number;
  /** The entry before the first entry of a file that begins in the middle of the chain. */
  readonly behind?: PlaceOfEntry;
  /** The first fault, with its place; undefined: the chain holds. */
  readonly fault?: string;
  /** Whether the noted digest belongs to an entry; true without one. */
  readonly hasNoted: boolean;
}

export interface PlaceOfEntry {
  readonly number: number;
  readonly digest: string;
}

export class ChainLinks {
  entries = 0;
  records = 0;
  head: string | null | undefined;
  #number: number | undefined;
  #behind: PlaceOfEntry | undefined;
  #hasNoted: boolean;
  #redacted = 0;
  #isBehind = false;
  /** Redacted records that no entry has named yet, by place. */
  readonly #unnamed = new Map<string, string>();

  constructor(private readonly noted: string | undefined) {
    this.#hasNoted = noted === undefined;
  }

  /** The fault of an entry, in words. `lines`: its records. */
  add(head: ChainEntryHead, digest: string, lines: readonly string[]): string | undefined {
    const at = `entry ${head.number} of ${head.day}`;
    if (this.head !== undefined && head.previous !== this.head)
      return `${at}: names ${head.previous} as the entry before, and that entry has ${this.head}: one of the two was changed, or an entry between them is missing`;
    if (this.#number !== undefined && head.number !== this.#number + 1)
      return `${at}: follows ${this.#number ? `entry ${this.#number}` : 'no entry'}: entries are missing or in another order`;
    if ((head.number === 1) !== (head.previous === null))
      return `${at}: names ${head.previous ?? 'no entry'} as the entry before: only entry 1 is the first`;
    if (this.head === undefined && head.previous !== null)
      this.#behind = { number: head.number - 1, digest: head.previous };
    if (hasRecords(head) && (lines.length !== head.records || contentOf(lines) !== head.content))
      return `${at}: its ${lines.length} records are not the ${head.records} records of the entry`;
    if (hasRecords(head) && !this.#isBehind) this.#noteMissing(head.number, at, lines);
    if (!hasRecords(head)) this.#explain(head);
    if (!this.#isBehind) {
      this.entries++;
      this.records += recordsIn(head);
    }
    this.head = digest;
    this.#number = head.number;
    this.#hasNoted ||= digest === this.noted;
    return undefined;
  }

  #noteMissing(number: number, at: string, lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      if (!isRedacted(line)) continue;
      this.#redacted++;
      this.#unnamed.set(`${number} ${index}`, `${at}: record ${index}`);
    }
  }

  #explain({ redacted }: AuditRedactionHead): void {
    for (const { entry, index } of redacted) this.#unnamed.delete(`${entry} ${index}`);
  }

  /** Later entries are only checked, and may name records of the span. */
  endSpan(): void {
    this.#isBehind = true;
  }

  /** The next entry comes behind this entry. It was not read: a noted digest is not found here. Number 0: the chain begins. */
  skipTo({ number, digest }: PlaceOfEntry): void {
    this.head = digest || null;
    this.#number = number;
  }

  /** The fault of records that were taken out without an entry about it. `where`: the text that follows. */
  unnamedFault(where: string): string | undefined {
    const [first] = this.#unnamed.values();
    if (first === undefined) return undefined;
    const others = this.#unnamed.size > 1 ? `, and ${this.#unnamed.size - 1} more` : '';
    return `${first}${others}: was redacted, and no later entry ${where} names the redaction`;
  }

  verdict(dropped: number, fault?: string): ChainVerdict {
    const { entries, records, head } = this;
    const common = { entries, records, redacted: this.#redacted, head: head ?? '', dropped };
    const behind = this.#behind && { behind: this.#behind };
    return { ...common, ...behind, hasNoted: this.#hasNoted, ...(fault && { fault }) };
  }
}
