/** The summary of a run, as a table with the commonest reasons of rows without an answer. */
import type { BulkReport } from '../jobs/bulk/bulk.js';
import { quantile, type Tally } from '../jobs/results/tally.js';
import { formatCount, formatNumber, formatPercent, formatSeconds, formatShort } from '../report/numbers.js';
import { commonestReasons, type ReasonCounts } from '../report/reason-counts.js';
import { INTERRUPTED_EXIT_CODE } from './interrupt.js';
import { printable } from './printable.js';
import { formatTable } from './table.js';

const STATUSES = ['found', 'already', 'infeasible', 'not-found', 'invalid'];
const WITHOUT_ANSWER = ['invalid', 'infeasible', 'not-found'] as const;
/** The number of reasons that are told of a status, and the length of each. */
const MOST_REASONS = 3;
const REASON_LENGTH = 200;

export function describeRun(report: BulkReport): string {
  const { tally } = report;
  const lines = [headline(report), describeTally(tally), ...describeReasons(tally.reasons)];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

/** The commonest reasons of each status without an answer. */
export function describeReasons(reasons: ReasonCounts): string[] {
  return WITHOUT_ANSWER.flatMap((status) => {
    const all = commonestReasons(reasons, status);
    if (!all.length) return [];
    const others = all.length - MOST_REASONS;
    const rows = all.slice(0, MOST_REASONS).map(({ rows, words }) => ['', formatNumber(rows), shorten(words)]);
    const more = others > 0 ? [`    and ${formatCount(others, 'other reason')}`] : [];
    return [`  ${status}, the commonest reasons:`, formatTable(rows, ['left', 'right']), ...more];
  });
}

function shorten(words: string): string {
  const line = printable(words).replaceAll(/\s+/g, ' ');
  return line.length > REASON_LENGTH ? `${line.slice(0, REASON_LENGTH)}...` : line;
}

function headline({ tally, resumedRows, interrupted, elapsedMs }: BulkReport): string {
  const done = `${formatCount(tally.rows, 'row')} in ${formatSeconds(elapsedMs)}`;
  const speed = tally.rows > 0 ? ` (${formatNumber(Math.round((1000 * tally.rows) / elapsedMs))} rows/s)` : '';
  const before =
    resumedRows > 0
      ? `, after ${formatNumber(resumedRows)} that ${resumedRows === 1 ? 'was' : 'were'} done before`
      : '';
  return `${done}${speed}${before}${interrupted ? ', then interrupted: --resume goes on from here' : ''}`;
}

/** Known statuses in their order, then all others. */
function describeTally(tally: Tally): string {
  const others = [...tally.statuses.keys()].filter((status) => !STATUSES.includes(status));
  const counted = [...STATUSES, ...others].filter((status) => tally.statuses.has(status));
  const rows = counted.map((status) => {
    const count = tally.statuses.get(status)!;
    return [status, formatNumber(count), formatPercent(count, tally.rows), status === 'found' ? proofs(tally) : ''];
  });
  return [formatTable(rows, ['left', 'right', 'right']), ...details(tally)].filter((line) => line !== '').join('\n');
}

export function proofs({ proofs }: Tally): string {
  const kinds = { optimal: 'proved optimal', gap: 'with a known gap', heuristic: 'without proof' };
  const found = [...proofs.values()].reduce((sum, count) => sum + count, 0);
  return Object.entries(kinds)
    .filter(([kind]) => proofs.has(kind))
    .map(([kind, words]) => `${formatPercent(proofs.get(kind)!, found)} ${words}`)
    .join(', ');
}

function details(tally: Tally): string[] {
  const cost = medianCost(tally);
  return [
    cost === undefined ? '' : `  cost: median ${cost}`,
    describeTimes(tally),
    tally.degraded === 0
      ? ''
      : `  degraded: ${formatCount(tally.degraded, 'row')}, answered or given up without the best solver`,
  ];
}

/** The median of few costs is exact. Undefined: no row is found. */
export function medianCost({ costs }: Tally): string | undefined {
  const cost = quantile(costs, 0.5);
  if (cost === undefined) return undefined;
  return costs.few ? formatNumber(cost) : `about ${formatShort(cost)}`;
}

export function describeTimes({ elapsedMs }: Tally): string {
  if (elapsedMs.count === 0) return '';
  const [median, high] = [0.5, 0.99].map((q) => formatShort(quantile(elapsedMs, q)!));
  return `  time per row: median ${median} ms, 99 % within ${high} ms`;
}

const ALL_INVALID_EXIT_CODE = 4;

/** Writes the summary to standard error, and returns the exit code. A run of invalid rows tells its reasons even when it is quiet. */
export function tellRun(report: BulkReport, isQuiet: boolean): number {
  if (!isQuiet) process.stderr.write(describeRun(report));
  if (report.interrupted) return INTERRUPTED_EXIT_CODE;
  if (!isAllInvalid(report)) return 0;
  const lines = ['elsewise: every row is invalid', ...(isQuiet ? describeReasons(report.tally.reasons) : [])];
  process.stderr.write(`${lines.join('\n')}\n`);
  return ALL_INVALID_EXIT_CODE;
}

/** The rows of an earlier run were not looked at. */
const isAllInvalid = ({ tally, resumedRows }: BulkReport): boolean =>
  resumedRows === 0 && tally.rows > 0 && tally.invalid === tally.rows;
