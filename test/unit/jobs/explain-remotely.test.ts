/** The asynchronous driver, with scorers that answer late, out of order and in batches. */
import { describe, expect, it } from 'vitest';
import { type Plan, prepare, type Row } from '../../../src/explain/plan.js';
import { loadPolicy } from '../../../src/index.js';
import { explainRemotely } from '../../../src/jobs/scoring/explain-remotely.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import type { PointScorer } from '../../../src/scoring/point-scorer.js';
import { Dice } from '../../support/dice.js';
import { fewValues, opaque, rawOf, remote } from '../../support/remote-models.js';

const here = fewValues();
const rows: Row[] = Array.from({ length: 40 }, (_, k) => ({
  id: `r${k}`,
  features: { a: k % 5, b: (k % 7) / 10, c: ['x', 'y', 'z'][k % 3] },
}));
const POLICY = { schema: 'elsewise.policy/v1', target: 'yes', count: 2 };
const LIMITS = { rowsAtOnce: 16, pointsPerRequest: 50, requestsAtOnce: 3 };
/** Points of a question of a row, on average. Searches that ask one after the other stay below. */
const MEAN_POINTS: Readonly<Record<string, number>> = { nearest: 4, spheres: 12, genetic: 10.7 };

/** Answers after a delay that the dice give, so that later requests may be answered first. */
function lateScorer(seed: number) {
  const dice = new Dice(seed);
  const requests: number[] = [];
  const scorer: PointScorer = {
    async score(inputs) {
      requests.push(inputs.length);
      const raws = inputs.map((input) => rawOf(here, input));
      await new Promise((resolve) => setTimeout(resolve, dice.integer(0, 6)));
      return raws;
    },
  };
  return { scorer, requests };
}

async function collect(policy: object, scorer: PointScorer, limits = LIMITS) {
  const plan = await prepare(remote(here), loadPolicy(policy));
  const results = [];
  for await (const result of explainRemotely(plan, rows, scorer, limits)) results.push(result);
  return results;
}

/** Scored by the model at hand; notes the sizes of the questions. */
function explainedBy(plan: Plan, row: Row, model: LoadedModel, sizes: number[] = []) {
  const steps = plan.explainSteps(row);
  let step = steps.next();
  while (!step.done) {
    sizes.push(step.value.length);
    step = steps.next(step.value.map((input) => rawOf(model, input)));
  }
  const { attempts, elapsedMs, ...rest } = step.value;
  return rest;
}

/** The same score of numbers without steps: a search ends by its effort only. */
function withoutSteps(): LoadedModel {
  const { document } = here;
  const features = document.features.map((feature) =>
    feature.type === 'categorical' ? feature : { ...feature, type: 'continuous', decimals: undefined },
  );
  return loadModel({ ...document, features });
}

async function atOnce(policy: object) {
  const plan = await prepare(opaque(here), loadPolicy(policy));
  return rows.map((row) => plan.explain(row));
}

describe('a model that is scored elsewhere', () => {
  it.each([1, 2, 3])('gets the results of the same model at hand, in the order of the rows (seed %i)', async (seed) => {
    const { scorer } = lateScorer(seed);
    expect(await collect(POLICY, scorer)).toEqual(await atOnce(POLICY));
  });

  it('gets the same by the last resort alone', async () => {
    const policy = { ...POLICY, count: 1, solvers: ['nearest'] };
    expect(await collect(policy, lateScorer(4).scorer)).toEqual(await atOnce(policy));
  });

  it('gets the reasons of rows without an answer', async () => {
    const policy = { ...POLICY, features: { a: { change: 'never' }, b: { max: 0.2 } } };
    const results = await collect(policy, lateScorer(5).scorer);
    expect(results).toEqual(await atOnce(policy));
    expect(results.some(({ status }) => status === 'infeasible')).toBe(true);
  });

  it('is asked in common requests of many rows, none larger and no more at once than allowed', async () => {
    const { scorer, requests } = lateScorer(6);
    let most = 0;
    let underWay = 0;
    const watched: PointScorer = {
      async score(inputs) {
        most = Math.max(most, ++underWay);
        return scorer.score(inputs).finally(() => underWay--);
      },
    };
    await collect(POLICY, watched);
    expect(Math.max(...requests)).toBeLessThanOrEqual(LIMITS.pointsPerRequest);
    expect(most).toBeLessThanOrEqual(LIMITS.requestsAtOnce);
    const points = requests.reduce((sum, size) => sum + size, 0);
    expect(requests.length).toBeLessThan(points / 5);
  });

  it.each(['nearest', 'genetic'])('gets the same from %s whatever rows came before', async (solver) => {
    const model = withoutSteps();
    for (let effort = 500; effort < 6000; effort += 125) {
      const policy = loadPolicy({ ...POLICY, count: 1, solvers: [solver], effort });
      const [used, fresh] = [await prepare(remote(model), policy), await prepare(remote(model), policy)];
      explainedBy(used, rows[2], model);
      expect(explainedBy(used, rows[0], model)).toEqual(explainedBy(fresh, rows[0], model));
    }
  });

  it.each(['nearest', 'spheres', 'genetic'])('is asked by %s for many points of a row at a time', async (solver) => {
    const plan = await prepare(remote(here), loadPolicy({ ...POLICY, count: 1, solvers: [solver] }));
    const sizes: number[] = [];
    for (const row of rows.slice(0, 12)) explainedBy(plan, row, here, sizes);
    const points = sizes.reduce((sum, size) => sum + size, 0);
    expect(points / sizes.length).toBeGreaterThan(MEAN_POINTS[solver]);
  });

  it('says that a driver is needed where it is asked without one', async () => {
    const plan = await prepare(remote(here), loadPolicy(POLICY));
    expect(() => plan.explain(rows[0])).toThrow('scored elsewhere');
  });

  it('fails with the error of its scorer, and with a word about wrong counts', async () => {
    const failing: PointScorer = { score: () => Promise.reject(new Error('down')) };
    await expect(collect(POLICY, failing)).rejects.toThrow('down');
    const short: PointScorer = { score: async (inputs) => inputs.slice(1).map((input) => rawOf(here, input)) };
    await expect(collect(POLICY, short)).rejects.toThrow('scores for');
  });
});
