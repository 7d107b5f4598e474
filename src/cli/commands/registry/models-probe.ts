/** `elsewise models probe FILE|REF`: writes rows at which libraries differ most easily, for the user's own library to score. */
import { ElsewiseError } from '../../../documents/error.js';
import { probeRows } from '../../../jobs/parity/probe-rows.js';
import { tableFile } from '../../../jobs/results/output-file.js';
import { CELLS } from '../../../jobs/results/result-table.js';
import { showValue } from '../../../models/features.js';
import type { LoadedModel } from '../../../models/load.js';
import { formatCount } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readModelToDescribe } from '../../documents.js';
import { REGISTRY_REDIS } from '../../store-options.js';

export const probe = defineCommand({
  usage: 'models probe FILE|REF --output FILE [--rows N] [--seed N]',
  about: `Writes rows for a comparison with the library that trained the model: numbers at the thresholds of trees and at the
floats beside them, pairs of rows on both sides of a decision, rows with missing values, and rows of the background.
Score the rows with the library, add a column with its predictions, and give the file to models check --against.`,
  options: {
    output: { kind: 'text', value: 'FILE', help: 'the rows: CSV, NDJSON or Parquet', required: true },
    rows: { kind: 'whole', value: 'N', min: 1, max: 1_000_000, help: 'the number of rows (1000)' },
    seed: { kind: 'whole', value: 'N', min: 0, help: 'the seed of the rows (0)' },
    redis: REGISTRY_REDIS,
  },
  positionals: ['FILE|REF'],
  examples: [{ does: 'rows for scikit-learn to score', command: 'models probe model.json --output rows.csv' }],
  async run({ options: { output, rows = 1000, seed = 0, redis }, positionals: [path] }) {
    const model = await readModelToDescribe(path, redis);
    if (model.model.memory)
      throw new ElsewiseError(
        'usage',
        'models probe: the model is scored elsewhere, and has no second score to compare',
      );
    await writeRows(model, output, rows, seed);
    process.stderr.write(`elsewise: ${output}: ${formatCount(rows, 'row')}\n`);
    return 0;
  },
});

interface ProbeRow {
  readonly number: number;
  readonly values: Float64Array;
}

async function writeRows(model: LoadedModel, path: string, count: number, seed: number): Promise<void> {
  const { features, byName } = model.space;
  const idName = byName.has('id') ? [] : [{ name: 'id', type: 'text' } as const];
  const { open, line } = tableFile<ProbeRow>(path, {
    columns: [...idName, ...features.map(({ name, kind }) => ({ name, type: CELLS[kind] }))],
    lines: ({ number, values }) => [
      [...idName.map(() => `probe-${number}`), ...features.map((feature) => showValue(feature, values[feature.index]))],
    ],
  });
  const sink = await open();
  try {
    let number = 0;
    let text = '';
    for (const values of probeRows(model, count, seed)) {
      text += line({ number: ++number, values });
      if (text.length < WRITE_AT) continue;
      await sink.write(Buffer.from(text));
      text = '';
    }
    if (text) await sink.write(Buffer.from(text));
  } finally {
    await sink.close();
  }
}

const WRITE_AT = 1 << 18;
