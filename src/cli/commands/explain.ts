/** `elsewise explain`: counterfactual explanations of a file of rows, in process, on all cores. */
import type { ResultDetail } from '../../explain/result.js';
import { lineFormat, refuseResume, resultFile } from '../../jobs/results/output-file.js';
import { findResumePoint } from '../../jobs/results/resume.js';
import { openSource } from '../../jobs/rows/streams.js';
import { BULK_OPTIONS, checkFiles, runWithProgress, withPool } from '../bulk-options.js';
import { defineCommand } from '../command.js';
import { readModel } from '../documents.js';
import { POLICY_OPTIONS, readPolicy } from '../policy-options.js';
import { readTableOptions, TABLE_OPTIONS } from '../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';
import { tellDefaults } from '../words/defaults.js';

export const explain = defineCommand({
  usage: 'explain --model FILE|REF --input FILE --output FILE [OPTIONS]',
  about: `Finds for each row the cheapest change with which the model gives the target.

Every row gets a result: found, already, infeasible, not-found or invalid. A CSV file needs a header with the
names of the model's features, and may have the columns id and target.

The output is NDJSON with the whole result, one line per row. A name that ends in .csv gives a table for people, with
a line per answer: status, prediction and score before and after, cost, proof, the changes in words, the reason in
words, and every feature before and after (docs/files.md).

The summary on standard error counts the rows by status and tells the commonest reasons of rows without an answer.
Exit code 4: every row is invalid.`,
  options: {
    model: { ...MODEL_SOURCE, required: true },
    ...BULK_OPTIONS,
    ...TABLE_OPTIONS,
    ...POLICY_OPTIONS,
    detail: {
      kind: 'choice',
      choices: ['full', 'brief'],
      help: 'brief: each line has the new values, and leaves out what the input row has (full)',
    },
    resume: {
      kind: 'flag',
      help: 'continue after an interruption, with the same input: only the last row of the output is\ncompared with it; the output is the same as without an interruption',
    },
    redis: REGISTRY_REDIS,
  },
  examples: [
    {
      does: 'explain 3,000 rejected applicants',
      command: 'explain --model model.json --policy policy.json --input applicants.csv --output results.ndjson',
    },
    {
      does: 'in a pipe, three answers per row, the target on the command line',
      command: 'explain --model model.json --target approved --count 3 --input - --output - < rows.ndjson',
    },
    {
      does: 'model and policy from the registry, by their aliases',
      command: 'explain --model credit@production --policy retail@production --input rows.csv --output out.ndjson',
    },
    {
      does: 'a table for a spreadsheet, on four threads; after Ctrl-C, the same with --resume',
      command: 'explain --model model.json --policy policy.json --input rows.csv --output out.csv --threads 4',
    },
  ],
  run: ({ options }) =>
    withPool(options, async (pool) => {
      await checkFiles(options);
      if (options.resume) refuseResume(options.output);
      const detail = options.detail as ResultDetail | undefined;
      lineFormat(options.output, detail);
      const table = readTableOptions(options);
      const input = await openSource(options.input);
      const model = await readModel(options.model, options.redis);
      const policy = await readPolicy(options, model);
      const onStart = () => options.quiet || tellDefaults(policy, model);
      const output = resultFile(options.output, model, policy, detail);
      const resumeAt = options.resume ? await findResumePoint(options.output, output.format, model, policy) : undefined;
      return runWithProgress(
        { kind: 'explain', model, policy, input, table, output, pool, resumeAt, onStart },
        options.quiet,
      );
    }),
});
