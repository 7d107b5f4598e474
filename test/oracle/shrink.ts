/**
 * A failing case made small: parts are taken away and numbers made short for as long as the same fault stays. What does not load or
 * fails in another way is no smaller form of it.
 */
import { startsOf, widthOf } from './evaluate/features.js';
import type { Step } from './evaluate/inputs.js';
import type { TreeSpec } from './evaluate/trees.js';
import type { FaultCode } from './judge/fault.js';
import { judgeCase } from './judge/judge.js';
import type { Product } from './judge/product.js';
import { type Case, treesOf } from './question.js';

export interface ShrinkOptions {
  code: FaultCode;
  seed: number;
  /** Cases that may be tried, and how long. */
  tries: number;
  ms: number;
}

export async function shrinkCase(
  start: Case,
  product: Product,
  { code, seed, tries, ms }: ShrinkOptions,
): Promise<Case> {
  const end = performance.now() + ms;
  let best = start;
  let left = tries;
  const keeps = async (smaller: Case): Promise<boolean> => {
    left = performance.now() < end ? left - 1 : 0;
    try {
      const { faults } = await judgeCase(smaller, product, seed);
      return faults.some((found) => found.code === code);
    } catch {
      return false;
    }
  };
  for (let before: Case | null = null; before !== best && left > 0; ) {
    before = best;
    for (const smaller of smallerForms(() => best)) {
      if (left <= 0) break;
      if (await keeps(smaller)) best = smaller;
    }
  }
  return best;
}

type Edit = (draft: Case) => boolean | undefined;

/** Every edit is tried on the best form of the moment; one that says false does not apply. */
function* smallerForms(current: () => Case): Generator<Case> {
  for (const edit of edits(current())) {
    const draft = structuredClone(current());
    try {
      if (edit(draft) !== false) yield draft;
    } catch {
      // The part was taken away by an earlier edit.
    }
  }
}

function* edits(start: Case): Generator<Edit> {
  yield* policyEdits(start);
  yield* modelEdits(start);
  yield* featureEdits(start);
  yield* numberEdits(start);
}

function* policyEdits({ policy }: Case): Generator<Edit> {
  for (const key of [
    'region',
    'count',
    'plausibility',
    'maxChanges',
    'margin',
    'constraints',
    'features',
    'unbounded',
  ] as const)
    if (policy[key] !== undefined) yield ({ policy: p }) => delete p[key];
  yield ({ policy: p }) => drop(p.cost!, 'weights');
  for (const [i, text] of (policy.constraints ?? []).entries()) {
    yield ({ policy: p }) => void p.constraints!.splice(i, 1);
    for (const part of text.split(/ or | implies | and |not \(|\)/).filter((piece) => piece.trim()))
      yield ({ policy: p }) => void p.constraints!.splice(i, 1, part);
  }
  for (const [name, rule] of Object.entries(policy.features ?? {})) {
    yield ({ policy: p }) => delete p.features![name];
    for (const key of Object.keys(rule)) yield ({ policy: p }) => drop(p.features![name], key as keyof typeof rule);
  }
  for (const norm of ['l1', 'l2'] as const) yield ({ policy: p }) => void Object.assign(p.cost!, { norm });
}

const drop = <T extends object>(from: T, key: keyof T): boolean => key in from && delete from[key];

function* modelEdits({ model }: Case): Generator<Edit> {
  yield ({ model: m }) => drop(m, 'background');
  for (const key of Object.keys(model.background ?? {}))
    yield ({ model: m }) => drop(m.background!, key as keyof typeof m.background);
  for (let i = (model.preprocessing ?? []).length - 1; i >= 0; i--)
    yield ({ model: m }) => void m.preprocessing!.splice(i, 1);
  for (const key of ['relevance', 'relevances', 'threshold', 'accumulate', 'normalization', 'base'])
    if (key in model.parameters) yield ({ model: m }) => delete m.parameters[key];
  for (let k = (model.classes?.length ?? 0) - 1; k >= 0 && model.classes!.length > 2; k--) yield (c) => dropClass(c, k);
  const trees = treesOf(model.family, model.parameters) ?? [];
  for (let t = trees.length - 1; t >= 0 && trees.length > 1; t--)
    yield ({ model: m }) => {
      const list = treesOf(m.family, m.parameters)!;
      list.splice(t, 1);
      (m.parameters.treeClass as number[] | undefined)?.splice(t, 1);
      return list.length > 0;
    };
  for (const [t, tree] of trees.entries())
    for (let n = 0; n < tree.left.length; n++)
      if (tree.left[n] >= 0)
        for (const side of ['left', 'right'] as const)
          yield ({ model: m }) => collapse(treesOf(m.family, m.parameters)![t], n, side);
  for (const tree of trees.keys())
    for (const key of ['precision', 'comparison', 'categories'] as const)
      yield ({ model: m }) => drop(treesOf(m.family, m.parameters)![tree], key);
}

function dropClass({ model: { classes, parameters, family } }: Case, k: number): boolean {
  if (!classes || classes.length < 3 || family === 'lvq') return false;
  const [name] = classes.splice(k, 1);
  for (const key of ['weights', 'bias', 'means', 'variances', 'covariances', 'priors'])
    (parameters[key] as unknown[] | undefined)?.splice(k, 1);
  return name !== undefined;
}

/** A node gives way to one of its children; what hangs below the other goes. */
function collapse(tree: TreeSpec, node: number, side: 'left' | 'right'): boolean {
  if (!(tree.left[node] >= 0)) return false;
  const order: number[] = [];
  const resolve = (n: number) => (n === node ? tree[side][node] : n);
  const walk = (n: number): void => {
    order.push(n);
    if (tree.left[n] >= 0) for (const child of [tree.left[n], tree.right[n]]) walk(resolve(child));
  };
  walk(resolve(0));
  const place = (n: number) => (n < 0 ? -1 : order.indexOf(resolve(n)));
  const pick = <T>(list: readonly T[]) => order.map((n) => list[n]);
  const [left, right] = [pick(tree.left).map(place), pick(tree.right).map(place)];
  tree.feature = pick(tree.feature);
  tree.threshold = pick(tree.threshold);
  tree.value = pick(tree.value);
  if (tree.categories) tree.categories = pick(tree.categories);
  if (Array.isArray(tree.missing)) tree.missing = pick(tree.missing);
  [tree.left, tree.right] = [left, right];
  return true;
}

function* featureEdits({ model }: Case): Generator<Edit> {
  for (let f = model.features.length - 1; f >= 0 && model.features.length > 1; f--)
    yield (draft) => dropFeature(draft, f);
  for (const f of model.features.keys())
    for (const key of ['min', 'max', 'decimals'] as const) yield ({ model: m }) => drop(m.features[f], key);
}

/** The feature, its columns and all that speaks of it. */
function dropFeature({ model, policy, row }: Case, f: number): boolean {
  if (f >= model.features.length || model.features.length < 2) return false;
  const { name } = model.features[f];
  const start = startsOf(model.features)[f];
  const width = widthOf(model.features[f]);
  dropColumns(model, start, width);
  model.features.splice(f, 1);
  delete row[name];
  delete policy.features?.[name];
  policy.constraints = policy.constraints?.filter((text) => !text.includes(name));
  if (typeof policy.cost?.weights === 'object') delete policy.cost.weights[name];
  for (const key of ['mad', 'std', 'quantiles'] as const) delete model.background?.[key]?.[name];
  const covariance = model.background?.covariance;
  const at = covariance?.features.indexOf(name) ?? -1;
  if (covariance && at >= 0) dropRowAndColumn(covariance.matrix, at, 1);
  if (at >= 0) covariance!.features.splice(at, 1);
  return true;
}

/** The lists of a step that have an entry for each column. */
function listsOf(step: Exclude<Step, { type: 'affine' }>): unknown[][] {
  if (step.type === 'scale') return [step.mean, step.scale];
  return step.type === 'monotone' ? [step.functions, step.powers] : [step.values];
}

function dropColumns(model: Case['model'], start: number, width: number): void {
  for (const step of model.preprocessing ?? []) {
    if (step.type === 'affine') {
      for (const row of step.matrix) row.splice(start, width);
      return;
    }
    for (const list of listsOf(step)) list.splice(start, width);
  }
  const p = model.parameters as Record<string, never>;
  const lists = [p.weights, p.means, p.variances, p.prototypes].filter((list) => list) as (number[] | number[][])[];
  for (const list of lists) {
    if (Array.isArray(list[0])) for (const row of list as number[][]) row.splice(start, width);
    else list.splice(start, width);
  }
  const squares = [p.covariance, p.relevance, ...((p.covariances as never) ?? []), ...((p.relevances as never) ?? [])];
  for (const matrix of squares.filter((square) => square)) dropRowAndColumn(matrix as number[][], start, width);
  for (const tree of treesOf(model.family, model.parameters) ?? []) dropInput(tree, start, width);
}

function dropRowAndColumn(matrix: number[][], at: number, width: number): void {
  matrix.splice(at, width);
  for (const row of matrix) row.splice(at, width);
}

function dropInput(tree: TreeSpec, start: number, width: number): void {
  const node = () => tree.feature.findIndex((c, n) => tree.left[n] >= 0 && c >= start && c < start + width);
  for (let n = node(); n >= 0; n = node()) collapse(tree, n, 'left');
  tree.feature = tree.feature.map((c, n) => (tree.left[n] >= 0 && c >= start ? c - width : tree.left[n] >= 0 ? c : 0));
}

/** Every number of a case, shorter. */
function* numberEdits(start: Case): Generator<Edit> {
  for (const path of numberPaths(start)) {
    const value = read(start, path);
    const shorter = [
      0,
      1,
      Math.round(value),
      Number(value.toPrecision(1)),
      Number(value.toPrecision(2)),
      Number(value.toPrecision(3)),
    ];
    for (const other of new Set(shorter))
      yield (draft) => {
        const now = read(draft, path);
        if (typeof now !== 'number' || String(now).length <= String(other).length) return false;
        write(draft, path, other);
        return true;
      };
  }
}

type Path = (string | number)[];

function* numberPaths(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value === 'number' && !path.includes('left') && !path.includes('right') && !path.includes('feature'))
    yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'deadlineMs') continue;
    yield* numberPaths(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

const read = (value: unknown, path: Path): number =>
  path.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], value) as number;

function write(value: unknown, path: Path, number: number): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
  (parent as Record<string, unknown>)[path.at(-1)!] = number;
}
