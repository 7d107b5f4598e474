/** `elsewise verify`: results solved again and compared byte by byte. */
import { ElsewiseError } from '../../documents/error.js';
import { openSource } from '../../jobs/rows/streams.js';
import type { Finding } from '../../jobs/verify/comparison.js';
import { type VerifyReport, verifyResults } from '../../jobs/verify/verify-results.js';
import { formatCount, formatNumber, formatSeconds } from '../../report/numbers.js';
import { BULK_OPTIONS, withPool } from '../bulk-options.js';
import { defineCommand } from '../command.js';
import { readModel } from '../documents.js';
import { INTERRUPTED_EXIT_CODE, interruptSignal } from '../interrupt.js';
import { POLICY_OPTIONS, readPolicy } from '../policy-options.js';
import { printable } from '../printable.js';
import { showProgress } from '../progress.js';
import { readTableOptions, TABLE_OPTIONS } from '../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';

const DIFFERING_EXIT_CODE = 1;

export const verify = defineCommand({
  usage: 'verify RESULTS --model FILE|REF --policy FILE|REF [--input ROWS] [OPTIONS]',
  about: `Solves the rows of results again and compares each result byte by byte, without its times.

The rows are those of --input, in the same order. Without --input they are the values that the results repeat: an
invalid row has none there, and its reason is then not checked. Give the options of the run that made the results.

A difference is written to standard output with its place and both values. An answer that differs is also scored by
the model and checked against the policy by itself. Where time ended a search, other answers are legitimate: they are
counted apart, and hold if they pass this check.

Exit code 1: a result differs, or rows and results do not match one to one.`,
  positionals: ['RESULTS'],
  options: {
    model: { ...MODEL_SOURCE, required: true },
    input: { ...BULK_OPTIONS.input, required: false, help: 'the rows of the results (the values in the results)' },
    threads: BULK_OPTIONS.threads,
    quiet: { kind: 'flag', help: 'no progress, no summary' },
    ...TABLE_OPTIONS,
    ...POLICY_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  examples: [
    {
      does: 'check results from their model, policy and rows',
      command: 'verify results.ndjson --model model.json --policy policy.json --input applicants.csv',
    },
    {
      does: 'only the ids of results that differ',
      command: 'verify results.ndjson --model model.json --policy policy.json --quiet | cut -d: -f1 | uniq',
    },
  ],
  run: ({ options, positionals: [path] }) =>
    withPool(options, async (pool) => {
      if (path === '-' && (options.input === undefined || options.input === '-'))
        throw new ElsewiseError('usage', 'RESULTS on standard input need --input FILE');
      const table = readTableOptions(options);
      const results = await openSource(path);
      const input = options.input === undefined ? undefined : await openSource(options.input);
      const model = await readModel(options.model, options.redis);
      const policy = await readPolicy(options, model);
      const progress = showProgress(options.quiet);
      const report = await verifyResults({
        model,
        policy,
        results,
        input,
        table,
        pool,
        signal: interruptSignal(),
        onWarning: (message) => void process.stderr.write(`elsewise: ${message}\n`),
        onProgress: (now) => progress.update(now),
        onFinding: (finding) => tell(finding),
      }).finally(progress.end);
      if (!options.quiet) process.stderr.write(describe(report, input !== undefined));
      return exitCode(report);
    }),
});

function tell(finding: Finding): Promise<void> {
  const lines = wordsOf(finding).map((words) => `${printable(`${finding.id}: ${words}`).replaceAll('\n', ' ')}\n`);
  return new Promise((resolve, reject) => {
    process.stdout.write(lines.join(''), (error) => (error ? reject(error) : resolve()));
  });
}

function wordsOf({ differences, faults, excuse }: Finding): string[] {
  const beginning = excuse ? `${excuse}, may differ: ` : '';
  const compared = differences.map(
    ({ path, before, after }) =>
      `${beginning}${path}: ${shown(before)} in the results, ${shown(after)} when solved again`,
  );
  return [...compared, ...faults.map((fault) => `${beginning}${fault}`)];
}

const MOST_CHARACTERS = 160;
const shown = (json: string | undefined): string => {
  if (json === undefined) return 'nothing';
  return json.length > MOST_CHARACTERS ? `${json.slice(0, MOST_CHARACTERS)}...` : json;
};

function describe({ counts, withoutRow, interrupted, elapsedMs }: VerifyReport, hasInput: boolean): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = [`${formatNumber(counts.same)} same`, `${formatNumber(counts.differing)} differing`];
  if (counts.excused) parts.push(`${formatNumber(counts.excused)} limited by time or lost, which may differ`);
  if (counts.unsolved) parts.push(`${formatNumber(counts.unsolved)} without values of their row`);
  if (withoutRow) parts.push(`${formatNumber(withoutRow)} more results without a row`);
  const advice = counts.unsolved && !hasInput ? '  give --input ROWS to check the rows without values as well\n' : '';
  const ended = interrupted ? ', then interrupted' : '';
  return `${formatCount(total, 'result')} in ${formatSeconds(elapsedMs)}${ended}: ${parts.join(', ')}\n${advice}`;
}

function exitCode({ counts, withoutRow, interrupted }: VerifyReport): number {
  if (counts.differing > 0 || withoutRow > 0) return DIFFERING_EXIT_CODE;
  return interrupted ? INTERRUPTED_EXIT_CODE : 0;
}
