/** `elsewise policies push FILE`: the next version of a policy, or the one that it is already. */
import { createPlan } from '../../../explain/plan.js';
import { loadPolicy } from '../../../policy/policy.js';
import { defineCommand } from '../../command.js';
import { readJson, readModel } from '../../documents.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const push = defineCommand({
  usage: 'policies push FILE [--model FILE|REF] [--redis URL]',
  about: `Checks a policy document and stores it under its name with the next version number. A version never changes; the
same content again keeps its number. The last line is the reference: name@version.`,
  options: {
    model: {
      kind: 'text',
      value: 'FILE|REF',
      help: 'refuse the policy unless it goes with this model: its features,\nclasses and constraints',
    },
    ...STORE_OPTIONS,
  },
  positionals: ['FILE'],
  examples: [
    { does: 'make a policy known to all producers', command: 'policies push policy.json' },
    {
      does: 'and be sure that the model in production can be asked under it',
      command: 'policies push policy.json --model credit@production',
    },
  ],
  async run({ options, positionals: [path] }) {
    const document = await readJson(path);
    if (options.model) createPlan(await readModel(options.model, options.redis), loadPolicy(document));
    const { version, isNew } = await useStore(options, ({ policies }) => policies.push(document));
    if (!isNew) process.stderr.write(`elsewise: the registry has the same content since ${version.pushed}\n`);
    process.stdout.write(`${version.name}@${version.version}\n`);
    return 0;
  },
});
