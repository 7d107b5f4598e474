/** `elsewise batch wait ID --output FILE`: writes the same file as `explain`, and tells the same summary. */
import type { ResultDocument } from '../../../documents/result-document.js';
import type { ResultDetail } from '../../../explain/result.js';
import { followResults } from '../../../jobs/batches/batch.js';
import { linesBehind, placeOf, type ResultPlace } from '../../../jobs/batches/resume-results.js';
import type { BulkOutput, BulkReport } from '../../../jobs/bulk/bulk.js';
import { withoutFormula } from '../../../jobs/results/csv-lines.js';
import { countLines } from '../../../jobs/results/line-counts.js';
import { lineFormat, refuseResume, resultFile } from '../../../jobs/results/output-file.js';
import type { ResumePoint } from '../../../jobs/results/resume.js';
import { createTally } from '../../../jobs/results/tally.js';
import { openSink } from '../../../jobs/rows/streams.js';
import type { OutputFormat } from '../../../jobs/threads/messages.js';
import { loadPolicy } from '../../../policy/policy.js';
import type { BatchStatus } from '../../../store/batches/batch-store.js';
import type { Manifest } from '../../../store/batches/manifest.js';
import type { Store } from '../../../store/store.js';
import { defineCommand } from '../../command.js';
import { interruptSignal } from '../../interrupt.js';
import { showProgress } from '../../progress.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { tellRun } from '../../summary.js';
import { workerHint } from '../../words/worker-hint.js';

export const wait = defineCommand({
  usage: 'batch wait ID --output FILE [--detail brief] [--resume] [--quiet] [--redis URL]',
  about: `Writes the results of a batch in the order of its rows. A chunk is written as soon as the chunk and all earlier
chunks are done. The command ends with the last chunk. Results stay in Redis until they expire: the command can be repeated.

With --resume the command keeps the rows that the output already has and continues behind them. The summary counts the
rows by status and tells the commonest reasons of rows without an answer. Exit code 4: every row is invalid.`,
  options: {
    output: {
      kind: 'text',
      value: 'FILE',
      required: true,
      help: '.ndjson, .jsonl, .csv or .parquet; - is standard output and NDJSON',
    },
    detail: {
      kind: 'choice',
      choices: ['full', 'brief'],
      help: 'brief: NDJSON without what the input row has: new values only (full)',
    },
    resume: { kind: 'flag', help: 'continue after an interruption; the output is the same as without an interruption' },
    quiet: { kind: 'flag', help: 'no progress, no summary' },
    ...STORE_OPTIONS,
  },
  positionals: ['ID'],
  examples: [
    { does: 'wait for the results', command: 'batch wait nightly-2026-01-15 --output results.ndjson' },
    { does: 'after Ctrl-C', command: 'batch wait nightly-2026-01-15 --output results.ndjson --resume' },
  ],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const signal = interruptSignal();
      const status = await store.batches.status(id);
      const format = lineFormat(options.output, options.detail as ResultDetail | undefined);
      const lines = await linesFor(store, status.manifest, options.output, format);
      if (options.resume) refuseResume(options.output);
      const start = options.resume ? await resumeAt(store, status.manifest, options.output, format) : START;
      if (!options.quiet) await tellIdle(store, status);
      const sink = await lines.open(start.bytes);
      try {
        if (start.bytes === 0) await sink.write(Buffer.from(lines.header));
        const write = (bytes: Buffer) => sink.write(lines.convert(bytes));
        return tellRun(await writeResults(store, status, options.quiet, { signal, ...start }, write), options.quiet);
      } finally {
        await sink.close();
      }
    }),
});

/** The output so far, and the place in the batch behind it. */
interface Start extends ResumePoint, ResultPlace {}

const START: Start = { rows: 0, bytes: 0, lastId: undefined, from: 0, skipRows: 0 };

/** The end of an earlier call's output. */
async function resumeAt(
  store: Store,
  { id, model: pin, policy }: Manifest,
  output: string,
  format: OutputFormat,
): Promise<Start> {
  const model = await store.models.load(`${pin.name}@${pin.version}`);
  const { findResumePoint } = await import('../../../jobs/results/resume.js');
  const point = await findResumePoint(output, format, model, loadPolicy(policy.document));
  return { ...point, ...(await placeOf(store, id, point.rows)) };
}

async function tellIdle(store: Store, { isSealed, chunks, done, failed }: BatchStatus): Promise<void> {
  const hint = isSealed && done + failed === chunks ? undefined : await workerHint(store, 'bulk');
  if (hint) process.stderr.write(`elsewise: ${hint}\n`);
}

async function writeResults(
  store: Store,
  known: BatchStatus,
  quiet: boolean,
  { signal, from, skipRows, rows: resumedRows, lastId }: Start & { signal: AbortSignal },
  write: (bytes: Buffer) => Promise<void>,
): Promise<BulkReport> {
  const { id } = known.manifest;
  const progress = showProgress(quiet);
  const startedMs = performance.now();
  const tally = createTally();
  let status = known;
  let skip = skipRows;
  try {
    for await (const part of followResults(store, id, { from, signal })) {
      const lines = linesBehind(part.bytes, skip, idOf(lastId), lastId);
      skip = 0;
      await write(lines);
      countLines(tally, lines);
      if (!status.isSealed) status = await store.batches.status(id);
      const bytesDone = resumedRows + tally.rows;
      progress.update({ tally, resumedRows, bytesDone, bytesTotal: status.rows, bytesSkipped: resumedRows });
    }
  } finally {
    progress.end();
  }
  return { tally, resumedRows, interrupted: signal.aborted, elapsedMs: performance.now() - startedMs };
}

/** A table may have an apostrophe before the id, where the id looks like a formula. */
function idOf(lastId: string | undefined): (line: string) => string {
  return (line) => {
    const { id } = JSON.parse(line) as ResultDocument;
    return id === lastId ? id : withoutFormula(id);
  };
}

interface Lines extends Pick<BulkOutput, 'header' | 'open'> {
  convert(ndjson: Buffer): Buffer;
}

async function linesFor(
  store: Store,
  { model: pin, policy: { document } }: Manifest,
  output: string,
  format: OutputFormat,
): Promise<Lines> {
  if (format === 'ndjson') return { header: '', open: (bytes) => openSink(output, bytes), convert: (ndjson) => ndjson };
  const model = await store.models.load(`${pin.name}@${pin.version}`);
  const policy = loadPolicy(document);
  const { createResultWriter } = await import('../../../jobs/results/result-lines.js');
  const writer = createResultWriter(format, model, policy);
  const convert = (line: string) => writer.line(JSON.parse(line) as ResultDocument);
  return {
    ...resultFile(output, model, policy, format === 'brief' ? 'brief' : 'full'),
    convert: (ndjson) =>
      Buffer.from(ndjson.length === 0 ? '' : ndjson.toString().trimEnd().split('\n').map(convert).join('')),
  };
}
