/**
 * Checks the chain in an export, without Redis: a change of a record, a head, an order or a number is found with its line. An export may begin
 * and end anywhere between two entries. The verdict names the entry before its first entry.
 */
import type { AuditDocument, AuditHead, AuditLine, AuditRedactionHead } from '../../documents/audit-document.js';
import { ElsewiseError } from '../../documents/error.js';
import { headDigest } from './audit-entry.js';
import { leafOf, redactedLine } from './audit-record.js';
import { ChainLinks, type ChainVerdict } from './chain-links.js';

/** `noted`: a digest of an entry that was noted elsewhere. `name`: the name of the file, for messages. */
export async function verifyExport(
  lines: AsyncIterable<string>,
  noted?: string,
  name = 'the export',
): Promise<ChainVerdict> {
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
  if (number === 0) throw new ElsewiseError('bad-input', 'has no records: is this an output of `audit export`?', name);
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
