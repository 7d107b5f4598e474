/** `elsewise demo`: the credit example from end to end, in process, as a table and a few explanations in words. */
import { fileURLToPath } from 'node:url';
import { runBulk } from '../../jobs/bulk/bulk.js';
import { type ByteSink, openSink, openSource } from '../../jobs/rows/streams.js';
import { EXAMPLE } from '../../places.js';
import { loadPolicy } from '../../policy/policy.js';
import { BULK_OPTIONS, withPool } from '../bulk-options.js';
import { defineCommand } from '../command.js';
import { describeDemo } from '../demo-report.js';
import { readJson, readModelFile } from '../documents.js';
import { ExamplePicker } from '../example-picker.js';
import { INTERRUPTED_EXIT_CODE, interruptSignal } from '../interrupt.js';
import { showProgress } from '../progress.js';

/** In the package's own folder, so the demo works wherever it is installed. */
const creditFile = (name: string): string => fileURLToPath(`${EXAMPLE}/${name}`);

export const demo = defineCommand({
  usage: 'demo [--output FILE] [--threads N]',
  about: `Explains the rejected applicants of a synthetic loan portfolio (examples/credit in this package): a logistic
regression, and a policy with immutable features, steps, linked features and at most three changes. Needs no server.`,
  options: {
    output: { kind: 'text', value: 'FILE', help: 'keep the results' },
    threads: BULK_OPTIONS.threads,
  },
  examples: [
    { does: 'run the demo', command: 'demo' },
    { does: 'run the demo and keep the results', command: 'demo --output results.ndjson' },
  ],
  run: ({ options }) =>
    withPool(options, async (pool) => {
      const model = await readModelFile(creditFile('model.json'));
      const policy = loadPolicy(await readJson(creditFile('policy.json')));
      const input = await openSource(creditFile('applicants.csv'));
      const examples = new ExamplePicker();
      const open = async () => alsoTo(examples, options.output ? await openSink(options.output) : undefined);
      const output = { format: 'ndjson', header: '', open } as const;
      const signal = interruptSignal();
      const progress = showProgress(false);
      const onProgress = progress.update.bind(progress);
      const job = { kind: 'explain', model, policy, input, output, pool, signal, onProgress } as const;
      const report = await runBulk(job).finally(progress.end);
      process.stdout.write(describeDemo({ report, model, policy, threads: pool.threads, examples: examples.picked }));
      return report.interrupted ? INTERRUPTED_EXIT_CODE : 0;
    }),
});

function alsoTo(examples: ExamplePicker, file: ByteSink | undefined): ByteSink {
  return {
    async write(bytes) {
      examples.look(bytes);
      await file?.write(bytes);
    },
    close: async () => file?.close(),
  };
}
