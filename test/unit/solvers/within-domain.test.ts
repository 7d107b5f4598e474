import { describe, expect, it } from 'vitest';
import { type Feature, gather } from '../../../src/models/features.js';
import { loadModel } from '../../../src/models/load.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { copyDomain, createDomain, type Domain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { prepareWithin } from '../../../src/solvers/reductions/within-domain.js';
import { violation } from '../../../src/solvers/shared/linear-rows.js';
import { judge } from '../../conformance/judge.js';
import { Dice, type Kind, type Norm, randomCase } from '../../conformance/random-problems.js';
import { within } from '../../support/quadratic-problems.js';

/** Narrows a copy of the domain to a random box, which may leave out the present value or everything. */
function narrowed(domain: Domain, dice: Dice): Domain {
  const box = createDomain(domain.space);
  copyDomain(domain, box);
  for (const feature of domain.space.features) {
    if (dice.chance(0.4)) continue;
    const { column, width, index, kind } = feature;
    if (kind === 'choice') {
      for (let c = column; c < column + width; c++) if (dice.chance(0.4)) box.upper[c] = 0;
      if (dice.chance(0.2)) box.lower[column + dice.whole(0, width - 1)] = 1;
    } else if (kind === 'ordinal' && dice.chance(0.5)) {
      box.ranks[index] = Uint8Array.from(
        feature.categories,
        (_, k) => +(domain.ranks[index]?.[k] !== 0 && dice.chance(0.6)),
      );
    } else {
      const [low, high] = [domain.lower[column], domain.upper[column]];
      if (dice.chance(0.7)) box.lower[column] = dice.within(low, high);
      if (dice.chance(0.7)) box.upper[column] = Math.max(box.lower[column], dice.within(low, high));
    }
  }
  return box;
}

/** Every value of a feature in a domain, by its columns; continuous features by a few of theirs. */
function optionsOf(feature: Feature, { origin, lower, upper, step, ranks }: Domain): number[][] {
  const { column, width, index, kind } = feature;
  if (kind === 'choice') {
    return Array.from({ length: width }, (_, k) => Array.from({ length: width }, (__, i) => +(i === k))).filter(
      (columns) => columns.every((value, i) => value >= lower[column + i] && value <= upper[column + i]),
    );
  }
  const size = step[index] || (upper[column] - lower[column]) / 7 || 1;
  const start = step[index] ? origin[column] : lower[column];
  const values: number[][] = [];
  for (let k = Math.floor((lower[column] - start) / size) - 1; start + k * size <= upper[column] + 1e-9 * size; k++)
    if (start + k * size >= lower[column] - 1e-9 * size && ranks[index]?.[start + k * size] !== 0)
      values.push([start + k * size]);
  return values;
}

function bruteForce(problem: Problem, domain: Domain): number {
  const { space, cost, links, clauses, maxChanges } = problem;
  const from = new Float64Array(space.features.length);
  const to = from.slice();
  gather(space, domain.origin, from);
  const options = space.features.map((feature) => optionsOf(feature, domain));
  const x = domain.origin.slice();
  let best = Infinity;
  const keeps = () =>
    links.every((row) => violation(row, x) <= 1e-9) &&
    clauses.every((clause) => clause.rows.some((row) => violation(row, x) <= 1e-9));
  const visit = (f: number, changes: number): void => {
    if (changes > maxChanges) return;
    if (f === options.length) {
      gather(space, x, to);
      const total = evaluateCost(cost, space, from, to);
      if (total < best && keeps()) best = total;
      return;
    }
    const { column } = space.features[f];
    for (const option of options[f]) {
      x.set(option, column);
      visit(f + 1, changes + +option.some((value, i) => Math.abs(value - domain.origin[column + i]) > 1e-12));
    }
    x.set(domain.origin.subarray(column, column + space.features[f].width), column);
  };
  visit(0, 0);
  return best;
}

const NORMS: readonly Norm[] = ['l0', 'l1', 'l2', 'percentile', 'mahalanobis'];
const LATTICES: readonly Kind[] = ['integer', 'step', 'boolean', 'ordinal', 'one-hot'];

function* cases(norm: Norm, kinds: readonly Kind[], count: number) {
  const dice = new Dice(NORMS.indexOf(norm) + 17);
  for (let k = 0; k < count; k++) {
    const recipe = {
      norm,
      kinds: Array.from({ length: dice.whole(2, 4) }, () => dice.pick(kinds)),
      rows: 1,
      links: dice.chance(0.7),
      clauses: dice.chance(0.5),
      ties: dice.chance(0.3),
      ...(dice.chance(0.5) ? { maxChanges: dice.whole(1, 3) } : {}),
    };
    let made: ReturnType<typeof randomCase>;
    try {
      made = randomCase(recipe, k + 1, 2);
    } catch (error) {
      if (/singular/.test((error as Error).message)) continue;
      throw error;
    }
    const free = { ...made.problem, piece: { rows: [], atoms: [] }, holds: () => true };
    for (const { domain } of made.people) yield { problem: made.problem, free, domain: narrowed(domain, dice) };
  }
}

describe.each(NORMS)('the cheapest point of a narrowed domain under %s', (norm) => {
  it('is that of enumeration on lattices', () => {
    const seen = { solved: 0, infeasible: 0 };
    for (const { problem, free, domain } of cases(norm, LATTICES, 120)) {
      const expected = bruteForce(problem, domain);
      const outcome = prepareWithin(problem, solvers)!.solve(domain, within(5000));
      expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
      seen[outcome.status as keyof typeof seen]++;
      if (!outcome.x) continue;
      const judgement = judge(free, domain, outcome.x);
      expect(judgement.faults).toEqual([]);
      expect(judgement.cost).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-9);
      expect(judgement.cost).toBeGreaterThanOrEqual(expected * (1 - 1e-6) - 1e-9);
      expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-9) + 1e-9);
      expect(outcome.lowerBound).toBeGreaterThanOrEqual(expected * (1 - 1e-6) - 1e-9);
    }
    expect(seen.solved).toBeGreaterThan(40);
    expect(seen.infeasible).toBeGreaterThan(20);
  });

  it('is no dearer than any point tried where values are continuous, and exactly within its box', () => {
    let solved = 0;
    for (const { problem, free, domain } of cases(norm, ['continuous', 'continuous', 'integer', 'one-hot'], 80)) {
      const tried = bruteForce(problem, domain);
      const outcome = prepareWithin(problem, solvers)!.solve(domain, within(5000));
      expect(['solved', 'infeasible']).toContain(outcome.status);
      if (outcome.status === 'infeasible') expect(tried).toBe(Infinity);
      if (!outcome.x) continue;
      solved++;
      const judgement = judge(free, domain, outcome.x);
      expect(judgement.faults).toEqual([]);
      expect(judgement.cost).toBeLessThanOrEqual(tried * (1 + 1e-6) + 1e-9);
      expect(outcome.lowerBound).toBeGreaterThanOrEqual(judgement.cost * (1 - 1e-6) - 1e-9);
      outcome.x.forEach((value, c) => {
        expect(value).toBeGreaterThanOrEqual(domain.lower[c]);
        expect(value).toBeLessThanOrEqual(domain.upper[c]);
      });
    }
    expect(solved).toBeGreaterThan(20);
  });
});

describe('decimals and missing values', () => {
  const features = [
    { name: 'a', type: 'continuous', decimals: 1, min: -5, max: 5 },
    { name: 'b', type: 'continuous', min: -5, max: 5 },
    { name: 'c', type: 'categorical', categories: ['x', 'y'] },
  ];
  const tree = { feature: [0], threshold: [0], left: [-1], right: [-1], value: [[1, 0]], missing: 'left' };
  const pose = (policy: Record<string, unknown>, row: readonly number[]) => {
    const loaded = loadModel({
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'decision-tree',
      features,
      classes: ['no', 'yes'],
      parameters: { tree, task: 'classification' },
      background: {
        covariance: {
          features: ['a', 'b'],
          matrix: [
            [2, 0.5],
            [0.5, 1],
          ],
        },
      },
    });
    const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, loaded);
    const domain = createDomain(loaded.space);
    fillDomain(domain, loaded.space, compiled.rules, Float64Array.from(row), loaded.preprocessing.imputed);
    const problem = compileProblems(loaded, compiled, { kind: 'class', index: 0, margin: 0 })[0];
    return { domain, within: prepareWithin(problem, solvers)! };
  };

  it.each(['l0', 'l1', 'l2', 'mahalanobis'])('puts decimals on their grid, inside a box, under %s', (norm) => {
    const { domain, within: prepared } = pose({ cost: { norm }, constraints: ['a + b >= 1'] }, [0.3, 0, 0]);
    domain.lower[0] = 0.6000000001;
    domain.upper[1] = 0.25;
    const { x, status } = prepared.solve(domain, within(1000));
    expect(status).toBe('solved');
    expect(Math.round(x![0] * 10) / 10).toBe(x![0]);
    expect(x![0]).toBeGreaterThanOrEqual(0.8);
    expect(x![0] + x![1]).toBeGreaterThanOrEqual(1 - 1e-9);
  });

  it('leaves a missing value missing, and solves for the others', () => {
    const { domain, within: prepared } = pose({ constraints: ['b >= 1 or c = "y"'] }, [Number.NaN, 0.5, 0]);
    const { x, status, lowerBound } = prepared.solve(domain, within(1000));
    expect([status, [...x!]]).toEqual(['solved', [Number.NaN, 1, 1, 0]]);
    expect(lowerBound).toBeCloseTo(0.5, 6);
  });

  it('proves that a row over a missing number cannot be kept, and takes the other alternative of a clause', () => {
    const broken = pose({ constraints: ['a + b >= 1'] }, [Number.NaN, 0.5, 0]);
    expect(broken.within.solve(broken.domain, within(1000)).status).toBe('infeasible');
    const either = pose({ constraints: ['a >= 0 or b >= 2'] }, [Number.NaN, 0.5, 0]);
    expect([...either.within.solve(either.domain, within(1000)).x!]).toEqual([Number.NaN, 2, 1, 0]);
  });
});
