/**
 * Counts lines of results as the run counted them that wrote them. Only lines without an answer are parsed: they tell a reason. Of a line with
 * an answer a few numbers are read at their places: no text of the row has an unescaped quote, and no value of a feature is a list or an object.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { countReasons } from '../../report/reason-counts.js';
import { countFound, countTime, type Tally } from './tally.js';

/** The id stands before the status, and a quote within the id is escaped. */
const STATUS = '","status":"';
const ELAPSED = '"elapsedMs":';
const DEGRADED = '"degraded":';
const ANSWERS = '"counterfactuals":[';
/** The cost stands behind the list of changes. */
const COST = '],"cost":';
const PROOF = '"proof":{"kind":"';
/** The characters of the longest number: `-2.2250738585072014e-308`. */
const LONGEST_NUMBER = 24;
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
  countTime(tally, numberAt(line, line.lastIndexOf(ELAPSED) + ELAPSED.length));
  if (line.startsWith('true', line.lastIndexOf(DEGRADED) + DEGRADED.length)) tally.degraded++;
  if (status === 'found') countAnswer(tally, line);
  if (ANSWERED.has(status)) return;
  const { reason } = JSON.parse(line) as ResultDocument;
  if (reason) countReasons(tally.reasons, status, reason);
}

/** The first answer of a line, which is the cheapest. */
function countAnswer(tally: Tally, line: string): void {
  const at = line.indexOf(COST, line.indexOf(ANSWERS)) + COST.length;
  const kind = line.indexOf(PROOF, at) + PROOF.length;
  countFound(tally, { cost: numberAt(line, at), proof: line.slice(kind, line.indexOf('"', kind)) });
}

const numberAt = (line: string, at: number): number => Number.parseFloat(line.slice(at, at + LONGEST_NUMBER));
