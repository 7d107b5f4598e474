/** `elsewise models check FILE|REF`: all checks of loading a model, and a description of the model. */
import type { ModelDocument } from '../../../documents/model-document.js';
import { readRows } from '../../../models/background.js';
import { type LoadedModel, Scorer } from '../../../models/load.js';
import { defineCommand } from '../../command.js';
import { readModel } from '../../documents.js';
import { formatTable } from '../../table.js';

export const check = defineCommand({
  usage: 'models check FILE|REF [--redis URL]',
  about: `Loads a model from a file or the registry, as every other command does, and compares its scores with its
probes. Exit code 0: the model is good. Exit code 2: the message names the fault and its place.`,
  options: { redis: { kind: 'text', value: 'URL', help: 'Redis of the registry (REDIS_URL, redis://127.0.0.1:6379)' } },
  positionals: ['FILE|REF'],
  examples: [
    { does: 'before a model is deployed', command: 'models check model.json' },
    { does: 'check a model in the registry', command: 'models check credit@production' },
  ],
  async run({ options, positionals: [path] }) {
    const model = await readModel(path, options.redis);
    process.stdout.write(`${path} is good\n${formatTable(describeModel(model))}\n`);
    return 0;
  },
});

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
  const parts = [...Object.keys(statistics), ...(samples.length ? [`${samples.length} samples`] : [])];
  return parts.join(', ') || 'none';
}

function describeProbes(model: LoadedModel): string {
  const { probes } = model.document;
  if (!probes?.rows.length) return 'none: nothing shows that the scores are those of the source library';
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
