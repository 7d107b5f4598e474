/** `elsewise models import FILE`: the model file of another library becomes a model document that loads and keeps its probes. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { config } from '../../../config.js';
import { listOf, recordOf } from '../../../documents/collections.js';
import { ElsewiseError } from '../../../documents/error.js';
import { readingFault } from '../../../documents/file-fault.js';
import { type ModelDocument, probesSchema } from '../../../documents/model-document.js';
import { didYouMean, listNames } from '../../../documents/nearest-name.js';
import { parseDocument } from '../../../documents/parse.js';
import { DEFAULT_TREE_NODES } from '../../../formats/choices.js';
import { nameCategories } from '../../../formats/described-features.js';
import { detectFormat } from '../../../formats/detected-format.js';
import { renameFeatures } from '../../../formats/feature-names.js';
import type { Format, FormatOptions } from '../../../formats/format.js';
import { formats } from '../../../formats/index.js';
import { isOpen, nameWords, OTHERS } from '../../../formats/one-hot-words.js';
import { writeOutput } from '../../../jobs/rows/streams.js';
import { loadModel } from '../../../models/load.js';
import { formatCount } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readJson } from '../../documents.js';
import type { OptionValues } from '../../options.js';
import { type DescribedModel, describeByFile } from '../../rows/import-rows.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';

export const importModel = defineCommand({
  usage: `models import FILE [--from ${[...formats.keys()].join('|')}] --output FILE [--classes A,B] [--background FILE] [--probes FILE]`,
  about: `Reads a file that the library saved and writes a model document. A part that the document cannot express is refused
by name. The document is written only if it loads.

With --background the document has names and types of the features, names of categories, and statistics of the rows:
quantiles, median absolute deviation and standard deviation. It has no row of the file unless --background-rows is given.
With --probes the document carries scores of the library, and every load compares the model with them.`,
  options: {
    from: {
      kind: 'choice',
      choices: [...formats.keys()],
      help: 'the library or the format of FILE (what its content says; a scorecard has to be named)',
    },
    output: { kind: 'text', value: 'FILE', help: 'the model document', required: true },
    name: { kind: 'text', value: 'NAME', help: 'the name of the model; the name of FILE if not given' },
    classes: {
      kind: 'text',
      value: 'A,B',
      help: 'names of the classes, in the order of the labels 0, 1, ... in training (0,1)',
    },
    features: {
      kind: 'text',
      value: 'A,B',
      help: 'names of the features, in the order of the columns in training (those in FILE)',
    },
    categories: {
      kind: 'text',
      value: 'FILE',
      help: 'names of codes: {"housing": ["free", "own", "rent"]} for the codes 0, 1, 2 (those in FILE)',
    },
    background: {
      kind: 'text',
      value: 'FILE',
      help: 'rows of the training data before any encoding: CSV, NDJSON or Parquet',
    },
    'background-rows': {
      kind: 'whole',
      value: 'N',
      min: 0,
      help: 'rows of the background that the document keeps (0)',
    },
    ...TABLE_OPTIONS,
    'base-score': {
      kind: 'number',
      value: 'N',
      help: 'of a scorecard: the points that everybody has (those in FILE, or 0)',
    },
    'cut-off': {
      kind: 'number',
      value: 'N',
      help: 'of a scorecard: the points from which on a row is accepted; without a cut-off the model predicts points',
    },
    'points-to-double': {
      kind: 'number',
      value: 'N',
      help: 'of a scorecard: the points that double the odds; with --odds, --odds-points and --cut-off scores are probabilities',
    },
    odds: { kind: 'number', value: 'N', help: 'of a scorecard: the odds of the second class at --odds-points, to 1' },
    'odds-points': { kind: 'number', value: 'N', help: 'of a scorecard: the points at which the odds are --odds' },
    'special-codes': {
      kind: 'text',
      value: 'A,B',
      help: 'of a table of optbinning: the values with points of their own (--special-codes=-999,-998)',
    },
    'output-index': {
      kind: 'whole',
      value: 'N',
      min: 0,
      help: 'the output to keep, from 0 on, of a model that predicts several numbers or labels for a row',
    },
    'tree-nodes': {
      kind: 'whole',
      value: 'N',
      min: 1,
      help: `the most nodes of all trees of the document (${DEFAULT_TREE_NODES})`,
    },
    probes: {
      kind: 'text',
      value: 'FILE',
      help: 'scores of the library: {"rows": [[...]], "scores": [[...]]}, rows in the order of the features',
    },
  },
  positionals: ['FILE'],
  examples: [
    { does: 'from a file of XGBoost', command: 'models import model.ubj --from xgboost --output model.json' },
    {
      does: 'with names of classes, and types and statistics from the training data',
      command: 'models import model.txt --from lightgbm --classes no,yes --background train.csv --output model.json',
    },
    {
      does: 'a scorecard in points',
      command: 'models import card.csv --from scorecard --cut-off 600 --classes rejected,approved --output model.json',
    },
    { does: 'a model in PMML', command: 'models import model.pmml --background train.csv --output model.json' },
    {
      does: 'with scores of the library as probes',
      command: 'models import model.txt --from lightgbm --probes probes.json --output model.json',
    },
  ],
  async run({ options, positionals: [path] }) {
    const bytes = await readBytes(path);
    const format = formats.get(options.from ?? detected(bytes, path))!;
    const imported = withNames(format.read(bytes, formatOptions(format, options)), options);
    const categories = options.categories ? await readCategories(options.categories, imported) : {};
    const coded = { ...imported, features: nameCategories(imported.features, categories) };
    const named = { ...nameWords(coded, categories), name: options.name ?? nameOf(path) };
    const { document, notes } = await described(named, options);
    if (options.probes) document.probes = await readProbes(options.probes, format);
    loadModel(document, { bounds: config.bounds });
    await writeOutput(options.output, `${JSON.stringify(document)}\n`);
    for (const note of [...notes, ...openWords(document), `${options.output}: ${describe(document)}`])
      process.stderr.write(`elsewise: ${note}\n`);
    return 0;
  },
});

function detected(bytes: Uint8Array, path: string): string {
  const name = detectFormat(bytes);
  if (name) return name;
  throw new ElsewiseError(
    'usage',
    `the content of ${path} tells no format: name it by --from ${[...formats.keys()].join('|')}`,
  );
}

interface OptionsOfFormats {
  readonly 'base-score'?: number;
  readonly 'cut-off'?: number;
  readonly 'points-to-double'?: number;
  readonly odds?: number;
  readonly 'odds-points'?: number;
  readonly 'special-codes'?: string;
  readonly 'output-index'?: number;
  readonly 'tree-nodes'?: number;
}

/** The options that only some formats take, by their names in code. */
const OPTION_OF: Readonly<Record<keyof FormatOptions, keyof OptionsOfFormats>> = {
  baseScore: 'base-score',
  cutOff: 'cut-off',
  pointsToDouble: 'points-to-double',
  odds: 'odds',
  oddsPoints: 'odds-points',
  specialCodes: 'special-codes',
  output: 'output-index',
  treeNodes: 'tree-nodes',
};

function formatOptions({ takes }: Format, options: OptionsOfFormats): FormatOptions {
  const keys = Object.keys(OPTION_OF) as (keyof FormatOptions)[];
  const given = keys.filter((key) => options[OPTION_OF[key]] !== undefined);
  const foreign = given.find((key) => !takes.includes(key));
  if (foreign) throw foreignOption(foreign);
  const givenOf = (key: keyof FormatOptions) =>
    key === 'specialCodes' ? listed(options['special-codes']!) : options[OPTION_OF[key]];
  return Object.fromEntries(given.map((key) => [key, givenOf(key)]));
}

function foreignOption(key: keyof FormatOptions): ElsewiseError {
  const homes = [...formats].filter(([, { takes }]) => takes.includes(key)).map(([name]) => name);
  return new ElsewiseError('usage', `--${OPTION_OF[key]} goes with --from ${listNames(homes)}`);
}

/** Features whose words are not all known. */
function openWords({ features }: ModelDocument): string[] {
  const open = features.filter(isOpen).map(({ name }) => name);
  if (!open.length) return [];
  return [
    `words of ${listNames(open)} that no tree asks for are "${OTHERS}": name all words by --categories or --background`,
  ];
}

const listed = (text: string): string[] => text.split(',').map((name) => name.trim());

function withNames(document: ModelDocument, options: { classes?: string; features?: string }): ModelDocument {
  const named = options.features ? renameFeatures(document, listed(options.features), '--features') : document;
  if (!options.classes) return named;
  const classes = listed(options.classes);
  const count = named.classes?.length ?? 0;
  if (!count) throw new ElsewiseError('usage', '--classes: the model is a regressor and has no classes');
  if (classes.length === count) return { ...named, classes };
  throw new ElsewiseError(
    'usage',
    `--classes has ${formatCount(classes.length, 'name')}, and the model has ${formatCount(count, 'class', 'classes')}`,
  );
}

async function readCategories(path: string, { family, features }: ModelDocument): Promise<Record<string, string[]>> {
  if (family === 'additive')
    throw new ElsewiseError('usage', '--categories names codes of categories, and the model has names of its own');
  const named = parseDocument(recordOf(listOf(z.string()).min(1)), await readJson(path), path);
  const names = features.map(({ name }) => name);
  const unknown = Object.keys(named).find((name) => !names.includes(name));
  if (unknown === undefined) return named;
  throw new ElsewiseError('bad-document', `no such feature${didYouMean(unknown, names)}`, `${path}.${unknown}`);
}

type BackgroundOptions = OptionValues<typeof TABLE_OPTIONS> & { background?: string; 'background-rows'?: number };

async function described(document: ModelDocument, options: BackgroundOptions): Promise<DescribedModel> {
  const { background: path, 'background-rows': rows } = options;
  if (path !== undefined) return describeByFile(document, path, rows ?? 0, readTableOptions(options));
  if (rows !== undefined) throw new ElsewiseError('usage', '--background-rows needs --background');
  return { document, notes: [] };
}

async function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('bad-document', readingFault(error), path);
  });
}

/** The part of the file's name before its first dot, restricted to the characters of a name. */
function nameOf(path: string): string {
  const [stem] = basename(path)
    .replace(/^[^A-Za-z0-9]+/, '')
    .split('.');
  return stem.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 100) || 'model';
}

async function readProbes(path: string, { precision }: Format): Promise<ModelDocument['probes']> {
  const form = z.strictObject({ ...probesSchema.shape, precision: probesSchema.shape.precision.default(precision) });
  return parseDocument(form, await readJson(path), path);
}

function describe({ name, family, features, parameters, background, probes }: ModelDocument): string {
  const form = countParts(parameters) ?? family;
  const known = background ? `background of ${Object.keys(background).join(', ')}` : 'no background';
  const checked = probes
    ? `${formatCount(probes.rows.length, 'probe')} passed`
    : 'no probes: nothing shows that the scores are right';
  return `${name}, ${form}, ${formatCount(features.length, 'feature')}; ${known}; ${checked}`;
}

/** The terms or trees of a model that has them. */
function countParts({ terms, trees }: ModelDocument['parameters']): string | undefined {
  if (Array.isArray(terms)) return formatCount(terms.length, 'term');
  return Array.isArray(trees) ? formatCount(trees.length, 'tree') : undefined;
}
