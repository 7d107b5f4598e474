/** `elsewise batch wait ID --output FILE`: the same file that `explain` would have written. */
import type { ResultDocument } from '../../documents/result-document.js';
import { loadPolicy } from '../../explain/policy.js';
import { followResults } from '../../jobs/batch.js';
import { createResultWriter } from '../../jobs/result-lines.js';
import { openSink } from '../../jobs/streams.js';
import { createTally } from '../../jobs/tally.js';
import { formatNumber } from '../../report/numbers.js';
import type { Manifest } from '../../store/manifest.js';
import type { Store } from '../../store/store.js';
import { defineCommand } from '../command.js';
import { INTERRUPTED_EXIT_CODE, interruptSignal } from '../interrupt.js';
import { showProgress } from '../progress.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';

export const wait = defineCommand({
  usage: 'batch wait ID --output FILE [--quiet] [--redis URL]',
  about: `Writes the results of a batch in the order of its rows, each chunk as soon as it and all before it are done, and
ends with the last one. The results stay in Redis until they expire, so it can be called again, at any time.`,
  options: {
    output: { kind: 'text', value: 'FILE', required: true, help: 'NDJSON, or CSV by its ending; - is standard output' },
    quiet: { kind: 'flag', help: 'no progress, no summary' },
    ...STORE_OPTIONS,
  },
  positionals: ['ID'],
  examples: [{ does: 'wait for the results', command: 'batch wait nightly-2026-01-15 --output results.ndjson' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const signal = interruptSignal();
      const { manifest } = await store.batches.status(id);
      const lines = options.output.toLowerCase().endsWith('.csv') ? await csvLines(store, manifest) : NDJSON_LINES;
      const sink = await openSink(options.output);
      try {
        await sink.write(Buffer.from(lines.header));
        const rows = await writeResults(store, id, options.quiet, signal, (bytes) => sink.write(lines.convert(bytes)));
        const end = signal.aborted ? 'interrupted after' : 'done:';
        if (!options.quiet) process.stderr.write(`${end} ${formatNumber(rows)} rows\n`);
      } finally {
        await sink.close();
      }
      return signal.aborted ? INTERRUPTED_EXIT_CODE : 0;
    }),
});

async function writeResults(
  store: Store,
  id: string,
  quiet: boolean,
  signal: AbortSignal,
  write: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const progress = showProgress(quiet);
  const tally = createTally();
  let status = await store.batches.status(id);
  try {
    for await (const part of followResults(store, id, { signal })) {
      await write(part.bytes);
      tally.rows += part.rows;
      if (!status.isSealed) status = await store.batches.status(id);
      progress.update({ tally, resumedRows: 0, bytesDone: tally.rows, bytesTotal: status.rows });
    }
  } finally {
    progress.end();
  }
  return tally.rows;
}

interface Lines {
  readonly header: string;
  convert(ndjson: Buffer): Buffer;
}

const NDJSON_LINES: Lines = { header: '', convert: (ndjson) => ndjson };

async function csvLines(store: Store, { model: pin, policy }: Manifest): Promise<Lines> {
  const model = await store.models.load(`${pin.name}@${pin.version}`);
  const writer = createResultWriter('csv', model, loadPolicy(policy.document));
  const convert = (line: string) => writer.line(JSON.parse(line) as ResultDocument);
  return {
    header: writer.header,
    convert: (ndjson) => Buffer.from(ndjson.toString().trimEnd().split('\n').map(convert).join('')),
  };
}
