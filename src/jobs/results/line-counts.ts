/** Counts lines of results by their status. Only lines without an answer are parsed: they tell a reason. */
import type { ResultDocument } from '../../documents/result-document.js';
import { countReasons } from '../../report/reason-counts.js';
import type { Tally } from './tally.js';

/** The id stands before the status, and a quote within the id is escaped. */
const STATUS = '","status":"';
const ANSWERED: ReadonlySet<string> = new Set(['found', 'already']);

/** `lines`: whole lines of NDJSON. */
export function countLines(tally: Tally, lines: Buffer): void {
  for (const line of lines.toString().split('\n')) if (line !== '') countLine(tally, line);
}

function countLine(tally: Tally, line: string): void {
  const at = line.indexOf(STATUS) + STATUS.length;
  const status = line.slice(at, line.indexOf('"', at)) as ResultDocument['status'];
  tally.rows++;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  if (status === 'invalid') tally.invalid++;
  if (ANSWERED.has(status)) return;
  const { reason } = JSON.parse(line) as ResultDocument;
  if (reason) countReasons(tally.reasons, status, reason);
}
