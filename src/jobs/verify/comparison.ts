/**
 * Compares reported results with the results of the same rows solved again, in a thread.
 *
 *   same       the bytes are the same but for times
 *   unsolved   the result has no values of its row, and the rows come from the results: only the other keys were compared
 *   excused    the search of either result ended by time or was lost, and only keys of the search differ; the reported answer
 *              holds, and claims nothing that is not proved anew (claims.ts)
 *   differing  everything else
 *
 * The bytes of `same` prove the answer: the answer solved again was scored by the model and checked against the policy. A reported answer
 * that differs is checked by itself.
 */

import { ElsewiseError, type PlacedFault } from '../../documents/error.js';
import { documentFaults } from '../../documents/parse.js';
import { type ResultDocument, resultSchema } from '../../documents/result-document.js';
import { FOLLOWING } from '../../explain/checks/recheck.js';
import type { Plan } from '../../explain/plan.js';
import { SCORER_CODES } from '../../scoring/failure-codes.js';
import { excessClaims } from './claims.js';
import { type Difference, differencesOf } from './differences.js';

export const FINDINGS = ['same', 'unsolved', 'excused', 'differing'] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface Finding {
  readonly id: string;
  readonly kind: 'excused' | 'differing';
  /** The cause that excuses the difference. */
  readonly excuse?: string;
  /** `before` is reported, `after` is solved again. */
  readonly differences: readonly Difference[];
  /** Faults of the reported result by itself. */
  readonly faults: readonly string[];
}

export interface Comparison {
  readonly counts: Readonly<Record<FindingKind, number>>;
  readonly findings: readonly Finding[];
}

/** More differences of one result are not told. */
const MOST_DIFFERENCES = 5;

export interface CompareOptions {
  readonly isFromResults: boolean;
  /** Null: the model is scored elsewhere, and only the search can check answers. */
  readonly plan: () => Promise<Plan | null>;
}

/** Both lists have a line for each row. */
export async function compareLines(
  reported: readonly string[],
  solved: readonly string[],
  options: CompareOptions,
): Promise<Comparison> {
  const counts = { same: 0, unsolved: 0, excused: 0, differing: 0 };
  const findings: Finding[] = [];
  for (const [k, line] of solved.entries()) {
    const found = await compareLine(reported[k], line, options);
    if (typeof found === 'string') counts[found]++;
    else {
      counts[found.kind]++;
      findings.push(found);
    }
  }
  return { counts, findings };
}

async function compareLine(
  reported: string | undefined,
  solvedLine: string,
  { isFromResults, plan }: CompareOptions,
): Promise<'same' | 'unsolved' | Finding> {
  const solved = JSON.parse(solvedLine) as ResultDocument;
  const refuse = (fault: string): Finding => ({ id: solved.id, kind: 'differing', differences: [], faults: [fault] });
  if (reported === undefined) return refuse('the row has no result');
  const given = readReported(reported);
  if (!given) return refuse('the line is no JSON object');
  const isUnsolved = isFromResults && given.factual === null;
  const expected = isUnsolved ? withReasonOf(solved, given) : solved;
  alignTimes(expected, given);
  alignVersion(expected, given);
  const text = JSON.stringify(expected);
  if (text === reported) return isUnsolved ? 'unsolved' : 'same';
  const differences = differencesOf(given, expected, MOST_DIFFERENCES);
  const faults = differences.length ? faultsOf(given, expected, await plan()) : [spellingFault(reported, text)];
  return judge(given, expected, differences, faults);
}

function readReported(line: string): ResultDocument | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ResultDocument) : undefined;
  } catch {
    return undefined;
  }
}

/** The row is not known, and neither is the reason against it. */
function withReasonOf(solved: ResultDocument, { status, reason, degraded }: ResultDocument): ResultDocument {
  if (status === 'invalid') return { ...solved, reason };
  return status === 'not-found' ? { ...solved, status, reason, degraded } : solved;
}

/** Times belong to a run, not to an answer. */
function alignTimes(solved: ResultDocument, given: ResultDocument): void {
  if (isTime(given.elapsedMs)) solved.elapsedMs = given.elapsedMs;
  for (const [k, attempt] of solved.attempts.entries()) {
    const ms: unknown = given.attempts?.[k]?.ms;
    if (isTime(ms)) attempt.ms = ms;
  }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** The version is a name in a registry. A file has none: the digest identifies its model. */
function alignVersion({ model }: ResultDocument, given: ResultDocument): void {
  const version: unknown = given.model?.version;
  const isKnown = version === null || (Number.isSafeInteger(version) && (version as number) > 0);
  if (isKnown && (model.version === null || version === null)) model.version = version as number | null;
}

function judge(
  given: ResultDocument,
  solved: ResultDocument,
  differences: readonly Difference[],
  faults: readonly string[],
): Finding {
  const excuse = excuseOf(given) ?? excuseOf(solved);
  const known = given.factual === null && isLost(given) ? OF_LOST : OF_SEARCH;
  const isOfSearch = differences.every(({ path }) => known.test(path));
  if (excuse && isOfSearch && !faults.length)
    return { id: solved.id, kind: 'excused', excuse, differences, faults: [] };
  return { id: solved.id, kind: 'differing', differences, faults };
}

/** The keys that a search decides. The result of a lost row has neither values nor a target. */
const OF_SEARCH = /^(status|counterfactuals|reason|levers|targets|attempts|degraded|limitedBy)\b/;
const OF_LOST = /^(factual|decision|target|status|counterfactuals|reason|levers|targets|attempts|degraded|limitedBy)\b/;
const LOST: readonly string[] = ['overran', 'thread-lost', 'failed', ...SCORER_CODES];

/** The end of a search, in a result or in its record. */
export interface SearchEnd {
  readonly limitedBy?: ResultDocument['limitedBy'];
  readonly reason?: { readonly code: string };
}

/** The cause that makes another answer legitimate. */
export function excuseOf({ limitedBy, reason }: SearchEnd): string | undefined {
  if (limitedBy === 'time') return 'limited by time';
  return isLost({ reason }) ? `lost (${reason!.code})` : undefined;
}

const isLost = ({ reason }: Pick<SearchEnd, 'reason'>): boolean => LOST.includes(reason?.code ?? '');

/** The faults of a reported result: its schema, its scores, its policy, and claims that go beyond the other search. */
function faultsOf(given: ResultDocument, solved: ResultDocument, plan: Plan | null): string[] {
  const misfit = misfitOf(given);
  if (misfit) return [`${misfit.path}: ${misfit.message}`];
  if (isLost(given)) return lostFaults(given);
  try {
    const ofAnswers = plan && given.factual ? checkedFaults(given, plan) : [];
    const isWhole = excuseOf(solved) === undefined;
    return ofAnswers.length ? ofAnswers : excessClaims(given, solved, isWhole, plan);
  } catch (error) {
    if (error instanceof ElsewiseError) return [error.message];
    throw error;
  }
}

/** A lost row has nothing but its reason. */
function lostFaults({ status, counterfactuals, levers, targets, reason, reasons }: ResultDocument): string[] {
  const { blocking, minimal, relaxation } = reason!;
  const claims = [levers, targets, reasons, blocking, minimal, relaxation].some((claim) => claim !== undefined);
  const isEmpty = status === 'not-found' && counterfactuals.length === 0 && !claims;
  return isEmpty ? [] : [`the row was lost (${reason!.code}), and the result claims more`];
}

/** A key such as `__proto__` is a fault of this result alone: the other results are compared as well. */
function misfitOf(given: ResultDocument): PlacedFault | undefined {
  try {
    return documentFaults(resultSchema, given, '')[0];
  } catch (error) {
    if (error instanceof ElsewiseError) return { path: error.path, message: error.detail };
    throw error;
  }
}

function checkedFaults(given: ResultDocument, plan: Plan): string[] {
  const { factual, answers } = plan.recheck(given);
  const ofRow = describe(differencesOf(given.factual, factual, MOST_DIFFERENCES), 'factual');
  const ofAnswers = answers.flatMap(({ fault, written }, k) => {
    if (fault) return [`counterfactuals[${k}]: the answer does not hold: ${fault}`];
    const claimed = given.counterfactuals[k];
    const found = FOLLOWING.flatMap((key) =>
      describe(differencesOf(claimed[key], written![key], MOST_DIFFERENCES), `counterfactuals[${k}].${key}`),
    );
    return found.slice(0, MOST_DIFFERENCES);
  });
  return [...ofRow, ...ofAnswers];
}

const describe = (differences: readonly Difference[], place: string): string[] =>
  differences.map(
    ({ path, before, after }) =>
      `${place}${path && !path.startsWith('[') ? '.' : ''}${path} is ${before}, and the model and policy give ${after}`,
  );

/** The values are the same, the bytes are not: spaces, the order of keys, or the spelling of a number. */
function spellingFault(reported: string, solved: string): string {
  let at = 0;
  while (reported[at] === solved[at]) at++;
  const show = (text: string) => JSON.stringify(text.slice(at, at + 20));
  return `the same values in other bytes, from character ${at + 1}: ${show(reported)}, solved again ${show(solved)}`;
}
