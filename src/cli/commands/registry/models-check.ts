/** `elsewise models check FILE|REF`: all checks of loading a model, and a description of the model. */
import { ElsewiseError } from '../../../documents/error.js';
import type { ModelDocument } from '../../../documents/model-document.js';
import { nameSome } from '../../../documents/nearest-name.js';
import { checkParity, type ParityOptions } from '../../../jobs/parity/check-parity.js';
import { readRows } from '../../../models/background.js';
import { findEffects } from '../../../models/effect.js';
import { type LoadedModel, PROBE_TOLERANCE, Scorer } from '../../../models/load.js';
import { withDefaults } from '../../../policy/defaults.js';
import { defaultPolicy } from '../../../policy/policy.js';
import { formatCount } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readModel } from '../../documents.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';
import { REGISTRY_REDIS } from '../../store-options.js';
import { formatTable } from '../../table.js';
import { concludeParity, describeParity } from '../../words/parity.js';

export const check = defineCommand({
  usage: 'models check FILE|REF [--against FILE] [--output FILE] [--redis URL]',
  about: `Loads a model from a file or the registry, as every other command does, and compares its scores with its
probes. Warns of numbers without a range, of missing statistics, and of features without effect.

With --against the model's scores and decisions are compared with those of another library, row by row: docs/parity.md.
Exit code 0: the model is good and agrees. 1: a decision differs, or a score by more than --tolerance. 2: the message
names the fault and its place. 4: the model refuses every row.`,
  options: {
    against: {
      kind: 'text',
      value: 'FILE',
      help: 'rows with the predictions of another library: CSV, NDJSON or Parquet;\ncolumns are prediction, score, probability or "score CLASS"',
    },
    output: { kind: 'text', value: 'FILE', help: 'a table with a line per row of --against: CSV, NDJSON or Parquet' },
    tolerance: {
      kind: 'number',
      value: 'N',
      min: 0,
      help: 'the largest difference of a score, relative to scores above 1\n(0.000001; 0.0001 if the probes are float32)',
    },
    ...TABLE_OPTIONS,
    redis: REGISTRY_REDIS,
  },
  positionals: ['FILE|REF'],
  examples: [
    {
      does: 'against the predictions of scikit-learn',
      command: 'models check model.json --against predictions.csv --output differences.csv',
    },
    { does: 'before a model is deployed', command: 'models check model.json' },
    { does: 'check a model in the registry', command: 'models check credit@production' },
  ],
  async run({ options, positionals: [path] }) {
    const { against, output, tolerance } = options;
    if (against === undefined && (output ?? tolerance) !== undefined)
      throw new ElsewiseError('usage', `--${output === undefined ? 'tolerance' : 'output'} needs --against`);
    const table = readTableOptions(options);
    const model = await readModel(path, options.redis);
    process.stdout.write(`${path} is good\n${formatTable(describeModel(model))}\n`);
    for (const text of warningsOf(model)) process.stderr.write(`elsewise: warning: ${text}\n`);
    return against === undefined
      ? 0
      : compare(model, against, { tolerance: tolerance ?? toleranceOf(model), table, output });
  },
});

const toleranceOf = ({ document: { probes } }: LoadedModel): number => PROBE_TOLERANCE[probes?.precision ?? 'float64'];

async function compare(model: LoadedModel, path: string, options: ParityOptions): Promise<number> {
  if (model.model.memory)
    throw new ElsewiseError(
      'usage',
      '--against: the model is scored elsewhere, and there is no second score to compare',
    );
  const { summary, warnings } = await checkParity(path, model, options);
  for (const text of warnings) process.stderr.write(`elsewise: warning: ${path}: ${text}\n`);
  process.stdout.write(`${path}\n${formatTable(describeParity(summary, model, options.tolerance))}\n`);
  process.stderr.write(`elsewise: ${concludeParity(summary)}\n`);
  if (summary.compared === 0) return ALL_REFUSED;
  return summary.isAlike ? 0 : DIFFERS;
}

const DIFFERS = 1;
const ALL_REFUSED = 4;

/** Properties of a good model that give poor answers. Each sentence says what to do. */
function warningsOf(model: LoadedModel): string[] {
  const { unbounded, unmeasured } = withDefaults(defaultPolicy(), model).defaults;
  const effects = findEffects(model);
  const found: [names: readonly string[], text: (isOne: boolean) => string][] = [
    [unbounded, (isOne) => `${has(isOne)} no range: answers may take any value. ${ADD_RANGE}`],
    [unmeasured, (isOne) => `${has(isOne)} no statistics: one unit costs 1, whatever the unit is. ${ADD_WEIGHTS}`],
    [
      effects?.none ?? [],
      (isOne) =>
        `${effects?.isProved ? `${has(isOne)} no effect on the score` : 'changed no score that was tried'}. Leave ${isOne ? 'it' : 'them'} out of the model, or write "change": "never" into the policy`,
    ],
  ];
  return found
    .filter(([names]) => names.length)
    .map(([names, text]) => `${countFeatures(names)} ${text(names.length === 1)}`);
}

const has = (isOne: boolean): string => (isOne ? 'has' : 'have');

const ADD_STATISTICS = 'Add the background to the model document';
const ADD_RANGE = `${ADD_STATISTICS}, or min and max to the policy`;
const ADD_WEIGHTS = `${ADD_STATISTICS}, or cost.weights to the policy`;

const countFeatures = (names: readonly string[]): string =>
  `${names.length} ${names.length === 1 ? 'feature' : 'features'} (${nameSome(names)})`;

function describeModel(model: LoadedModel): string[][] {
  const { document, space, preprocessing } = model;
  const steps = (document.preprocessing ?? []).map(({ type }) => type);
  return [
    ['name', model.version ? `${model.name}@${model.version}` : model.name],
    ['family', document.family],
    ['features', `${space.features.length} (${countTypes(document)})`],
    [
      'columns',
      `${space.columns}${preprocessing.inputs === space.columns ? '' : `, ${preprocessing.inputs} after preprocessing`}`,
    ],
    ['preprocessing', steps.join(', ') || 'none'],
    ['classes', model.classes.join(', ') || 'none: a regressor'],
    ['background', describeBackground(document)],
    ['probes', describeProbes(model)],
    ['digest', model.digest],
  ];
}

function countTypes({ features }: ModelDocument): string {
  const types = [...new Set(features.map(({ type }) => type))];
  return types.map((type) => `${features.filter((feature) => feature.type === type).length} ${type}`).join(', ');
}

function describeBackground({ background = {} }: ModelDocument): string {
  const { samples = [], labels: _, ...statistics } = background;
  const parts = [...Object.keys(statistics), ...(samples.length ? [formatCount(samples.length, 'sample')] : [])];
  return parts.join(', ') || 'none';
}

const NO_PROBES = 'no probes: the scores were not compared with the source library';

function describeProbes(model: LoadedModel): string {
  const { probes } = model.document;
  if (!probes?.rows.length) return NO_PROBES;
  const scorer = new Scorer(model);
  let largest = 0;
  for (const [r, values] of readRows(probes.rows, model.space, 'model.probes.rows').entries()) {
    scorer.runValues(values);
    const own = scorer.show();
    probes.scores[r].forEach((score, k) => {
      largest = Math.max(largest, Math.abs(score - own[k]));
    });
  }
  return `${probes.rows.length} passed, largest difference ${largest === 0 ? '0' : largest.toExponential(1)}`;
}
