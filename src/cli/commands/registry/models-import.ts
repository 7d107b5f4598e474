/** `elsewise models import FILE`: the model file of another library becomes a model document that loads and keeps its probes. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { config } from '../../../config.js';
import { listOf, recordOf } from '../../../documents/collections.js';
import { ElsewiseError } from '../../../documents/error.js';
import { readingFault } from '../../../documents/file-fault.js';
import { type ModelDocument, probesSchema } from '../../../documents/model-document.js';
import { didYouMean } from '../../../documents/nearest-name.js';
import { parseDocument } from '../../../documents/parse.js';
import { nameCategories } from '../../../formats/described-features.js';
import { renameFeatures } from '../../../formats/feature-names.js';
import type { Format, FormatOptions } from '../../../formats/format.js';
import { formats } from '../../../formats/index.js';
import { writeOutput } from '../../../jobs/rows/streams.js';
import { loadModel } from '../../../models/load.js';
import { formatCount } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readJson } from '../../documents.js';
import type { OptionValues } from '../../options.js';
import { type DescribedModel, describeByFile } from '../../rows/import-rows.js';
import { readTableOptions, TABLE_OPTIONS } from '../../rows/table-options.js';

export const importModel = defineCommand({
  usage: `models import FILE --from ${[...formats.keys()].join('|')} --output FILE [--classes A,B] [--background FILE] [--probes FILE]`,
  about: `Reads a file that the library saved and writes a model document. A part that the document cannot express is refused
by name. The document is written only if it loads.

With --background the document has names and types of the features, names of categories, and statistics of the rows:
quantiles, median absolute deviation and standard deviation. It has no row of the file unless --background-rows is given.
With --probes the document carries scores of the library, and every load compares the model with them.`,
  options: {
    from: { kind: 'choice', choices: [...formats.keys()], help: 'the library that wrote FILE', required: true },
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
    {
      does: 'with scores of the library as probes',
      command: 'models import model.txt --from lightgbm --probes probes.json --output model.json',
    },
  ],
  async run({ options, positionals: [path] }) {
    const format = formats.get(options.from)!;
    const imported = withNames(format.read(await readBytes(path), formatOptions(format, options)), options);
    const categories = options.categories ? await readCategories(options.categories, imported) : {};
    const named = {
      ...imported,
      name: options.name ?? nameOf(path),
      features: nameCategories(imported.features, categories),
    };
    const { document, notes } = await described(named, options);
    if (options.probes) document.probes = await readProbes(options.probes, format);
    loadModel(document, { bounds: config.bounds });
    await writeOutput(options.output, `${JSON.stringify(document)}\n`);
    for (const note of [...notes, `${options.output}: ${describe(document)}`])
      process.stderr.write(`elsewise: ${note}\n`);
    return 0;
  },
});

interface ScorecardOptions {
  readonly 'base-score'?: number;
  readonly 'cut-off'?: number;
  readonly 'points-to-double'?: number;
  readonly odds?: number;
  readonly 'odds-points'?: number;
  readonly 'special-codes'?: string;
}

/** The options that only some formats take. */
function formatOptions({ takes = [] }: Format, options: ScorecardOptions): FormatOptions {
  const codes = options['special-codes'];
  const given = {
    baseScore: options['base-score'],
    cutOff: options['cut-off'],
    pointsToDouble: options['points-to-double'],
    odds: options.odds,
    oddsPoints: options['odds-points'],
    specialCodes: codes === undefined ? undefined : listed(codes),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  const foreign = known.find(([key]) => !takes.includes(key as keyof FormatOptions));
  if (foreign)
    throw new ElsewiseError(
      'usage',
      '--base-score, --cut-off, --odds, --odds-points, --points-to-double and --special-codes go with --from scorecard',
    );
  return Object.fromEntries(known);
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

function describe({ name, features, parameters, background, probes }: ModelDocument): string {
  const [parts, what] = parameters.terms ? [parameters.terms, 'term'] : [parameters.trees, 'tree'];
  const known = background ? `background of ${Object.keys(background).join(', ')}` : 'no background';
  const checked = probes
    ? `${formatCount(probes.rows.length, 'probe')} passed`
    : 'no probes: nothing shows that the scores are right';
  return `${name}, ${formatCount((parts as unknown[]).length, what as string)}, ${formatCount(features.length, 'feature')}; ${known}; ${checked}`;
}
