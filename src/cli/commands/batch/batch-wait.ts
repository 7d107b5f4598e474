/** `elsewise batch wait ID --output FILE`: writes the same file as `explain`. */
import type { ResultDocument } from '../../../documents/result-document.js';
import { followResults } from '../../../jobs/batches/batch.js';
import type { BulkOutput } from '../../../jobs/bulk/bulk.js';
import { lineFormat, refuseResume, resultFile } from '../../../jobs/results/output-file.js';
import { createTally } from '../../../jobs/results/tally.js';
import { openSink } from '../../../jobs/rows/streams.js';
import { loadPolicy } from '../../../policy/policy.js';
import { formatNumber } from '../../../report/numbers.js';
import type { Manifest } from '../../../store/batches/manifest.js';
import type { Store } from '../../../store/store.js';
import { defineCommand } from '../../command.js';
import { INTERRUPTED_EXIT_CODE, interruptSignal } from '../../interrupt.js';
import { showProgress } from '../../progress.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const wait = defineCommand({
  usage: 'batch wait ID --output FILE [--resume] [--quiet] [--redis URL]',
  about: `Writes the results of a batch in the order of its rows. A chunk is written as soon as the chunk and all earlier
chunks are done. The command ends with the last chunk. Results stay in Redis until they expire: call it again at any time.`,
  options: {
    output: {
      kind: 'text',
      value: 'FILE',
      required: true,
      help: '.ndjson, .jsonl, .csv or .parquet; - is standard output and NDJSON',
    },
    resume: { kind: 'flag', help: 'continue after an interruption; the output is the same as without one' },
    quiet: { kind: 'flag', help: 'no progress, no summary' },
    ...STORE_OPTIONS,
  },
  positionals: ['ID'],
  examples: [{ does: 'wait for the results', command: 'batch wait nightly-2026-01-15 --output results.ndjson' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const signal = interruptSignal();
      const { manifest } = await store.batches.status(id);
      const lines = await linesFor(store, manifest, options.output);
      if (options.resume) refuseResume(options.output);
      const start = options.resume ? await resumeAt(store, manifest, options.output) : START;
      const sink = await lines.open(start.bytes);
      try {
        if (start.bytes === 0) await sink.write(Buffer.from(lines.header));
        const write = (bytes: Buffer) => sink.write(lines.convert(bytes));
        const rows = await writeResults(store, id, options.quiet, { signal, ...start }, write);
        const end = signal.aborted ? 'interrupted after' : 'done:';
        if (!options.quiet) process.stderr.write(`${end} ${formatNumber(rows)} rows\n`);
      } finally {
        await sink.close();
      }
      return signal.aborted ? INTERRUPTED_EXIT_CODE : 0;
    }),
});

interface Start {
  /** Bytes of the output before the first line to write. */
  readonly bytes: number;
  /** The first chunk to write, and the number of its rows that are already written. */
  readonly from: number;
  readonly skipRows: number;
}

const START: Start = { bytes: 0, from: 0, skipRows: 0 };

/** The end of an earlier call's output. */
async function resumeAt(store: Store, { id, model: pin, policy }: Manifest, output: string): Promise<Start> {
  const model = await store.models.load(`${pin.name}@${pin.version}`);
  const { findResumePoint } = await import('../../../jobs/results/resume.js');
  const { rows, bytes } = await findResumePoint(output, lineFormat(output), model, loadPolicy(policy.document));
  const { chunks } = await store.batches.status(id);
  for (let from = 0; from < chunks; from++) {
    const chunk = await store.batches.chunk(id, from);
    const skipRows = rows - (chunk?.firstRow ?? 1) + 1;
    if (!chunk || skipRows < chunk.rows) return { bytes, from, skipRows };
  }
  return { bytes, from: chunks, skipRows: 0 };
}

async function writeResults(
  store: Store,
  id: string,
  quiet: boolean,
  { signal, from, skipRows }: Start & { signal: AbortSignal },
  write: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const progress = showProgress(quiet);
  const tally = createTally();
  let status = await store.batches.status(id);
  let skip = skipRows;
  try {
    for await (const part of followResults(store, id, { from, signal })) {
      await write(withoutLines(part.bytes, skip));
      tally.rows += part.rows - skip;
      skip = 0;
      if (!status.isSealed) status = await store.batches.status(id);
      progress.update({ tally, resumedRows: 0, bytesDone: tally.rows, bytesTotal: status.rows });
    }
  } finally {
    progress.end();
  }
  return tally.rows;
}

function withoutLines(bytes: Buffer, count: number): Buffer {
  let at = 0;
  for (let line = 0; line < count; line++) at = bytes.indexOf('\n', at) + 1;
  return bytes.subarray(at);
}

interface Lines extends Pick<BulkOutput, 'header' | 'open'> {
  convert(ndjson: Buffer): Buffer;
}

async function linesFor(store: Store, { model: pin, policy: { document } }: Manifest, output: string): Promise<Lines> {
  const format = lineFormat(output);
  if (format === 'ndjson') return { header: '', open: (bytes) => openSink(output, bytes), convert: (ndjson) => ndjson };
  const model = await store.models.load(`${pin.name}@${pin.version}`);
  const policy = loadPolicy(document);
  const { createResultWriter } = await import('../../../jobs/results/result-lines.js');
  const writer = createResultWriter(format, model, policy);
  const convert = (line: string) => writer.line(JSON.parse(line) as ResultDocument);
  return {
    ...resultFile(output, model, policy),
    convert: (ndjson) =>
      Buffer.from(ndjson.length === 0 ? '' : ndjson.toString().trimEnd().split('\n').map(convert).join('')),
  };
}
