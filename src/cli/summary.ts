/** The summary of a run, as a table. */
import type { BulkReport } from '../jobs/bulk/bulk.js';
import { quantile, type Tally } from '../jobs/results/tally.js';
import { formatNumber, formatPercent, formatSeconds, formatShort } from '../report/numbers.js';
import { formatTable } from './table.js';

const STATUSES = ['found', 'already', 'infeasible', 'not-found', 'invalid'];

export function describeRun(report: BulkReport): string {
  return `${headline(report)}\n${describeTally(report.tally)}\n`;
}

function headline({ tally, resumedRows, interrupted, elapsedMs }: BulkReport): string {
  const done = `${formatNumber(tally.rows)} rows in ${formatSeconds(elapsedMs)}`;
  const speed = tally.rows > 0 ? ` (${formatNumber(Math.round((1000 * tally.rows) / elapsedMs))} rows/s)` : '';
  const before = resumedRows > 0 ? `, after ${formatNumber(resumedRows)} that were done before` : '';
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
  const cost = quantile(tally.costs, 0.5);
  return [
    cost === undefined ? '' : `  cost: median ${formatShort(cost)}`,
    describeTimes(tally),
    tally.degraded === 0
      ? ''
      : `  degraded: ${formatNumber(tally.degraded)} rows, answered or given up without the best solver`,
  ];
}

export function describeTimes({ elapsedMs }: Tally): string {
  if (elapsedMs.count === 0) return '';
  const [median, high] = [0.5, 0.99].map((q) => formatShort(quantile(elapsedMs, q)!));
  return `  time per row: median ${median} ms, 99 % within ${high} ms`;
}
