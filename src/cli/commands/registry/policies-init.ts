/** `elsewise policies init`: the first policy for a model, with comments. */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ElsewiseError } from '../../../documents/error.js';
import { readTargetText } from '../../../jobs/rows/row.js';
import type { TableOptions } from '../../../jobs/rows/table-format.js';
import type { LoadedModel } from '../../../models/load.js';
import { type DraftRows, draftPolicy } from '../../../policy/draft/draft-policy.js';
import { parseTarget, resolveTarget } from '../../../policy/target.js';
import { defineCommand } from '../../command.js';
import { readModel } from '../../documents.js';
import { readDataRows } from '../../rows/data-rows.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../../store-options.js';

export const init = defineCommand({
  usage: 'policies init --model FILE|REF [--data FILE] [--target T] [--output FILE]',
  about: `Writes a first policy for a model, as JSON with comments. The file can be given to explain as it is.

Each feature gets its type, the range and the step of the data, and a rule. Features whose names tell that they never
change, or only grow, get that rule and a question. Conditions that hold on all rows, such as a <= b, are offered as
comments. Lines with a question mark are for you to answer. The same model and data give the same policy.`,
  options: {
    model: { ...MODEL_SOURCE, required: true },
    data: { kind: 'text', value: 'FILE', help: 'rows, CSV, NDJSON or Parquet (the background of the model)' },
    ...TABLE_OPTIONS,
    target: { kind: 'text', value: 'T', help: 'the wanted class, number or interval; omitted: a question in the file' },
    output: { kind: 'text', value: 'FILE', help: 'a new file (standard output)' },
    redis: REGISTRY_REDIS,
  },
  examples: [
    {
      does: 'a policy from the rows of a file',
      command: 'policies init --model model.json --data applicants.csv --target approved --output policy.json',
    },
    { does: 'a policy from the background of the model', command: 'policies init --model credit@production' },
  ],
  async run({ options }) {
    const table = readTableOptions(options);
    const model = await readModel(options.model, options.redis);
    const target = options.target === undefined ? undefined : readTarget(options.target, model);
    const data = await readData(options.data, model, table);
    const { text, questioned, offered } = draftPolicy(model, data, target);
    await write(options.output, text);
    for (const line of notes(questioned, offered, target === undefined)) process.stderr.write(`elsewise: ${line}\n`);
    return 0;
  },
});

/** A class that the model does not have is refused before a file is written. */
function readTarget(text: string, model: LoadedModel) {
  const target = parseTarget(readTargetText(text, model.classes));
  resolveTarget(target, model, 0);
  return target;
}

async function readData(path: string | undefined, model: LoadedModel, table: TableOptions): Promise<DraftRows> {
  if (path === undefined) return { rows: model.background.samples, origin: 'the background of the model' };
  const { rows, name, warnings } = await readDataRows(path, model, table);
  for (const warning of warnings) process.stderr.write(`elsewise: ${warning}\n`);
  return { rows: rows.map(({ values }) => values), origin: basename(name) };
}

async function write(path: string | undefined, text: string): Promise<void> {
  if (path === undefined || path === '-') return void process.stdout.write(text);
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'EEXIST' ? 'the file exists, and is not replaced' : error.message;
    throw new ElsewiseError('usage', `cannot write ${path}: ${message}`);
  });
}

function notes(questioned: readonly string[], offered: number, asksTarget: boolean): string[] {
  return [
    ...(asksTarget ? ['the policy names no target: answer the question in the file, or give --target'] : []),
    ...(questioned.length ? [`please check the rules with a question: ${questioned.join(', ')}`] : []),
    ...(offered ? [`${offered} conditions hold on all rows and are offered as comments`] : []),
  ];
}
