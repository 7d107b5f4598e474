/**
 * The JSON of a CatBoost model, `save_model(..., format="json", pool=pool)`.
 *
 *   features_info   numbers with their borders and the side of NaN; words with the hashes that splits ask for; with a pool all words of
 *                   the training data with their hashes
 *   oblivious_trees the splits of a tree by level, and all its leaves;   trees   nested nodes, where trees are not symmetric
 *   scale_and_bias  the score is scale * sum + bias
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseLibraryJson, unsupported } from '../ensemble.js';
import { type CatboostModel, type CatboostNode, type CatboostSplit, ROOT } from './catboost-model.js';

const place = z.int().min(0);
const numbers = listOf(z.number());

const featureForm = z.object({
  feature_index: place,
  flat_feature_index: place,
  feature_id: z.string().default(''),
  feature_name: z.string().optional(),
});
const numberForm = featureForm.extend({ nan_value_treatment: z.enum(['AsIs', 'AsFalse', 'AsTrue']) });
const wordForm = featureForm.extend({
  values: numbers.default([]),
  string_values: listOf(z.string()).default([]),
});

const splitForm = z.object({
  split_type: z.string(),
  float_feature_index: place.optional(),
  cat_feature_index: place.optional(),
  border: z.number().optional(),
  value: z.number().optional(),
});

const leafForm = z.object({ value: z.union([z.number().transform((value) => [value]), numbers]) });
const branchForm = z.object({
  split: splitForm,
  get left() {
    return nodeForm;
  },
  get right() {
    return nodeForm;
  },
});
type SplitForm = z.output<typeof splitForm>;
type NodeForm = z.output<typeof leafForm> | { split: SplitForm; left: NodeForm; right: NodeForm };
const nodeForm: z.ZodType<NodeForm> = z.union([branchForm, leafForm]);

/** What the file says about classes and training: texts of JSON in the library's own form. */
export const classForm = z.object({
  class_names: listOf(z.union([z.string(), z.number(), z.boolean()])).default([]),
});
export const paramsForm = z.object({ loss_function: z.object({ type: z.string() }).optional() });

const fileForm = z.object({
  features_info: z.object({
    cat_features_hash: listOf(z.object({ hash: z.number(), value: z.string() }))
      .nullish()
      .transform((list) => list ?? []),
    categorical_features: listOf(wordForm).nullish(),
    float_features: listOf(numberForm).nullish(),
  }),
  model_info: z.object({
    binclass_probability_threshold: z.string().optional(),
    class_params: classForm.default({ class_names: [] }),
    params: paramsForm.default({}),
  }),
  oblivious_trees: listOf(z.object({ leaf_values: numbers, splits: listOf(splitForm).nullish() })).optional(),
  trees: listOf(nodeForm).optional(),
  scale_and_bias: z.tuple([z.number(), z.union([z.number().transform((value) => [value]), numbers])]).default([1, [0]]),
});

type File = z.output<typeof fileForm>;

export function readJson(text: string): CatboostModel {
  const file = parseDocument(fileForm, parseLibraryJson(text, ROOT), ROOT);
  const { features_info: info, model_info: about, scale_and_bias: scaling } = file;
  const words = info.categorical_features ?? [];
  const trees = file.oblivious_trees?.map(readOblivious) ?? file.trees?.map(readNode) ?? [];
  return {
    loss: about.params.loss_function?.type,
    classes: about.class_params.class_names.map(String),
    probabilityThreshold: about.binclass_probability_threshold,
    numbers: inOrder(info.float_features ?? [], 'float_features').map((feature) => ({
      name: nameOf(feature),
      place: feature.flat_feature_index,
      isMissingLargest: feature.nan_value_treatment === 'AsTrue',
    })),
    words: inOrder(words, 'categorical_features').map((feature) => ({
      name: nameOf(feature),
      place: feature.flat_feature_index,
      hashes: feature.values.map(unsigned),
    })),
    wordOf: wordsOf(file),
    dimension: dimensionOf(file),
    trees,
    scale: scaling[0],
    bias: scaling[1],
  };
}

/** A hash is written as a number with a sign in splits, and without one beside its word. */
const unsigned = (hash: number): number => hash >>> 0;

const nameOf = ({ feature_name, feature_id, flat_feature_index }: z.output<typeof featureForm>): string =>
  feature_name || feature_id || String(flat_feature_index);

function inOrder<T extends { feature_index: number }>(features: readonly T[], key: string): T[] {
  return features.map((_, f) => {
    const feature = features.find(({ feature_index }) => feature_index === f);
    if (feature) return feature;
    throw new ElsewiseError('bad-document', `there is no feature of index ${f}`, `${ROOT}.features_info.${key}`);
  });
}

function wordsOf({ features_info: { cat_features_hash, categorical_features } }: File): Map<number, string> {
  const own = (categorical_features ?? []).flatMap(({ values, string_values: words }) =>
    words.length === values.length ? values.map((hash, k): [number, string] => [unsigned(hash), words[k]]) : [],
  );
  return new Map([...cat_features_hash.map(({ hash, value }): [number, string] => [unsigned(hash), value]), ...own]);
}

function dimensionOf({ oblivious_trees: oblivious, trees }: File): number {
  if (oblivious?.length) return oblivious[0].leaf_values.length / 2 ** (oblivious[0].splits ?? []).length;
  let node = trees?.[0];
  while (node && 'split' in node) node = node.left;
  return node?.value.length ?? 1;
}

function readOblivious({ leaf_values, splits }: NonNullable<File['oblivious_trees']>[number], t: number) {
  return {
    leaves: leaf_values,
    splits: (splits ?? []).map((split, i) => readSplit(split, `${ROOT}.oblivious_trees[${t}].splits[${i}]`)),
  };
}

function readNode(node: NodeForm, t: number): CatboostNode {
  const path = `${ROOT}.trees[${t}]`;
  const read = (part: NodeForm): CatboostNode =>
    'split' in part
      ? { split: readSplit(part.split, path), left: read(part.left), right: read(part.right) }
      : { value: part.value };
  return read(node);
}

/** Splits that need statistics of the training data for a word, or that read texts. */
export const OTHER_SPLITS: Readonly<Record<string, string>> = {
  OnlineCtr:
    'target statistics of categories (CTR); train with one_hot_max_size of at least the number of categories, for example one_hot_max_size=255',
  EstimatedFeature: 'features of texts and embeddings; train without text_features and embedding_features',
};

function readSplit(split: SplitForm, path: string): CatboostSplit {
  const { split_type: type, float_feature_index, cat_feature_index, border, value } = split;
  if (type === 'FloatFeature' && float_feature_index !== undefined && border !== undefined)
    return { kind: 'border', feature: float_feature_index, border: Math.fround(border) };
  if (type === 'OneHotFeature' && cat_feature_index !== undefined && value !== undefined)
    return { kind: 'word', feature: cat_feature_index, hash: unsigned(value) };
  throw unsupported(Object.hasOwn(OTHER_SPLITS, type) ? OTHER_SPLITS[type] : `a split of type "${type}"`, path);
}
