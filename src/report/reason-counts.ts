/**
 * The reasons of rows without an answer, counted by kind. Rows whose reasons differ only in the values of the row are of one kind:
 *
 *   invalid      the field and the kind of its fault. A row counts for each of its faults.
 *   infeasible   the entries of the policy that block
 *   not-found    the code
 *
 * The memory does not grow with the rows.
 */
import { nameSome } from '../documents/nearest-name.js';
import type { Reason, ResultDocument } from '../documents/result-document.js';
import { faultsInWords, type RowFault } from '../documents/row-error.js';

export interface ReasonCount {
  rows: number;
  /** The reason of the first row of this kind. */
  readonly words: string;
}

/** By status and kind, as in `invalid features.age: expected a finite number`. */
export type ReasonCounts = Map<string, ReasonCount>;

type Status = ResultDocument['status'];

/** More kinds of a run are counted together. */
const MOST_KINDS = 1000;
const OTHERS = 'other reasons';

export function countReasons(counts: ReasonCounts, status: Status, reason: Reason): void {
  const { code, path = '', message, blocking = [] } = reason;
  if (status === 'invalid') countFaults(counts, reason.faults ?? [{ path, message }]);
  else if (blocking.length) add(counts, status, blocking.join(','), `blocked by ${nameSome(blocking)}`);
  else add(counts, status, code, message);
}

export function countFaults(counts: ReasonCounts, faults: readonly RowFault[]): void {
  for (const fault of faults) add(counts, 'invalid', `${fault.path}: ${kindOf(fault.message)}`, faultsInWords([fault]));
}

export function addReasons(total: ReasonCounts, part: ReasonCounts): void {
  for (const [key, { rows, words }] of part) increase(total, key, words, rows);
}

/** The kinds of one status, most rows first. */
export function commonestReasons(counts: ReasonCounts, status: Status): ReasonCount[] {
  const ofStatus = [...counts].filter(([key]) => key.startsWith(`${status} `)).map(([, count]) => count);
  return ofStatus.sort((a, b) => b.rows - a.rows);
}

const add = (counts: ReasonCounts, status: Status, kind: string, words: string): void =>
  increase(counts, `${status} ${kind}`, words, 1);

function increase(counts: ReasonCounts, key: string, words: string, rows: number): void {
  const known = counts.get(key);
  if (known) known.rows += rows;
  else if (counts.size < MOST_KINDS) counts.set(key, { rows, words });
  else increaseOthers(counts, key.slice(0, key.indexOf(' ')), rows);
}

function increaseOthers(counts: ReasonCounts, status: string, rows: number): void {
  const others = counts.get(`${status} `) ?? { rows: 0, words: OTHERS };
  others.rows += rows;
  counts.set(`${status} `, others);
}

/** A message without the values of its row. */
function kindOf(message: string): string {
  return message
    .replace(/, (?:got|did you mean|known are) .*/s, '')
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '""')
    .replace(/\d+/g, '0');
}
