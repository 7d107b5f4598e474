/**
 * Document -> loaded model: features are laid out, preprocessing is built, the family parses its parameters, and the parity gate is passed.
 * A model whose scores differ from its probes is refused, with the row and the difference.
 */
import { z } from 'zod';
import { digestOf } from '../documents/digest.js';
import { ElsewiseError, type PlacedFault } from '../documents/error.js';
import { refusalOf } from '../documents/faults/refusal.js';
import { checkLabels } from '../documents/labels/check-labels.js';
import { type ModelDocument, modelEnvelope, type RowValue } from '../documents/model-document.js';
import { didYouMean } from '../documents/nearest-name.js';
import { examine, parseDocument } from '../documents/parse.js';
import { type Background, buildBackground, readRows, type SharedBackground } from './background.js';
import { type Bounds, checkColumns, checkSamples, checkSteps, DEFAULT_BOUNDS } from './bounds.js';
import { type Band, bandsOf } from './decision/bands.js';
import { withDecision } from './decision/decision-layer.js';
import { fixSegment, modelOf, type Segments, segmentsOf, withFirstThreshold } from './decision/segments.js';
import type { Family, Model } from './family.js';
import { type FeatureSpace, layOutFeatures, spread } from './features.js';
import { families } from './index.js';
import { buildPreprocessing, type Preprocessing } from './preprocessing.js';
import { readRecord, recordOf } from './read-row.js';
import type { SharedParts } from './shared-parts.js';
import { categoriesOf } from './trees/category-sets.js';
import { type Forest, ranksOf } from './trees/tree.js';

/** The largest difference between a score and its probe, for libraries that compute in float64 and in float32. */
export const PROBE_TOLERANCE = { float64: 1e-6, float32: 1e-4 };

export interface LoadedModel {
  readonly document: ModelDocument;
  readonly name: string;
  readonly digest: string;
  readonly version: number | null;
  readonly task: 'classification' | 'regression';
  readonly classes: readonly string[];
  /** The bands of the decision layer, best first. Empty: the model has none. */
  readonly bands: readonly Band[];
  readonly space: FeatureSpace;
  readonly preprocessing: Preprocessing;
  /** Where thresholds depend on a feature, the model with one of them: `segments` decides. */
  readonly model: Model;
  /** Null: one threshold holds for all rows. */
  readonly segments: Segments | null;
  readonly background: Background;
  /** The bounds under which the model was loaded and its policies are prepared. */
  readonly bounds: Bounds;
  /** The model's scores and prediction for a row given by feature. */
  predict(features: Record<string, RowValue | undefined>): {
    prediction: string | number;
    scores: Record<string, number>;
  };
}

/** The models of all segments, each with one threshold. */
export function eachSegment(loaded: LoadedModel): ReadonlyMap<Model, LoadedModel> {
  const { segments } = loaded;
  const models = segments ? [...segments.models, ...(segments.missing ? [segments.missing] : [])] : [];
  return new Map(models.map((model) => [model, { ...loaded, model, segments: null }]));
}

export interface LoadOptions {
  /** The version of the document in a registry. */
  version?: number | null;
  /** The digest, if a registry has checked it already. It is then not computed again. */
  digest?: string;
  /** The largest document and the largest structures built from it. */
  bounds?: Bounds;
}

/** The parts of a previously loaded model that threads share. */
export interface SharedModelParts {
  readonly model: SharedParts | null;
  readonly background: SharedBackground;
}

export function loadModel(document: unknown, options: LoadOptions = {}): LoadedModel {
  return assemble(document, options);
}

/** A model from a document without its shared parts: see packed-model.ts. */
export function assemble(document: unknown, options: LoadOptions, parts?: SharedModelParts): LoadedModel {
  const parsed = parseEnvelope(document);
  const family = families.get(parsed.family)!;
  const task = family.task === 'either' ? (parsed.classes ? 'classification' : 'regression') : family.task;
  const classes = checkClasses(parsed, task);
  const space = fixSegment(layOutFeatures(parsed.features), parsed.decision);
  checkLabels(parsed, parsed.features, classes);
  const { bounds = DEFAULT_BOUNDS } = options;
  checkColumns(space, bounds);
  checkSamples(parsed, bounds);
  checkSteps(parsed.preprocessing ?? [], space.columns, bounds);
  const preprocessing = buildPreprocessing(parsed.preprocessing ?? [], space.columns);
  const shared = parts?.model ?? undefined;
  const schema = shared ? schemaWithoutShared(family) : family.schema;
  const parameters = parseDocument(schema, parsed.parameters, 'model.parameters');
  const { inputs } = preprocessing;
  const context = { inputs, space, preprocessing, classes: classes.length, labels: classes, shared, bounds };
  const own = family.load(parameters, context);
  const decided = (decision: ModelDocument['decision']) => withDecision(own, family.name, classes.length, decision);
  const model = decided(withFirstThreshold(parsed.decision));
  if (model.forest) checkSets(model.forest, space, preprocessing);
  const loaded: LoadedModel = {
    document: parsed,
    name: parsed.name,
    digest: options.digest ?? digestOf(parsed),
    version: options.version ?? null,
    task,
    classes,
    bands: bandsOf(parsed.decision ?? {}, classes),
    space,
    preprocessing,
    model,
    segments: segmentsOf(parsed.decision, space, decided),
    background: buildBackground(parsed.background ?? {}, space, parts?.background, bounds),
    bounds,
    predict: (features) => predictRow(loaded, features),
  };
  // The asynchronous loader checks the probes of a model that is scored elsewhere: see scoring/probes.ts.
  if (!model.memory) checkProbes(loaded);
  return loaded;
}

function schemaWithoutShared({ schema, shares = [] }: Family): z.ZodType {
  const shape = Object.entries((schema as z.ZodObject).shape).filter(([key]) => !shares.includes(key));
  return z.strictObject(Object.fromEntries(shape));
}

/** An unknown family is told beside the faults of other keys. */
function parseEnvelope(document: unknown): ModelDocument {
  const { faults, parsed } = examine(modelEnvelope, document, 'model');
  const all = [...familyFaults(document), ...faults];
  if (all.length) throw refusalOf(all);
  return parsed!;
}

function* familyFaults(document: unknown): Iterable<PlacedFault> {
  const { family } = (document ?? {}) as { readonly family?: unknown };
  if (typeof family !== 'string' || families.has(family)) return;
  const known = [...families.keys()];
  const hint = didYouMean(family, known) || `, known are ${known.join(', ')}`;
  yield { path: 'model.family', message: `unknown family "${family}"${hint}` };
}

function checkClasses(document: ModelDocument, task: string): readonly string[] {
  const classes = document.classes ?? [];
  const fail = (message: string) => new ElsewiseError('bad-document', message, 'model.classes');
  if (task === 'regression' && classes.length) throw fail(`${document.family} is a regressor and has no classes`);
  if (task === 'classification' && !classes.length)
    throw fail(`${document.family} is a classifier and needs its classes`);
  if (new Set(classes).size !== classes.length) throw fail('a class is listed twice');
  const two = document.family === 'hyperplane' || document.family === 'logistic-regression';
  if (two && classes.length !== 2) throw fail(`${document.family} has exactly two classes, got ${classes.length}`);
  return classes;
}

/** A set is read from one column: from its unchanged numbers, or from listed categories. */
function checkSets(forest: Forest, space: FeatureSpace, { runColumn }: Preprocessing): void {
  const fail = (message: string) => new ElsewiseError('unsupported', message, 'model.preprocessing');
  const ranks = ranksOf(space);
  for (const [n, set] of forest.set.entries()) {
    if (set < 0) continue;
    const column = forest.feature[n];
    if (!runColumn) throw fail('a step that mixes columns comes before a split by a set of categories');
    if (ranks(column) > 0 || categoriesOf(forest, set).every((code) => runColumn(column, code) === code)) continue;
    const { name } = space.features[space.owner[column]];
    throw fail(`"${name}" is scaled and then split by a set of numbers: make the feature categorical`);
  }
}

/**
 * Whether the model has a score for columns. Below the domain of a function of a `monotone` step only trees have one: no answer lies there.
 */
export const isDefinedAt = (
  { model, preprocessing: { curves } }: Pick<LoadedModel, 'model' | 'preprocessing'>,
  columns: Float64Array,
): boolean => !curves || model.forest !== undefined || curves.isDefined(columns);

/** Scores rows of one model. It holds the scratch arrays, so each thread and use needs its own. */
export class Scorer {
  readonly columns: Float64Array;
  readonly raw: Float64Array;
  readonly scores: Float64Array;

  constructor(readonly loaded: Pick<LoadedModel, 'space' | 'preprocessing' | 'model' | 'classes' | 'segments'>) {
    this.columns = new Float64Array(loaded.space.columns);
    this.raw = new Float64Array(loaded.model.rawOutputs);
    this.scores = new Float64Array(Math.max(1, loaded.classes.length));
  }

  /** The model's input for values by feature, valid until the next call. */
  inputOf(values: Float64Array): Float64Array {
    spread(this.loaded.space, values, this.columns);
    return this.loaded.preprocessing.run(this.columns);
  }

  /** Fills `raw` from values by feature. */
  runValues(values: Float64Array): void {
    spread(this.loaded.space, values, this.columns);
    this.runColumns(this.columns);
  }

  /** Fills `raw` from model columns. */
  runColumns(columns: Float64Array): void {
    this.loaded.model.raw(this.loaded.preprocessing.run(columns), this.raw);
  }

  /** Whether the last scores are numbers. The raw output of an impossible class may be -Infinity. */
  isFinite(): boolean {
    const { scores, raw } = this;
    for (let k = 0; k < scores.length; k++) if (!Number.isFinite(scores[k])) return false;
    for (let k = 0; k < raw.length; k++) if (Number.isNaN(raw[k])) return false;
    return true;
  }

  /** The class of the row that was scored last, given by its values. */
  decide(values: Float64Array): number {
    const { model, segments } = this.loaded;
    return (segments ? modelOf(segments, values[segments.feature.index])! : model).decide(this.raw);
  }

  /** Fills `scores` from `raw`. */
  show(): Float64Array {
    this.loaded.model.scores(this.raw, this.scores);
    return this.scores;
  }
}

function predictRow(loaded: LoadedModel, features: Record<string, RowValue | undefined>) {
  const values = new Float64Array(loaded.space.features.length);
  readRecord(loaded, recordOf(loaded, features), values);
  const scorer = new Scorer(loaded);
  scorer.runValues(values);
  const scores = scorer.show();
  if (loaded.task === 'regression') return { prediction: scores[0], scores: {} };
  const prediction = loaded.classes[scorer.decide(values)];
  return { prediction, scores: Object.fromEntries(loaded.classes.map((label, k) => [label, scores[k]])) };
}

/** The inputs of the model for a row given by its values, for a scorer. */
export function inputOf({ space, preprocessing }: LoadedModel, values: Float64Array): Float64Array {
  const columns = new Float64Array(space.columns);
  spread(space, values, columns);
  return preprocessing.run(columns).slice();
}

/** The inputs of the probes. */
export function probeInputs(loaded: LoadedModel): Float64Array[] {
  const rows = readRows(loaded.document.probes?.rows ?? [], loaded.space, 'model.probes.rows');
  return rows.map((values) => inputOf(loaded, values));
}

/** The parity gate: refuses a model whose scores differ from its probes. */
export function checkProbes(loaded: LoadedModel): void {
  const probes = loaded.document.probes;
  if (!probes) return;
  const fail = (message: string, path: string) => new ElsewiseError('bad-probe', message, `model.probes.${path}`);
  if (probes.rows.length !== probes.scores.length)
    throw fail(`${probes.scores.length} scores for ${probes.rows.length} rows`, 'scores');
  const tolerance = PROBE_TOLERANCE[probes.precision ?? 'float64'];
  const scorer = new Scorer(loaded);
  for (const [r, values] of readRows(probes.rows, loaded.space, 'model.probes.rows').entries()) {
    scorer.runValues(values);
    const own = scorer.show();
    const given = probes.scores[r];
    if (given.length !== own.length) throw fail(`expected ${own.length} scores, got ${given.length}`, `scores[${r}]`);
    for (const [k, expected] of given.entries()) {
      const difference = Math.abs(own[k] - expected);
      if (difference <= tolerance * Math.max(1, Math.abs(expected))) continue;
      const message = `the model gives ${own[k]} for row ${r}, the source library gave ${expected}: they differ by ${difference.toExponential(2)} (at most ${tolerance} is allowed)`;
      throw fail(message, `scores[${r}][${k}]`);
    }
  }
}
