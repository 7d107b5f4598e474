/**
 * Explainable boosting machines of interpret, from the JSON of `ebm.to_json`: the scores of all terms as tensors.
 *
 *   bins of an axis   [missing, bin 1, ..., bin n, unknown]      continuous: bin k holds  cut_{k-1} <= x < cut_k;  nothing is unknown
 *                                                               nominal: bin k has its categories, all others are unknown
 *   bins of a term    those of level min(levels, features of the term): pairs may have fewer bins than mains
 *   several classes   one more axis, the last
 *
 * The sum runs from the intercept over the terms in the order of the file. An axis of a term becomes [bins, unknown, missing]. Unknown
 * categories are `other`: a category that is added to the document later has their score.
 */
import { z } from 'zod';
import { listOf } from '../documents/collections.js';
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import { parseDocument } from '../documents/parse.js';
import type { TableEntry } from '../models/additive/term-document.js';
import { parseLibraryJson, unsupported } from './ensemble.js';

const number = z.union([z.number(), z.enum(['nan', '+inf', '-inf'])]);
const text = z.union([z.string(), z.number(), z.boolean()]);

const featureForm = z.object({
  name: z.string(),
  type: z.enum(['continuous', 'nominal', 'ordinal']),
  cuts: listOf(listOf(z.number())).min(1).optional(),
  categories: listOf(listOf(z.union([text, listOf(text)])))
    .min(1)
    .optional(),
});

const modelForm = z.object({
  ebm: z.object({
    outputs: listOf(z.object({ link: z.string(), classes: listOf(text).optional() })).min(1),
    intercept: listOf(number).min(1),
    features: listOf(featureForm).min(1),
    terms: listOf(z.object({ term_features: listOf(z.string()).min(1), scores: listOf(z.unknown()) })).min(1),
  }),
});

type EbmFeature = z.output<typeof featureForm>;

/** By link of interpret. */
const LINKS: ReadonlyMap<string, 'identity' | 'logit' | 'softmax' | 'exp'> = new Map([
  ['identity', 'identity'],
  ['log', 'exp'],
  ['logit', 'logit'],
  ['mlogit', 'softmax'],
]);

const ROOT = 'ebm';
const MOST_FEATURES = 3;

export function importEbm(bytes: Uint8Array): ModelDocument {
  const { ebm } = parseDocument(modelForm, parseLibraryJson(new TextDecoder().decode(bytes), ROOT), ROOT);
  const [{ link, classes }, ...others] = ebm.outputs;
  if (others.length) throw unsupported('models of several outputs', `${ROOT}.ebm.outputs`);
  const ownLink = LINKS.get(link);
  if (!ownLink)
    throw unsupported(`the link "${link}"; known are ${[...LINKS.keys()].join(', ')}`, `${ROOT}.ebm.outputs[0].link`);
  const byName = new Map(ebm.features.map((feature) => [feature.name, feature]));
  const outputs = ebm.intercept.length;
  return {
    schema: 'elsewise.model/v1',
    name: ROOT,
    family: 'additive',
    features: ebm.features.map(featureOf),
    ...(classes && { classes: classes.map(String) }),
    parameters: {
      intercept: readScore(outputs === 1 ? ebm.intercept[0] : ebm.intercept, outputs, `${ROOT}.ebm.intercept`),
      terms: ebm.terms.map(({ term_features, scores }, t) =>
        readTerm(term_features, scores, byName, outputs, `${ROOT}.ebm.terms[${t}]`),
      ),
      link: ownLink,
    },
  };
}

function featureOf({ name, type, categories }: EbmFeature, index: number): FeatureDocument {
  if (type === 'continuous') return { name, type };
  const names = (categories?.[0] ?? []).flat().map(String);
  if (!names.length) throw new ElsewiseError('bad-document', 'has no categories', `${ROOT}.ebm.features[${index}]`);
  return { name, type: 'categorical', categories: names, ...(type === 'ordinal' && { encoding: type }) };
}

/** The bins of a feature in a term. */
interface Bins {
  readonly feature: EbmFeature;
  readonly cuts: readonly number[];
  /** By bin: its categories. Null: a continuous feature. */
  readonly groups: readonly (readonly string[])[] | null;
  readonly count: number;
}

function readTerm(
  names: readonly string[],
  scores: readonly unknown[],
  byName: ReadonlyMap<string, EbmFeature>,
  outputs: number,
  path: string,
) {
  if (names.length > MOST_FEATURES)
    throw unsupported(`a term of ${names.length} features (${names.join(' & ')})`, `${path}.term_features`);
  const axes = names.map((name) => binsOf(name, names.length, byName, path));
  const table = readTable(scores, axes, outputs, `${path}.scores`);
  return axes.length === 1 ? mainTerm(axes[0], table as TableEntry[]) : tableTerm(axes, table);
}

function binsOf(name: string, width: number, byName: ReadonlyMap<string, EbmFeature>, path: string): Bins {
  const feature = byName.get(name);
  if (!feature) throw new ElsewiseError('bad-document', `there is no feature "${name}"`, `${path}.term_features`);
  const levels = feature.type === 'continuous' ? feature.cuts : feature.categories;
  const level = levels?.[Math.min(levels.length, width) - 1];
  if (!level) throw new ElsewiseError('bad-document', `the bins of "${name}" are missing`, `${path}.term_features`);
  if (feature.type === 'continuous') {
    const cuts = level as number[];
    return { feature, cuts, groups: null, count: cuts.length + 1 };
  }
  const groups = (level as (string | string[])[]).map((group) => [group].flat().map(String));
  return { feature, cuts: [], groups, count: groups.length };
}

/** A tensor of the file with each axis as [bins, unknown (nominal), missing]. */
function readTable(scores: unknown, [axis, ...next]: readonly Bins[], outputs: number, path: string): TableEntry {
  if (!axis) return readScore(scores, outputs, path);
  const length = axis.count + 2;
  if (!Array.isArray(scores) || scores.length !== length)
    throw new ElsewiseError('bad-document', `expected a list of ${length} entries for "${axis.feature.name}"`, path);
  const parts = scores.map((part, k) => readTable(part, next, outputs, `${path}[${k}]`));
  const [missing, ...bins] = parts;
  return [...bins.slice(0, axis.groups ? length - 1 : -1), missing];
}

function readScore(score: unknown, outputs: number, path: string): number | number[] {
  if (outputs > 1) {
    if (!Array.isArray(score) || score.length !== outputs)
      throw new ElsewiseError('bad-document', `expected a list of ${outputs} numbers`, path);
    return score.map((part, k) => readScore(part, 1, `${path}[${k}]`) as number);
  }
  if (typeof score === 'number') return score;
  throw new ElsewiseError('bad-document', `expected a finite number, got ${JSON.stringify(score)}`, path);
}

function mainTerm({ feature, cuts, groups, count }: Bins, table: readonly TableEntry[]) {
  const missing = table.at(-1)!;
  if (!groups) return { feature: feature.name, cuts, values: table.slice(0, count), missing };
  const categories = Object.fromEntries(groups.flatMap((group, k) => group.map((name) => [name, table[k]])));
  return { feature: feature.name, categories, other: table[count], missing };
}

/** Categories of one bin have equal entries. */
function tableTerm(axes: readonly Bins[], table: TableEntry) {
  const spread = (entry: TableEntry, [axis, ...next]: readonly Bins[]): TableEntry => {
    if (!axis) return entry;
    const parts = (entry as TableEntry[]).map((part) => spread(part, next));
    return axis.groups
      ? [...axis.groups.flatMap((group, k) => group.map(() => parts[k])), ...parts.slice(axis.count)]
      : parts;
  };
  return {
    features: axes.map(({ feature }) => feature.name),
    axes: axes.map(({ cuts, groups }) =>
      groups ? { categories: groups.flat(), other: true, missing: true } : { cuts, missing: true },
    ),
    values: spread(table, axes),
  };
}
