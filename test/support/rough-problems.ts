/**
 * Linear problems on rough ground, through the public pieces: features of sizes from 1e-9 to 1e9, weights and prices that
 * make up for them or do not, bounds, links; and their optima by rational arithmetic.
 */
import type { Feature } from '../../src/models/features.js';
import { loadModel } from '../../src/models/load.js';
import type { LinearRow } from '../../src/models/region.js';
import { changeCost } from '../../src/policy/cost.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { valuesOf } from '../../src/policy/values.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import { linearRows, type Problem } from '../../src/problems/problem.js';
import type { Dice } from './dice.js';
import { doubleOf, exactDot, exactMinimum, type Fraction, fractionOf, minus, plus, times } from './exact-program.js';

export interface Rough {
  readonly problem: Problem;
  readonly domain: Domain;
}

export interface Ground {
  /** Sizes of features: 10 to a whole power within these. */
  readonly powers: readonly [number, number];
  /** By how many powers of ten weights and prices may miss the size of their feature. */
  readonly spread: number;
  readonly features: number;
  readonly classes: number;
  readonly links: number;
  readonly policy?: Record<string, unknown>;
  readonly norm?: 'l0' | 'l1' | 'l2' | 'percentile';
  /** The chance of a feature to go in a few steps. */
  readonly steps?: number;
}

const quantiles = (dice: Dice, size: number): number[] =>
  Array.from({ length: 4 }, () => round(size * dice.normal())).sort((a, b) => a - b);

const round = (x: number): number => Number(x.toPrecision(6));

/** A random row that the model gives another class than the last one, which is the target. */
export function roughProblem(dice: Dice, ground: Ground): Rough {
  for (;;) {
    const drawn = drawProblem(dice, ground);
    if (drawn) return drawn;
  }
}

function drawProblem(dice: Dice, ground: Ground): Rough | null {
  const sizes = Array.from({ length: ground.features }, () => 10 ** dice.integer(...ground.powers));
  const off = () => 10 ** dice.integer(-ground.spread, ground.spread);
  const values = sizes.map((size) => round(size * dice.normal()));
  const rules = sizes.map((size) =>
    dice.chance(ground.steps ?? 0)
      ? { step: round(0.4 * size), maxIncrease: round(1.3 * size), maxDecrease: round(0.9 * size) }
      : {},
  );
  const features = sizes.map((size, f) => ({
    name: `f${f}`,
    type: 'continuous',
    ...(dice.chance(0.4) && { max: round(values[f] + size * Math.abs(dice.normal())) }),
    ...(dice.chance(0.4) && { min: round(values[f] - size * Math.abs(dice.normal())) }),
  }));
  const slopes = () => sizes.map((size) => (dice.normal() / size) * off());
  const classes = Array.from({ length: ground.classes }, (_, k) => `c${k}`);
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'rough',
    family: 'softmax-regression',
    features,
    classes,
    parameters: { weights: classes.map(slopes), bias: classes.map(() => dice.normal()) },
    background: { quantiles: Object.fromEntries(sizes.map((size, f) => [`f${f}`, quantiles(dice, size)])) },
  });
  const link = () => {
    const terms = sizes.map((size, f) => [f, round((dice.normal() / size) * off())] as const);
    const activity = terms.reduce((sum, [f, a]) => sum + a * values[f], 0);
    return `${terms.map(([f, a]) => `${a} * f${f}`).join(' + ')} <= ${round(activity + dice.normal())}`;
  };
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    cost: {
      norm: ground.norm ?? 'l1',
      weights: Object.fromEntries(sizes.map((size, f) => [`f${f}`, round(off() / size)])),
    },
    constraints: Array.from({ length: ground.links }, link),
    features: Object.fromEntries(rules.map((rule, f) => [`f${f}`, rule])),
    ...ground.policy,
  });
  const compiled = compilePolicy(policy.document, model);
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, Float64Array.from(values), model.preprocessing.imputed);
  const goal = { kind: 'class', index: classes.length - 1, margin: 0 } as const;
  const [problem] = compileProblems(model, compiled, goal);
  return problem.holds(domain.origin) ? null : { problem, domain };
}

/** What a feature may do at one price per unit: x from `at` on, up to `room` further to a side. */
interface Stretch {
  readonly at: Fraction;
  readonly side: 1 | -1;
  /** Null: without end. */
  readonly room: Fraction | null;
  readonly base: number;
  readonly slope: number;
  readonly changes: boolean;
}

/** The least cost over rows and domain, exact but for the prices of stretches and the last rounding; Infinity: no answer. */
export function exactOptimum(problem: Problem, domain: Domain): number {
  const stretches = problem.space.features.map((feature) => stretchesOf(problem, domain, feature));
  let best = Infinity;
  const visit = (chosen: readonly Stretch[]): void => {
    if (chosen.filter(({ changes }) => changes).length > problem.maxChanges) return;
    if (chosen.length === stretches.length) best = Math.min(best, cheapestOn(problem, chosen));
    else for (const stretch of stretches[chosen.length]) visit([...chosen, stretch]);
  };
  visit([]);
  return best;
}

function cheapestOn(problem: Problem, chosen: readonly Stretch[]): number {
  const rows = linearRows(problem).map(({ a, lower, upper }) => {
    const activity = chosen.reduce((sum, { at }, c) => plus(sum, times(fractionOf(a[c]), at)), fractionOf(0));
    const beyond = (end: number) => (Number.isFinite(end) ? minus(fractionOf(end), activity) : null);
    return { a: chosen.map(({ side }, c) => side * a[c]), lower: beyond(lower), upper: beyond(upper) };
  });
  const minimum = exactMinimum(
    chosen.map(({ slope }) => slope),
    rows,
    chosen.map(({ room }) => room),
  );
  return minimum ? chosen.reduce((sum, { base }) => sum + base, doubleOf(minimum)) : Infinity;
}

function stretchesOf({ cost }: Problem, domain: Domain, feature: Feature): Stretch[] {
  const { column, index } = feature;
  const { origin, lower, upper } = domain;
  const here = origin[column];
  const price = (value: number) => changeCost(cost, feature, here, value);
  const none = { side: 1, room: fractionOf(0), slope: 0 } as const;
  const value = (x: number): Stretch => ({ ...none, at: fractionOf(x), base: price(x), changes: x !== here });
  if (domain.step[index] > 0) return [...valuesOf(domain, feature)].map(value);
  const still = value(here);
  return [
    still,
    ...([1, -1] as const).flatMap((side) => {
      const end = side > 0 ? upper[column] : lower[column];
      const bends = [...(cost.curves[index]?.points ?? [])].filter(
        (x) => (x - here) * side > 0 && (end - x) * side > 0,
      );
      const stops = [here, ...bends.sort((a, b) => (a - b) * side), end];
      return stops.slice(1).flatMap((stop, k) => (stop === stops[k] ? [] : stretch(stops[k], stop, side, price)));
    }),
  ];
}

function stretch(from: number, to: number, side: 1 | -1, price: (x: number) => number): Stretch {
  const isOpen = !Number.isFinite(to);
  const beside = isOpen ? from + side * Math.max(1e-9, Math.abs(from)) : to;
  // A price that jumps at the first move has its jump at the start.
  const slope =
    price(beside) === price((from + beside) / 2) ? 0 : (price(beside) - price(from)) / Math.abs(beside - from);
  const at = fractionOf(from);
  const room = isOpen ? null : side > 0 ? minus(fractionOf(to), at) : minus(at, fractionOf(to));
  return { at, side, room, base: slope === 0 ? price(beside) : price(from), slope, changes: true };
}

/** The least weighted L1 cost over rows and box, exact but for the last rounding; Infinity: there is no answer. */
export function exactL1(
  { cost, ...problem }: Problem,
  { origin, lower, upper }: Domain,
  rows: readonly LinearRow[] = linearRows({ cost, ...problem }),
): number {
  const beyond = (end: number, activity: Fraction) => (Number.isFinite(end) ? minus(fractionOf(end), activity) : null);
  const moved = rows.map(({ a, ...ends }) => {
    const activity = exactDot(a, origin);
    const entries = [...a, ...a.map((value) => -value)];
    return { a: entries, lower: beyond(ends.lower, activity), upper: beyond(ends.upper, activity) };
  });
  const up = Array.from(upper, (end, c) => beyond(end, fractionOf(origin[c])));
  const down = Array.from(lower, (end, c) => beyond(-end, fractionOf(-origin[c])));
  const minimum = exactMinimum([...cost.weight, ...cost.weight], moved, [...up, ...down]);
  return minimum ? doubleOf(minimum) : Infinity;
}
