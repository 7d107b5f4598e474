/**
 * The semidefinite relaxation against methods that share nothing with it: the secular equation where there is one
 * quadratic, exact arithmetic for the proof of a bound, and the other solvers on whole problems.
 */

import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../src/documents/policy-document.js';
import { loadModel } from '../../../src/models/load.js';
import { createDomain, type Domain, fillDomain } from '../../../src/policy/domain.js';
import { Budget, unlimited } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import { atomsOf, type Problem } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { ccp } from '../../../src/solvers/quadratic/ccp.js';
import { LagrangeDual } from '../../../src/solvers/quadratic/dual-newton.js';
import { provedBound, provedEmpty, quadraticConstraint } from '../../../src/solvers/quadratic/proved-bound.js';
import { quadraticDual } from '../../../src/solvers/quadratic/quadratic-dual.js';
import type { ScaledQuadratic } from '../../../src/solvers/quadratic/quadratic-view.js';
import { sdp } from '../../../src/solvers/quadratic/sdp.js';
import { decompose, solveSecular } from '../../../src/solvers/quadratic/secular.js';
import { dense } from '../../../src/solvers/quadratic/semidefinite-program.js';
import { boxIntervals, type Interval, leastDistance, rowIntervals, Shor } from '../../../src/solvers/quadratic/shor.js';
import { spatial } from '../../../src/solvers/quadratic/spatial.js';
import type { Limits, Outcome, Solver } from '../../../src/solvers/solver.js';
import { judge } from '../../conformance/judge.js';
import { Dice } from '../../support/dice.js';
import { patient } from '../../support/quadratic-problems.js';

const noBox = (d: number) => boxIntervals(new Float64Array(d).fill(-Infinity), new Float64Array(d).fill(Infinity));
const relax = (quadratics: readonly ScaledQuadratic[], intervals: readonly Interval[]) =>
  new Shor(leastDistance(quadratics, intervals), quadratics, intervals, unlimited()).solve();
const sumOfSquares = (y: ArrayLike<number>) => Array.from(y).reduce((sum, value) => sum + value * value, 0);

function valueAt({ A, b, c }: ScaledQuadratic, y: Float64Array): number {
  const d = y.length;
  return y.reduce((sum, yi, i) => {
    const inner = y.reduce((total, yj, j) => total + A[i * d + j] * yj, 2 * b[i]);
    return sum + yi * inner;
  }, c);
}

type Kind = 'indefinite' | 'convex' | 'hard' | 'empty';

interface OneQuadratic {
  readonly q: ScaledQuadratic;
  /** The optimum by the secular equation; undefined: there is none. */
  readonly cost: number | undefined;
}

/** y = 0 is outside; `sizes` stretches the coordinates. */
function oneQuadratic(kind: Kind, d: number, seed: number, sizes: readonly number[]): OneQuadratic {
  const dice = new Dice(seed * 31 + d);
  const convex = kind === 'convex' || kind === 'empty';
  const A = new Float64Array(d * d);
  for (let k = 0; k < d; k++) {
    const v = dice.vector(d);
    const weight = convex ? dice.between(0.2, 1) : k === 0 ? -1 : dice.normal();
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) A[i * d + j] += (weight * v[i] * v[j] * sizes[i] * sizes[j]) / d;
  }
  const { values, vectors } = decompose(A, d);
  const lowest = values.indexOf(Math.min(...values));
  const inner = Float64Array.from(values, (_, k) =>
    kind === 'hard' ? (k === lowest ? 0 : 0.01 * dice.normal()) : dice.normal(),
  );
  const beta = inner.map((value, k) => value * Math.sqrt(Math.abs(values[k])));
  const b = new Float64Array(d);
  for (let k = 0; k < d; k++) for (let j = 0; j < d; j++) b[j] += vectors[k * d + j] * beta[k];
  // The least value of the convex ones is c - Σ β²/α.
  const depth = beta.reduce((sum, value, k) => sum + (value * value) / values[k], 0);
  const c = convex ? depth * (kind === 'convex' ? dice.between(0.1, 0.9) : dice.between(1.1, 2)) : dice.between(0.5, 3);
  const y = solveSecular(values, beta, c);
  return { q: { A, b, c }, cost: y === 'infeasible' ? undefined : sumOfSquares(y) };
}

const even = (d: number) => new Array<number>(d).fill(1);
const uneven = (d: number, seed: number) => {
  const dice = new Dice(seed);
  return Array.from({ length: d }, () => 10 ** dice.between(-3, 3));
};

describe('one quadratic: the relaxation has the optimum of the secular equation', () => {
  const kinds: Kind[] = ['indefinite', 'convex', 'hard'];
  const cases = kinds.flatMap((kind) => [1, 2, 4, 13, 30].map((d) => [kind, d] as const));

  it.each(cases)('%s, d = %i', (kind, d) => {
    for (let seed = 1; seed <= (d > 20 ? 3 : 12); seed++) {
      const { q, cost } = oneQuadratic(kind, d, seed, even(d));
      const { bound } = relax([q], noBox(d));
      expect(bound / cost!).toBeGreaterThan(1 - 1e-6);
      expect(bound / cost!).toBeLessThan(1 + 1e-9);
    }
  });

  it('coordinates of sizes between 1e-3 and 1e3', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const d = 2 + (seed % 6);
      const { q, cost } = oneQuadratic(seed % 2 ? 'convex' : 'indefinite', d, seed, uneven(d, seed));
      const { bound } = relax([q], noBox(d));
      // Eigenvalues that lie 1e12 apart cost the secular equation its last digits; Cholesky factors do not mind.
      expect(Math.abs(bound / cost! - 1)).toBeLessThan(1e-5);
      const other = new LagrangeDual(d, [{ ...q, size: q.c }], unlimited()).solve().bound;
      expect(Math.abs(bound / other - 1)).toBeLessThan(1e-6);
    }
  });

  it('an empty one is proved empty', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const d = 1 + (seed % 13);
      const { q, cost } = oneQuadratic('empty', d, seed, seed % 2 ? even(d) : uneven(d, seed));
      expect(cost).toBeUndefined();
      expect(relax([q], noBox(d)).bound).toBe(Infinity);
    }
  });

  it('y meets the conditions of Karush, Kuhn and Tucker where it is unique', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const d = 3 + (seed % 5);
      const { q, cost } = oneQuadratic(seed % 2 ? 'convex' : 'indefinite', d, seed, even(d));
      const { y, spread } = relax([q], noBox(d));
      const slope = q.b.map((value, i) => y.reduce((sum, yj, j) => sum + q.A[i * d + j] * yj, value));
      const lambda = -y.reduce((sum, value, i) => sum + value * slope[i], 0) / sumOfSquares(slope);
      expect(lambda).toBeGreaterThan(0);
      expect(Math.sqrt(sumOfSquares(y.map((value, i) => value + lambda * slope[i])) / cost!)).toBeLessThan(1e-4);
      expect(Math.abs(valueAt(q, y))).toBeLessThan(1e-6 * q.c);
      expect(Math.max(...spread.map(Math.abs))).toBeLessThan(1e-5 * cost!);
    }
  });

  it('in the hard case the line through y along the main axis leaves the region at the two optima', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const d = 2 + (seed % 6);
      const { q, cost } = oneQuadratic('hard', d, seed, even(d));
      const { y, spread } = relax([q], noBox(d));
      const { values, vectors } = decompose(spread, d);
      const main = values.indexOf(Math.max(...values));
      const at = (t: number) => y.map((value, i) => value + t * vectors[main * d + i]);
      // q on the line is a parabola through three of its values.
      const [before, here, after] = [-1, 0, 1].map((t) => valueAt(q, at(t)));
      const [bend, slope] = [(before + after) / 2 - here, (after - before) / 2];
      for (const sign of [1, -1]) {
        const t = (-slope + sign * Math.sqrt(slope * slope - 4 * bend * here)) / (2 * bend);
        expect(Math.abs(sumOfSquares(at(t)) / cost! - 1)).toBeLessThan(1e-5);
      }
    }
  });
});

/** A dyadic number as a fraction of whole numbers. */
function fraction(value: number): [bigint, bigint] {
  let power = 0;
  while (!Number.isInteger(value * 2 ** power)) power += 1;
  return [BigInt(value * 2 ** power), 2n ** BigInt(power)];
}

describe('the proof of a bound', () => {
  const ONE = Float64Array.of(1);

  /** D(λ) = λc - λ²b²/(1 + λa) in exact arithmetic; all of them dyadic, 1 + λa > 0. */
  function exactDual(a: number, b: number, c: number, lambda: number): [bigint, bigint] {
    const [[an, ad], [bn, bd], [cn, cd], [ln, ld]] = [a, b, c, lambda].map(fraction);
    const [pn, pd] = [ld * ad + ln * an, ld * ad];
    return [ln * cn * ld * bd * bd * pn - ln * ln * bn * bn * pd * cd, ld * ld * cd * bd * bd * pn];
  }

  it('is never above the exact value, however near to singular', () => {
    const dice = new Dice(5);
    for (let k = 0; k < 3000; k++) {
      const lambda = 2 ** dice.integer(-3, 3);
      const pivot = dice.integer(1, 1023) * 2 ** -dice.integer(8, 40);
      const a = (pivot - 1) / lambda;
      const b = dice.integer(-99, 99) * 2 ** -dice.integer(0, 20);
      const c = dice.integer(-99, 99) / 8;
      const proved = provedBound(
        ONE,
        [{ form: dense(Float64Array.of(a, b, b, c)), equation: false }],
        Float64Array.of(lambda),
      );
      const [pn, pd] = fraction(proved);
      const isBelow = (share: number) => {
        const [n, d] = exactDual(a, b, c, share * lambda);
        return pn * d <= n * pd;
      };
      expect([1, 1 - 1e-12, 1 - 1e-10, 1 - 1e-8, 1 - 1e-6, 1 - 1e-4, 0.99, 0.5].some(isBelow)).toBe(true);
    }
  });

  it('holds for any multipliers: below every point that meets the constraints', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const dice = new Dice(seed);
      const d = 2 + (seed % 4);
      const quadratics = [1, 2, 3].map((k) => oneQuadratic('indefinite', d, seed * 10 + k, even(d)).q);
      const constraints = quadratics.map((q) => ({ form: dense(homogeneous(q)), equation: false }));
      const lambda = Float64Array.from(constraints, () => dice.between(-0.2, 0.6));
      const bound = provedBound(new Float64Array(d).fill(1), constraints, lambda);
      for (let k = 0; k < 300; k++) {
        const y = Float64Array.from(dice.vector(d, () => 3 * dice.normal()));
        if (quadratics.every((q) => valueAt(q, y) <= 0)) expect(sumOfSquares(y)).toBeGreaterThanOrEqual(bound);
      }
    }
  });

  function homogeneous({ A, b, c }: ScaledQuadratic): Float64Array {
    const d = b.length;
    const n = d + 1;
    return Float64Array.from({ length: n * n }, (_, k) => {
      const [i, j] = [Math.floor(k / n), k % n];
      return i < d && j < d ? A[i * d + j] : i < d ? b[i] : j < d ? b[j] : c;
    });
  }

  it('a combination that is only just positive proves nothing empty', () => {
    // (y - 1)² <= 0 has a solution; 1e-17 more on its corner is rounding.
    const square = (corner: number) => [{ form: dense(Float64Array.of(1, -1, -1, corner)), equation: false }];
    expect(provedEmpty(ONE, square(1), ONE)).toBeLessThan(Infinity);
    expect(provedEmpty(ONE, square(1 + 2 ** -52), ONE)).toBeLessThan(Infinity);
    expect(provedEmpty(ONE, square(1 + 1e-9), ONE)).toBe(Infinity);
  });
});

describe('intervals', () => {
  it('a row and its negative are one interval, an equation has a multiplier of any sign', () => {
    const rows = [
      { a: Float64Array.of(1, 1), upper: 2 },
      { a: Float64Array.of(-1, -1), upper: -2 },
      { a: Float64Array.of(1, -1), upper: 5 },
      { a: Float64Array.of(0, 0), upper: 1 },
    ];
    expect(rowIntervals(rows).map(({ low, high }) => [low, high])).toEqual([
      [2, 2],
      [-Infinity, 5],
    ]);
    const { bound, y } = relax([], [...noBox(2), ...rowIntervals(rows)]);
    expect(bound).toBeCloseTo(2, 6);
    expect([...y].map((value) => Math.round(value * 1e5) / 1e5)).toEqual([1, 1]);
  });

  it('hold the squares down: no point of the box [-1, 1]² has ‖y‖² >= 3', () => {
    const q = { A: Float64Array.of(-1, 0, 0, -1), b: Float64Array.of(0, 0), c: 3 };
    const box = boxIntervals(Float64Array.of(-1, -1), Float64Array.of(1, 1));
    expect(relax([q], box).bound).toBe(Infinity);
    expect(relax([{ ...q, c: 1.5 }], box).bound).toBeCloseTo(1.5, 6);
  });
});

interface CaseOptions {
  readonly family: 'lvq' | 'qda' | 'gaussian-naive-bayes';
  readonly d: number;
  readonly classes: number;
  readonly box?: 'none' | 'tight' | 'one way';
  readonly norm?: 'l2' | 'mahalanobis';
  readonly links?: readonly string[];
  /** Sizes of the features. */
  readonly sizes?: readonly number[];
  /** A unit of every feature costs the same, whatever its size. */
  readonly raw?: boolean;
}

interface Case {
  readonly problem: Problem;
  readonly domain: Domain;
}

/** A random model with one matrix for every class, a policy, and a person of another class than the target. */
function randomCase(
  seed: number,
  { family, d, classes, box = 'none', norm = 'l2', links = [], sizes, raw = false }: CaseOptions,
): Case {
  const dice = new Dice(seed);
  const size = sizes ?? even(d);
  const means = Array.from({ length: classes }, () => size.map((s) => s * dice.normal()));
  const form = (power: number) => {
    const G = dice.matrix(d, d);
    const entry = (i: number, j: number) =>
      G[i].reduce((sum, value, k) => sum + value * G[j][k], 0) / d + (i === j ? 0.1 : 0);
    return size.map((s, i) => size.map((t, j) => entry(i, j) * (s * t) ** power));
  };
  const labels = means.map((_, k) => `c${k}`);
  const priors = labels.map(() => 1 / classes);
  const parameters = {
    lvq: () => ({ prototypes: means, labels, relevances: labels.map(() => form(-1)) }),
    qda: () => ({ means, covariances: labels.map(() => form(1)), priors }),
    'gaussian-naive-bayes': () => ({
      means,
      variances: labels.map(() => size.map((s) => s * s * dice.between(0.2, 2))),
      priors,
    }),
  }[family]();
  const samples = Array.from({ length: 6 * d + 10 }, (_, i) =>
    means[i % classes].map((mean, f) => mean + size[f] * dice.normal()),
  );
  const names = size.map((_, f) => `f${f}`);
  const features = names.map((name) => ({ name, type: 'continuous' }));
  const rule = (f: number) => {
    if (box === 'tight')
      return { maxIncrease: size[f] * dice.between(0.3, 1.2), maxDecrease: size[f] * dice.between(0.3, 1.2) };
    return box === 'one way' ? { change: f % 2 ? 'increase' : 'decrease' } : {};
  };
  const weights = norm === 'l2' && !raw ? Object.fromEntries(names.map((name, f) => [name, size[f] ** -2])) : 'none';
  const rules = Object.fromEntries(names.map((name, f) => [name, rule(f)]));
  const loaded = loadModel({
    schema: 'elsewise.model/v1',
    name: 'random',
    family,
    features,
    classes: labels,
    parameters,
    background: { samples },
  });
  const policy = policySchema.parse({
    schema: 'elsewise.policy/v1',
    cost: { norm, weights },
    features: rules,
    constraints: links,
  });
  const problem = compileProblems(loaded, compilePolicy(policy, loaded), { kind: 'class', index: 0, margin: 0 })[0];
  const domain = createDomain(loaded.space);
  for (let tries = 0; tries < 100; tries++) {
    const mean = means[dice.integer(1, classes - 1)];
    const values = Float64Array.from(mean, (value, f) => value + 0.5 * size[f] * dice.normal());
    fillDomain(domain, loaded.space, problem.rules, values, loaded.preprocessing.imputed);
    if (!problem.holds(domain.origin)) break;
  }
  return { problem, domain };
}

/** `effort` in units of work: the same on every machine. */
const limitsOf = (effort: number, nudge = 1e-10): Limits => ({
  ...patient,
  budget: new Budget(effort, { now: () => 0 }, 1),
  nudge,
  seed: 1,
});

interface Judged extends Outcome {
  readonly cost: number;
}

/** The outcome and, when it has an answer, its cost by plain arithmetic. */
function run(solver: Solver, { problem, domain }: Case, limits = limitsOf(Infinity)): Judged {
  const outcome = solver.prepare(problem, solvers).solve(domain, limits);
  if (!outcome.x) return { ...outcome, cost: Infinity };
  const { faults, cost } = judge(problem, domain, outcome.x);
  expect(faults).toEqual([]);
  expect(problem.holds(outcome.x)).toBe(true);
  return { ...outcome, cost };
}

describe('on whole problems', () => {
  const boxes = ['none', 'tight', 'one way'] as const;
  const families = ['lvq', 'qda', 'gaussian-naive-bayes'] as const;
  const shapes = families.flatMap((family) => boxes.map((box) => [family, box] as const));

  it.each(shapes)('%s, bounds: %s', (family, box) => {
    for (let seed = 1; seed <= 8; seed++) {
      const sized = { d: 2 + (seed % 4), classes: 2 + (seed % 4) };
      const links = seed % 2 ? [] : ['f0 + f1 <= 4'];
      const given = randomCase(seed, { family, box, ...sized, links, norm: seed % 3 ? 'l2' : 'mahalanobis' });
      const relaxed = run(sdp, given);
      const others = [run(ccp, given), run(spatial, given, limitsOf(20_000))];
      const best = Math.min(relaxed.cost, ...others.map(({ cost }) => cost));
      const weaker = quadraticDual.prepare(given.problem, solvers).solve(given.domain, limitsOf(Infinity));
      expect(relaxed.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9));
      if (weaker.lowerBound < 1e6) expect(relaxed.lowerBound).toBeGreaterThanOrEqual(weaker.lowerBound * (1 - 1e-6));
      if (relaxed.status === 'solved') expect(relaxed.cost).toBeLessThanOrEqual(best * (1 + 1e-6));
      if (relaxed.status === 'infeasible') expect(best).toBe(Infinity);
    }
  });

  it('closes what the dual leaves open, with bounds in 13 features', () => {
    const gaps = [1, 2, 3, 4, 5, 6].map((seed) => {
      const given = randomCase(seed, { family: 'qda', d: 13, classes: 4, box: 'one way' });
      const relaxed = run(sdp, given);
      const weaker = quadraticDual.prepare(given.problem, solvers).solve(given.domain, limitsOf(Infinity));
      const shareOf = (bound: number) => 1 - Math.min(bound, relaxed.cost) / relaxed.cost;
      return relaxed.cost < Infinity
        ? { sdp: shareOf(relaxed.lowerBound), dual: shareOf(weaker.lowerBound) }
        : { sdp: 0, dual: 0 };
    });
    expect(Math.max(...gaps.map((gap) => gap.sdp))).toBeLessThan(0.1);
    expect(gaps.filter((gap) => gap.sdp < 1e-6).length).toBeGreaterThan(gaps.filter((gap) => gap.dual < 1e-6).length);
  });

  it('features of sizes between 1e-3 and 1e3 change nothing', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const shape = { family: 'qda', d: 5, classes: 3, box: seed % 2 ? 'tight' : 'none' } as const;
      const [plain, stretched] = [even(5), uneven(5, seed)].map((sizes) =>
        run(sdp, randomCase(seed, { ...shape, sizes })),
      );
      expect(stretched.status).toBe(plain.status);
      if (plain.cost < Infinity) expect(stretched.cost / plain.cost).toBeCloseTo(1, 6);
    }
  });

  it('unscaled features of such sizes, each unit at the same cost', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const [d, box] = [3 + (seed % 8), seed % 2 ? 'tight' : 'none'] as const;
      const given = randomCase(seed, { family: 'qda', d, classes: 3, box, sizes: uneven(d, seed), raw: true });
      const relaxed = run(sdp, given);
      expect(relaxed.lowerBound).toBeLessThanOrEqual(Math.min(relaxed.cost, run(ccp, given).cost) * (1 + 1e-9));
      expect(relaxed.status).not.toBe('limit');
    }
  });

  it('an equation between features', () => {
    let solved = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const given = randomCase(seed, { family: 'lvq', d: 4, classes: 3, links: ['f0 + f1 - f2 = 1'] });
      const relaxed = run(sdp, given);
      const best = Math.min(relaxed.cost, run(ccp, given).cost, run(spatial, given, limitsOf(20_000)).cost);
      expect(relaxed.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9));
      solved += +(relaxed.status === 'solved');
    }
    expect(solved).toBeGreaterThan(2);
  });

  it('a person who is there already pays nothing', () => {
    const { problem, domain } = randomCase(3, { family: 'qda', d: 3, classes: 3 });
    const quadratics = atomsOf(problem, 'quadratic').map(({ form }) => form);
    domain.origin.set(quadratics[0].near.at);
    const outcome = sdp.prepare(problem, solvers).solve(domain, limitsOf(Infinity));
    expect(outcome.status).toBe('solved');
    expect([...outcome.x!]).toEqual([...domain.origin]);
  });

  it('no column that can move', () => {
    const { problem, domain } = randomCase(4, { family: 'qda', d: 3, classes: 3 });
    domain.lower.set(domain.origin);
    domain.upper.set(domain.origin);
    expect(sdp.prepare(problem, solvers).solve(domain, limitsOf(Infinity)).status).toBe('infeasible');
  });

  it('keeps a bound that holds when the time is over', () => {
    for (const ticks of [0, 3, 8]) {
      const given = randomCase(5, { family: 'qda', d: 6, classes: 4, box: 'one way' });
      const cut = run(sdp, given, limitsOf(ticks));
      expect(cut.status).toBe('limit');
      expect(cut.lowerBound).toBeGreaterThanOrEqual(0);
      expect(cut.lowerBound).toBeLessThanOrEqual(run(sdp, given).cost);
    }
  });
});

describe('accepts', () => {
  const acceptance = (options: Partial<CaseOptions>, traits: Partial<Problem['traits']> = {}) => {
    const { problem } = randomCase(1, { family: 'qda', d: 3, classes: 2, ...options });
    return sdp.accepts({ ...problem, traits: { ...problem.traits, ...traits } }, solvers);
  };

  it('several quadratics, bounds, rows', () => {
    expect(acceptance({ classes: 3 })).toBe('heuristic');
    expect(acceptance({ box: 'tight' })).toBe('heuristic');
    expect(acceptance({ box: 'one way' })).toBe('heuristic');
    expect(acceptance({ links: ['f0 + f1 <= 4'] })).toBe('heuristic');
  });

  it('not what the secular equation solves, and nothing that is not continuous and squared', () => {
    expect(acceptance({})).toBe('no');
    expect(acceptance({ classes: 3 }, { norm: 'l1' })).toBe('no');
    expect(acceptance({ classes: 3 }, { discrete: true })).toBe('no');
    expect(acceptance({ classes: 3 }, { capped: true })).toBe('no');
    expect(acceptance({ classes: 3 }, { disjunctive: true })).toBe('no');
  });
});

describe('multipliers that overflow', () => {
  it('prove nothing', () => {
    const constraint = quadraticConstraint(Float64Array.of(1), Float64Array.of(1e200), 1e300);
    const lambda = Float64Array.of(1e300);
    expect(provedBound(Float64Array.of(1), [constraint], lambda)).toBe(Number.NEGATIVE_INFINITY);
    expect(provedEmpty(Float64Array.of(1), [constraint], lambda)).toBe(Number.NEGATIVE_INFINITY);
  });
});
