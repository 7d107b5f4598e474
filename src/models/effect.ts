/**
 * Features without effect: the model gives the same output whatever their values are.
 *
 * A feature on which the threshold depends has an effect. Of the others:
 *
 *   trees    no split reads an input that depends on the feature: proved
 *   others   in rows of the model document, other values of the feature alone change no output: tried, not proved
 */
import { readRows } from './background.js';
import type { Feature } from './features.js';
import { type LoadedModel, Scorer } from './load.js';

export interface EffectReport {
  /** The names of features without effect. */
  readonly none: readonly string[];
  readonly isProved: boolean;
}

const MOST_ROWS = 32;
const MOST_VALUES = 9;

/** Null: the model is scored elsewhere, and trying many rows is not for a check. */
export function findEffects(model: LoadedModel): EffectReport | null {
  const { memory, forest } = model.model;
  if (memory) return null;
  const unread = forest ? unreadFeatures(model, forest.feature) : untouchedFeatures(model);
  const none = unread.filter((feature) => !feature.isFixed);
  return { none: none.map(({ name }) => name), isProved: forest !== undefined };
}

/** A leaf reads input -1. */
function unreadFeatures({ space, preprocessing: { map } }: LoadedModel, inputs: Int32Array): Feature[] {
  const read = new Set<number>();
  for (const input of new Set(inputs)) {
    if (input < 0) continue;
    const columns = map.matrix ? [...map.matrix[input].keys()].filter((c) => map.matrix![input][c] !== 0) : [input];
    for (const c of columns) read.add(space.owner[c]);
  }
  return space.features.filter(({ index }) => !read.has(index));
}

function untouchedFeatures(model: LoadedModel): Feature[] {
  const rows = knownRows(model);
  const scorer = new Scorer(model);
  const outputOf = (values: Float64Array): Float64Array => {
    scorer.runValues(values);
    return scorer.raw.slice();
  };
  const outputs = rows.map(outputOf);
  const isTouched = (feature: Feature): boolean =>
    rows.some((row, r) =>
      valuesToTry(feature, model).some((value) => {
        const other = row.slice();
        other[feature.index] = value;
        return outputOf(other).some((output, k) => !Object.is(output, outputs[r][k]));
      }),
    );
  return model.space.features.filter((feature) => !isTouched(feature));
}

function knownRows(model: LoadedModel): readonly Float64Array[] {
  const { background, document, space } = model;
  if (background.samples.length) return background.samples.slice(0, MOST_ROWS);
  if (document.probes?.rows.length)
    return readRows(document.probes.rows.slice(0, MOST_ROWS), space, 'model.probes.rows');
  return [Float64Array.from(space.features, (feature) => valuesToTry(feature, model)[0])];
}

function valuesToTry(feature: Feature, { background }: LoadedModel): number[] {
  if (feature.kind !== 'continuous' && feature.kind !== 'integer')
    return Array.from({ length: Math.max(2, feature.categories.length) }, (_, k) => k);
  const seen = background.quantiles(feature);
  if (!seen) return [0, 1, -1, 1000].map((value) => Math.min(feature.max, Math.max(feature.min, value)));
  return Array.from({ length: MOST_VALUES }, (_, k) => seen[Math.round((k * (seen.length - 1)) / (MOST_VALUES - 1))]);
}
