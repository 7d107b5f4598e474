/** Neighbour rules and kernel machines: scores, ties and votes as scikit-learn has them, and documents that are refused. */
import { describe, expect, it } from 'vitest';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { OneVsOne } from '../../../src/models/machines/one-vs-one.js';
import { faultOf } from '../../support/documents.js';

const features = [
  { name: 'x', type: 'continuous' },
  { name: 'y', type: 'continuous' },
];
const document = (family: string, parameters: object, classes?: string[]) => ({
  schema: 'elsewise.model/v1',
  name: 'm',
  family,
  features,
  ...(classes && { classes }),
  parameters,
});
const at = (model: LoadedModel, x: number, y: number) => model.predict({ x, y });
const CORNERS = [
  [0, 0],
  [2, 0],
  [0, 2],
  [2, 2],
];
const knn = (more: object) =>
  loadModel(document('knn', { samples: CORNERS, labels: ['c', 'b', 'a', 'b'], k: 1, ...more }, ['a', 'b', 'c']));

describe('k nearest neighbours', () => {
  it('takes the earlier of samples at equal distance', () => {
    expect(at(knn({}), 1, 0).prediction).toBe('c');
    expect(at(knn({}), 1, 2).prediction).toBe('a');
    expect(at(knn({ labels: ['b', 'c', 'a', 'b'] }), 1, 0).prediction).toBe('b');
    expect(at(knn({ metric: 'manhattan' }), 1, 1).prediction).toBe('c');
  });

  it('gives equal votes to the lower class', () => {
    const { prediction, scores } = at(knn({ k: 3, labels: ['c', 'b', 'a', 'b'] }), 0.5, 0.5);
    expect(prediction).toBe('a');
    expect(scores).toEqual({ a: 1 / 3, b: 1 / 3, c: 1 / 3 });
  });

  it('lets the nearest sample of three at equal distance fall out of two', () => {
    expect(
      at(
        knn({
          k: 2,
          samples: [
            [1, 0],
            [0, 1],
            [-1, 0],
          ],
          labels: ['c', 'b', 'a'],
        }),
        0,
        0,
      ).scores,
    ).toEqual({
      a: 0,
      b: 0.5,
      c: 0.5,
    });
  });

  it('weighs by distance, and by samples at distance 0 alone', () => {
    const model = knn({ k: 3, weights: 'distance' });
    const { scores } = at(model, 0.5, 0);
    const [near, far] = [1 / 0.5, 1 / 1.5];
    expect(scores.c / scores.b).toBeCloseTo(near / far, 12);
    expect(at(model, 2, 0)).toEqual({ prediction: 'b', scores: { a: 0, b: 1, c: 0 } });
    const twice = knn({
      k: 3,
      weights: 'distance',
      samples: [
        [0, 0],
        [0, 0],
        [0, 0],
        [1, 1],
      ],
    });
    expect(at(twice, 0, 0).scores).toEqual({ a: 1 / 3, b: 1 / 3, c: 1 / 3 });
  });

  it('averages numbers, weighted where asked', () => {
    const numbers = { labels: [1, 3, 5, 100], k: 3 };
    expect(at(loadModel(document('knn', { samples: CORNERS, ...numbers })), 0.1, 0.1).prediction).toBe(3);
    const weighted = loadModel(
      document('knn', { samples: CORNERS, ...numbers, weights: 'distance', metric: 'manhattan' }),
    );
    expect(at(weighted, 1, 0).prediction).toBeCloseTo((1 + 3 + 5 / 3) / (1 + 1 + 1 / 3), 12);
    expect(at(weighted, 0, 2).prediction).toBe(5);
  });

  it.each([
    ['k', { k: 5 }, /5 neighbours of 4 samples/],
    ['labels', { labels: ['a'] }, /one per sample/],
    ['labels[1]', { labels: ['a', 'd', 'a', 'b'] }, /"d" is not among the classes/],
    ['samples[2]', { samples: [[0, 0], [1, 1], [1], [2, 2]] }, /one per model column/],
  ])('refuses a wrong %s', (path, more, message) => {
    const fault = faultOf(() => knn(more));
    expect(fault).toMatchObject({ code: 'bad-document', path: `model.parameters.${path}` });
    expect(fault.detail).toMatch(message);
  });

  it('refuses names as numbers of a regressor', () => {
    const fault = faultOf(() => loadModel(document('knn', { samples: CORNERS, labels: ['1', '2', '3', '4'], k: 1 })));
    expect(fault).toMatchObject({ path: 'model.parameters.labels[0]' });
  });
});

const VECTORS = {
  supportVectors: [
    [1, 2],
    [3, -1],
    [0, 1],
  ],
  dualCoefficients: [0.5, -1, 0.25],
  intercept: 0.1,
};
const KERNELS: [object, (v: number[], x: number[]) => number][] = [
  [{ type: 'linear' }, (v, x) => v[0] * x[0] + v[1] * x[1]],
  [{ type: 'rbf', gamma: 0.3 }, (v, x) => Math.exp(-0.3 * ((v[0] - x[0]) ** 2 + (v[1] - x[1]) ** 2))],
  [{ type: 'poly', gamma: 0.5, coef0: 1, degree: 5 }, (v, x) => (0.5 * (v[0] * x[0] + v[1] * x[1]) + 1) ** 5],
  [{ type: 'poly', gamma: 2 }, (v, x) => (2 * (v[0] * x[0] + v[1] * x[1])) ** 3],
  [{ type: 'sigmoid', gamma: 0.2, coef0: -1 }, (v, x) => Math.tanh(0.2 * (v[0] * x[0] + v[1] * x[1]) - 1)],
];

describe.each(KERNELS)('a kernel machine with %j', (kernel, kernelAt) => {
  const f = (x: number[]) =>
    VECTORS.supportVectors.reduce((sum, v, i) => sum + VECTORS.dualCoefficients[i] * kernelAt(v, x), VECTORS.intercept);

  it('predicts a number, and shows a value for each of two classes', () => {
    const regressor = loadModel(document('kernel-svm', { ...VECTORS, kernel }));
    const classifier = loadModel(document('kernel-svm', { ...VECTORS, kernel }, ['no', 'yes']));
    for (const x of [
      [0.5, 0.2],
      [-1, 2],
      [3, 3],
    ]) {
      const own = f(x);
      expect(at(regressor, x[0], x[1]).prediction).toBeCloseTo(own, 9);
      const { prediction, scores } = at(classifier, x[0], x[1]);
      expect(prediction).toBe(own > 0 ? 'yes' : 'no');
      expect(scores.yes).toBeCloseTo(own, 9);
      expect(scores.no).toBe(-scores.yes);
    }
  });
});

describe('a kernel machine', () => {
  it('gives a value of exactly 0 to the second of two classes, as libsvm does', () => {
    const still = { ...VECTORS, dualCoefficients: [0, 0, 0], intercept: 0, kernel: { type: 'linear' } };
    expect(at(loadModel(document('kernel-svm', still, ['no', 'yes'])), 1, 1).prediction).toBe('yes');
  });

  it('reads two classes in the form of several, with the sign that libsvm has', () => {
    const one = loadModel(document('kernel-svm', { ...VECTORS, kernel: { type: 'linear' } }, ['no', 'yes']));
    const negative = { dualCoefficients: [VECTORS.dualCoefficients.map((value) => -value)], intercept: [-0.1] };
    const parameters = { ...VECTORS, ...negative, supportCounts: [2, 1], kernel: { type: 'linear' } };
    const two = loadModel(document('kernel-svm', parameters, ['no', 'yes']));
    for (const [x, y] of [
      [1, 1],
      [-2, 0.5],
      [0, -3],
    ])
      expect(at(two, x, y)).toEqual(at(one, x, y));
  });

  it.each([
    ['kernel.gamma', { kernel: { type: 'rbf' } }, ['a', 'b']],
    ['supportCounts', { kernel: { type: 'linear' } }, ['a', 'b', 'c']],
    ['dualCoefficients', { kernel: { type: 'linear' }, supportCounts: [1, 2] }, ['a', 'b']],
    ['dualCoefficients', { kernel: { type: 'linear' }, dualCoefficients: [1, 2] }, ['a', 'b']],
    ['intercept', { kernel: { type: 'linear' }, intercept: [1, 2] }, ['a', 'b']],
    ['supportVectors[1]', { kernel: { type: 'linear' }, supportVectors: [[1, 2], [1], [2, 2]] }, ['a', 'b']],
  ])('refuses a document whose %s does not fit', (path, more, classes) => {
    const fault = faultOf(() => loadModel(document('kernel-svm', { ...VECTORS, ...more }, classes)));
    expect(fault).toMatchObject({ code: 'bad-document', path: `model.parameters.${path}` });
  });
});

describe('one-vs-one votes', () => {
  const rule = new OneVsOne(3);
  it('go to the lower class where they are equal', () => {
    expect(rule.winner(Float64Array.of(1, -1, 1))).toBe(0); // 0 beats 1, 2 beats 0, 1 beats 2
    expect(rule.winner(Float64Array.of(-1, 1, -1))).toBe(0);
    expect(rule.winner(Float64Array.of(-1, -1, 1))).toBe(1);
    expect(rule.winner(Float64Array.of(0, 0, 0))).toBe(2); // a value of 0 is a vote for the second
  });

  it('are shown with the sum of their values, squeezed below a third', () => {
    const shown = new Float64Array(3);
    rule.show(Float64Array.of(2, -1, 0.5), shown);
    const squeeze = (s: number) => s / (3 * (Math.abs(s) + 1));
    expect([...shown]).toEqual([1 + squeeze(1), 1 + squeeze(-1.5), 1 + squeeze(0.5)]);
  });

  it('lists every way to win once', () => {
    for (const index of [0, 1, 2]) {
      const ways = rule.winningSigns(index);
      expect(ways[0].filter((sign) => sign === null)).toHaveLength(1);
      expect(ways.length).toBe(index === 0 ? 3 : 1);
    }
  });

  it('lead by at least 0 exactly where they win', () => {
    const four = new OneVsOne(4);
    for (let pattern = 0; pattern < 64; pattern++) {
      const values = Float64Array.from({ length: 6 }, (_, p) => ((pattern >> p) & 1 ? 1 : -1) * (1 + p));
      for (let k = 0; k < 4; k++) expect(four.lead(values, k).value > 0).toBe(four.winner(values) === k);
    }
  });
});
