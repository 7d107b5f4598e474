/** `elsewise enqueue`: a file of rows as a batch for the workers. */
import { openSource } from '../../jobs/rows/streams.js';
import { TrialThread } from '../../jobs/threads/trial-thread.js';
import { formatCount, formatNumber } from '../../report/numbers.js';
import { showAdding } from '../adding-progress.js';
import { defineCommand } from '../command.js';
import { readDuration } from '../duration.js';
import { POLICY_OPTIONS, readPolicy } from '../policy-options.js';
import { readTableOptions, TABLE_OPTIONS } from '../rows/table-options.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';
import { defaultsInWords } from '../words/defaults.js';

export const enqueue = defineCommand({
  usage: 'enqueue --model REF --input FILE [--policy FILE|REF] [--batch ID] [OPTIONS]',
  about: `Puts the rows of a file into the bulk queue, in chunks for workers. The model is a reference to the registry:
name@version, name@alias, or a name for the latest version. The version is pinned for the whole batch.
Repeat an interrupted enqueue with the same --batch and input: no row is queued twice. The command waits while Redis
has no room for more rows. The last line is the batch id, for \`batch status\` and \`batch wait\`.`,
  options: {
    model: { kind: 'text', value: 'REF', required: true, help: 'a model in the registry: name[@version|@alias]' },
    input: {
      kind: 'text',
      value: 'FILE',
      required: true,
      help: 'rows as CSV with a header, NDJSON or Parquet; - is standard input',
    },
    ...TABLE_OPTIONS,
    batch: { kind: 'text', value: 'ID', help: 'the id of the batch (made up from model and time)' },
    'chunk-rows': { kind: 'whole', value: 'N', min: 1, help: 'rows in a job (about half a second of work)' },
    ttl: { kind: 'text', value: 'TIME', help: 'how long the batch stays after its last progress: 12h, 7d (7d)' },
    webhook: {
      kind: 'text',
      value: 'URL',
      help: 'told of the end of the batch; the setting webhooks.hosts has its host',
    },
    by: { kind: 'text', value: 'WHO', help: 'the name of the producer (user@machine)' },
    ...POLICY_OPTIONS,
    quiet: { kind: 'flag', help: 'print the batch id only' },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'queue a portfolio', command: 'enqueue --model credit@3 --policy policy.json --input applicants.csv' },
    {
      does: 'model and policy by their aliases',
      command: 'enqueue --model credit@production --policy retail@production --input applicants.csv',
    },
    {
      does: 'then write the results in the order of the rows as they arrive',
      command:
        'batch wait "$(elsewise enqueue --model credit --policy retail --input rows.csv | tail -1)" --output results.ndjson',
    },
  ],
  async run({ options }) {
    const table = readTableOptions(options);
    const ttlSeconds = options.ttl === undefined ? undefined : readDuration(options.ttl);
    const input = await openSource(options.input);
    const trial = new TrialThread().start(); // loads its code while this thread loads the rest
    return useStore(options, async (store) => {
      const { newBatchId, Producer } = await import('../../jobs/producer.js');
      const { checkServers } = await import('../../store/redis/server-check.js');
      const model = await store.models.resolve(options.model);
      const policy = await readPolicy(options, model, (use) => use(store));
      const batch = options.batch ?? newBatchId(model.name);
      const say = (text: string) => options.quiet || process.stderr.write(`elsewise: ${text}\n`);
      for (const text of await checkServers(store.redis, store.settings)) say(text);
      const progress = showAdding(options.quiet);
      const adding = new Producer(store).addBatch(
        {
          source: input.bytes,
          name: input.name,
          table,
          model,
          policy,
          batch,
          chunkRows: options['chunk-rows'],
          ttlSeconds,
          webhook: options.webhook,
          by: options.by,
          onWarning: say,
          onAdding: () =>
            say(`adding to batch ${batch}; after an interruption repeat the command with --batch ${batch}`),
          onDefaults: (defaults) => defaultsInWords(defaults).forEach(say),
          onProgress: progress.rows,
          onWait: progress.wait,
        },
        trial,
      );
      const total = await adding.finally(progress.end);
      const known = total.done > 0 ? `, ${formatNumber(total.done)} of them done before` : '';
      say(`${formatCount(total.rows, 'row')} in ${formatCount(total.chunks, 'chunk')}${known}`);
      process.stdout.write(`${total.id}\n`);
      return 0;
    }).finally(() => trial.close());
  },
});
