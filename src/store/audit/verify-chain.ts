/**
 * Checks the chain of the audit, in Redis or in an export. A change of a record, a head, an order or a number is found: each entry names the
 * digest of the entry before and the digest of its own records. The end of the chain is compared with a digest that was noted elsewhere:
 * a chain that was written anew as a whole is consistent in itself.
 */
import type { AuditDocument, AuditHead } from '../../documents/audit-document.js';
import { headDigest, readEntry } from './audit-entry.js';
import { asDigest, contentOf, sha256, unpackRecords } from './audit-record.js';
import type { AuditStore, DayAnchor } from './audit-store.js';

export interface ChainVerdict {
  readonly entries: number;
  readonly records: number;
  /** The digest of the last entry that was checked; empty without entries. */
  readonly head: string;
  /** Days whose entries were dropped. */
  readonly dropped: number;
  /** The first fault, with its place; undefined: the chain holds. */
  readonly fault?: string;
  /** Whether the noted digest belongs to an entry; true without one. */
  readonly hasNoted: boolean;
}

/** The links between entries, in order. */
class ChainLinks {
  entries = 0;
  records = 0;
  head: string | null | undefined;
  #number: number | undefined;
  #hasNoted: boolean;

  constructor(private readonly noted: string | undefined) {
    this.#hasNoted = noted === undefined;
  }

  /** The fault of an entry, in words. */
  add(head: AuditHead, digest: string, leaves: { content: string; count: number }): string | undefined {
    const at = `entry ${head.number} of ${head.day}`;
    if (this.head !== undefined && head.previous !== this.head)
      return `${at}: names ${head.previous} as the entry before, and that entry has ${this.head}: one of the two was changed, or an entry between them is missing`;
    if (this.#number !== undefined && head.number !== this.#number + 1)
      return `${at}: follows entry ${this.#number}: entries are missing or in another order`;
    if (leaves.count !== head.records || leaves.content !== head.content)
      return `${at}: its ${leaves.count} records are not the ${head.records} records of the entry`;
    this.entries++;
    this.records += head.records;
    this.head = digest;
    this.#number = head.number;
    this.#hasNoted ||= digest === this.noted;
    return undefined;
  }

  /** Days without entries: the chain continues behind their last digest. */
  skipTo(digest: string): void {
    this.head = digest;
    this.#number = undefined;
    this.#hasNoted ||= digest === this.noted;
  }

  verdict(dropped: number, fault?: string): ChainVerdict {
    const { entries, records, head } = this;
    return { entries, records, head: head ?? '', dropped, hasNoted: this.#hasNoted, ...(fault && { fault }) };
  }
}

/** `noted`: a digest of an entry that was noted elsewhere. */
export async function verifyStored(audit: AuditStore, noted?: string): Promise<ChainVerdict> {
  const links = new ChainLinks(noted);
  const last = await audit.head();
  const days = await audit.days();
  let dropped = 0;
  for (const anchor of days) {
    if (links.head !== undefined && anchor.previous !== links.head)
      return links.verdict(
        dropped,
        `${anchor.day}: the day is linked to ${anchor.previous}, and the day before ends with ${links.head}`,
      );
    if (!anchor.isStored) {
      if (links.entries > 0) return links.verdict(dropped, `${anchor.day}: the entries of the day are missing`);
      dropped++;
      links.skipTo(anchor.digest);
      continue;
    }
    const fault = await dayFault(audit, anchor, links);
    if (fault) return links.verdict(dropped, fault);
  }
  const isEnd = (links.head ?? '') === last.digest || (await hasGrown(audit, last.digest));
  return links.verdict(
    dropped,
    isEnd ? undefined : `the last entry is ${links.head}, and the chain ends with ${last.digest}`,
  );
}

/** Entries that were added meanwhile are no fault. */
async function hasGrown(audit: AuditStore, before: string): Promise<boolean> {
  return (await audit.head()).digest !== before;
}

async function dayFault(audit: AuditStore, anchor: DayAnchor, links: ChainLinks): Promise<string | undefined> {
  const { day, entries, records, digest } = anchor;
  links.head ??= anchor.previous || null;
  const before = { entries: links.entries, records: links.records };
  let index = 0;
  for await (const bytes of audit.entries(day)) {
    if (index === entries) break; // entries that were added meanwhile
    index++;
    const fault = entryFault(bytes, links, day, index);
    if (fault) return fault;
  }
  const found = { entries: links.entries - before.entries, records: links.records - before.records };
  if (links.head !== digest)
    return `entry ${index} of the day ${day}: has ${links.head}, and the day ends with ${digest}`;
  const isWhole = found.entries === entries && found.records === records;
  return isWhole
    ? undefined
    : `${day}: has ${found.entries} entries with ${found.records} records, and should have ${entries} with ${records}`;
}

function entryFault(bytes: Buffer, links: ChainLinks, day: string, index: number): string | undefined {
  try {
    const { head, digest, data } = readEntry(bytes);
    if (head.day !== day) return `entry ${index} of the day ${day}: is of ${head.day}`;
    const lines = unpackRecords(data);
    return links.add(head, digest, { content: contentOf(lines), count: lines.length });
  } catch {
    return `entry ${index} of the day ${day}: cannot be read`;
  }
}

/** The lines of an export, which may begin and end anywhere between two entries. */
export async function verifyExport(lines: AsyncIterable<string>, noted?: string): Promise<ChainVerdict> {
  const links = new ChainLinks(noted);
  let open: OpenEntry | undefined;
  let number = 0;
  for await (const line of lines) {
    number++;
    const at = `line ${number}`;
    const read = readLine(line);
    if (typeof read === 'string') return links.verdict(0, `${at}: ${read}`);
    if (open && open.digest !== read.entry) {
      const fault = open.close(links);
      if (fault) return links.verdict(0, fault);
      open = undefined;
    }
    open ??= new OpenEntry(read);
    const fault = open.add(read);
    if (fault) return links.verdict(0, `${at}, "${read.record.id}": ${fault}`);
  }
  return links.verdict(0, open?.close(links));
}

type ReadLine = AuditDocument & { readonly headText: string; readonly recordText: string };

/** A text is the fault of the line. */
function readLine(line: string): ReadLine | string {
  let document: AuditDocument;
  try {
    document = JSON.parse(line) as AuditDocument;
  } catch {
    return 'is no JSON';
  }
  if (document?.schema !== 'elsewise.audit/v1') return 'is no record of an audit';
  const { entry, index, leaf, record, ...head } = document;
  const [headText, recordText] = [head, record].map((part) => JSON.stringify(part) ?? '');
  const written = `${headText.slice(0, -1)},"entry":"${entry}","index":${index},"leaf":"${leaf}","record":${recordText}}`;
  return written === line ? { ...document, headText, recordText } : 'is not written as an export writes it';
}

/** The lines of one entry, as they come. */
class OpenEntry {
  readonly digest: string;
  readonly #head: AuditHead;
  readonly #headText: string;
  readonly #lines: string[] = [];

  constructor({ entry, headText }: ReadLine) {
    this.digest = entry;
    this.#headText = headText;
    this.#head = JSON.parse(headText) as AuditHead;
  }

  add({ index, leaf, headText, recordText }: ReadLine): string | undefined {
    if (headDigest(headText) !== this.digest) return 'the head of the record does not have the digest of its entry';
    if (headText !== this.#headText) return 'the head differs within its entry';
    if (index !== this.#lines.length)
      return `is record ${index} of its entry, and record ${this.#lines.length} is missing`;
    if (asDigest(sha256(recordText)) !== leaf) return 'the record does not have its digest';
    this.#lines.push(recordText);
    return undefined;
  }

  close(links: ChainLinks): string | undefined {
    return links.add(this.#head, this.digest, { content: contentOf(this.#lines), count: this.#lines.length });
  }
}
