/** `elsewise compare`: two policies or two models on the same rows, in words and as a document. */
import { ElsewiseError } from '../../documents/error.js';
import { type ComparedSide, compareSides } from '../../jobs/comparison/compare-sides.js';
import { openSource, writeOutput } from '../../jobs/rows/streams.js';
import { hasSameCosts } from '../../policy/change/same-cost.js';
import { ComparisonCollector } from '../../report/comparison/comparison-collector.js';
import { SMALLEST_GROUP } from '../../report/summary/summary-collector.js';
import { BULK_OPTIONS, withPool } from '../bulk-options.js';
import { defineCommand } from '../command.js';
import { CHANGE_OPTIONS, changedSide, refuseUnclearChange } from '../comparison/change-options.js';
import { describeComparison } from '../comparison/describe-comparison.js';
import { readModel } from '../documents.js';
import { INTERRUPTED_EXIT_CODE, interruptSignal } from '../interrupt.js';
import { POLICY_OPTIONS, readPolicy } from '../policy-options.js';
import { showProgress } from '../progress.js';
import { readTableOptions, TABLE_OPTIONS } from '../rows/table-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';
import { readFeatureNames } from '../words/feature-names.js';

export const compare = defineCommand({
  usage: 'compare [RESULTS] --model FILE|REF [--policy FILE|REF] [--input FILE] CHANGE [OPTIONS]',
  about: `Compares two policies or two models on the same rows: who gains an answer, who loses one, how costs and changes differ.

CHANGE is one or more of --allow, --merge, --with-policy and --with-model. The first side is a file of results, or is
solved from --input. With RESULTS the people without an answer are solved again, and --people all solves everybody.
With --input everybody is compared. Rows of --input are read twice where models are compared.

Sentences and tables go to standard output. --output writes all figures as one JSON document (elsewise.comparison/v1).
The same input gives the same bytes.`,
  positionals: ['[RESULTS]'],
  options: {
    model: { ...MODEL_SOURCE, required: true },
    input: { kind: 'text', value: 'FILE', help: 'the rows, in place of RESULTS' },
    ...CHANGE_OPTIONS,
    people: {
      kind: 'choice',
      choices: ['all', 'without-answer'],
      help: 'the people who are compared\n(without-answer for RESULTS of the same model, else all)',
    },
    by: { kind: 'text', value: 'FEATURE,...', help: 'compare groups by the values of these features' },
    'smallest-group': { kind: 'whole', value: 'N', min: 1, help: `smaller groups have no figures (${SMALLEST_GROUP})` },
    output: { kind: 'text', value: 'FILE', help: 'the JSON document; - is standard output, in place of the sentences' },
    threads: BULK_OPTIONS.threads,
    quiet: { kind: 'flag', help: 'no progress' },
    ...TABLE_OPTIONS,
    ...POLICY_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  examples: [
    {
      does: 'would it help to allow changes of the collateral?',
      command: 'compare results.ndjson --model model.json --policy policy.json --allow features.collateral',
    },
    {
      does: 'two policies on the same rows, with groups',
      command:
        'compare --model model.json --policy old.json --with-policy new.json --input rows.csv --by housing --output changes.json',
    },
    {
      does: 'two models on the same rows',
      command: 'compare --model credit@3 --with-model credit@4 --policy retail@production --input rows.csv',
    },
  ],
  run: ({ options, positionals: [results] }) =>
    withPool(options, async (pool) => {
      refuseUnclearChange(options);
      const by = readFeatureNames(options.by);
      const table = readTableOptions(options);
      const solved = peopleOf(options.people, results, options['with-model']);
      const source = await sourceOf(results, options.input, options['with-model']);
      const model = await readModel(options.model, options.redis);
      const before = { model, policy: await readPolicy(options, model) };
      const { after, words: change } = await changedSide(before, options);
      const isAlike = hasSameCosts(measured(before), measured(after));
      const smallestGroup = options['smallest-group'];
      const collector = new ComparisonCollector({ by, smallestGroup, solved, change, hasSameCosts: isAlike });
      const progress = showProgress(options.quiet);
      const { interrupted } = await compareSides({
        ...{ before, after, collector, source, table, pool },
        signal: interruptSignal(),
        onWarning: (message) => void process.stderr.write(`elsewise: ${message}\n`),
        onProgress: (now) => progress.update(now),
      }).finally(progress.end);
      if (interrupted) return INTERRUPTED_EXIT_CODE;
      const document = collector.summarise();
      if (options.output) await writeOutput(options.output, `${JSON.stringify(document, undefined, 2)}\n`);
      if (options.output !== '-') process.stdout.write(describeComparison(document));
      return 0;
    }),
});

function peopleOf(given: string | undefined, results: string | undefined, otherModel: string | undefined) {
  const isOfModels = otherModel !== undefined;
  if (given === 'without-answer' && isOfModels)
    throw new ElsewiseError('usage', '--people without-answer compares policies: leave out --with-model');
  return given === 'without-answer' || (!given && results && !isOfModels) ? 'without-answer' : 'all';
}

async function sourceOf(results: string | undefined, input: string | undefined, otherModel: string | undefined) {
  if ((results === undefined) === (input === undefined))
    throw new ElsewiseError('usage', 'give either RESULTS or --input FILE');
  if (results !== undefined) return { results: await openSource(results) };
  if (input === '-' && otherModel !== undefined)
    throw new ElsewiseError('usage', '--input must be a file for --with-model: its rows are read twice');
  await openSource(input!);
  return { openRows: () => openSource(input!) };
}

const measured = ({ model, policy }: ComparedSide) => ({ modelDigest: model.digest, policy: policy.document });
