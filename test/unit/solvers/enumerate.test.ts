/** Enumeration against loops over all combinations, and the order in which combinations come. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadPolicy, prepare } from '../../../src/index.js';
import { loadModel } from '../../../src/models/load.js';
import { createDomain, type Domain, fillDomain } from '../../../src/policy/domain.js';
import { Budget } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { CostOrder } from '../../../src/solvers/enumeration/cost-order.js';
import { enumerate } from '../../../src/solvers/enumeration/enumerate.js';
import { solvers } from '../../../src/solvers/index.js';
import { judge } from '../../conformance/judge.js';
import { Dice } from '../../support/dice.js';
import { patient } from '../../support/quadratic-problems.js';
import { fewValues, opaque } from '../../support/remote-models.js';

describe('combinations', () => {
  const menu = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 })
    .map((prices) => prices.sort((a, b) => a - b).map((price, value) => ({ value, price })));

  it('come all, once each, cheapest first', () => {
    fc.assert(
      fc.property(fc.array(menu, { maxLength: 4 }), (menus) => {
        const order = new CostOrder(menus);
        const options = new Int32Array(menus.length);
        const seen: string[] = [];
        let before = Number.NEGATIVE_INFINITY;
        for (let least = order.least; order.next(options); least = order.least) {
          const price = menus.reduce((sum, list, f) => sum + list[options[f]].price, 0);
          expect(price).toBe(least);
          expect(price).toBeGreaterThanOrEqual(before);
          before = price;
          seen.push(options.join());
        }
        expect(new Set(seen).size).toBe(menus.reduce((count, list) => count * list.length, 1));
        expect(seen.length).toBe(new Set(seen).size);
      }),
    );
  });
});

const NORMS = ['l0', 'l1', 'l2', 'percentile', 'mahalanobis'] as const;

describe.each(['gaussian-naive-bayes', 'qda', 'lvq'])('%s on a lattice', (family) => {
  it.each(NORMS)('under %s has the optimum of all combinations', async (norm) => {
    const dice = new Dice(7);
    for (let round = 0; round < 12; round++) {
      const model = quadraticModel(dice, family);
      const row = { a: dice.integer(0, 4), b: dice.integer(0, 10) / 10, c: dice.pick(['x', 'y', 'z']) };
      const target = model.predict(row).prediction === 'no' ? 'yes' : 'no';
      const policy = {
        schema: 'elsewise.policy/v1',
        target,
        unbounded: true,
        cost: { norm, weights: 'none' },
        maxChanges: 2,
        solvers: ['enumerate'],
      };
      const result = (await prepare(model, loadPolicy(policy))).explain({ id: 'r', features: row });
      const least = leastOfAll(model, row, target, norm, 2);
      if (least === Infinity) expect(result.status).toBe('infeasible');
      else {
        expect(result.counterfactuals[0].cost).toBeCloseTo(least, 9);
        expect(result.counterfactuals[0].proof.kind).toBe('optimal');
      }
    }
  });
});

describe('enumerate', () => {
  it('proves infeasible by exhaustion, also of a model of which only scores are known', async () => {
    const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes' });
    const row = { id: 'r', features: { a: 0, b: 0, c: 'x' } };
    const none = (await prepare(opaque(fewValues(-99)), policy)).explain(row);
    expect(none).toMatchObject({ status: 'infeasible', attempts: [{ solver: 'enumerate', outcome: 'infeasible' }] });
    const some = (await prepare(opaque(fewValues()), policy)).explain(row);
    const known = (await prepare(fewValues(), policy)).explain(row);
    expect(some.counterfactuals[0]).toMatchObject({ solver: 'enumerate', proof: { kind: 'optimal' } });
    expect(some.counterfactuals[0].cost).toBeCloseTo(known.counterfactuals[0].cost, 9);
  });

  it('does not take a feature of any number', () => {
    const model = loadModel({
      schema: 'elsewise.model/v1',
      name: 'free',
      family: 'hyperplane',
      features: [{ name: 'a', type: 'continuous' }],
      classes: ['no', 'yes'],
      parameters: { weights: [1], bias: -1 },
    });
    const { problem } = posed(model, {});
    expect(enumerate.accepts(problem, solvers)).toBe('no');
  });

  it('ends with a bound below the optimum when its effort is spent', () => {
    const { problem, domain } = posed(fewValues(-3.05), {});
    const exact = enumerate.prepare(problem, solvers).solve(domain, patient);
    const early = enumerate.prepare(problem, solvers).solve(domain, {
      ...patient,
      budget: new Budget(20, { now: () => 0 }, 1),
    });
    expect(exact.status).toBe('solved');
    expect(early).toMatchObject({ status: 'limit', x: null });
    expect(early.lowerBound).toBeGreaterThan(0);
    expect(early.lowerBound).toBeLessThanOrEqual(exact.lowerBound);
  });

  it('proves the optimum of integers without ends, and nothing beyond the values that it lists', () => {
    for (const norm of ['l1', 'l2', 'percentile'] as const) {
      const { problem, domain } = posed(withoutEnds(-2.05), { cost: { norm, weights: 'none' } });
      const { status, x } = enumerate.prepare(problem, solvers).solve(domain, patient);
      expect(status, norm).toBe('solved');
      expect(judge(problem, domain, x!).cost, norm).toBeCloseTo(optimumOf(problem, domain), 9);
    }
    const { problem, domain } = posed(withoutEnds(-1e4), { cost: { norm: 'l1', weights: 'none' } });
    const far = enumerate.prepare(problem, solvers).solve(domain, patient);
    expect(far).toMatchObject({ status: 'limit', x: null });
    expect(far.lowerBound).toBeGreaterThan(0);
    expect(far.lowerBound).toBeLessThanOrEqual(optimumOf(problem, domain));
  });

  it('does not call what is dearer than the cutoff infeasible', () => {
    const { problem, domain } = posed(fewValues(-3.05), {});
    const { status, x, lowerBound } = enumerate.prepare(problem, solvers).solve(domain, { ...patient, cutoff: 0.5 });
    expect({ status, x }).toEqual({ status: 'limit', x: null });
    expect(lowerBound).toBeGreaterThanOrEqual(0.5 * (1 - 1e-9));
  });
});

/** Integers in place of numbers, without bounds. */
function withoutEnds(bias: number): ReturnType<typeof loadModel> {
  const { document } = fewValues(bias);
  const features = document.features.map((feature) =>
    feature.type === 'categorical' ? feature : { name: feature.name, type: 'integer' },
  );
  const samples = document.background!.samples!.map(([a, b, c]) => [a, Math.round(10 * (b as number)), c]);
  return loadModel({ ...document, features, background: { ...document.background, samples } });
}

/** By another exact solver. */
function optimumOf(problem: Problem, domain: Domain): number {
  const others = solvers.filter(({ engine, name }) => !engine && name !== 'enumerate');
  const solver = others.find((other) => other.accepts(problem, solvers) === 'exact')!;
  const { status, x } = solver.prepare(problem, solvers).solve(domain, patient);
  expect(status).toBe('solved');
  return judge(problem, domain, x!).cost;
}

function posed(model: ReturnType<typeof loadModel>, policy: object) {
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
  const domain = createDomain(model.space);
  const values = new Float64Array(model.space.features.length);
  fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
  return { problem: compileProblems(model, compiled, { kind: 'class', index: 1, margin: 0 })[0], domain };
}

function quadraticModel(dice: Dice, family: string) {
  const columns = 5;
  const spread = () => Array.from({ length: columns }, () => 0.2 + dice.unit());
  const centre = () => [4 * dice.unit(), dice.unit(), dice.unit(), dice.unit(), dice.unit()];
  const diagonal = () => spread().map((value, i) => Array.from({ length: columns }, (_, j) => (i === j ? value : 0)));
  const shapes: Record<string, () => object> = {
    'gaussian-naive-bayes': () => ({
      variances: [spread(), spread()],
      priors: [0.5, 0.5],
      means: [centre(), centre()],
    }),
    qda: () => ({ covariances: [diagonal(), diagonal()], priors: [0.5, 0.5], means: [centre(), centre()] }),
    lvq: () => ({ prototypes: [centre(), centre()], labels: ['no', 'yes'], relevances: [diagonal(), diagonal()] }),
  };
  const { document } = fewValues();
  return loadModel({ ...document, family, parameters: shapes[family]() });
}

type Row = { a: number; b: number; c: string };

function leastOfAll(model: ReturnType<typeof loadModel>, row: Row, target: string, norm: string, most: number): number {
  let least = Infinity;
  const price = (to: Row) => costOf(model, norm, row, to);
  for (let a = 0; a <= 4; a++)
    for (let tenths = 0; tenths <= 10; tenths++)
      for (const c of ['x', 'y', 'z']) {
        const to = { a, b: tenths / 10, c };
        const changes = +(to.a !== row.a) + +(to.b !== row.b) + +(to.c !== row.c);
        if (changes > most || model.predict(to).prediction !== target) continue;
        least = Math.min(least, price(to));
      }
  return least;
}

function costOf(model: ReturnType<typeof loadModel>, norm: string, from: Row, to: Row): number {
  const category = +(from.c !== to.c);
  const [da, db] = [to.a - from.a, to.b - from.b];
  if (norm === 'l0') return +(da !== 0) + +(db !== 0) + category;
  if (norm === 'l1') return Math.abs(da) + Math.abs(db) + category;
  if (norm === 'l2') return da * da + db * db + category;
  const [fa, fb] = model.space.features;
  if (norm === 'percentile') {
    const rise = (feature: typeof fa, x: number, y: number) =>
      Math.abs(heightAt(model.background.quantiles(feature)!, y) - heightAt(model.background.quantiles(feature)!, x));
    return rise(fa, from.a, to.a) + rise(fb, from.b, to.b) + category;
  }
  const [[p, q], [, s]] = model.background.covariance([fa, fb])! as number[][];
  const determinant = p * s - q * q;
  return (s * da * da - 2 * q * da * db + p * db * db) / determinant + category;
}

/** The distribution function through quantiles, ties at their middle height. */
function heightAt(quantiles: readonly number[], x: number): number {
  const last = quantiles.length - 1;
  const points = [...new Set(quantiles)].map((point) => {
    const first = quantiles.indexOf(point);
    return [point, (first + quantiles.lastIndexOf(point)) / 2 / last] as const;
  });
  const slope = (points.at(-1)![1] - points[0][1]) / (points.at(-1)![0] - points[0][0]);
  if (x <= points[0][0]) return points[0][1] - slope * (points[0][0] - x);
  if (x >= points.at(-1)![0]) return points.at(-1)![1] + slope * (x - points.at(-1)![0]);
  const k = points.findIndex(([point]) => point > x);
  const [[x0, h0], [x1, h1]] = [points[k - 1], points[k]];
  return h0 + ((h1 - h0) * (x - x0)) / (x1 - x0);
}
