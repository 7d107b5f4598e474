/** `elsewise predict`: the model's output for each row. */
import { predictionFile } from '../../jobs/results/output-file.js';
import { openSource } from '../../jobs/rows/streams.js';
import { BULK_OPTIONS, checkFiles, runWithProgress, withPool } from '../bulk-options.js';
import { defineCommand } from '../command.js';
import { readModel } from '../documents.js';
import { readTableOptions, TABLE_OPTIONS } from '../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';

export const predict = defineCommand({
  usage: 'predict --model FILE|REF --input FILE --output FILE [OPTIONS]',
  about: `Writes {"id", "prediction", "scores": {class: score}} for each row; for a regressor the prediction is the
number. A row that cannot be read gets a prediction of null and a reason.`,
  options: {
    model: { ...MODEL_SOURCE, required: true },
    ...BULK_OPTIONS,
    ...TABLE_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  examples: [
    { does: 'scores of a file', command: 'predict --model model.json --input rows.csv --output scores.ndjson' },
    { does: 'a quick look', command: 'predict --model model.json --input rows.csv --output - | head -3' },
  ],
  run: ({ options }) =>
    withPool(options, async (pool) => {
      await checkFiles(options);
      const table = readTableOptions(options);
      const input = await openSource(options.input);
      const model = await readModel(options.model, options.redis);
      const output = predictionFile(options.output, model);
      return runWithProgress({ kind: 'predict', model, input, table, output, pool }, options.quiet);
    }),
});
