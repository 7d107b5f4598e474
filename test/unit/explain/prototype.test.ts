/** Plausibility by class prototypes: the mean encoding of the rows that the model gives the target, as a limit and per target. */
import { describe, expect, it } from 'vitest';
import { type LoadedModel, loadModel, Scorer } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy } from '../../../src/problems/compile.js';
import { checkShape, planOf } from '../../support/asking.js';
import { faultOf } from '../../support/documents.js';
import { leastTotal, SIDE, totalAt, WORLD_FAMILIES, worldModel, worldPolicy } from '../../support/plausible-worlds.js';
import { remote } from '../../support/remote-models.js';

const YES = { kind: 'class', index: 1, margin: 0 } as const;
const NO = { kind: 'class', index: 0, margin: 0 } as const;

const compile = (model: unknown, more: object = {}) =>
  compilePolicy(loadPolicy(worldPolicy({ method: 'prototype', weight: 1, ...more })).document, loadModel(model))
    .plausibility!;

const withoutAutoencoder = () => {
  const { background, ...model } = worldModel('logistic-regression');
  return { ...model, background: { samples: background.samples } };
};

/** Rows that the model itself gives a class. */
function rowsOf(model: ReturnType<typeof withoutAutoencoder>, index: number): number[][] {
  const loaded = loadModel(model);
  const scorer = new Scorer(loaded);
  return model.background.samples.filter((row) => {
    scorer.runColumns(Float64Array.from(row));
    return loaded.model.decide(scorer.raw) === index;
  });
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a prototype', () => {
  it('is the mean of the standardised numbers of the rows with the target, where there is no autoencoder', () => {
    const model = withoutAutoencoder();
    const all = model.background.samples;
    const penaltyAt = (point: number[], index: number) =>
      [0, 1].reduce((sum, c) => {
        const column = all.map((row) => row[c]);
        const deviation = Math.sqrt(meanOf(column.map((value) => (value - meanOf(column)) ** 2)));
        const centre = meanOf(rowsOf(model, index).map((row) => row[c]));
        return sum + ((point[c] - centre) / deviation) ** 2;
      }, 0);
    for (const [goal, index] of [
      [YES, 1],
      [NO, 0],
    ] as const)
      expect(compile(model).of([goal]).term!.of(Float64Array.of(4, 9))).toBeCloseTo(penaltyAt([4, 9], index), 9);
  });

  it('is a mean of encodings where there is an autoencoder: layers up to the narrowest, or as many as the document says', () => {
    const { background, ...model } = worldModel('logistic-regression');
    const own = { ...model, background };
    const yes = rowsOf(own, 1).map(([a, b]) => (a - b) / 2);
    const penalty = compile(own).of([YES]).term!.of(Float64Array.of(4, 9));
    expect(penalty).toBeCloseTo((-2.5 - meanOf(yes)) ** 2, 9);
    const autoencoder = { ...background.autoencoder, encoderLayers: 2 };
    const whole = { ...model, background: { ...background, autoencoder } };
    // Both outputs are 5 away from the encoding, one of them with its sign turned.
    expect(compile(whole).of([YES]).term!.of(Float64Array.of(4, 9))).toBeCloseTo(2 * penalty, 9);
  });

  it('is one for each class of a target, and the nearest counts', () => {
    const model = withoutAutoencoder();
    const plausibility = compile(model);
    const x = Float64Array.of(4, 9);
    const alone = [YES, NO].map((goal) => plausibility.of([goal]).term!.of(x));
    expect(plausibility.of([YES, NO]).term!.of(x)).toBe(Math.min(...alone));
  });

  it('has the slope of its margin and of its term', () => {
    for (const model of [withoutAutoencoder(), worldModel('mlp')]) {
      const { limit, term } = compile(model, { atLeast: 0.2 }).of([YES]);
      const [x, slope, h] = [Float64Array.of(3, 5), new Float64Array(2), 1e-6];
      for (const [value, gradient] of [
        [limit!.margin!, limit!.gradient!],
        [term!.of, term!.gradient!],
      ] as const) {
        gradient(x, slope);
        for (const c of [0, 1])
          expect((value(x.with(c, x[c] + h)) - value(x.with(c, x[c] - h))) / (2 * h)).toBeCloseTo(slope[c], 5);
      }
    }
  });
});

describe.each(WORLD_FAMILIES)('as a limit of %s', (family) => {
  it('is kept at the least cost of all points, and answers are compared with rows that have the target', async () => {
    const model = worldModel(family);
    const policy = worldPolicy({ method: 'prototype', atLeast: 0.4 });
    for (const from of [
      [2, 5],
      [0, SIDE],
      [1, 1],
    ]) {
      const result = checkShape(
        (await planOf(model, policy)).explain({ id: 'r', features: { a: from[0], b: from[1] } }),
      );
      if (result.status === 'already') continue;
      const best = leastTotal(totalAt(model, policy, from));
      const [{ cost, proof, plausibility }] = result.counterfactuals;
      expect([cost, proof.kind]).toEqual([expect.closeTo(best, 9), 'optimal']);
      expect(plausibility!.answer).toBeGreaterThan(0.4);
      expect(Object.keys(plausibility!)).toEqual(['person', 'answer']);
    }
  });
});

describe('a target of its own', () => {
  it('has its own prototype; a row whose target no background row has is told', async () => {
    const model = worldModel('logistic-regression');
    const plan = await planOf(model, worldPolicy({ method: 'prototype', weight: 1 }));
    const away = plan.explain({ id: 'r', features: { a: 8, b: 8 }, target: 'no' });
    const penalty = compile(model)
      .of([NO])
      .term!.of(Float64Array.of(...Object.values(away.counterfactuals[0].features).map(Number)));
    expect(away.counterfactuals[0].plausibility!.penalty).toBe(penalty);
    const high = plan.explain({ id: 'r', features: { a: 0, b: 0 }, target: { from: 1 - 1e-12, to: 1 } });
    expect(high).toMatchObject({ status: 'invalid', reason: { path: 'policy.plausibility.method' } });
  });

  it('asks for 20 rows with the target where there is a limit', async () => {
    const model = worldModel('logistic-regression');
    const few = { ...model, parameters: { weights: [1, 0], bias: -9.5 } };
    await expect(planOf(few, worldPolicy({ method: 'prototype', atLeast: 0.1 }))).rejects.toThrow(
      'that have the target',
    );
  });

  it('refuses an encoder with more layers than there are', async () => {
    const { background, ...model } = worldModel('logistic-regression');
    const autoencoder = { ...background.autoencoder, encoderLayers: 3 };
    const wrong = planOf(
      { ...model, background: { ...background, autoencoder } },
      worldPolicy({ method: 'prototype', weight: 1 }),
    );
    await expect(wrong).rejects.toMatchObject({ path: 'model.background.autoencoder.encoderLayers' });
  });
});

describe('a model that is scored elsewhere', () => {
  const document = (labels: readonly string[]) => {
    const { background, ...model } = worldModel('logistic-regression');
    return { ...model, background: { ...background, labels } };
  };
  const policy = loadPolicy(worldPolicy({ method: 'prototype', weight: 1 }));

  it('has said in its labels which rows have the target', () => {
    const { samples } = worldModel('logistic-regression').background;
    const yes = new Set(rowsOf(withoutAutoencoder(), 1));
    const own = withoutAutoencoder().background.samples.map((row) =>
      [...yes].some((other) => other.join() === row.join()),
    );
    const labels = samples.map((_, k) => (own[k] ? 'yes' : 'no'));
    const loaded = loadModel(document(labels));
    const termOf = (model: LoadedModel) => compilePolicy(policy.document, model).plausibility!.of([YES]).term!;
    for (const point of [
      [4, 9],
      [0, 0],
    ])
      expect(termOf(remote(loaded)).of(Float64Array.from(point))).toBe(termOf(loaded).of(Float64Array.from(point)));
  });

  it('is refused without labels, and for a target that labels say nothing of', () => {
    const compiled = (labels: readonly string[]) =>
      compilePolicy(policy.document, remote(loadModel(document(labels)))).plausibility!;
    const path = 'policy.plausibility.method';
    expect(faultOf(() => compiled([]).of([YES])).path).toBe(path);
    const labels = worldModel('knn').background.samples.map(() => 'yes');
    const interval = { kind: 'interval', index: 1, from: 0.6, to: 1 } as const;
    expect(faultOf(() => compiled(labels).of([interval])).path).toBe(path);
  });
});
