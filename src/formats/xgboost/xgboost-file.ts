/**
 * The file of an XGBoost model: JSON or UBJSON, with the same keys. Unknown keys are ignored, unknown structures are refused by name. Lists
 * of numbers are read, and not checked against each other.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseLibraryJson, unsupported } from '../ensemble.js';
import { decodeUbjson } from './ubjson.js';
import type { XgboostVersion } from './xgboost-version.js';

export const ROOT = 'xgboost';

/** Parameters are numbers written as strings. */
const parameter = z.union([z.string(), z.number()]);
/** A count below a bound: no file can ask for more memory than its own size is worth. */
const MOST = 1_000_000;
const count = (least: number) => parameter.transform(Number).pipe(z.int().min(least).max(MOST));
const countOf = (least: number) => count(least).default(least);
const numbers = listOf(z.number());
/** Set splits have no condition: NaN, which JSON cannot express. */
const condition = z.union([z.number(), z.nan(), z.null()]).transform((value) => value ?? Number.NaN);

const treeForm = z.object({
  left_children: numbers,
  right_children: numbers,
  split_indices: numbers,
  split_conditions: listOf(condition),
  default_left: listOf(z.union([z.number(), z.boolean()])),
  base_weights: z.unknown(),
  leaf_weights: numbers.default([]),
  categories: numbers.default([]),
  categories_nodes: numbers.default([]),
  categories_segments: numbers.default([]),
  categories_sizes: numbers.default([]),
  tree_param: z.object({ size_leaf_vector: countOf(0) }).default({ size_leaf_vector: 0 }),
});

/** The names of a feature's codes. A number has no names. */
const namesForm = z.object({ offsets: numbers.optional(), values: numbers.default([]) });

const forestForm = z.object({
  cats: z.object({ enc: listOf(namesForm).default([]) }).default({ enc: [] }),
  gbtree_model_param: z.object({ num_parallel_tree: count(1).optional() }),
  iteration_indptr: numbers.optional(),
  tree_info: numbers,
  trees: listOf(treeForm),
});

/** The part that decides whether the rest can be read. */
const headForm = z.object({
  learner: z.object({ gradient_booster: z.object({ name: z.string() }), objective: z.object({ name: z.string() }) }),
});

const fileForm = z.object({
  version: listOf(z.number()).default([]),
  learner: z.object({
    attributes: z.object({ best_iteration: parameter.optional(), best_ntree_limit: parameter.optional() }).default({}),
    feature_names: listOf(z.string()).default([]),
    feature_types: listOf(z.string()).default([]),
    gradient_booster: z.discriminatedUnion('name', [
      z.object({ name: z.literal('gbtree'), model: forestForm }),
      z.object({ name: z.literal('dart'), gbtree: z.object({ model: forestForm }), weight_drop: numbers }),
      z.object({ name: z.literal('gblinear'), model: z.object({ weights: numbers }) }),
    ]),
    learner_model_param: z.object({
      base_score: parameter,
      num_class: countOf(0),
      num_feature: count(1),
      num_target: countOf(1),
    }),
    objective: z.object({ name: z.string() }),
  }),
});

export type XgboostTree = z.output<typeof treeForm>;
export type XgboostForest = z.output<typeof forestForm>;
export type CategoryEncoding = z.output<typeof namesForm>;
export type XgboostLearner = z.output<typeof fileForm>['learner'] & { readonly version: XgboostVersion };
export type XgboostTrees = Exclude<XgboostLearner['gradient_booster'], { name: 'gblinear' }>;

const BOOSTERS = ['gbtree', 'dart', 'gblinear'];

/** `checkObjective` comes before the rest: a file with another objective is told so, whatever else it contains. */
export function readLearner(bytes: Uint8Array, checkObjective: (name: string) => unknown): XgboostLearner {
  const file = decode(bytes);
  const { gradient_booster: booster, objective } = parseDocument(headForm, file, ROOT).learner;
  if (!BOOSTERS.includes(booster.name))
    throw unsupported(
      `the booster "${booster.name}"; known are ${BOOSTERS.join(', ')}`,
      `${ROOT}.learner.gradient_booster.name`,
    );
  checkObjective(objective.name);
  const { learner, version } = parseDocument(fileForm, file, ROOT);
  return { ...learner, version };
}

const BINARY = 'the old binary format; load it with an XGBoost before 3.1 and save it as .json or .ubj';
const DUMP = 'what `dump_model` writes, which is for people; use `save_model`';
const PICKLE = 'a pickle; load it in Python and use `save_model` with the ending .json or .ubj';

/** First bytes of files that XGBoost also writes and that are no models to import. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  binf: BINARY,
  bs64: BINARY,
  boos: DUMP,
  '[': DUMP,
  '\x80\x02': PICKLE,
  '\x80\x03': PICKLE,
  '\x80\x04': PICKLE,
  '\x80\x05': PICKLE,
};

/** The first versions begin the binary format with numbers. */
const HEAD_BYTES = 8;

/** Both forms begin with {: JSON continues with a key or white space, UBJSON with the marker of a length. */
function decode(bytes: Uint8Array): unknown {
  const start = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  const other = Object.keys(OTHER_FORMS).find((beginning) => start.startsWith(beginning));
  if (other) throw unsupported(OTHER_FORMS[other], ROOT);
  if (start.includes('\0') && !start.startsWith('{')) throw unsupported(BINARY, ROOT);
  if (/^\{[^\s"}]/.test(start)) return decodeUbjson(bytes);
  try {
    return parseLibraryJson(new TextDecoder().decode(bytes), ROOT);
  } catch (error) {
    throw new ElsewiseError('bad-document', `is neither JSON nor UBJSON: ${(error as ElsewiseError).detail}`, ROOT);
  }
}

export const fileError = (key: string, message: string) => new ElsewiseError('bad-document', message, `${ROOT}.${key}`);

export function checkLength(list: readonly unknown[], length: number, key: string, what: string): void {
  if (list.length !== length) throw fileError(key, `${list.length} entries for ${length} ${what}`);
}
