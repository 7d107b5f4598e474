/** `elsewise config`: the effective configuration, and the origin of each value. */
import { explainConfig, strayVariables } from '../../config.js';
import { masked } from '../../settings/masked.js';
import { defineCommand } from '../command.js';
import { STORE_OPTIONS } from '../store-options.js';
import { formatTable } from '../table.js';

export const config = defineCommand({
  usage: 'config [--json] [--redis URL]',
  about: `Prints every setting with its value and the source of the value: the default, the file that
ELSEWISE_CONFIG names, an environment variable, or an option. Secrets are masked. A refused value ends with exit code 2.`,
  options: {
    json: { kind: 'flag', help: 'one JSON document: a list of { entry, value, from }' },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'show all settings', command: 'config' },
    {
      does: 'the settings with another Redis, for a script',
      command: 'config --json --redis redis://10.0.0.7:6379',
    },
  ],
  async run({ options }) {
    const rows = explainConfig({ store: { url: options.redis } }).map(({ entry, value, origin }) => ({
      entry: entry.path.join('.'),
      value: masked(value, entry),
      from: origin,
    }));
    const table = [['entry', 'value', 'from'], ...rows.map(({ entry, value, from }) => [entry, value, from])];
    process.stdout.write(`${options.json ? JSON.stringify(rows, null, 2) : formatTable(table)}\n`);
    for (const sentence of strayVariables()) process.stderr.write(`elsewise: ${sentence}\n`);
    return 0;
  },
});
