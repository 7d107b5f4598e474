/** A whole random case from one seed: the same seed gives the same case on every machine. */
import { Dice } from '../../support/dice.js';
import type { CurveName } from '../evaluate/curves.js';
import { evaluatorOf } from '../evaluate/families.js';
import { columnsOf, isNumeric, kindOf, rowOf, spreadRow, startsOf } from '../evaluate/features.js';
import { compileSteps, createInputs, type Step } from '../evaluate/inputs.js';
import type { BackgroundSpec, Norm } from '../policy/cost.js';
import { type RuleSpec, snap, valuesOf } from '../policy/values.js';
import { type Case, type ModelSpec, type PolicySpec, rulesOf } from '../question.js';
import { classNames, GENERATORS, type Inputs, isolation, positive } from './models.js';
import { drawConstraints, drawRule, drawTarget, type Sampled } from './policies.js';
import { columnUnits, drawPoint, drawTerrain, type Terrain } from './terrain.js';
import { drawTie } from './ties.js';

export interface CaseOptions {
  families: readonly string[];
  norms: readonly Norm[];
  deadlineMs: number;
  /** The share of cases with a step `monotone`. */
  monotone?: number;
}

/** Points whose scores targets are taken from. */
const SAMPLED = 24;
const MONOTONE = 0.1;
const TREES = ['decision-tree', 'tree-ensemble', 'isolation-forest'];

/** Families and norms take turns, so that every pair comes equally often. */
export function drawCase(
  seed: number,
  index: number,
  { families, norms, deadlineMs, monotone = MONOTONE }: CaseOptions,
): Case {
  const dice = new Dice(mix(seed, index));
  const family = families[index % families.length];
  const norm = norms[Math.floor(index / families.length) % norms.length];
  const terrain = drawTerrain(dice, norm === 'mahalanobis');
  const points = Array.from({ length: SAMPLED }, () => drawPoint(dice, terrain));
  const missing = dice.chance(0.15);
  const steps = drawSteps(dice, terrain, missing && !TREES.includes(family));
  const bent = new Dice(mix(seed + 2, index));
  const imputers = steps.filter(({ type }) => type === 'impute').length;
  if (bent.chance(monotone)) steps.splice(imputers, 0, drawCurves(bent, terrain, points));
  const model = drawModel(dice, family, terrain, steps, points, missing && TREES.includes(family));
  const { scores, kept } = scoresOf(model, points);
  const present = kept[0];
  const rules = drawRules(dice, terrain, present);
  // Scores of points that the person can reach make targets that can be reached, the others mostly ones that cannot.
  const open = drawOpenChoices(new Dice(mix(seed + 1, index)));
  const features = Object.fromEntries(model.features.map(({ name }, f) => [name, rules[f]]));
  const within = rulesOf(model, { features, unbounded: !open.bounds });
  const reached = Array.from({ length: SAMPLED }, () => reachablePoint(dice, terrain, within, present));
  const sampled = dice.chance(0.75) ? scoresOf(model, [present, ...reached]).scores : scores;
  const policy = drawPolicy(dice, terrain, model, norm, present, rules, { scores: sampled, ...intervalsOf(model) });
  const tie = drawTie(new Dice(mix(seed + 3, index)), terrain, within, present);
  if (tie) policy.constraints = [...(policy.constraints ?? []), tie];
  // Without an imputer a density has no value for a number that is missing.
  const isWhole = policy.plausibility?.method === 'density' && TREES.includes(family);
  const factual = missing && !isWhole ? withMissing(dice, terrain, present) : present;
  return { model, policy: { ...leaveOpen(policy, open), deadlineMs }, row: rowOf(model.features, factual) };
}

/** The choices that a policy leaves to the background. */
interface OpenChoices {
  bounds: boolean;
  weights: boolean;
}

const drawOpenChoices = (dice: Dice): OpenChoices => ({ bounds: dice.chance(0.3), weights: dice.chance(0.2) });

function leaveOpen(policy: PolicySpec, { bounds, weights }: OpenChoices): PolicySpec {
  const { norm } = policy.cost!;
  return { ...policy, ...(!bounds && { unbounded: true }), ...(weights && { cost: { norm } }) };
}

/** A seed for each case of a run. */
export function mix(seed: number, index: number): number {
  let t = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  t = Math.imul(t ^ (t >>> 15), 0x2c1b3c6d);
  return (t ^ (t >>> 13)) >>> 0;
}

function withMissing(dice: Dice, { features }: Terrain, present: Float64Array): Float64Array {
  const open = features.flatMap((feature, f) => (kindOf(feature) === 'one-hot' ? [] : [f]));
  const chosen = open.length ? dice.pick(open) : -1;
  return present.map((value, f) => (f === chosen ? Number.NaN : value));
}

function drawSteps(dice: Dice, terrain: Terrain, impute: boolean): Step[] {
  const units = columnUnits(terrain);
  const steps: Step[] = [];
  if (impute) steps.push({ type: 'impute', values: units.map((unit) => (terrain.ground === 'tidy' ? 1 : unit)) });
  const kind = dice.pick(['none', 'none', 'none', 'scale', 'affine']);
  if (kind === 'scale') {
    const tidy = terrain.ground === 'tidy';
    const mean = units.map((unit) => (tidy ? dice.integer(-1, 1) : Number((dice.normal() * unit).toPrecision(3))));
    const scale = units.map((unit) =>
      tidy ? dice.pick([1, 2, 0.5]) : Number((dice.between(0.5, 2) * unit).toPrecision(3)),
    );
    steps.push({ type: 'scale', mean, scale });
  } else if (kind === 'affine') {
    const rows = dice.integer(1, Math.min(3, units.length));
    const entry = (unit: number) =>
      terrain.ground === 'tidy' ? dice.integer(-1, 1) : Number((dice.normal() / unit).toPrecision(4));
    const matrix = Array.from({ length: rows }, () => units.map(entry));
    for (const [r, row] of matrix.entries()) if (!row.some((value) => value !== 0)) row[r % row.length] = 1;
    steps.push({ type: 'affine', matrix, offset: matrix.map(() => dice.integer(-1, 1)) });
  }
  return steps;
}

/** Increasing functions of numbers, finite at all points: a row of the search may still leave the domain of a function. */
function drawCurves(dice: Dice, { features }: Terrain, points: readonly Float64Array[]): Step {
  const starts = startsOf(features);
  const functions: (CurveName | null)[] = Array(columnsOf(features)).fill(null);
  for (const [f, feature] of features.entries()) {
    if (!isNumeric(feature)) continue;
    const least = Math.min(...points.map((point) => point[f]));
    const fitting = (['yeo-johnson', 'yeo-johnson', 'log1p', 'box-cox', null] as const).filter(
      (name) => (name !== 'log1p' || least > -1) && (name !== 'box-cox' || least > 0),
    );
    functions[starts[f]] = dice.pick(fitting);
  }
  const powers = functions.map(() => dice.pick([0, 1, 2, 0.5, -0.5, 0.3, 1.5, 2.5]));
  return { type: 'monotone', functions, powers };
}

function drawModel(
  dice: Dice,
  family: string,
  terrain: Terrain,
  steps: Step[],
  points: readonly Float64Array[],
  missing: boolean,
): ModelSpec {
  const { features, ground } = terrain;
  const rows = points.map((point) => inputsOf(features, steps, point));
  const units = inputUnits(terrain, steps, rows);
  const seen = units.map((_, i) => rows.slice(0, 6).map((row) => row[i]));
  const starts = startsOf(features);
  const ranks = units.map(
    (_, i) => !steps.length && features.some((f, k) => kindOf(f) === 'ordinal' && starts[k] === i),
  );
  const inputs: Inputs = { ground, units, seen, ranks, missing };
  const { parameters, classes } = GENERATORS[family](dice, inputs);
  const names = family === 'isolation-forest' ? ['outlier', 'inlier'] : classNames(classes);
  return {
    schema: 'elsewise.model/v1',
    name: 'asked',
    family,
    features,
    ...(classes ? { classes: names } : {}),
    ...(steps.length ? { preprocessing: steps } : {}),
    parameters,
    background: drawBackground(dice, terrain),
  };
}

function inputsOf(features: Terrain['features'], steps: readonly Step[], point: Float64Array): number[] {
  const columns = createInputs(columnsOf(features));
  spreadRow(features, point, columns.x);
  return [...compileSteps(steps, columns.x.length)(columns).x];
}

function inputUnits(terrain: Terrain, steps: readonly Step[], rows: readonly number[][]): number[] {
  if (!steps.some(({ type }) => type !== 'impute')) return columnUnits(terrain);
  return rows[0].map((_, i) => {
    const sizes = rows
      .map((row) => Math.abs(row[i]))
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
    return Number((sizes[sizes.length >> 1] || 1).toPrecision(1));
  });
}

function drawBackground(dice: Dice, terrain: Terrain): BackgroundSpec {
  const { features, units } = terrain;
  const numbers = features.flatMap((feature, f) =>
    feature.type === 'continuous' || feature.type === 'integer' ? [f] : [],
  );
  const byName = <T>(list: readonly number[], of: (f: number) => T) =>
    Object.fromEntries(list.map((f) => [features[f].name, of(f)]));
  const spread = (f: number) => Number((units[f] * dice.between(0.3, 2)).toPrecision(3));
  const quantiles = (f: number) => {
    const drawn = dice
      .vector(dice.integer(3, 7), () => Number((dice.normal() * 1.5 * units[f]).toPrecision(2)))
      .sort((a, b) => a - b);
    return dice.chance(0.3) ? [drawn[0], ...drawn] : drawn;
  };
  const ordered = features.flatMap((feature, f) => (kindOf(feature) === 'one-hot' ? [] : [f]));
  const matrix = positive(
    dice,
    ordered.map((f) => units[f]),
    1,
    terrain.ground,
  );
  const even = matrix.map((row, i) => row.map((_, j) => (matrix[i][j] + matrix[j][i]) / 2));
  return {
    mad: byName(numbers, (f) => (dice.chance(0.1) ? 0 : spread(f))),
    std: byName(numbers, (f) => (dice.chance(0.05) ? 0 : spread(f))),
    quantiles: byName(numbers, quantiles),
    ...(ordered.length ? { covariance: { features: ordered.map((f) => features[f].name), matrix: even } } : {}),
  };
}

/** Points with finite scores, and their scores. */
function scoresOf(
  { family, features, classes = [], preprocessing = [], parameters }: ModelSpec,
  points: readonly Float64Array[],
) {
  const evaluator = evaluatorOf(family, parameters, classes);
  const run = compileSteps(preprocessing, columnsOf(features));
  const scored = points.map((point) => {
    const columns = createInputs(columnsOf(features));
    spreadRow(features, point, columns.x);
    return evaluator.scores(run(columns));
  });
  const usable = points.map((_, p) => p).filter((p) => scored[p].every(Number.isFinite));
  const chosen = usable.length ? usable : [0];
  return { scores: chosen.map((p) => scored[p]), kept: chosen.map((p) => points[p]) };
}

/** Intervals of scores that a family says by name it has no exact region for are not asked for. */
function intervalsOf({ family, parameters }: ModelSpec): { intervals: boolean; upperEnds: boolean } {
  const normalization = family === 'lda' ? 'softmax' : parameters.normalization;
  return {
    intervals: family !== 'lvq' && normalization !== 'sigmoid',
    upperEnds: parameters.link !== 'softmax',
  };
}

const drawRules = (dice: Dice, terrain: Terrain, present: Float64Array): RuleSpec[] =>
  terrain.features.map((_, f) => drawRule(dice, terrain, f, present[f]));

function reachablePoint(dice: Dice, terrain: Terrain, rules: readonly RuleSpec[], present: Float64Array): Float64Array {
  return present.map((from, f) => {
    const values = valuesOf(terrain.features[f], rules[f], { from, missing: false });
    if (dice.chance(0.4)) return from;
    if (values.kind === 'list') return values.values.length ? dice.pick(values.values) : from;
    return snap(values, from + dice.normal() * (terrain.features[f].type === 'integer' ? 3 : terrain.units[f]));
  });
}

function drawPolicy(
  dice: Dice,
  terrain: Terrain,
  model: ModelSpec,
  norm: Norm,
  present: Float64Array,
  rules: readonly RuleSpec[],
  sampled: Sampled,
): PolicySpec {
  const constraints = drawConstraints(dice, terrain, present);
  const target = drawTarget(dice, model.classes ?? [], sampled);
  const plain = typeof target === 'string' && model.parameters.normalization !== 'sigmoid';
  const policy: PolicySpec = {
    schema: 'elsewise.policy/v1',
    target,
    cost: { norm, weights: drawWeights(dice, terrain, norm) },
    features: Object.fromEntries(
      model.features.flatMap(({ name }, f) => (Object.keys(rules[f]).length ? [[name, rules[f]]] : [])),
    ),
  };
  if (constraints.length) policy.constraints = constraints;
  if (dice.chance(0.25)) policy.maxChanges = dice.integer(1, Math.max(1, model.features.length - 1));
  if (dice.chance(0.2)) policy.count = dice.integer(2, 4);
  if (plain && dice.chance(0.2)) policy.margin = dice.pick([0.01, 0.02, 0.1, 0.25, 0.5]);
  if (dice.chance(0.3)) policy.region = true;
  if (dice.chance(0.12)) addPlausibility(dice, terrain, model, policy);
  return policy;
}

function drawWeights(
  dice: Dice,
  { features, ground, units }: Terrain,
  norm: Norm,
): NonNullable<PolicySpec['cost']>['weights'] {
  const kinds = norm === 'l1' || norm === 'l2' ? ['none', 'mad', 'std', 'given'] : ['none', 'given'];
  const kind = dice.pick(kinds) as 'none' | 'mad' | 'std' | 'given';
  if (kind !== 'given' && !(kind === 'none' && ground === 'scaled' && dice.chance(0.7))) return kind;
  const scale = (f: number) => (norm === 'l1' ? 1 / units[f] : norm === 'l2' ? 1 / units[f] ** 2 : 1);
  const size = () => (ground === 'tidy' ? dice.integer(1, 3) : dice.between(0.3, 3));
  const chosen = features.map((feature, f) => [feature.name, Number((size() * scale(f)).toPrecision(3))] as const);
  return Object.fromEntries(chosen.filter(() => dice.chance(0.8)));
}

function addPlausibility(dice: Dice, terrain: Terrain, model: ModelSpec, policy: PolicySpec): void {
  if (dice.chance(0.5)) addDensity(dice, terrain, model, policy);
  else addIsolation(dice, terrain, model, policy);
}

/** Rows that a limit compares with: at least 20. */
const ROWS = 24;

function addDensity(dice: Dice, terrain: Terrain, model: ModelSpec, policy: PolicySpec): void {
  const { features, units, ground } = terrain;
  const numbers = features.flatMap((feature, f) => (isNumeric(feature) ? [f] : []));
  if (!numbers.length) return;
  const points = Array.from({ length: ROWS }, () => drawPoint(dice, terrain));
  const count = dice.integer(1, 2);
  const covariance = () => {
    const matrix = positive(
      dice,
      numbers.map((f) => units[f]),
      1,
      ground,
    );
    return matrix.map((row, i) => row.map((_, j) => (matrix[i][j] + matrix[j][i]) / 2));
  };
  const background = model.background!;
  background.samples = points.map((point) => features.map(({ name }) => rowOf(features, point)[name]));
  background.mixture = {
    features: numbers.map((f) => features[f].name),
    weights: count === 1 ? [1] : [0.25, 0.75],
    means: points.slice(0, count).map((point) => numbers.map((f) => point[f])),
    covariances: Array.from({ length: count }, covariance),
  };
  const kind = dice.pick(['limit', 'limit', 'term', 'both']);
  policy.plausibility = {
    method: 'density',
    ...(kind === 'term' ? {} : { atLeast: dice.pick([0, 0.05, 0.2, 0.5]) }),
    ...(kind === 'limit' ? {} : { weight: Number(dice.between(0.1, 3).toPrecision(2)) }),
  };
}

function addIsolation(dice: Dice, terrain: Terrain, model: ModelSpec, policy: PolicySpec): void {
  const units = columnUnits(terrain);
  const inputs: Inputs = {
    ground: terrain.ground,
    units,
    seen: units.map(() => []),
    ranks: units.map(() => false),
    missing: true,
  };
  model.background!.isolationForest = isolation(dice, inputs, -Number(dice.between(0.45, 0.7).toFixed(2)));
  policy.plausibility = { method: 'isolation-forest' };
}
