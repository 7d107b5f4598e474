/**
 * Linear models on rough ground, through the public pieces: features of sizes from 1e-9 to 1e9, rows at 1e12 beside regions of size
 * 1, terms that cancel in a row, ties, decimals, steps, strict constraints. And their judge: points that are answers by the model's
 * own word and by the policy without a tolerance, found by chance and pulled towards the row.
 */
import { gather } from '../../src/models/features.js';
import { loadModel } from '../../src/models/load.js';
import { type Constraint, holds } from '../../src/policy/constraint.js';
import { evaluateCost } from '../../src/policy/cost.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { hasMoved, isContinuous, isValue, nearestValue } from '../../src/policy/values.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { Problem } from '../../src/problems/problem.js';
import type { Dice } from './dice.js';

export const GROUNDS = ['scales', 'far', 'ties', 'decimals', 'spread', 'steep', 'mixed'] as const;
export type Ground = (typeof GROUNDS)[number];
export type RoughNorm = 'l0' | 'l1' | 'l2' | 'mahalanobis' | 'percentile';

export interface RoughCase {
  readonly problem: Problem;
  readonly domain: Domain;
  readonly constraints: readonly Constraint[];
}

type Kind = 'continuous' | 'integer' | 'boolean' | 'one-hot' | 'ordinal';

interface Sketch {
  readonly name: string;
  readonly kind: Kind;
  readonly size: number;
  /** What values lie around. */
  readonly centre: number;
  readonly value: number;
}

const CATEGORIES = ['a', 'b', 'c'];
const RANKS = ['low', 'some', 'more', 'high'];
const round = (x: number, digits = 5): number => Number(x.toPrecision(digits));

/** A person on the ground, and each piece of each class or interval that the person does not have. */
export function roughCases(dice: Dice, ground: Ground, norm: RoughNorm): RoughCase[] {
  const sketches = Array.from({ length: dice.integer(1, 4) }, (_, f) => sketch(dice, ground, `f${f}`));
  const columns = sketches.flatMap(({ kind, value }) =>
    kind === 'one-hot' ? CATEGORIES.map((_, k) => +(k === value)) : [value],
  );
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'rough',
    features: sketches.map((one) => featureDocument(dice, ground, one)),
    background: background(dice, sketches),
    ...modelDocument(dice, ground, sketches, columns),
  });
  const policy = loadPolicy({ schema: 'elsewise.policy/v1', ...policyDocument(dice, ground, norm, sketches) });
  const compiled = compilePolicy(policy.document, model);
  const domain = createDomain(model.space);
  const values = Float64Array.from(sketches, ({ value }) => value);
  fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
  const goals = model.document.classes!.map((_, index) => ({ kind: 'class', index, margin: 0 }) as const);
  return goals
    .flatMap((goal) => compileProblems(model, compiled, goal))
    .filter((problem) => !problem.holds(domain.origin))
    .map((problem) => ({ problem, domain, constraints: compiled.constraints }));
}

function sketch(dice: Dice, ground: Ground, name: string): Sketch {
  const isPlain = ground === 'ties' || ground === 'decimals' || ground === 'mixed';
  const others: Kind[] = isPlain ? ['integer', 'boolean', 'one-hot', 'ordinal'] : ['integer', 'boolean'];
  const kind = dice.chance(isPlain ? 0.45 : 0.8) ? 'continuous' : dice.pick(others);
  const isSized = ground === 'scales' || ground === 'spread' || ground === 'mixed';
  const size = kind === 'continuous' && isSized ? 10 ** dice.integer(-9, 9) : 1;
  const isFar = ground === 'far' && (kind === 'continuous' || kind === 'integer') && dice.chance(0.7);
  const centre = isFar ? 10 ** dice.integer(8, 13) : 0;
  return { name, kind, size, centre, value: drawValue(dice, ground, kind, size, centre) };
}

function drawValue(dice: Dice, ground: Ground, kind: Kind, size: number, centre: number): number {
  if (kind === 'boolean') return dice.integer(0, 1);
  if (kind === 'one-hot') return dice.integer(0, CATEGORIES.length - 1);
  if (kind === 'ordinal') return dice.integer(0, RANKS.length - 1);
  if (kind === 'integer' || ground === 'ties') return centre + dice.integer(-5, 5);
  return ground === 'decimals' ? dice.integer(-40, 40) / 10 : centre + round(size * dice.normal());
}

function featureDocument(dice: Dice, ground: Ground, { name, kind, size, centre }: Sketch): object {
  if (kind === 'boolean') return { name, type: 'boolean' };
  if (kind === 'one-hot') return { name, type: 'categorical', categories: CATEGORIES };
  if (kind === 'ordinal') return { name, type: 'categorical', categories: RANKS, encoding: 'ordinal' };
  const reach = () => (kind === 'integer' ? dice.integer(3, 24) : round(size * dice.between(0.5, 4)));
  const ends = dice.chance(0.6) ? { min: centre - reach(), max: centre + reach() } : {};
  const decimals = kind === 'continuous' && ground === 'decimals' && dice.chance(0.5) ? { decimals: 1 } : {};
  return { name, type: kind, ...ends, ...decimals };
}

function background(dice: Dice, sketches: readonly Sketch[]): object {
  const drawn = ({ size, centre }: Sketch) =>
    Array.from({ length: 4 }, () => centre + round(size * dice.normal())).sort((a, b) => a - b);
  const numbers = sketches.filter(({ kind }) => kind === 'continuous' || kind === 'integer');
  const measured = sketches.filter(({ kind }) => kind !== 'one-hot');
  const factor = measured.map(() => measured.map(() => dice.normal()));
  const entry = (i: number, j: number) => factor[i].reduce((sum, x, k) => sum + x * factor[j][k], 0) + 0.3 * +(i === j);
  const matrix = measured.map((f, i) =>
    measured.map((g, j) => f.size * g.size * entry(Math.max(i, j), Math.min(i, j))),
  );
  return {
    quantiles: Object.fromEntries(numbers.map((one) => [one.name, drawn(one)])),
    ...(measured.length && { covariance: { features: measured.map(({ name }) => name), matrix } }),
  };
}

/** Weights that make up for sizes, or miss them; terms that all classes have in common cancel in the rows. */
function modelDocument(dice: Dice, ground: Ground, sketches: readonly Sketch[], columns: readonly number[]): object {
  const whole = () => (ground === 'ties' ? dice.integer(-3, 3) : round(dice.normal()));
  const weight = () => (ground === 'decimals' ? dice.integer(-20, 20) / 10 : whole());
  const off = () => 10 ** (ground === 'spread' ? dice.integer(-9, 9) : ground === 'steep' ? dice.integer(0, 12) : 0);
  const common = sketches.map(() => (dice.chance(0.5) ? weight() : 0));
  const large = ground === 'far' || ground === 'steep' ? 10 ** dice.integer(0, 12) : 1;
  const weights = () =>
    sketches.flatMap(({ kind, size }, f) =>
      kind === 'one-hot' ? CATEGORIES.map(weight) : [(weight() * off() + large * common[f]) / size],
    );
  const bias = (row: readonly number[]) => {
    const isNear = ground === 'far' || dice.chance(0.5);
    return (isNear ? -row.reduce((sum, value, c) => sum + value * columns[c], 0) : 0) + weight();
  };
  const classes = Array.from({ length: dice.integer(2, 4) }, (_, k) => `c${k}`);
  if (dice.chance(0.2)) {
    const owners = sketches.flatMap((one) => (one.kind === 'one-hot' ? CATEGORIES.map(() => one) : [one]));
    const prototypes = classes.map(() => columns.map((value, c) => value + owners[c].size * weight()));
    return { family: 'lvq', classes, parameters: { labels: classes, prototypes } };
  }
  const rows = classes.map(weights);
  if (classes.length === 2)
    return { family: 'hyperplane', classes, parameters: { weights: rows[0], bias: bias(rows[0]) } };
  return { family: 'softmax-regression', classes, parameters: { weights: rows, bias: rows.map(bias) } };
}

function policyDocument(dice: Dice, ground: Ground, norm: RoughNorm, sketches: readonly Sketch[]): object {
  const numbers = sketches.filter(({ kind }) => kind === 'continuous' || kind === 'integer');
  const features = Object.fromEntries(
    sketches.flatMap((one) => (one.kind === 'continuous' ? [[one.name, ruleDocument(dice, ground, one)]] : [])),
  );
  const price = ({ size }: Sketch) =>
    round(dice.between(0.3, 3) / (norm === 'l1' ? size : norm === 'l2' ? size * size : 1));
  const weights = Object.fromEntries(sketches.map((one) => [one.name, price(one)]));
  return {
    features,
    constraints: numbers.length ? constraints(dice, numbers) : [],
    cost: { norm, ...(norm !== 'mahalanobis' && dice.chance(0.5) && { weights }) },
    ...(dice.chance(0.25) && { maxChanges: dice.integer(1, 2) }),
  };
}

function ruleDocument(dice: Dice, ground: Ground, { size }: Sketch): object {
  const step = ground === 'ties' ? 1 : ground === 'decimals' ? dice.pick([0.1, 0.25, 0.3]) : round(0.3 * size, 2);
  const kind = dice.integer(0, 3);
  if (kind === 0) return { step };
  const reach = () => round(size * dice.between(0.1, 2), 2);
  return kind === 1 ? { maxIncrease: reach(), maxDecrease: reach() } : {};
}

/** At the person as it stands, or some way off; strict or not. */
function constraints(dice: Dice, numbers: readonly Sketch[]): string[] {
  const [f, g] = [dice.pick(numbers), dice.pick(numbers)];
  const sign = () => dice.pick(['<=', '>=', '<', '>']);
  const beside = (value: number, size: number) => (dice.chance(0.3) ? value : value + round(size * dice.normal()));
  const slope = round(((dice.chance(0.5) ? 1 : -1) * f.size) / g.size);
  const sum = `f + g`.replace('f', f.name).replace('g', `${slope} * ${g.name}`);
  return [
    ...(f !== g && dice.chance(0.4) ? [`${sum} ${sign()} ${beside(f.value + slope * g.value, f.size)}`] : []),
    ...(dice.chance(0.2) ? [`2 * ${f.name} ${sign()} ${beside(2 * f.value, f.size)}`] : []),
    ...(f !== g && dice.chance(0.15)
      ? [`${f.name} <= ${beside(f.value, f.size)} or ${g.name} >= ${beside(g.value, g.size)}`]
      : []),
  ];
}

// ------------------------------------------------------------------------------------------------ the judge

export class RoughJudge {
  /** The cheapest answer so far; Infinity: none. */
  best = Infinity;
  private at: Float64Array | null = null;
  private readonly from: Float64Array;
  private readonly to: Float64Array;

  constructor(
    private readonly rough: RoughCase,
    private readonly dice: Dice,
  ) {
    const { features } = rough.problem.space;
    this.from = new Float64Array(features.length);
    this.to = new Float64Array(features.length);
    gather(rough.problem.space, rough.domain.origin, this.from);
  }

  /** The cost of a solver's point, every value put on the one that it means; Infinity: it is no answer. */
  offer(found: Float64Array): number {
    const { problem, domain } = this.rough;
    const x = found.slice();
    for (const feature of problem.space.features) {
      const { kind, column, width } = feature;
      if (!hasMoved(feature, domain.origin, x)) continue;
      if (kind !== 'choice') x[column] = nearestValue(domain, feature, x[column]);
      else for (let c = column; c < column + width; c++) x[c] = Math.round(x[c]);
    }
    return this.take(x);
  }

  private take(x: Float64Array): number {
    if (!this.isAnswer(x)) return Infinity;
    const { problem } = this.rough;
    gather(problem.space, x, this.to);
    const cost = evaluateCost(problem.cost, problem.space, this.from, this.to);
    if (cost < this.best) [this.best, this.at] = [cost, x.slice()];
    return cost;
  }

  private isAnswer(x: Float64Array): boolean {
    const { problem, domain, constraints: all } = this.rough;
    const { features } = problem.space;
    if (features.filter((feature) => hasMoved(feature, domain.origin, x)).length > problem.maxChanges) return false;
    const isAllowed = (f: (typeof features)[number]) =>
      f.kind === 'choice' ? isOpenCategory(domain, f.column, f.width, x) : isValue(domain, f, x[f.column]);
    if (!features.every(isAllowed)) return false;
    gather(problem.space, x, this.to);
    return all.every((constraint) => holds(constraint, this.to)) && problem.holds(x);
  }

  /** Looks for cheaper answers: by chance, and from what is there towards the row. */
  search(tries: number): void {
    if (this.at) this.pull(this.at);
    for (let k = 0; k < tries; k++) {
      const x = this.randomPoint();
      if (this.take(x) < Infinity) this.pull(x);
    }
  }

  private randomPoint(): Float64Array {
    const { problem, domain } = this.rough;
    const x = domain.origin.slice();
    for (const feature of problem.space.features) {
      if (this.dice.chance(0.35)) continue;
      const { kind, column, width } = feature;
      if (kind === 'choice') x.fill(0, column, column + width)[column + this.dice.integer(0, width - 1)] = 1;
      else x[column] = nearestValue(domain, feature, this.randomNumber(column));
    }
    return x;
  }

  private randomNumber(c: number): number {
    const { origin, lower, upper } = this.rough.domain;
    const end = this.dice.pick([lower[c], upper[c], Infinity, Infinity]);
    if (Number.isFinite(end)) return end;
    const width = upper[c] - lower[c];
    const size = width < Infinity ? width : (Math.abs(origin[c]) || 1) * 10 ** this.dice.between(-3, 3);
    return origin[c] + size * this.dice.normal();
  }

  /** All numbers together, and then one after the other, as near to the row as they are still answers. */
  private pull(start: Float64Array): void {
    const { problem, domain } = this.rough;
    const numbers = problem.space.features.filter(({ kind }) => kind !== 'choice');
    const whole = numbers.filter((feature) => isContinuous(domain, feature));
    const x = start.slice();
    this.nearest((share) => {
      for (const { column } of whole)
        x[column] = domain.origin[column] + share * (start[column] - domain.origin[column]);
      return x;
    });
    const y = start.slice();
    for (const feature of this.dice.shuffle(numbers)) {
      const { column } = feature;
      const here = domain.origin[column];
      const share = this.nearest((part) => {
        y[column] = part === 0 ? here : nearestValue(domain, feature, here + part * (start[column] - here));
        return y;
      });
      y[column] = share === 0 ? here : nearestValue(domain, feature, here + share * (start[column] - here));
    }
  }

  /** The least share found at which the point is an answer; it is one at 1. */
  private nearest(point: (share: number) => Float64Array): number {
    if (this.take(point(0)) < Infinity) return 0;
    let [bad, good] = [0, 1];
    for (let k = 0; k < 60; k++) {
      const middle = (bad + good) / 2;
      if (this.take(point(middle)) < Infinity) good = middle;
      else bad = middle;
    }
    return good;
  }
}

function isOpenCategory({ origin, upper }: Domain, column: number, width: number, x: Float64Array): boolean {
  const own = x.subarray(column, column + width);
  if (own.every((value, k) => value === origin[column + k])) return true;
  return own.every((value, k) => value === 0 || (value === 1 && upper[column + k] >= 1)) && own.includes(1);
}
