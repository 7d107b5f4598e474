/** `elsewise report`: the results of a run as one HTML file. */
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import type { SummaryDocument } from '../../documents/summary-document.js';
import { noResults } from '../../jobs/results/read-results.js';
import { forEachLine } from '../../jobs/results/text-lines.js';
import { openSource, writeOutput } from '../../jobs/rows/streams.js';
import { thresholdsOf } from '../../models/decision/common-thresholds.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { MOST_PEOPLE, PEOPLE, ReportCollector } from '../../report/html/report-collector.js';
import { formatCount, formatNumber } from '../../report/numbers.js';
import { SAMPLE_SEED, SMALLEST_GROUP } from '../../report/summary/summary-collector.js';
import { defineCommand } from '../command.js';
import { readModel, readPolicyDocument, storeAt } from '../documents.js';
import { packageVersion } from '../package-version.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';
import { readFeatureNames } from '../words/feature-names.js';

export const report = defineCommand({
  usage: 'report RESULTS --output FILE [--by FEATURE,...] [--model FILE|REF] [--policy FILE|REF] [OPTIONS]',
  about: `Writes one HTML file about results of \`explain\` or \`batch wait\`: counts, changes, costs, proofs, reasons, groups and people.
The file loads nothing from elsewhere, opens from disk and can be printed. Results are read once as NDJSON, and memory does not grow with
their number: figures count all people, and the table of people is a random sample where there are many.

With SOURCE_DATE_EPOCH in the environment the report states that time, and the same results give the same bytes.`,
  options: {
    output: { kind: 'text', value: 'FILE', required: true, help: 'the HTML file; - is standard output' },
    by: { kind: 'text', value: 'FEATURE,...', help: 'compare groups by the values of these features' },
    model: { ...MODEL_SOURCE, help: 'the model of the results, for labels, units and the threshold' },
    policy: { kind: 'text', value: 'FILE|REF', help: 'the policy of the results, for its entries in words' },
    people: {
      kind: 'whole',
      value: 'N',
      min: 0,
      max: MOST_PEOPLE,
      help: `people in the table (${PEOPLE}); 0: figures only`,
    },
    'smallest-group': {
      kind: 'whole',
      value: 'N',
      min: 1,
      help: `smaller groups have no figures (${SMALLEST_GROUP})`,
    },
    seed: { kind: 'whole', value: 'N', min: 0, help: `the seed of samples (${SAMPLE_SEED})` },
    redis: REGISTRY_REDIS,
    quiet: { kind: 'flag', help: 'no summary' },
  },
  positionals: ['RESULTS'],
  examples: [
    { does: 'a report', command: 'report results.ndjson --output report.html' },
    {
      does: 'with groups, labels and rules in words',
      command: 'report results.ndjson --model model.json --policy policy.json --by housing,age --output report.html',
    },
  ],
  async run({ options, positionals: [results] }) {
    await refuseSameFile(results, options.output);
    const created = readTime(process.env.SOURCE_DATE_EPOCH);
    const by = readFeatureNames(options.by);
    const source = await openSource(results);
    const model = options.model === undefined ? undefined : await readModel(options.model, options.redis);
    const policy =
      options.policy === undefined ? undefined : await readPolicyDocument(options.policy, storeAt(options.redis));
    const collector = new ReportCollector(
      { by, people: options.people, smallestGroup: options['smallest-group'], seed: options.seed },
      { model: model && factsOf(model), policy: policy?.document },
    );
    await forEachLine(source, (line, number) => collector.add(line, number));
    const { summary, page } = collector.finish({
      source: results === '-' ? source.name : basename(results),
      software: packageVersion(),
      created,
    });
    if (summary.results === 0) throw noResults(source.name);
    tellOthers(summary, model, policy);
    await writeOutput(options.output, page);
    if (!options.quiet) process.stderr.write(`${formatCount(summary.results, 'result')}, ${sizeInWords(page)}\n`);
    return 0;
  },
});

const factsOf = (model: LoadedModel) => ({
  classes: model.classes,
  features: model.document.features,
  thresholds: thresholdsOf(model),
  bands: model.bands,
});

async function refuseSameFile(results: string, output: string): Promise<void> {
  if (results === '-' || output === '-') return;
  const [from, to] = await Promise.all([results, output].map((path) => realpath(path).catch(() => undefined)));
  if (from !== undefined && from === to) throw new ElsewiseError('usage', '--output would overwrite the results');
}

/** Seconds since 1970, as reproducible builds state them. */
function readTime(text: string | undefined): Date {
  if (text === undefined || text === '') return new Date();
  const time = new Date(1000 * Number(text));
  if (!/^\d+$/.test(text) || Number.isNaN(time.getTime()))
    throw new ElsewiseError('usage', 'SOURCE_DATE_EPOCH: expected seconds since 1970');
  return time;
}

/** Labels and rules of other documents than those of the results may be wrong. */
function tellOthers(summary: SummaryDocument, model: LoadedModel | undefined, policy: Policy | undefined): void {
  const isOther = (digest: string | undefined, known: readonly { digest: string }[]) =>
    digest !== undefined && known.length > 0 && !known.some((one) => one.digest === digest);
  if (isOther(model?.digest, summary.models))
    process.stderr.write('elsewise: the results come from another model than --model: labels and units may be wrong\n');
  if (isOther(policy?.digest, summary.policies))
    process.stderr.write('elsewise: the results come from another policy than --policy: rules in words may be wrong\n');
}

const sizeInWords = (page: string): string =>
  `a report of ${formatNumber(Math.ceil(Buffer.byteLength(page) / 1000))} kB`;
