/**
 * Trees are constant between thresholds. Of every cell of a continuous feature one value is enough: the nearest to the present one,
 * as long as the cost of each feature grows with its distance and no constraint ties features together. Then trying all cells is exact.
 */
import { curveAt, inverseOf } from '../evaluate/curves.js';
import { type FeatureSpec, kindOf, startsOf } from '../evaluate/features.js';
import type { Step } from '../evaluate/inputs.js';
import type { TreeSpec } from '../evaluate/trees.js';
import { type Question, treesOf } from '../question.js';

export interface Cells {
  choices: number[][];
  exact: boolean;
}

export function breakpointChoices(question: Question, most: number): Cells | null {
  const { model, policy } = question.source;
  const thresholds = thresholdsByFeature(question);
  if (!thresholds) return null;
  const separable = policy.cost?.norm !== 'mahalanobis';
  const choices: number[][] = [];
  let product = 1;
  let exact = separable && !policy.constraints?.length && policy.plausibility?.method !== 'density';
  for (const [f, values] of question.values.entries()) {
    if (values.kind === 'list') choices.push([question.factual[f], ...values.values]);
    else if (values.kind === 'lattice') return null;
    else choices.push(cellValues(question.factual[f], values.low, values.high, question.baseline[f], thresholds[f]));
    if (kindOf(model.features[f]) !== 'continuous' && values.kind === 'interval') exact = false;
    product *= choices[f].length;
    if (product > most) return null;
  }
  return { choices, exact };
}

/** The present value, and of every cell within the bounds the value nearest to it. */
function cellValues(present: number, low: number, high: number, from: number, edges: readonly Edge[]): number[] {
  const chosen = new Set<number>();
  for (const { below, above } of edges) {
    if (below < from && below >= low) chosen.add(below);
    if (above > from && above <= high) chosen.add(above);
  }
  chosen.delete(from);
  return [present, ...chosen];
}

/** The last value on one side of a threshold and the first on the other. */
export interface Edge {
  below: number;
  above: number;
}

const edgeCache = new WeakMap<object, (Edge[][] | null) | undefined>();

/** By feature: where some tree changes its mind; null for models that are no trees or mix their columns. */
export function thresholdsByFeature(question: Question): Edge[][] | null {
  const { model } = question.source;
  const known = edgeCache.get(model);
  if (known !== undefined) return known;
  const computed = computeEdges(question);
  edgeCache.set(model, computed);
  return computed;
}

function computeEdges(question: Question): Edge[][] | null {
  const { model, policy } = question.source;
  const trees = treesOf(model.family, model.parameters);
  const steps = model.preprocessing ?? [];
  if (!trees || steps.some(({ type }) => type === 'affine')) return null;
  const starts = startsOf(model.features);
  const forest =
    policy.plausibility?.method === 'isolation-forest'
      ? (model.background!.isolationForest as { trees: TreeSpec[] }).trees
      : [];
  return model.features.map((feature, f) => {
    if (feature.type !== 'continuous') return [];
    return [
      ...trees.flatMap((tree) => edgesOf(tree, starts[f], steps)),
      ...forest.flatMap((tree) => edgesOf(tree, starts[f], [])),
    ];
  });
}

/** How far rounding may put an edge off, relative to the terms of its guess: comparisons in float32 round to 6e-8. */
const ROUNDING = { float32: 1e-6, float64: 1e-12 };

function edgesOf(tree: TreeSpec, column: number, steps: readonly Step[]): Edge[] {
  return tree.left.flatMap((left, node) => {
    if (left < 0 || tree.feature[node] !== column || tree.categories?.[node]) return [];
    const { value: near, size } = guess(steps, column, tree.threshold[node]);
    if (!Number.isFinite(near) || !Number.isFinite(size)) return [];
    const edge = locate(
      (value) => isLeft(tree, node, through(steps, column, value)),
      near,
      size * ROUNDING[tree.precision ?? 'float64'],
    );
    return edge ? [edge] : [];
  });
}

const through = (steps: readonly Step[], column: number, value: number): number =>
  steps.reduce((v, step) => {
    if (step.type === 'monotone') return curveAt(step.functions[column], step.powers[column], v).value;
    return step.type === 'scale' ? (v - step.mean[column]) / step.scale[column] : v;
  }, value);

interface Guess {
  value: number;
  /** Of the terms that the value is made of. */
  size: number;
}

const guess = (steps: readonly Step[], column: number, threshold: number): Guess =>
  steps.reduceRight(
    ({ value, size }, step) => {
      if (step.type === 'monotone') return before(step, column, { value, size });
      if (step.type !== 'scale') return { value, size };
      const [scale, mean] = [step.scale[column], step.mean[column]];
      return { value: value * scale + mean, size: size * Math.abs(scale) + Math.abs(mean) };
    },
    { value: threshold, size: Math.abs(threshold) },
  );

function before({ functions, powers }: Step & { type: 'monotone' }, column: number, after: Guess): Guess {
  if (functions[column] === null) return after;
  const value = inverseOf(functions[column], powers[column], after.value);
  const { slope, terms } = curveAt(functions[column], powers[column], value);
  return { value, size: 1 + Math.abs(value) + (after.size + terms) / slope };
}

function isLeft(tree: TreeSpec, node: number, input: number): boolean {
  const single = tree.precision === 'float32';
  const value = single ? Math.fround(input) : input;
  const threshold = tree.threshold[node];
  return tree.comparison === '<' ? value < (single ? Math.fround(threshold) : threshold) : value <= threshold;
}

/** Halves until two neighbouring numbers are left. */
function locate(isLeftAt: (value: number) => boolean, near: number, off: number): Edge | null {
  const reach = Math.max(Math.abs(near) * 1e-5, off, 1e-30);
  let below = near - reach;
  let above = near + reach;
  if (isLeftAt(below) === isLeftAt(above)) return null;
  for (;;) {
    const middle = below / 2 + above / 2;
    if (middle <= below || middle >= above) return { below, above };
    if (isLeftAt(middle) === isLeftAt(below)) below = middle;
    else above = middle;
  }
}

/** Numbers that are worth trying for a feature in a search. */
export const edgeValues = (question: Question, feature: FeatureSpec, f: number): number[] =>
  feature.type === 'continuous'
    ? (thresholdsByFeature(question)?.[f] ?? []).flatMap(({ below, above }) => [below, above])
    : [];
