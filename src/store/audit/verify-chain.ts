/**
 * Checks the chain of the audit, in Redis or in an export. A change of a record, a head, an order or a number is found: each entry names the
 * digest of the entry before and the digest of its own records. The end of the chain is compared with a digest that was noted elsewhere:
 * a chain that was written anew as a whole is consistent in itself.
 */
import type { AuditDocument, AuditHead, AuditLine, AuditRedactionHead } from '../../documents/audit-document.js';
import { headDigest, linesOf, readEntry } from './audit-entry.js';
import { leafOf, redactedLine } from './audit-record.js';
import type { AuditStore, DayAnchor } from './audit-store.js';
import { ChainLinks, type ChainVerdict } from './chain-links.js';

/** The days from `from` to `to`, as `2026-01-31`. Omitted: no bound. */
export interface ChainSpan {
  readonly from?: string;
  readonly to?: string;
}

/** A check under way: the day of the last entry, and the number of entries and records so far. */
export interface ChainStep {
  readonly day: string;
  readonly entries: number;
  readonly records: number;
}

/** `noted`: a digest of an entry that was noted elsewhere. */
export async function verifyStored(audit: AuditStore, noted?: string): Promise<ChainVerdict> {
  const steps = verifySteps(audit, {}, noted);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}

/** Yields after each entry. The links to the days before and after a span are checked as well. */
export async function* verifySteps(
  audit: AuditStore,
  span: ChainSpan,
  noted?: string,
): AsyncGenerator<ChainStep, ChainVerdict> {
  for (let time = 1; ; time++) {
    const before = await audit.head();
    const verdict = yield* verifyOnce(audit, span, noted);
    // A redaction that began meanwhile is named by an entry that was not read.
    if (verdict.fault === undefined || time === MOST_TIMES || !(await hasGrown(audit, before.digest))) return verdict;
  }
}

const MOST_TIMES = 3;

async function* verifyOnce(
  audit: AuditStore,
  { from = '', to = LAST_DAY }: ChainSpan,
  noted: string | undefined,
): AsyncGenerator<ChainStep, ChainVerdict> {
  const links = new ChainLinks(noted);
  const last = await audit.head();
  const days = await audit.days();
  let dropped = 0;
  for (const anchor of days.filter(({ day }) => day >= from && day <= to)) {
    if (isCutOff(anchor, links)) return links.verdict(dropped, notLinked(anchor, links));
    if (!anchor.isStored) {
      if (links.entries > 0) return links.verdict(dropped, missing(anchor));
      dropped++;
      links.skipTo(anchor.digest);
      continue;
    }
    const fault = yield* dayFault(audit, anchor, links);
    if (fault) return links.verdict(dropped, fault);
  }
  const later = days.filter(({ day }) => day > to);
  if (later.length) return yield* verifyEnd(audit, later, links, dropped);
  const isEmptySpan = links.head === undefined && days.length > 0;
  const isEnd = isEmptySpan || (links.head ?? '') === last.digest || (await hasGrown(audit, last.digest));
  const fault = isEnd ? undefined : `the last entry is ${links.head}, and the chain ends with ${last.digest}`;
  return links.verdict(dropped, fault ?? links.unnamedFault('of the chain'));
}

/**
 * The end of a span with later days. Records of the span may have been redacted later: the check goes on behind the span until entries name all of
 * these records. Numbers of the verdict are those of the span.
 */
async function* verifyEnd(
  audit: AuditStore,
  later: readonly DayAnchor[],
  links: ChainLinks,
  dropped: number,
): AsyncGenerator<ChainStep, ChainVerdict> {
  const verdict = links.verdict(dropped);
  const { entries, records } = verdict;
  const broken = (fault: string): ChainVerdict => ({ ...verdict, fault });
  if (isCutOff(later[0], links)) return broken(notLinked(later[0], links));
  links.endSpan();
  for (const anchor of later) {
    if (!links.unnamedFault('')) return verdict;
    if (isCutOff(anchor, links)) return broken(notLinked(anchor, links));
    if (!anchor.isStored) return broken(missing(anchor));
    const steps = dayFault(audit, anchor, links);
    for (let step = await steps.next(); ; step = await steps.next()) {
      if (step.done && step.value) return broken(step.value);
      if (step.done) break;
      yield { day: anchor.day, entries, records };
    }
  }
  const fault = links.unnamedFault('of the chain');
  return fault ? broken(fault) : verdict;
}

const LAST_DAY = '9999-12-31';

const isCutOff = ({ previous }: DayAnchor, links: ChainLinks): boolean =>
  links.head !== undefined && previous !== (links.head ?? '');

const missing = ({ day }: DayAnchor): string => `${day}: the entries of the day are missing`;

const notLinked = ({ day, previous }: DayAnchor, links: ChainLinks): string =>
  `${day}: the day is linked to ${previous}, and the day before ends with ${links.head}`;

/** Entries that were added meanwhile are no fault. */
async function hasGrown(audit: AuditStore, before: string): Promise<boolean> {
  return (await audit.head()).digest !== before;
}

async function* dayFault(
  audit: AuditStore,
  anchor: DayAnchor,
  links: ChainLinks,
): AsyncGenerator<ChainStep, string | undefined> {
  const { day, entries, records, digest } = anchor;
  links.head ??= anchor.previous || null;
  const before = { entries: links.entries, records: links.records };
  let index = 0;
  for await (const bytes of audit.entries(day)) {
    if (index === entries) break; // entries that were added meanwhile
    index++;
    const fault = entryFault(bytes, links, day, index);
    if (fault) return fault;
    yield { day, entries: links.entries, records: links.records };
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
    const entry = readEntry(bytes);
    const { head, digest } = entry;
    if (head.day !== day) return `entry ${index} of the day ${day}: is of ${head.day}`;
    return links.add(head, digest, linesOf(entry));
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
    if (!isRedaction(read)) open ??= new OpenEntry(read);
    const fault = isRedaction(read) ? addRedaction(links, read) : open!.add(read);
    if (fault) return links.verdict(0, `${at}${nameOf(read)}: ${fault}`);
  }
  return links.verdict(0, open?.close(links) ?? links.unnamedFault('of the file'));
}

type WithText<T> = T & { readonly headText: string };
type ReadAnswer = WithText<AuditDocument>;
type ReadRedaction = WithText<AuditRedactionHead & { readonly entry: string }>;
type ReadLine = ReadAnswer | ReadRedaction;

const isRedaction = (line: ReadLine): line is ReadRedaction => line.schema === 'elsewise.audit-redaction/v1';

const nameOf = (line: ReadLine): string => ('record' in line && line.record ? `, "${line.record.id}"` : '');

function addRedaction(links: ChainLinks, { headText, entry }: ReadRedaction): string | undefined {
  if (headDigest(headText) !== entry) return WRONG_HEAD;
  return links.add(JSON.parse(headText) as AuditRedactionHead, entry, []);
}

const WRONG_HEAD = 'the head of the record does not have the digest of its entry';

/** A text is the fault of the line. */
function readLine(line: string): ReadLine | string {
  let document: AuditLine;
  try {
    document = JSON.parse(line) as AuditLine;
  } catch {
    return 'is no JSON';
  }
  const isKnown = document?.schema === 'elsewise.audit/v1' || document?.schema === 'elsewise.audit-redaction/v1';
  if (!isKnown) return 'is no record of an audit';
  const [headText, written] =
    document.schema === 'elsewise.audit/v1' ? answerTexts(document) : redactionTexts(document);
  return written === line ? { ...document, headText } : 'is not written as an export writes it';
}

/** The head, and the line as an export writes it. */
function answerTexts({ entry, index, leaf, record, ...head }: AuditDocument): [head: string, line: string] {
  const headText = JSON.stringify(head);
  const end = `,"entry":"${entry}","index":${index},"leaf":"${leaf}","record":${JSON.stringify(record)}}`;
  return [headText, headText.slice(0, -1) + end];
}

function redactionTexts({ entry, ...head }: AuditLine & ReadRedactionKeys): [head: string, line: string] {
  const headText = JSON.stringify(head);
  return [headText, `${headText.slice(0, -1)},"entry":"${entry}"}`];
}

type ReadRedactionKeys = { readonly schema: 'elsewise.audit-redaction/v1' };

/** The lines of one entry, as they come. */
class OpenEntry {
  readonly digest: string;
  readonly #head: AuditHead;
  readonly #headText: string;
  readonly #lines: string[] = [];

  constructor({ entry, headText }: ReadAnswer) {
    this.digest = entry;
    this.#headText = headText;
    this.#head = JSON.parse(headText) as AuditHead;
  }

  add({ index, leaf, headText, record }: ReadAnswer): string | undefined {
    if (headDigest(headText) !== this.digest) return WRONG_HEAD;
    if (headText !== this.#headText) return 'the head differs within its entry';
    if (index !== this.#lines.length)
      return `is record ${index} of its entry, and record ${this.#lines.length} is missing`;
    const line = record === null ? redactedLine(leaf) : JSON.stringify(record);
    if (leafOf(line) !== leaf) return 'the record does not have its digest';
    this.#lines.push(line);
    return undefined;
  }

  close(links: ChainLinks): string | undefined {
    return links.add(this.#head, this.digest, this.#lines);
  }
}
