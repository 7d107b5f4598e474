/** Plausibility as a term of the cost: what is claimed of the total is true against all points of a grid, for every measure and family. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { checkShape, planOf } from '../../support/asking.js';
import {
  checkedAnswer,
  leastTotal,
  MEASURES,
  SIDE,
  totalAt,
  WORLD_ENTRIES,
  WORLD_FAMILIES,
  worldModel,
  worldPolicy,
} from '../../support/plausible-worlds.js';

const asked = fc.record({
  from: fc.tuple(fc.integer({ min: 0, max: SIDE }), fc.integer({ min: 0, max: SIDE })),
  measure: fc.constantFrom(...MEASURES),
  weight: fc.constantFrom(0.01, 1, 50),
  atLeast: fc.constantFrom(undefined, 0.3),
  norm: fc.constantFrom('l0', 'l1', 'l2', 'mahalanobis', 'percentile'),
  entry: fc.constantFrom(...WORLD_ENTRIES),
});

describe.each(WORLD_FAMILIES)('%s', (family) => {
  it('has the least total of all points where values are few, and the optimum is proved', async () => {
    const model = worldModel(family);
    await fc.assert(
      fc.asyncProperty(asked, async ({ from, measure, weight, atLeast, norm, entry: { entries, keeps } }) => {
        const policy = worldPolicy({ ...measure, weight, atLeast }, { cost: { norm, weights: 'none' }, ...entries });
        const plan = await planOf(model, policy);
        const result = checkShape(plan.explain({ id: 'r', features: { a: from[0], b: from[1] } }));
        if (result.status === 'already') return;
        const totalOf = totalAt(model, policy, from);
        const best = leastTotal((point) => (keeps(from, point) ? totalOf(point) : Infinity));
        expect(result.status).toBe(best < Infinity ? 'found' : 'infeasible');
        if (best === Infinity) return;
        const { cost, proof } = checkedAnswer(result, weight);
        expect(cost).toBeCloseTo(best, 9);
        expect(proof).toMatchObject({ kind: 'optimal' });
        expect(proof.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-12));
      }),
      { numRuns: 25, seed: 4 },
    );
  });

  it('has a bound below every point of a fine grid among all numbers, and comes near the best of them', async () => {
    const model = worldModel(family, { isGrid: false });
    const from = [2.5, 5.5];
    for (const measure of MEASURES) {
      const policy = worldPolicy({ ...measure, weight: 2 }, { cost: { norm: 'l1', weights: 'none' } });
      const result = (await planOf(model, policy)).explain({ id: 'r', features: { a: from[0], b: from[1] } });
      const totalOf = totalAt(model, policy, from);
      const least = leastTotal(totalOf, 0.1);
      const { features, cost, proof } = checkedAnswer(result, 2);
      expect(totalOf([Number(features.a), Number(features.b)])).toBeCloseTo(cost, 9);
      expect(proof.kind).not.toBe('optimal');
      expect(proof.lowerBound).toBeGreaterThan(0);
      expect(proof.lowerBound).toBeLessThanOrEqual(least);
      expect(cost).toBeLessThanOrEqual(least * 1.03);
    }
  });
});

describe.each([1e-9, 1e-3, 1e9])('numbers of the size %d', (scale) => {
  it.each(WORLD_FAMILIES)('%s: the optimum on steps, a gap among all numbers', async (family) => {
    const from = [2 * scale, 4 * scale];
    const features = Object.fromEntries(['a', 'b'].map((name) => [name, { step: scale }]));
    const row = { id: 'r', features: { a: from[0], b: from[1] } };
    for (const measure of [MEASURES[1], MEASURES[4]]) {
      const plausibility = { ...measure, weight: scale };
      const stepped = worldPolicy(plausibility, { features });
      const grid = worldModel(family, { scale });
      const best = leastTotal(totalAt(grid, stepped, from), 1, scale);
      const { cost, proof } = checkedAnswer((await planOf(grid, stepped)).explain(row), scale);
      expect(cost / best).toBeCloseTo(1, 9);
      expect(proof.kind).toBe('optimal');
      const open = worldModel(family, { scale, isGrid: false });
      const free = checkedAnswer((await planOf(open, worldPolicy(plausibility))).explain(row), scale);
      const least = leastTotal(totalAt(open, worldPolicy(plausibility), from), 0.1, scale);
      expect(free.proof.lowerBound).toBeLessThanOrEqual(least);
      expect(free.cost).toBeLessThanOrEqual(least * 1.03);
      if (free.proof.kind === 'optimal') expect(free.cost).toBeLessThanOrEqual(least * (1 + 1e-6));
    }
  });
});

describe('a term', () => {
  const row = { id: 'r', features: { a: 2, b: 5 } };
  const density = { method: 'density', components: 2 };

  it('draws answers to where rows are, the more the larger its weight', async () => {
    const penalties: number[] = [];
    for (const weight of [0.001, 3, 100]) {
      const plan = await planOf(worldModel('logistic-regression'), worldPolicy({ ...density, weight }));
      penalties.push(plan.explain(row).counterfactuals[0].plausibility!.penalty!);
    }
    expect(penalties[0]).toBeGreaterThanOrEqual(penalties[1]);
    expect(penalties[1]).toBeGreaterThanOrEqual(penalties[2]);
    expect(penalties[0]).toBeGreaterThan(penalties[2]);
  });

  it('is a part of the cost, beside the shares of person and answer', async () => {
    const plan = await planOf(worldModel('logistic-regression'), worldPolicy({ ...density, weight: 3 }));
    const { cost, distances, plausibility } = checkedAnswer(checkShape(plan.explain(row)), 3);
    expect(cost).toBeCloseTo(distances.l1 + plausibility!.term!, 12);
    expect(Object.keys(plausibility!)).toEqual(['person', 'answer', 'penalty', 'term']);
  });

  it('that is 0 at the optimum without it leaves the optimum proved', async () => {
    // The densest centre of one component is its mean: an answer there has no penalty.
    const model = worldModel('logistic-regression', { isGrid: false });
    const mixture = { features: ['a'], weights: [1], means: [[7]], covariances: [[[1]]] };
    const brought = { ...model, background: { mixture }, parameters: { weights: [1, 0], bias: -7 } };
    const plan = await planOf(brought, worldPolicy({ method: 'density', weight: 5 }));
    const [{ cost, proof, plausibility }] = plan.explain(row).counterfactuals;
    expect([cost, plausibility!.penalty]).toEqual([expect.closeTo(5, 6), expect.closeTo(0, 6)]);
    expect(proof.kind).toBe('optimal');
  });

  it('counts for every answer of `count`, and answers come by their totals', async () => {
    const policy = worldPolicy({ ...density, weight: 1 }, { count: 3 });
    const model = worldModel('logistic-regression');
    const { counterfactuals } = (await planOf(model, policy)).explain(row);
    expect(counterfactuals.length).toBe(3);
    const totalOf = totalAt(model, policy, [2, 5]);
    const totals = counterfactuals.map(({ features, cost }) => {
      expect(totalOf([Number(features.a), Number(features.b)])).toBeCloseTo(cost, 9);
      return cost;
    });
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
    expect(totals[0]).toBeCloseTo(leastTotal(totalOf), 9);
    for (const { cost, proof } of counterfactuals) expect(proof.lowerBound).toBeLessThanOrEqual(cost * (1 + 1e-9));
  });

  it('stays in the answers of levers', async () => {
    const policy = worldPolicy({ ...density, weight: 1 }, { levers: { first: ['a'], second: ['b'] } });
    const model = worldModel('logistic-regression');
    const totalOf = totalAt(model, policy, [2, 5]);
    for (const { lever, cost, proof } of (await planOf(model, policy)).explain(row).counterfactuals) {
      const along = Array.from({ length: SIDE + 1 }, (_, k) => totalOf(lever === 'first' ? [k, 5] : [2, k]));
      expect(cost).toBeCloseTo(Math.min(...along), 9);
      expect(proof.kind).toBe('optimal');
    }
  });

  it('blocks nothing: a row is infeasible by its limit alone, and relaxations keep the term', async () => {
    const never = { b: { change: 'never' }, a: { max: 5 } };
    const model = worldModel('logistic-regression');
    const policy = worldPolicy({ ...density, atLeast: 0.9, weight: 2 }, { features: never });
    const { status, reason } = checkShape((await planOf(model, policy)).explain(row));
    expect(status).toBe('infeasible');
    expect(reason!.plausibility!.person).toBeLessThan(0.5);
    const { entry, cost } = reason!.relaxation as { entry: string; cost: number };
    const free = worldPolicy({ ...density, weight: 2 }, { features: never });
    const [freed] = (await planOf(model, free)).explain(row).counterfactuals;
    expect(entry).toBe('plausibility');
    expect(cost).toBe(freed.cost);
    const closed = worldPolicy({ ...density, weight: 2 }, { features: { a: { max: 3 }, b: { max: 5 } } });
    expect((await planOf(model, closed)).explain(row).reason!.blocking).toEqual(['features.a.max', 'features.b.max']);
  });

  it('leaves regions as they are: every point of one is an answer, whatever it costs', async () => {
    const model = worldModel('logistic-regression');
    const plan = await planOf(model, worldPolicy({ ...density, weight: 1 }, { region: true }));
    const [{ region, features }] = plan.explain(row).counterfactuals;
    const totalOf = totalAt(model, worldPolicy({ ...density, weight: 1 }), [2, 5]);
    const valuesOf = (name: 'a' | 'b') => {
      const range = region!.features[name] as { from?: number; to?: number } | undefined;
      const [low, high] = range
        ? [range.from ?? 0, range.to ?? SIDE]
        : [Number(features[name]), Number(features[name])];
      return Array.from({ length: Math.round(high - low) + 1 }, (_, k) => low + k);
    };
    for (const a of valuesOf('a')) for (const b of valuesOf('b')) expect(totalOf([a, b])).toBeLessThan(Infinity);
  });

  it('is refused beside a path, which has a length in place of a cost', async () => {
    const policy = worldPolicy({ ...density, weight: 1 }, { path: { method: 'knn', k: 5 } });
    await expect(planOf(worldModel('knn'), policy)).rejects.toMatchObject({ path: 'policy.plausibility.weight' });
  });

  it.each([
    [{ method: 'prototype' }, 'policy.plausibility.atLeast'],
    [{ method: 'density', weight: 0 }, 'policy.plausibility.weight'],
    [{ method: 'density', weight: -1 }, 'policy.plausibility.weight'],
  ])('with %j is refused at %s', async (plausibility, path) => {
    await expect(planOf(worldModel('knn'), worldPolicy(plausibility))).rejects.toMatchObject({ path });
  });

  it('needs no rows of the background where the measure needs none', async () => {
    const { background, ...model } = worldModel('logistic-regression');
    const bare = { ...model, background: { autoencoder: background.autoencoder } };
    const plan = await planOf(bare, worldPolicy({ method: 'autoencoder', weight: 1 }));
    expect(Object.keys(plan.explain(row).counterfactuals[0].plausibility!)).toEqual(['penalty', 'term']);
    await expect(planOf(bare, worldPolicy({ method: 'autoencoder', weight: 1, atLeast: 0.1 }))).rejects.toThrow('20');
  });
});

describe('the bound of a term over a box', () => {
  const end = fc.constantFrom(0, 1, 2, 5, 8, SIDE);
  const place = fc.record({ one: end, other: end, share: fc.constantFrom(0, 0.3, 0.5, 1) });

  it.each([...MEASURES, { method: 'prototype', encoder: 'none' } as const])(
    'is below the term of every point: %j',
    (measure) => {
      const { background, ...model } = worldModel('knn', { isGrid: false });
      const { encoder, ...asked } = { encoder: '', ...measure };
      const own = encoder ? { samples: background.samples } : background;
      const policy = loadPolicy(worldPolicy({ ...asked, weight: 3 })).document;
      const { plausibility } = compilePolicy(policy, loadModel({ ...model, background: own }));
      const term = plausibility!.of([{ kind: 'class', index: 1, margin: 0 }]).term!;
      fc.assert(
        fc.property(fc.tuple(place, place), (places) => {
          const lower = Float64Array.from(places, ({ one, other }) => Math.min(one, other));
          const upper = Float64Array.from(places, ({ one, other }) => Math.max(one, other));
          const x = lower.map((low, c) => low + places[c].share * (upper[c] - low));
          expect(term.leastWithin(lower, upper)).toBeLessThanOrEqual(term.of(x));
          expect(term.leastWithin(lower.fill(Number.NEGATIVE_INFINITY), upper.fill(Infinity))).toBeLessThanOrEqual(
            term.of(x),
          );
        }),
        { numRuns: 200, seed: 6 },
      );
      const corner = term.leastWithin(Float64Array.of(0, 0), Float64Array.of(0.5, 0.5));
      if (asked.method === 'density' || own !== background) expect(corner).toBeGreaterThan(0);
    },
  );
});
