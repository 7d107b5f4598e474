/** `elsewise policies push FILE`: stores the next version of a policy. Known content keeps its version. */
import { checkPolicy } from '../../../explain/checks/policy-faults.js';
import { defineCommand } from '../../command.js';
import { readModel, readPolicyJson } from '../../documents.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const push = defineCommand({
  usage: 'policies push FILE [--model FILE|REF] [--redis URL]',
  about: `Checks a policy document and stores the policy under its name with the next version number. A version never changes.
Equal content keeps its number. The last line is the reference: name@version.`,
  options: {
    model: {
      kind: 'text',
      value: 'FILE|REF',
      help: 'refuse the policy unless its features, classes and constraints\nfit this model',
    },
    ...STORE_OPTIONS,
  },
  positionals: ['FILE'],
  examples: [
    { does: 'make a policy known to all producers', command: 'policies push policy.json' },
    {
      does: 'refuse a policy that does not fit the model in production',
      command: 'policies push policy.json --model credit@production',
    },
  ],
  async run({ options, positionals: [path] }) {
    const document = await readPolicyJson(path);
    checkPolicy(document, options.model ? await readModel(options.model, options.redis) : undefined);
    const { version, isNew } = await useStore(options, ({ policies }) => policies.push(document));
    if (!isNew) process.stderr.write(`elsewise: the registry has the same content since ${version.pushed}\n`);
    process.stdout.write(`${version.name}@${version.version}\n`);
    return 0;
  },
});
