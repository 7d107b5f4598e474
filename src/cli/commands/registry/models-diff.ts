/** `elsewise models diff A B`: what changed between two versions of a model. */
import { ElsewiseError } from '../../../documents/error.js';
import { decisionChanges } from '../../../jobs/model-diff/decision-changes.js';
import { diffModels } from '../../../jobs/model-diff/model-diff.js';
import type { LoadedModel } from '../../../models/load.js';
import { defineCommand } from '../../command.js';
import { readModelToDescribe } from '../../documents.js';
import { readDataRows } from '../../rows/data-rows.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';
import { REGISTRY_REDIS } from '../../store-options.js';
import { modelDiffInWords } from '../../words/model-diff.js';

export const diff = defineCommand({
  usage: 'models diff FILE|REF FILE|REF [--input FILE] [--json]',
  about: `Says what changed between two versions of a model: features, classes, threshold, preprocessing, weights, trees,
background. With --input the decisions of both versions are compared for the rows of a file.
Exit code 0: both were read, whether they differ or not.`,
  options: {
    input: { kind: 'text', value: 'FILE', help: 'rows whose decisions are compared: CSV, NDJSON or Parquet' },
    json: { kind: 'flag', help: 'print JSON instead of text' },
    ...TABLE_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  positionals: ['BEFORE', 'AFTER'],
  examples: [
    { does: 'what a new version changes', command: 'models diff credit@3 credit@4' },
    { does: 'also the decisions that change', command: 'models diff old.json new.json --input rows.csv' },
  ],
  async run({ options, positionals: [first, second] }) {
    const table = readTableOptions(options);
    const before = await readModelToDescribe(first, options.redis);
    const after = await readModelToDescribe(second, options.redis);
    const facts = diffModels(before, after);
    const decisions = options.input === undefined ? undefined : await compareRows(before, after, options.input, table);
    const text = options.json
      ? JSON.stringify({ ...facts, ...(decisions && { decisions }) }, null, 2)
      : modelDiffInWords(facts, decisions).join('\n');
    process.stdout.write(`${text}\n`);
    return 0;
  },
});

async function compareRows(
  before: LoadedModel,
  after: LoadedModel,
  path: string,
  table: ReturnType<typeof readTableOptions>,
) {
  if (before.model.memory || after.model.memory)
    throw new ElsewiseError('usage', '--input: a model that is scored elsewhere is not asked, use `elsewise compare`');
  if (before.task !== after.task)
    throw new ElsewiseError('usage', '--input: one version predicts a class and the other a number');
  const { rows, warnings } = await readDataRows(path, before, table);
  for (const text of warnings) process.stderr.write(`elsewise: warning: ${path}: ${text}\n`);
  return decisionChanges(before, after, rows);
}
