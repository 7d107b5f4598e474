/** Random linear models behind a monotone step, with a row that lacks the goal, and two opinions on them that know no solver. */
import { loadPolicy } from '../../src/index.js';
import { spread } from '../../src/models/features.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import type { Goal } from '../../src/models/region.js';
import { evaluateCost } from '../../src/policy/cost.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { listedValues } from '../../src/policy/listed-values.js';
import { isContinuous, nearestValue } from '../../src/policy/values.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import { isAnswer } from '../../src/solvers/shared/answer-check.js';
import type { AskedProblem } from './asked-problem.js';
import type { Dice } from './dice.js';

export interface BentFeature {
  readonly name: string;
  readonly type: 'continuous' | 'integer' | 'boolean' | 'categorical';
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly categories?: readonly string[];
}

export interface BentSetting {
  readonly family?:
    | 'logistic-regression'
    | 'hyperplane'
    | 'linear-regression'
    | 'poisson-regression'
    | 'softmax-regression';
  readonly classes?: number;
  readonly policy?: Record<string, unknown>;
  /** The size of numbers. */
  readonly unit?: number;
  readonly isMargin?: boolean;
}

const CURVES = ['log1p', 'box-cox', 'yeo-johnson', 'yeo-johnson'] as const;
const POWERS = [-1.3, -0.5, 0, 0, 0.3, 0.7, 1, 1.4, 2, 2.6];

function drawValue(dice: Dice, { type, min, max, categories, decimals }: BentFeature, unit: number): unknown {
  if (type === 'categorical') return dice.pick(categories!);
  if (type === 'boolean') return dice.chance(0.5);
  const drawn = min !== undefined && max !== undefined ? dice.between(min, max) : unit * Math.exp(0.7 * dice.normal());
  const value =
    type === 'integer' ? Math.round(drawn) : decimals === undefined ? drawn : Number(drawn.toFixed(decimals));
  return Math.min(max ?? Infinity, Math.max(min ?? Number.NEGATIVE_INFINITY, value));
}

const columnsOf = ({ type, categories }: BentFeature): number => (type === 'categorical' ? categories!.length : 1);

/** A function whose domain has every value of the feature, or most of them. */
function curveOf(dice: Dice, { type, min }: BentFeature): string | null {
  if (type === 'categorical' || dice.chance(0.15)) return null;
  const fitting = CURVES.filter(
    (name) => name === 'yeo-johnson' || (min !== undefined && min >= (name === 'log1p' ? -0.5 : 0)),
  );
  return dice.pick(fitting);
}

function modelOf(dice: Dice, features: readonly BentFeature[], setting: BentSetting): LoadedModel {
  const { family = 'logistic-regression', classes = 2, unit = 1 } = setting;
  const functions = features.flatMap((feature) => Array(columnsOf(feature)).fill(curveOf(dice, feature)));
  const powers = functions.map(() => dice.pick(POWERS));
  const weights = () => functions.map((name) => (dice.normal() * (dice.chance(0.1) ? 0 : 1)) / (name ? 1 : unit));
  const isRegression = family === 'linear-regression' || family === 'poisson-regression';
  const labels = Array.from({ length: classes }, (_, k) => `c${k}`);
  const several = { weights: labels.map(weights), bias: labels.map(() => dice.normal()) };
  const scale = functions.map((name) => (name ? dice.between(0.3, 2) * dice.pick([1, -1]) : 1));
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'bent',
    family,
    features,
    ...(isRegression ? {} : { classes: labels }),
    preprocessing: [
      { type: 'monotone', functions, powers },
      ...(dice.chance(0.7) ? [{ type: 'scale', mean: scale.map(() => dice.normal()), scale }] : []),
    ],
    parameters: family === 'softmax-regression' ? several : { weights: weights(), bias: dice.normal() },
    background: {
      samples: Array.from({ length: 24 }, () => features.map((feature) => drawValue(dice, feature, unit))),
    },
  });
}

function goalOf(dice: Dice, model: LoadedModel, rows: readonly Float64Array[], { isMargin }: BentSetting): Goal {
  const scores = rows.map((values) => {
    const raw = new Float64Array(model.model.rawOutputs);
    const columns = new Float64Array(model.space.columns);
    spread(model.space, values, columns);
    model.model.raw(model.preprocessing.run(columns), raw);
    const out = new Float64Array(Math.max(1, model.classes.length));
    model.model.scores(raw, out);
    return out;
  });
  const index = dice.integer(0, Math.max(0, model.classes.length - 1));
  if (model.task === 'classification' && dice.chance(0.6) && !isMargin) return { kind: 'class', index, margin: 0 };
  if (model.task === 'classification' && isMargin) return { kind: 'class', index, margin: dice.between(0, 0.3) };
  const own = scores.map((all) => all[index]).filter(Number.isFinite);
  own.sort((a, b) => a - b);
  const from = own[dice.integer(0, own.length - 1)];
  const width = dice.pick([Infinity, Math.abs(own[own.length - 1] - own[0]) * 0.1, Math.abs(from) * 1e-3]);
  return { kind: 'interval', index, from, to: from + width };
}

/** A model, and a row that lacks the goal. Null: all rows tried have it. */
export function bentProblem(dice: Dice, features: readonly BentFeature[], setting: BentSetting): AskedProblem | null {
  const model = modelOf(dice, features, setting);
  const policy = { schema: 'elsewise.policy/v1', ...setting.policy };
  const compiled = compilePolicy(loadPolicy(policy).document, model);
  const rows = Array.from({ length: 8 }, () => valuesFrom(dice, features, setting.unit ?? 1));
  const goal = goalOf(dice, model, rows, setting);
  const [problem] = compileProblems(model, compiled, goal);
  const domain = createDomain(model.space);
  for (const values of problem ? rows : []) {
    fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
    if (!problem.holds(domain.origin)) return { model, problem, domain, values };
  }
  return null;
}

const valuesFrom = (dice: Dice, features: readonly BentFeature[], unit: number): Float64Array =>
  Float64Array.from(features, (feature) => {
    const value = drawValue(dice, feature, unit);
    return typeof value === 'string' ? feature.categories!.indexOf(value) : Number(value);
  });

/** The least cost of many random answers, each pulled towards the row feature by feature. Infinity: no point was an answer. */
export function sampledCost(dice: Dice, { model, problem, domain, values }: AskedProblem, points: number): number {
  const { space } = model;
  const columns = new Float64Array(space.columns);
  const costOf = (to: Float64Array) => {
    spread(space, to, columns);
    return isAnswer(problem, domain, columns) ? evaluateCost(problem.cost, space, values, to) : Infinity;
  };
  let best = Infinity;
  for (let k = 0; k < points; k++) {
    const to = values.slice();
    for (const feature of space.features) {
      if (dice.chance(0.4)) continue;
      if (feature.kind === 'choice') to[feature.index] = dice.pick([...listedValues(domain, feature)]);
      else to[feature.index] = drawWithin(dice, domain, feature.index);
    }
    if (costOf(to) === Infinity) continue;
    for (const feature of dice.shuffle(space.features)) pullBack(to, feature.index);
    best = Math.min(best, costOf(to));
  }
  return best;

  function pullBack(to: Float64Array, f: number): void {
    const feature = space.features[f];
    let [bad, good] = [values[f], to[f]];
    to[f] = bad;
    if (costOf(to) < Infinity || feature.kind === 'choice') {
      if (costOf(to) === Infinity) to[f] = good;
      return;
    }
    for (let step = 0; step < 50; step++) {
      const middle = nearestValue(domain, feature, (bad + good) / 2);
      to[f] = middle;
      if (middle === bad || middle === good) break;
      if (costOf(to) < Infinity) good = middle;
      else bad = middle;
    }
    to[f] = good;
  }
}

/** A value near an end, near the row, or anywhere between. */
function drawWithin(dice: Dice, domain: Domain, f: number): number {
  const feature = domain.space.features[f];
  const here = domain.origin[feature.column];
  const low = Math.max(domain.lower[feature.column], here - 1e3 * (1 + Math.abs(here)));
  const high = Math.min(domain.upper[feature.column], here + 1e3 * (1 + Math.abs(here)));
  const end = dice.pick([low, high]);
  const share = dice.pick([1, dice.unit(), dice.unit() ** 4]);
  const value = nearestValue(domain, feature, here + share * (end - here));
  return isContinuous(domain, feature) ? Math.min(high, Math.max(low, value)) : value;
}
