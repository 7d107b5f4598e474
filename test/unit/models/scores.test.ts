/** Scores of every family against formulas written out here. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { Dice } from '../../support/dice.js';
import { creditModel, edit, faultOf, regressionModel } from '../../support/documents.js';
import { dotProduct, solveByElimination } from '../../support/elimination.js';
import { generators } from '../../support/random-models.js';

const continuous = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, type: 'continuous' }));
const rowOf = (values: readonly number[]) => Object.fromEntries(values.map((value, i) => [`f${i}`, value]));

function classifier(family: string, classes: number, inputs: number, parameters: unknown) {
  const names = Array.from({ length: classes }, (_, k) => `class ${k}`);
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features: continuous(inputs),
    classes: names,
    parameters,
  });
}

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  found.forEach((value, k) => {
    expect(Math.abs(value - expected[k])).toBeLessThanOrEqual(1e-10 * Math.max(1, Math.abs(expected[k])));
  });
}

const normalised = (shares: readonly number[]) =>
  shares.map((share) => share / shares.reduce((sum, other) => sum + other, 0));

describe('two classes', () => {
  const f = 0.01 * 41 + 0.002 * 1200 - 0.3 - 3.1; // rent
  const row = { age: 41, income: 1200, housing: 'rent' };

  it('a logistic model gives 1 / (1 + e^-f) to the second class', () => {
    const { scores, prediction } = loadModel(creditModel()).predict(row);
    expectClose([scores.rejected, scores.approved], [1 - 1 / (1 + Math.exp(-f)), 1 / (1 + Math.exp(-f))]);
    expect(prediction).toBe('rejected');
  });

  it('a lower threshold approves what a higher one rejects, and leaves the probabilities', () => {
    const p = 1 / (1 + Math.exp(-f));
    const at = (threshold: number) =>
      loadModel(edit(creditModel(), ['parameters', 'threshold'], threshold)).predict(row);
    expect(at(p - 1e-9).prediction).toBe('approved');
    expect(at(p + 1e-9).prediction).toBe('rejected');
    expect(at(0.1).scores).toEqual(at(0.9).scores);
  });

  it('a hyperplane gives -f and f, and the first class on the boundary itself', () => {
    const model = classifier('hyperplane', 2, 2, { weights: [2, -1], bias: 0.5 });
    expect(model.predict(rowOf([1, 3]))).toEqual({
      prediction: 'class 0',
      scores: { 'class 0': 0.5, 'class 1': -0.5 },
    });
    expect(model.predict(rowOf([0.25, 1])).prediction).toBe('class 0');
    expect(model.predict(rowOf([0.25, 1 - 1e-12])).prediction).toBe('class 1');
  });

  it('a logistic model gives the first class where the probability is the threshold itself', () => {
    const model = classifier('logistic-regression', 2, 1, { weights: [1], bias: 0 });
    expect(model.predict(rowOf([0])).prediction).toBe('class 0');
    expect(model.predict(rowOf([1e-9])).prediction).toBe('class 1');
  });
});

describe('several classes', () => {
  const dice = new Dice(3);
  const cases = Array.from({ length: 20 }, () => ({
    weights: dice.matrix(4, 3),
    bias: dice.vector(4),
    x: dice.vector(3, () => 3 * dice.normal()),
  }));
  const scoresUnder = (normalization: string | undefined) =>
    cases.map(({ weights, bias, x }) =>
      Object.values(classifier('softmax-regression', 4, 3, { weights, bias, normalization }).predict(rowOf(x)).scores),
    );
  const z = cases.map(({ weights, bias, x }) => weights.map((line, k) => dotProduct(line, x) + bias[k]));

  it('softmax gives e^z over its sum, and is the default', () => {
    scoresUnder('softmax').forEach((found, i) => {
      expectClose(found, normalised(z[i].map(Math.exp)));
    });
    expect(scoresUnder(undefined)).toEqual(scoresUnder('softmax'));
  });

  it('sigmoid gives one-vs-rest probabilities that add up to 1', () => {
    scoresUnder('sigmoid').forEach((found, i) => {
      expectClose(found, normalised(z[i].map((score) => 1 / (1 + Math.exp(-score)))));
    });
  });

  it('none gives z itself', () => {
    scoresUnder('none').forEach((found, i) => {
      expectClose(found, z[i]);
    });
  });

  it('softmax survives scores that e^z does not', () => {
    const model = classifier('softmax-regression', 3, 1, { weights: [[1000], [999], [-1000]], bias: [0, 0, 0] });
    expectClose(Object.values(model.predict(rowOf([1])).scores), [1 / (1 + Math.exp(-1)), 1 / (1 + Math.exp(1)), 0]);
  });

  it('a tie goes to the lower class', () => {
    const model = classifier('softmax-regression', 3, 1, { weights: [[0], [1], [1]], bias: [0, 0, 0] });
    expect(model.predict(rowOf([2])).prediction).toBe('class 1');
    expect(model.predict(rowOf([0])).prediction).toBe('class 0');
  });
});

describe('lda', () => {
  /** log π_k - ½ (x - μ_k)ᵀ Σ⁻¹ (x - μ_k), normalised: Bayes' rule with the densities written out. */
  function posterior(means: number[][], covariance: number[][], priors: number[], x: number[]): number[] {
    const logs = means.map((mean, k) => {
      const delta = x.map((value, i) => value - mean[i]);
      return Math.log(priors[k]) - 0.5 * dotProduct(delta, solveByElimination(covariance, delta));
    });
    return normalised(logs.map((value) => Math.exp(value - Math.max(...logs))));
  }

  it("gives Bayes' posterior, the covariance solved by elimination", () => {
    const dice = new Dice(8);
    for (let k = 0; k < 25; k++) {
      const inputs = dice.integer(1, 5);
      let draw = generators.lda(dice, inputs);
      while (!('means' in draw.parameters)) draw = generators.lda(dice, inputs);
      const { means, covariance, priors } = draw.parameters as {
        means: number[][];
        covariance: number[][];
        priors: number[];
      };
      const model = classifier('lda', draw.classes, inputs, draw.parameters);
      const x = dice.vector(inputs, () => 2 * dice.normal());
      expectClose(Object.values(model.predict(rowOf(x)).scores), posterior(means, covariance, priors, x));
    }
  });

  it('takes the softmax form for the same posterior', () => {
    const covariance = [
      [2, 0.5],
      [0.5, 1],
    ];
    const [means, priors] = [
      [
        [0, 1],
        [2, -1],
      ],
      [0.3, 0.7],
    ];
    const weights = means.map((mean) => solveByElimination(covariance, mean));
    const bias = means.map((mean, k) => Math.log(priors[k]) - 0.5 * dotProduct(mean, weights[k]));
    const x = rowOf([0.7, 0.2]);
    const scores = [
      { means, covariance, priors },
      { weights, bias },
    ].map((parameters) => Object.values(classifier('lda', 2, 2, parameters).predict(x).scores));
    expectClose(scores[0], scores[1]);
  });

  it.each([
    [
      'singular',
      [
        [1, 1],
        [1, 1],
      ],
    ],
    [
      'indefinite',
      [
        [1, 2],
        [2, 1],
      ],
    ],
    [
      'not symmetric',
      [
        [1, 0.5],
        [0, 1],
      ],
    ],
    [
      'without variance',
      [
        [0, 0],
        [0, 1],
      ],
    ],
  ])('refuses a covariance that is %s, and says what to do', (_, covariance) => {
    const fault = faultOf(() =>
      classifier('lda', 2, 2, {
        means: [
          [0, 1],
          [1, 0],
        ],
        covariance,
        priors: [0.5, 0.5],
      }),
    );
    expect(fault).toMatchObject({ code: 'bad-document', path: 'model.parameters.covariance' });
  });

  it.each([
    ['means', [[0, 1]], 'model.parameters.means'],
    ['means', [[0, 1], [1]], 'model.parameters.means[1]'],
    ['priors', [1], 'model.parameters.priors'],
    ['priors', [0, 1], 'model.parameters.priors[0]'],
    ['covariance', [[1, 0]], 'model.parameters.covariance'],
    ['covariance', [[1, 0], [0]], 'model.parameters.covariance[1]'],
  ])('refuses %s of %j', (key, value, path) => {
    const parameters = {
      means: [
        [0, 1],
        [1, 0],
      ],
      covariance: [
        [1, 0],
        [0, 1],
      ],
      priors: [0.5, 0.5],
      [key]: value,
    };
    expect(faultOf(() => classifier('lda', 2, 2, parameters)).path).toBe(path);
  });
});

describe('regressors', () => {
  const eta = (x: number, z: number) => 2 * x - 3 * z + 1;

  it.each([
    ['linear-regression', (value: number) => value],
    ['poisson-regression', Math.exp],
    ['exponential-regression', (value: number) => -1 / value],
  ])('%s gives its inverse link of w·x + b, on both sides of 0', (family, mean) => {
    const model = loadModel(regressionModel(family));
    for (const [x, z] of [
      [0, 0],
      [1.5, 0.25],
      [-2, 1],
      [0.3, 0.9],
    ]) {
      expect(model.predict({ x, z })).toEqual({ prediction: mean(eta(x, z)), scores: {} });
    }
  });
});
