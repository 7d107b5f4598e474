/**
 * Targets near the ends of the range of scores, where many rows have the same score as computed: 1/(1 + e^-f) is 1 from f = 36.8 on.
 * The model's own predictions on a line are the judge of `infeasible` and of every lower bound.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/models/load.js';
import { planOf } from '../support/asking.js';

const seed = Number(process.env.FC_SEED ?? 20);
const SIDE = 10;

type Policy = { target: string | { class?: string; from?: number; to?: number }; margin?: number };
type Predict = (a: number) => { prediction: string | number; scores?: Record<string, number> };

const CLASSES = ['n', 'y', 'z'];
const weight = fc.oneof(fc.double({ min: -200, max: 200, noNaN: true }), fc.constantFrom(1, 3, 40, 100));
const variance = fc.constantFrom(0.01, 0.02, 0.5, 1, 2);
const mean = fc.double({ min: -8, max: 8, noNaN: true });
const listOf = <T>(entry: fc.Arbitrary<T>, length: number) => fc.array(entry, { minLength: length, maxLength: length });

const logistic = weight.map((w) => ({ family: 'logistic-regression', parameters: { weights: [w], bias: 0.3 } }));
const softmax = (classes: number) =>
  listOf(weight, classes).map((w) => ({
    family: 'softmax-regression',
    parameters: { weights: w.map((value) => [value]), bias: w.map((_, k) => k / 10) },
  }));
const gaussian = (classes: number, family: 'gaussian-naive-bayes' | 'qda') =>
  fc.tuple(listOf(mean, classes), listOf(variance, classes)).map(([means, variances]) => ({
    family,
    parameters: {
      means: means.map((m) => [m]),
      ...(family === 'qda' ? { covariances: variances.map((v) => [[v]]) } : { variances: variances.map((v) => [v]) }),
      priors: means.map(() => 1 / classes),
    },
  }));
const regression = (family: string) => weight.map((w) => ({ family, parameters: { weights: [w], bias: 0.3 } }));

const classifiers = {
  logistic: { classes: 2, model: logistic },
  'softmax of two': { classes: 2, model: softmax(2) },
  'softmax of three': { classes: 3, model: softmax(3) },
  'naive Bayes of two': { classes: 2, model: gaussian(2, 'gaussian-naive-bayes') },
  'naive Bayes of three': { classes: 3, model: gaussian(3, 'gaussian-naive-bayes') },
  'QDA of two': { classes: 2, model: gaussian(2, 'qda') },
  'QDA of three': { classes: 3, model: gaussian(3, 'qda') },
};

const nearOne = fc.constantFrom(1, 1 - 2 ** -53, 1 - 2 ** -52, 1 - 2e-15, 1 - 1e-14, 1 - 1e-12, 0.999);
const nearZero = fc.constantFrom(0, Number.MIN_VALUE, 1e-320, 1e-308, 1e-300, 1e-20, 2 ** -54, 2 ** -53, 1e-15, 1e-3);
const probabilityPolicy = (name: string): fc.Arbitrary<Policy> =>
  fc.oneof(
    fc.oneof(nearOne, nearZero).map((from) => ({ target: { class: name, from } })),
    fc.oneof(nearOne, nearZero).map((to) => ({ target: { class: name, to } })),
    nearOne.map((margin) => ({ target: name, margin })),
  );

function reaches(predict: Predict, a: number, { target, margin = 0 }: Policy, isHalved: boolean): boolean {
  const { prediction, scores } = predict(a);
  if (typeof target === 'string') {
    const own = scores![target];
    const lead = (other: string) => (isHalved ? own >= 0.5 + margin : own - scores![other] >= margin);
    return prediction === target && Object.keys(scores!).every((other) => other === target || lead(other));
  }
  const value = target.class ? scores![target.class] : (prediction as number);
  return Number.isFinite(value) && value >= (target.from ?? -Infinity) && value <= (target.to ?? Infinity);
}

/** The cost of the nearest row with the target, within the model's bounds, as well as a grid and bisection tell. */
function nearestOf(holds: (a: number) => boolean, here: number): number {
  let best = Infinity;
  for (const end of [-SIDE, SIDE]) {
    let before = here;
    for (let k = 1; k <= 1000; k++) {
      const a = here + ((end - here) * k) / 1000;
      if (holds(a)) {
        best = Math.min(best, Math.abs(between(holds, before, a) - here));
        break;
      }
      before = a;
    }
  }
  return best;
}

function between(holds: (a: number) => boolean, outside: number, inside: number): number {
  let [out, within] = [outside, inside];
  for (let k = 0; k < 60; k++) {
    const middle = (out + within) / 2;
    if (holds(middle)) within = middle;
    else out = middle;
  }
  return within;
}

async function checkAgainstPredictions(document: object, policy: Policy, here: number, isHalved: boolean) {
  const features = [{ name: 'a', type: 'continuous', min: -SIDE, max: SIDE }];
  const named = { schema: 'elsewise.model/v1', name: 'm', features, ...document };
  const model = loadModel(named);
  const plan = await planOf(named, { schema: 'elsewise.policy/v1', deadlineMs: 10, ...policy });
  const result = plan.explain({ id: 'x', features: { a: here } });
  const holds = (a: number) => reaches((at) => model.predict({ a: at }) as never, a, policy, isHalved);
  expect(result.status === 'already').toBe(holds(here));
  if (result.status === 'already') return;
  const nearest = nearestOf(holds, here);
  if (result.status === 'infeasible') expect(nearest).toBe(Infinity);
  for (const { cost, proof } of result.counterfactuals ?? [])
    expect(proof.lowerBound ?? 0).toBeLessThanOrEqual(Math.min(cost, nearest * (1 + 1e-6) + 1e-9));
}

const point = fc.double({ min: -SIDE, max: SIDE, noNaN: true });

/** Softmax and Gaussians of three classes that lead by probabilities of 1 and 0 on most of the line. */
const steep = {
  'softmax of three': { family: 'softmax-regression', parameters: { weights: [[0], [100], [-100]], bias: [0, 0, 0] } },
  'naive Bayes of three': {
    family: 'gaussian-naive-bayes',
    parameters: { means: [[0], [5], [9]], variances: [[0.01], [0.01], [0.02]], priors: [0.3, 0.3, 0.4] },
  },
  'a class that is never seen': {
    family: 'gaussian-naive-bayes',
    parameters: { means: [[0], [5], [9]], variances: [[0.01], [0.01], [0.02]], priors: [1, 0, 0] },
  },
};

describe('where scores saturate', () => {
  it.each(Object.entries(steep))('%s reaches a lead of 1 and probabilities of 0 and 1', async (_, model) => {
    const policies: Policy[] = [
      { target: 'y', margin: 1 },
      { target: { class: 'y', from: 1 } },
      { target: { class: 'y', to: 0 } },
      { target: { class: 'n', from: 1 } },
    ];
    for (const policy of policies)
      for (const here of [-3, -0.1, 0.001, 3])
        await checkAgainstPredictions({ classes: CLASSES, ...model }, policy, here, false);
  });

  it.each(Object.entries(classifiers))('%s proves nothing that its own probabilities refute', async (name, kind) => {
    const classes = CLASSES.slice(0, kind.classes);
    const policy = fc.constantFrom(...classes).chain(probabilityPolicy);
    const property = fc.asyncProperty(kind.model, policy, point, (model, asked, here) =>
      checkAgainstPredictions({ classes, ...model }, asked, here, name === 'logistic'),
    );
    await fc.assert(property, { seed, numRuns: kind.classes > 2 ? 20 : 75 });
  });

  it.each(['poisson-regression', 'exponential-regression'])(
    '%s proves nothing that its predictions refute',
    async (family) => {
      const end = fc.constantFrom(
        0,
        Number.MIN_VALUE,
        1e-320,
        1e-308,
        1e-300,
        1e-10,
        1,
        1e10,
        1e100,
        -1,
        -1e-310,
        -1e100,
      );
      const target = fc.oneof(
        end.map((from) => ({ from })),
        end.map((to) => ({ to })),
      );
      const property = fc.asyncProperty(regression(family), target, point, (model, asked, here) =>
        checkAgainstPredictions(model, { target: asked }, here, false),
      );
      await fc.assert(property, { seed, numRuns: 75 });
    },
  );
});
