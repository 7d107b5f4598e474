/** `elsewise policies check FILE`: all faults of a policy, and rows that the policy blocks. */

import { ElsewiseError } from '../../../documents/error.js';
import { policyFaults } from '../../../explain/checks/policy-faults.js';
import { targetWarnings } from '../../../jobs/rows/required-target.js';
import type { LoadedModel } from '../../../models/load.js';
import { loadPolicy, type Policy } from '../../../policy/policy.js';
import { namesTarget } from '../../../policy/target.js';
import { formatCount, formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readModel, readPolicyJson } from '../../documents.js';
import { type BlockedRows, findBlockedRows } from '../../rows/blocked-rows.js';
import { type DataRows, readDataRows } from '../../rows/data-rows.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../../store-options.js';

export const check = defineCommand({
  usage: 'policies check FILE [--model FILE|REF] [--data FILE] [--redis URL]',
  about: `Lists all faults of a policy file, with the nearest known name for each unknown key, feature, category and class.

Without a model, keys, values, contradictions between entries and the grammar of constraints are checked. With a model,
the policy must also fit the features, categories, classes and statistics of the model. With rows as well, the first
rows are explained, and up to three rows that the policy blocks are shown with the reason. Exit code 0: the policy is
good. Exit code 2: the policy has faults.`,
  options: {
    model: MODEL_SOURCE,
    data: { kind: 'text', value: 'FILE', help: 'rows, CSV, NDJSON or Parquet; needs --model' },
    ...TABLE_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  positionals: ['FILE'],
  examples: [
    { does: 'a policy by itself', command: 'policies check policy.json' },
    {
      does: 'a policy with its model, and the rows that the policy blocks',
      command: 'policies check policy.json --model model.json --data applicants.csv',
    },
  ],
  async run({ options, positionals: [path] }) {
    if (options.data && !options.model) throw new ElsewiseError('usage', '--data needs --model');
    const table = readTableOptions(options);
    const document = await readPolicyJson(path);
    const model = options.model === undefined ? undefined : await readModel(options.model, options.redis);
    const faults = policyFaults(document, model);
    if (faults.length) {
      const lines = faults.map((fault) => `  ${fault.path}: ${fault.message.replaceAll('\n', '\n    ')}`);
      process.stderr.write(`${path} has ${formatCount(faults.length, 'fault')}\n${lines.join('\n')}\n`);
      return 2;
    }
    process.stdout.write(model ? `${path} is good\n` : `${path} is good by itself\n${NOT_CHECKED}\n`);
    if (model && options.data)
      await tellBlocked(model, loadPolicy(document), () => readDataRows(options.data!, model, table));
    return 0;
  },
});

const NOT_CHECKED =
  'not checked without --model: whether its features, categories, target, statistics and background rows are those of a model';

async function tellBlocked(model: LoadedModel, policy: Policy, read: () => Promise<DataRows>): Promise<void> {
  const unable = whyNotTried(model, policy);
  if (unable) return void process.stdout.write(`rows are not tried: ${unable}\n`);
  const { rows, warnings, targetColumn } = await read();
  for (const warning of [...warnings, ...targetWarnings(policy.document, { targetColumn })])
    process.stderr.write(`elsewise: ${warning}\n`);
  process.stdout.write(blockedText(await findBlockedRows(model, policy, rows)));
}

function whyNotTried({ document }: LoadedModel, policy: Policy): string | undefined {
  if (!namesTarget(policy.document)) return 'the policy names no target';
  return document.family === 'black-box' ? 'the model is scored elsewhere' : undefined;
}

/** `open`: the rows without an answer and without a proof. */
function noneBlocked(tried: number, open: number): string {
  const rows = tried === 1 ? 'the first row' : `each of the first ${formatNumber(tried)} rows`;
  if (open === 0) return `${rows} has an answer, or the target already\n`;
  return `the policy is proved to block none of the first ${formatCount(tried, 'row')}; ${formatCount(open, 'row')} got no answer within the effort\n`;
}

function blockedText({ blocked, tried, open }: BlockedRows): string {
  const rows = formatCount(tried, 'row');
  if (!blocked.length) return noneBlocked(tried, open);
  const lines = blocked.map(({ id, reason }) => `  ${id}: ${reason}\n`);
  return `among the first ${rows} the policy blocks\n${lines.join('')}`;
}
