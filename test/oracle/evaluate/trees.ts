/**
 * Trees compare exactly; their leaves are summed in the order of the trees, from the base on, in the stated precision.
 *
 *   left  <=>  x <= t  (or x < t);  x in float32 where the tree says so, t as well for `<`;  x in the node's set of categories;
 *              a missing x goes where the node says
 *
 *   mean: Σ / trees    vote: one vote per tree for its best class / trees    sum: base + Σ
 *   isolation forest: decision = -2^(-mean) - offset, inlier where it is above 0
 */
import { certainWinner, type Evaluator, within } from './evaluator.js';
import type { Inputs } from './inputs.js';
import { atLeastZero, both, certain, type Verdict } from './verdict.js';

export interface TreeSpec {
  feature: number[];
  threshold: number[];
  left: number[];
  right: number[];
  value: number[][];
  comparison?: '<=' | '<';
  precision?: 'float32' | 'float64';
  missing?: 'left' | 'right' | 'error' | ('left' | 'right')[];
  categories?: (number[] | null)[];
}

export const takesMissing = (trees: readonly TreeSpec[]): boolean =>
  trees.every((tree) => tree.missing !== undefined && tree.missing !== 'error');

function leafOf(tree: TreeSpec, { x }: Inputs): number {
  let node = 0;
  while (tree.left[node] >= 0) node = goesLeft(tree, node, x[tree.feature[node]]) ? tree.left[node] : tree.right[node];
  return node;
}

/** Whether the noise of an input reaches over a threshold on the way to the leaf. */
function isOpen(tree: TreeSpec, { x, noise }: Inputs): boolean {
  let node = 0;
  while (tree.left[node] >= 0) {
    const input = x[tree.feature[node]];
    const drift = noise[tree.feature[node]];
    const here = goesLeft(tree, node, input);
    if (drift > 0 && (goesLeft(tree, node, input - drift) !== here || goesLeft(tree, node, input + drift) !== here))
      return true;
    node = here ? tree.left[node] : tree.right[node];
  }
  return false;
}

const anyOpen = (trees: readonly TreeSpec[], inputs: Inputs): boolean =>
  inputs.noise.some((drift) => drift > 0) && trees.some((tree) => isOpen(tree, inputs));

function goesLeft(tree: TreeSpec, node: number, input: number): boolean {
  if (Number.isNaN(input)) return (Array.isArray(tree.missing) ? tree.missing[node] : tree.missing) === 'left';
  const set = tree.categories?.[node];
  if (set) return set.includes(input);
  const single = tree.precision === 'float32';
  const value = single ? Math.fround(input) : input;
  if (tree.comparison !== '<') return value <= tree.threshold[node];
  return value < (single ? Math.fround(tree.threshold[node]) : tree.threshold[node]);
}

export interface EnsembleParameters {
  trees: TreeSpec[];
  aggregation: 'mean' | 'vote' | 'sum';
  base?: number | number[];
  link?: 'identity' | 'logit' | 'softmax' | 'exp';
  treeClass?: number[];
  accumulate?: 'float32' | 'float64';
}

/** The sums by output. */
function compileSum(parameters: EnsembleParameters, classes: number): (inputs: Inputs) => number[] {
  const { trees, aggregation, base = 0, treeClass, accumulate } = parameters;
  const outputs = treeClass ? classes : trees[0].value[0].length;
  const round = accumulate === 'float32' ? Math.fround : (value: number) => value;
  const start = Array.from({ length: outputs }, (_, k) => round(Array.isArray(base) ? base[k] : base));
  return (inputs) => {
    const sum = [...start];
    for (const [t, tree] of trees.entries()) {
      const leaf = leafOf(tree, inputs);
      const value = aggregation === 'vote' ? vote(tree.value[leaf]) : tree.value[leaf];
      if (treeClass) sum[treeClass[t]] = round(sum[treeClass[t]] + value[0]);
      else for (let k = 0; k < outputs; k++) sum[k] = round(sum[k] + value[k]);
    }
    return aggregation === 'sum' ? sum : sum.map((value) => value / trees.length);
  };
}

const vote = (value: readonly number[]): number[] => {
  const best = value.indexOf(Math.max(...value));
  return value.map((_, k) => +(k === best));
};

export function ensemble(parameters: EnsembleParameters, classes: number): Evaluator {
  const sum = compileSum(parameters, classes);
  const { link = 'identity' } = parameters;
  const isPair = classes === 2 && !parameters.treeClass && parameters.trees[0].value[0].length === 1;
  const shown = (raw: readonly number[]) => show(raw, link, isPair);
  // A link by the exponential function may be computed in another way; sums themselves may not.
  const linkError = link === 'identity' ? 0 : 4e-16;
  const errorOf = (scores: readonly number[]) => linkError * Math.max(1, ...scores.map(Math.abs));
  const leads = (raw: readonly number[], t: number): Verdict => {
    if (isPair) return certain(t === 1 ? raw[0] > 0 : !(raw[0] > 0));
    return certain(raw.every((value, k) => k === t || (k < t ? raw[t] > value : raw[t] >= value)));
  };
  return {
    scores: (inputs) => shown(sum(inputs)),
    scoreError: (inputs) => (anyOpen(parameters.trees, inputs) ? Infinity : errorOf(shown(sum(inputs)))),
    predicted: (inputs) => {
      if (anyOpen(parameters.trees, inputs)) return -1;
      const raw = sum(inputs);
      return classes ? certainWinner((k) => leads(raw, k), classes) : 0;
    },
    reaches(inputs, goal) {
      if (anyOpen(parameters.trees, inputs)) return 'near';
      const raw = sum(inputs);
      const scores = shown(raw);
      const error = errorOf(scores);
      const own = scores[goal.index];
      if (goal.kind === 'interval') return within(own, goal, error);
      const decided = leads(raw, goal.index);
      if (goal.margin === 0 || decided === 'no') return decided;
      if (isPair) return both(decided, atLeastZero(own - (link === 'logit' ? 0.5 : 0) - goal.margin, error));
      const lead = own - Math.max(...scores.filter((_, k) => k !== goal.index));
      return both(decided, atLeastZero(lead - goal.margin, error + 4e-16));
    },
  };
}

function show(raw: readonly number[], link: string, isPair: boolean): number[] {
  if (link === 'exp') return [Math.exp(raw[0])];
  if (link === 'softmax') {
    const top = Math.max(...raw);
    const powers = raw.map((value) => Math.exp(value - top));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((value) => value / total);
  }
  if (!isPair) return [...raw];
  if (link === 'identity') return [-raw[0], raw[0]];
  const p = 1 / (1 + Math.exp(-raw[0]));
  return [1 - p, p];
}

export interface IsolationParameters {
  trees: TreeSpec[];
  offset: number;
}

export function isolationForest({ trees, offset }: IsolationParameters): Evaluator {
  const decision = (inputs: Inputs): number => -(2 ** -(pathSum(trees, inputs) / trees.length)) - offset;
  const ERROR = 1e-15;
  return {
    scores: (inputs) => [-decision(inputs), decision(inputs)],
    scoreError: (inputs) => (anyOpen(trees, inputs) ? Infinity : ERROR),
    predicted: (inputs) => {
      const value = decision(inputs);
      return anyOpen(trees, inputs) || Math.abs(value) <= ERROR ? -1 : Number(value > 0);
    },
    reaches(inputs, goal) {
      const value = decision(inputs);
      if (anyOpen(trees, inputs)) return 'near';
      const own = goal.index === 1 ? value : -value;
      if (goal.kind === 'interval') return within(own, goal, ERROR);
      return both(atLeastZero(own, ERROR, goal.index === 1), atLeastZero(own - goal.margin, ERROR));
    },
  };
}

/** Path lengths summed in the order of the trees. */
export const pathSum = (trees: readonly TreeSpec[], inputs: Inputs): number =>
  trees.reduce((sum, tree) => sum + tree.value[leafOf(tree, inputs)][0], 0);
