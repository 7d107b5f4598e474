/** The report of the demo. */
import type { ResultDocument } from '../documents/result-document.js';
import type { BulkReport } from '../jobs/bulk/bulk.js';
import { quantile, type Tally } from '../jobs/results/tally.js';
import type { LoadedModel } from '../models/load.js';
import type { Policy } from '../policy/policy.js';
import { formatCount, formatNumber, formatPercent, formatSeconds, formatShort } from '../report/numbers.js';
import { describeResult, nameInWords } from '../report/words.js';
import { medianCost, proofs } from './summary.js';
import { formatTable } from './table.js';

export interface DemoOutcome {
  readonly report: BulkReport;
  readonly model: LoadedModel;
  readonly policy: Policy;
  readonly threads: number;
  readonly examples: readonly ResultDocument[];
}

const LINE_WIDTH = 100;
const BAR_WIDTH = 24;
const MAX_CHANGES_SHOWN = 8;

const WORDS: Readonly<Record<string, string>> = {
  found: 'would have been approved with other figures',
  already: 'are approved as they are',
  infeasible: 'could not have been, with what the policy allows (proved)',
  'not-found': 'without an answer in the time given',
  invalid: 'could not be read',
};

export function describeDemo(outcome: DemoOutcome): string {
  const { report, model, policy } = outcome;
  const family = model.document.family.replaceAll('-', ' ');
  const applicants = `${formatNumber(report.tally.rows)} rejected applicants`;
  const head = `${applicants}, a ${family} over ${model.space.features.length} features, the policy "${policy.name}".`;
  const sections = [
    `${head}\nWhat would each have needed for a yes?`,
    describeStatuses(report.tally),
    `What has to change, in how many of the answers:\n${describeChanges(report.tally)}`,
    describeFigures(outcome),
    `In words:\n${outcome.examples.map((example) => inWords(example, model)).join('\n\n')}`,
  ];
  return `\n${sections.join('\n\n')}\n`;
}

function describeStatuses({ statuses, rows }: Tally): string {
  const counted = Object.entries(WORDS).filter(([status]) => statuses.has(status));
  const lines = counted.map(([status, words]) => {
    const count = statuses.get(status)!;
    return [formatNumber(count), formatPercent(count, rows), words];
  });
  return formatTable(lines, ['right', 'right', 'left']);
}

function describeChanges({ changes, statuses }: Tally): string {
  const found = statuses.get('found') ?? 0;
  const ranked = [...changes].sort((a, b) => b[1] - a[1]).slice(0, MAX_CHANGES_SHOWN);
  const bar = (count: number) => '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * count) / found)));
  const lines = ranked.map(([name, count]) => [nameInWords(name), formatPercent(count, found), bar(count)]);
  return formatTable(lines, ['left', 'right', 'left']);
}

function describeFigures({ report: { tally, elapsedMs }, policy, threads }: DemoOutcome): string {
  const { weights } = policy.document.cost;
  const unit = typeof weights === 'string' && weights !== 'none' ? ` (in units of the ${weights.toUpperCase()})` : '';
  const at = (q: number) => formatShort(quantile(tally.elapsedMs, q) ?? 0);
  return formatTable([
    ['cost', `median ${medianCost(tally) ?? 0}${unit}`],
    ['proof', proofs(tally)],
    ['one row', `median ${at(0.5)} ms, 99 % within ${at(0.99)} ms`],
    [
      'all rows',
      `${formatSeconds(elapsedMs)} on ${formatCount(threads, 'thread')}, ${formatNumber(Math.round((1000 * tally.rows) / elapsedMs))} rows/s`,
    ],
  ]);
}

function inWords(result: ResultDocument, model: LoadedModel): string {
  return wrap(describeResult(result, { subject: 'Applicant', features: model.document.features }), LINE_WIDTH);
}

/** Wraps text between words and indents each line. */
export function wrap(text: string, width: number, indent = '  '): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length > indent.length && line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
