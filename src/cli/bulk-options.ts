/** The common part of `explain` and `predict`: a model, rows in, lines out, threads, progress and a summary. */
import { realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { MOST_THREADS } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { type BulkJob, runBulk } from '../jobs/bulk/bulk.js';
import { outputFormat } from '../jobs/rows/endings.js';
import { SolverPool } from '../jobs/threads/pool.js';
import { interruptSignal } from './interrupt.js';
import type { OptionTable, OptionValues } from './options.js';
import { showProgress } from './progress.js';
import { tellRun } from './summary.js';

export const BULK_OPTIONS = {
  input: {
    kind: 'text',
    value: 'FILE',
    required: true,
    help: 'rows as CSV with a header, NDJSON or Parquet; - is standard input',
  },
  output: {
    kind: 'text',
    value: 'FILE',
    required: true,
    help: '.ndjson, .jsonl, .csv or .parquet, in the order of the rows; - is standard output',
  },
  threads: { kind: 'whole', value: 'N', min: 1, max: MOST_THREADS, help: 'solver threads (one per core)' },
  quiet: { kind: 'flag', help: 'no progress, no summary' },
} as const satisfies OptionTable;

type BulkOptions = OptionValues<typeof BULK_OPTIONS>;

/** Refuses an unknown ending of the output, and an output over the rows that are read. */
export async function checkFiles({ input, output }: Pick<BulkOptions, 'input' | 'output'>): Promise<void> {
  outputFormat(output);
  if (input === '-' || output === '-') return;
  const [from, to] = await Promise.all([input, output].map((path) => realpath(path).catch(() => undefined)));
  if (from !== undefined && from === to) throw new ElsewiseError('usage', '--input and --output are the same file');
}

/** Passes threads to `use`. The first is started at once and loads while the documents are read. */
export async function withPool<T>(
  options: Pick<BulkOptions, 'threads'>,
  use: (pool: SolverPool) => Promise<T>,
): Promise<T> {
  const pool = new SolverPool({ threads: options.threads ?? availableParallelism(), isGrowing: true });
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}

/** Runs the job with progress and summary on standard error, and returns the exit code. */
export async function runWithProgress(job: BulkJob, quiet: boolean): Promise<number> {
  const progress = showProgress(quiet);
  const signal = interruptSignal();
  const onWarning = (message: string) => process.stderr.write(`elsewise: ${message}\n`);
  const report = await runBulk({ ...job, signal, onWarning, onProgress: (now) => progress.update(now) }).finally(
    progress.end,
  );
  return tellRun(report, quiet);
}
