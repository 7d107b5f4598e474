/** `elsewise batch status ID`: the progress of a batch; on a terminal, until it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchState, type BatchSummary, summariseBatch } from '../../../jobs/batches/batch-summary.js';
import { formatClock, formatNumber, formatPercent, formatShort } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { wrap } from '../../demo-report.js';
import { interruptSignal } from '../../interrupt.js';
import { printable } from '../../printable.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';
import { fitLine } from '../../words/fit-line.js';
import { workerHint } from '../../words/worker-hint.js';

const REDRAW_EVERY_MS = 500;
const HINT_WIDTH = 120;
const IS_OVER: Readonly<Record<BatchState, boolean>> = {
  adding: false,
  working: false,
  done: true,
  failed: true,
  cancelled: true,
};

export const status = defineCommand({
  usage: 'batch status ID [--json] [--once] [--redis URL]',
  about: `Shows the progress of a batch: rows by status, speed and time left, the cost of answers, chunks done and failed,
model and policy, the producer and the time. On a terminal the display is updated until the batch ends. A batch whose
queue no worker serves gets a hint with the command that starts a worker.`,
  options: {
    json: { kind: 'flag', help: 'as one line of JSON, for scripts' },
    once: { kind: 'flag', help: 'print once, also on a terminal' },
    ...STORE_OPTIONS,
  },
  positionals: ['ID'],
  examples: [{ does: 'show the progress', command: 'batch status credit-20260115-093042-1f6e' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const isLive = process.stdout.isTTY && !options.json && !options.once;
      const signal = isLive ? interruptSignal() : undefined;
      for (let drawnLines = 0; ; ) {
        const summary = await summariseBatch(store, id);
        const hint = IS_OVER[summary.state] ? undefined : await workerHint(store, 'bulk');
        const text = options.json
          ? JSON.stringify({ ...summary, hint: hint ?? null })
          : fitted(
              formatTable(describe(summary, hint === undefined)),
              hint,
              isLive ? process.stdout.columns : undefined,
            );
        process.stdout.write(`${eraseLines(drawnLines)}${text}\n`);
        drawnLines = text.split('\n').length;
        if (!isLive || IS_OVER[summary.state] || signal?.aborted) return 0;
        await sleep(REDRAW_EVERY_MS, undefined, { signal }).catch(() => {});
      }
    }),
});

/** A line that wraps on the terminal would not be erased. */
function fitted(table: string, hint: string | undefined, columns: number | undefined): string {
  const lines = table.split('\n').map((line) => fitLine(line, columns));
  return [...lines, ...(hint ? ['', wrap(hint, Math.min(columns ?? HINT_WIDTH, HINT_WIDTH) - 1)] : [])].join('\n');
}

/** Moves up by this many lines and erases everything below. */
function eraseLines(lines: number): string {
  return lines === 0 ? '' : `\x1b[${lines}A\x1b[0J`;
}

/** A speed of the past is not told while no worker serves the queue. */
function describe(summary: BatchSummary, isServed: boolean): string[][] {
  const { id, state, model, policy, by, created, rows, answered, counts, chunks, done, failed } = summary;
  const failures = failed ? `, ${formatNumber(failed)} failed` : '';
  return [
    ['batch', id],
    ['state', state],
    ['model', `${model.name}@${model.version}`],
    ['policy', policy.name],
    ['added', `${created} by ${by}`],
    ['chunks', `${formatNumber(done)} of ${formatNumber(chunks)} done${failures}`],
    ['rows', `${formatNumber(answered)} of ${formatNumber(rows)} answered (${formatPercent(answered, rows)})`],
    ...Object.entries(counts).map(([name, count]) => [
      `  ${name}`,
      `${formatNumber(count)} (${formatPercent(count, answered)})`,
    ]),
    ...(isServed ? describeSpeed(summary) : []),
    ...describeCost(summary),
    ...describeWebhook(summary),
  ];
}

function describeSpeed({ rowsPerSecond, secondsLeft }: BatchSummary): string[][] {
  if (rowsPerSecond === null) return [];
  const left = secondsLeft === null ? '' : `, about ${formatClock(secondsLeft)} left`;
  return [['speed', `${formatNumber(Math.round(rowsPerSecond))} rows/s${left}`]];
}

function describeWebhook({ webhook }: BatchSummary): string[][] {
  if (!webhook) return [];
  const { host, outcome, attempts, reason } = webhook;
  const tried = attempts && attempts > 1 ? ` after ${attempts} attempts` : '';
  return [['webhook', `${host}: ${outcome}${tried}${reason ? `, ${printable(reason)}` : ''}`]];
}

function describeCost({ cost }: BatchSummary): string[][] {
  if (!cost) return [];
  const { min, median, mean, max } = cost;
  const figures = { from: min, median, mean, to: max };
  return [
    [
      'cost',
      Object.entries(figures)
        .map(([name, value]) => `${name} ${formatShort(value)}`)
        .join(', '),
    ],
  ];
}
