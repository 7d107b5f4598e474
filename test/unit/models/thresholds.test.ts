/** The scores at which a model of two classes decides: named to people, so they must be where the decision changes. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { creditModel, faultOf, regressionModel, stump } from '../../support/documents.js';

const thresholdsOf = (family: string, parameters: object, classes: string[] | undefined = ['no', 'yes']) =>
  loadModel({
    ...{ schema: 'elsewise.model/v1', name: 'm', family, classes, parameters },
    features: [{ name: 'x', type: 'continuous' }],
  }).model.thresholds;

const leaves = (value: number[][]) => ({ ...stump(0.5).tree, value });

describe('thresholds', () => {
  it('are those of the family', () => {
    const linear = { weights: [1], bias: 0 };
    expect(thresholdsOf('logistic-regression', { ...linear, threshold: 0.75 })).toEqual([0.25, 0.75]);
    expect(thresholdsOf('hyperplane', linear)!.map(Math.abs)).toEqual([0, 0]);
    expect(thresholdsOf('softmax-regression', { weights: [[0], [1]], bias: [0, 0] })).toEqual([0.5, 0.5]);
    expect(
      thresholdsOf('softmax-regression', { weights: [[0], [1]], bias: [0, 0], normalization: 'none' }),
    ).toBeUndefined();
    expect(
      thresholdsOf('gaussian-naive-bayes', { means: [[0], [1]], variances: [[1], [1]], priors: [0.5, 0.5] }),
    ).toEqual([0.5, 0.5]);
    const layers = [{ weights: [[1]], bias: [0], activation: 'logistic' }];
    expect(thresholdsOf('mlp', { layers })).toEqual([0.5, 0.5]);
    expect(thresholdsOf('knn', { samples: [[0], [1]], labels: ['no', 'yes'], k: 1 })).toEqual([0.5, 0.5]);
    expect(thresholdsOf('lvq', { prototypes: [[0], [1]], labels: ['no', 'yes'] })).toBeUndefined();
    const machine = { supportVectors: [[1]], kernel: { type: 'linear' }, dualCoefficients: [1], intercept: 0 };
    expect(thresholdsOf('kernel-svm', machine)).toEqual([0, 0]);
  });

  it('of trees are known where leaves are shares, and for boosted trees', () => {
    const shares = [
      [0.5, 0.5],
      [0.9, 0.1],
      [0.2, 0.8],
    ];
    expect(thresholdsOf('decision-tree', { task: 'classification', tree: leaves(shares) })).toEqual([0.5, 0.5]);
    expect(thresholdsOf('tree-ensemble', { trees: [leaves(shares)], aggregation: 'mean' })).toEqual([0.5, 0.5]);
    const counts = [
      [1, 1],
      [9, 1],
      [2, 8],
    ];
    expect(thresholdsOf('tree-ensemble', { trees: [leaves(counts)], aggregation: 'mean' })).toBeUndefined();
    expect(thresholdsOf('tree-ensemble', { trees: [leaves(counts)], aggregation: 'vote' })).toEqual([0.5, 0.5]);
    const sums = [[0], [-1], [1]];
    expect(thresholdsOf('tree-ensemble', { trees: [leaves(sums)], aggregation: 'sum', link: 'logit' })).toEqual([
      0.5, 0.5,
    ]);
  });

  it('are absent for several classes and for regressors', () => {
    expect(
      thresholdsOf('softmax-regression', { weights: [[0], [1], [2]], bias: [0, 0, 0] }, ['a', 'b', 'c']),
    ).toBeUndefined();
    expect(loadModel(regressionModel()).model.thresholds).toBeUndefined();
  });
});

describe('names for people', () => {
  it('of unknown classes and categories are refused with their place', () => {
    const model = creditModel();
    const [age, income, housing] = model.features;
    expect(faultOf(() => loadModel({ ...model, classLabels: { aproved: 'yes' } })).message).toBe(
      'model.classLabels: there is no "aproved", did you mean "approved"?',
    );
    const translations = { de: { categoryLabels: { onw: 'Eigentum' } } };
    expect(
      faultOf(() => loadModel({ ...model, features: [age, income, { ...housing, translations }] })).message,
    ).toContain('model.features[2].translations.de.categoryLabels: there is no "onw"');
    expect(faultOf(() => loadModel({ ...model, translations: { it: {} } })).message).toContain(
      'model.translations.it: unknown key',
    );
  });

  it('change the digest of the document and none of its scores', () => {
    const plain = loadModel(creditModel());
    const named = loadModel({ ...creditModel(), classLabels: { approved: 'granted' } });
    expect(named.digest).not.toBe(plain.digest);
    const row = { age: 41, income: 2300, housing: 'own' };
    expect(named.predict(row)).toEqual(plain.predict(row));
  });
});
