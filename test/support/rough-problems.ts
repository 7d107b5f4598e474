/**
 * Linear problems on rough ground, through the public pieces: features of sizes from 1e-9 to 1e9, weights and prices that
 * make up for them or do not, bounds, links; and their optima by rational arithmetic.
 */
import { loadModel } from '../../src/models/load.js';
import type { LinearRow } from '../../src/models/region.js';
import { createDomain, type Domain, fillDomain } from '../../src/policy/domain.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import { linearRows, type Problem } from '../../src/problems/problem.js';
import type { Dice } from './dice.js';
import { doubleOf, exactDot, exactMinimum, type Fraction, fractionOf, minus } from './exact-program.js';

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
  /** What a feature is, by its size. */
  readonly kind?: (dice: Dice, size: number) => { type: string; rule?: Record<string, unknown> };
}

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
  const kinds = sizes.map((size) => ground.kind?.(dice, size) ?? { type: 'continuous' });
  const features = sizes.map((size, f) => ({
    name: `f${f}`,
    type: kinds[f].type,
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
  });
  const link = () => {
    const terms = sizes.map((size, f) => [f, round((dice.normal() / size) * off())] as const);
    const activity = terms.reduce((sum, [f, a]) => sum + a * values[f], 0);
    return `${terms.map(([f, a]) => `${a} * f${f}`).join(' + ')} <= ${round(activity + dice.normal())}`;
  };
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    cost: { norm: 'l1', weights: Object.fromEntries(sizes.map((size, f) => [`f${f}`, round(off() / size)])) },
    constraints: Array.from({ length: ground.links }, link),
    features: Object.fromEntries(kinds.map(({ rule = {} }, f) => [`f${f}`, rule])),
    ...ground.policy,
  });
  const compiled = compilePolicy(policy.document, model);
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, Float64Array.from(values), model.preprocessing.imputed);
  const goal = { kind: 'class', index: classes.length - 1, margin: 0 } as const;
  const [problem] = compileProblems(model, compiled, goal);
  return problem.holds(domain.origin) ? null : { problem, domain };
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
