/**
 * The scikit-learn exporter, end to end: fit_sklearn.py fits and exports with a real scikit-learn, the documents are
 * loaded here, and our predictions and scores for rows that no model was fitted on have to be scikit-learn's own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, type ModelDocument, type RowValue } from '../../src/index.js';
import { compilePolicy } from '../../src/problems/compile.js';
import { fittedBy } from './fitted-by.js';

/**
 * Relative to the score where that is above 1: distances to prototypes are in squared units of the data. Sums over
 * trees need no more: both sides add up in the same order. Only a forest in threads adds up as the threads come.
 */
const TOLERANCE = 1e-9;

interface Expected {
  rows: Record<string, RowValue>[];
  predictions: (string | number)[];
  /** [row][class]; empty for a regressor. */
  scores: number[][];
}

const folder = fittedBy('./fit_sklearn.py', 'python3-sklearn');

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

const readModel = (name: string) => read<ModelDocument>(`${name}.model.json`);
const feature = (document: ModelDocument, name: string) => document.features.find((f) => f.name === name);

/** Every case of fit_sklearn.py and the family that it has to become. */
const FAMILIES: Record<string, string> = {
  'logistic-binary': 'logistic-regression',
  'logistic-binary-multinomial': 'logistic-regression',
  'logistic-multinomial': 'softmax-regression',
  'logistic-one-vs-rest': 'softmax-regression',
  'logistic-text-classes': 'softmax-regression',
  'logistic-sparsified': 'logistic-regression',
  'linear-svc-binary': 'hyperplane',
  'linear-svc-multi': 'softmax-regression',
  'sgd-hinge-binary': 'hyperplane',
  'sgd-hinge-multi': 'softmax-regression',
  'sgd-log-binary': 'logistic-regression',
  'sgd-log-multi': 'softmax-regression',
  'perceptron-binary': 'hyperplane',
  'perceptron-multi': 'softmax-regression',
  'ridge-classifier-binary': 'hyperplane',
  'ridge-classifier-multi': 'softmax-regression',
  'lda-binary': 'lda',
  'lda-multi': 'lda',
  'linear-regression': 'linear-regression',
  'ridge-two-dimensional-target': 'linear-regression',
  lasso: 'linear-regression',
  'elastic-net': 'linear-regression',
  poisson: 'poisson-regression',
  'min-max': 'softmax-regression',
  'scaler-without-mean': 'softmax-regression',
  'scaler-without-std': 'lda',
  pca: 'logistic-regression',
  'pca-whitened': 'linear-regression',
  'imputed-mean': 'softmax-regression',
  'imputed-behind-scaler': 'softmax-regression',
  'imputed-twice': 'softmax-regression',
  mixed: 'logistic-regression',
  'mixed-three-classes': 'softmax-regression',
  'mixed-nested': 'hyperplane',
  'mixed-weights': 'logistic-regression',
  'mixed-pca-inside': 'logistic-regression',
  'mixed-constant': 'logistic-regression',
  'unknown-category-ignored': 'logistic-regression',
  'missing-category-ignored': 'logistic-regression',
  'missing-is-a-category': 'logistic-regression',
  'numbers-as-categories': 'logistic-regression',
  'in-order': 'logistic-regression',
  remainder: 'logistic-regression',
  masked: 'linear-regression',
  'frame-by-name': 'logistic-regression',
  'list-of-lists': 'logistic-regression',
  'single-precision': 'logistic-regression',
  'without-rows': 'logistic-regression',
  'without-rows-mixed': 'logistic-regression',
  'naive-bayes-binary': 'gaussian-naive-bayes',
  'naive-bayes-multi': 'gaussian-naive-bayes',
  'naive-bayes-of-old': 'gaussian-naive-bayes',
  'naive-bayes-smoothed': 'gaussian-naive-bayes',
  'naive-bayes-priors': 'gaussian-naive-bayes',
  'naive-bayes-prior-of-zero': 'gaussian-naive-bayes',
  'naive-bayes-one-sample': 'gaussian-naive-bayes',
  'naive-bayes-scaled': 'gaussian-naive-bayes',
  'naive-bayes-mixed': 'gaussian-naive-bayes',
  'naive-bayes-without-rows': 'gaussian-naive-bayes',
  'qda-binary': 'qda',
  'qda-binary-of-three': 'qda',
  'qda-multi': 'qda',
  'qda-regularized': 'qda',
  'qda-barely-regularized': 'qda',
  'qda-priors': 'qda',
  'qda-stored': 'qda',
  'qda-collinear-but-regularized': 'qda',
  'qda-scaled': 'qda',
  'qda-pca': 'qda',
  'qda-without-rows': 'qda',
  'qda-without-rows-scaled': 'qda',
  lvq: 'lvq',
  'lvq-named': 'lvq',
  'lvq-matrix': 'lvq',
  'lvq-matrix-of-low-rank': 'lvq',
  'lvq-matrix-by-class': 'lvq',
  'lvq-matrix-by-prototype': 'lvq',
  'lvq-diagonal': 'lvq',
  'lvq-pca': 'lvq',
  'lvq-mixed': 'lvq',
  'lvq-nested': 'lvq',
  'lvq-without-rows': 'lvq',
  'lvq-without-rows-scaled': 'lvq',
  'tree-binary': 'decision-tree',
  'tree-multi': 'decision-tree',
  'tree-weighted': 'decision-tree',
  'tree-random-splits': 'decision-tree',
  'tree-regression': 'decision-tree',
  'tree-regression-of-medians': 'decision-tree',
  'tree-of-one-leaf': 'decision-tree',
  'tree-at-thresholds': 'decision-tree',
  'tree-at-whole-thresholds': 'decision-tree',
  'tree-scaled': 'decision-tree',
  'tree-without-rows': 'decision-tree',
  'forest-binary': 'tree-ensemble',
  'forest-multi': 'tree-ensemble',
  'forest-ties': 'tree-ensemble',
  'forest-at-thresholds': 'tree-ensemble',
  'forest-regression': 'tree-ensemble',
  'forest-extra-trees': 'tree-ensemble',
  'forest-extra-trees-regression': 'tree-ensemble',
  'forest-in-threads': 'tree-ensemble',
  'forest-mixed': 'tree-ensemble',
  'forest-dropped-category': 'tree-ensemble',
  'forest-weighted-columns': 'tree-ensemble',
  'forest-min-max': 'tree-ensemble',
  'forest-pca': 'tree-ensemble',
  'forest-frame-by-name': 'tree-ensemble',
  'forest-without-rows': 'tree-ensemble',
  'boosting-binary': 'tree-ensemble',
  'boosting-multi': 'tree-ensemble',
  'boosting-exponential': 'tree-ensemble',
  'boosting-from-zero': 'tree-ensemble',
  'boosting-from-a-constant': 'tree-ensemble',
  'boosting-stopped': 'tree-ensemble',
  'boosting-at-thresholds': 'tree-ensemble',
  'boosting-regression': 'tree-ensemble',
  'boosting-huber': 'tree-ensemble',
  'boosting-quantile': 'tree-ensemble',
  'boosting-regression-from-a-constant': 'tree-ensemble',
  'boosting-mixed': 'tree-ensemble',
  knn: 'knn',
  'knn-one': 'knn',
  'knn-votes-tied': 'knn',
  'knn-ties': 'knn',
  'knn-ties-one': 'knn',
  'knn-weighted': 'knn',
  'knn-weighted-at-samples': 'knn',
  'knn-manhattan': 'knn',
  'knn-scaled': 'knn',
  'knn-mixed': 'knn',
  'knn-without-rows': 'knn',
  'knn-regressor': 'knn',
  'knn-regressor-weighted': 'knn',
  svc: 'kernel-svm',
  'svc-scaled': 'kernel-svm',
  'svc-linear': 'kernel-svm',
  'svc-poly': 'kernel-svm',
  'svc-sigmoid': 'kernel-svm',
  'svc-multi': 'kernel-svm',
  'svc-multi-linear': 'kernel-svm',
  'svc-multi-pairs': 'kernel-svm',
  'svc-votes-tied': 'kernel-svm',
  'svc-mixed': 'kernel-svm',
  'svc-without-rows': 'kernel-svm',
  'nu-svc': 'kernel-svm',
  'nu-svc-multi': 'kernel-svm',
  svr: 'kernel-svm',
  'svr-linear': 'kernel-svm',
  'nu-svr': 'kernel-svm',
  mlp: 'mlp',
  'mlp-multi': 'mlp',
  'mlp-logistic': 'mlp',
  'mlp-identity': 'mlp',
  'mlp-mixed': 'mlp',
  'mlp-without-rows': 'mlp',
  'mlp-regressor': 'mlp',
  'mlp-regressor-tanh': 'mlp',
  isolation: 'isolation-forest',
  'isolation-some-columns': 'isolation-forest',
  'isolation-some-rows': 'isolation-forest',
  'isolation-ties': 'isolation-forest',
  'isolation-mixed': 'isolation-forest',
  'isolation-without-rows': 'isolation-forest',
  'histogram-binary': 'tree-ensemble',
  'histogram-multi': 'tree-ensemble',
  'histogram-at-thresholds': 'tree-ensemble',
  'histogram-missing': 'tree-ensemble',
  'histogram-missing-later': 'tree-ensemble',
  'histogram-missing-tells': 'tree-ensemble',
  'histogram-codes': 'tree-ensemble',
  'histogram-codes-multi': 'tree-ensemble',
  'histogram-mixed': 'tree-ensemble',
  'histogram-regression': 'tree-ensemble',
  'histogram-medians': 'tree-ensemble',
  'histogram-poisson': 'tree-ensemble',
  'histogram-monotonic': 'tree-ensemble',
  'histogram-without-rows': 'tree-ensemble',
};

/** The kinds of preprocessing that the pipelines fold into; the other cases have one `scale` or nothing to check. */
const FOLDED: Record<string, string[]> = {
  'logistic-multinomial': [],
  'logistic-binary': ['scale'],
  'in-order': ['scale'],
  pca: ['affine'],
  'imputed-mean': ['impute', 'scale'],
  'imputed-behind-scaler': ['impute', 'affine'],
  mixed: ['impute', 'affine'],
  'qda-binary': [],
  'qda-scaled': ['scale'],
  'qda-pca': ['affine'],
  'naive-bayes-mixed': ['impute', 'affine'],
  'lvq-nested': ['scale'],
  'tree-binary': [],
  'tree-scaled': ['scale'],
  'forest-mixed': ['impute', 'scale'],
  'forest-dropped-category': ['impute', 'scale'],
  'forest-weighted-columns': ['impute', 'scale'],
  'forest-pca': ['affine'],
  'histogram-missing': [],
  'histogram-mixed': ['impute', 'scale'],
};

/** The matrices of LVQ cases: their key, and the rows of the only one or the number of several. */
const MATRICES: Record<string, Record<string, number>> = {
  lvq: {},
  'lvq-named': {},
  'lvq-matrix': { relevance: 30 },
  'lvq-matrix-of-low-rank': { relevance: 13 },
  'lvq-matrix-by-class': { relevances: 3 },
  'lvq-matrix-by-prototype': { relevances: 6 },
  'lvq-diagonal': { relevance: 13 },
};

/** Cases that must be refused: the type of the error, and what its message has to name. */
const REFUSED: Record<string, [type: string, message: RegExp]> = {
  'last-estimator': ['UnsupportedEstimator', /^estimator\.last: RadiusNeighborsClassifier is not supported/],
  'last-passthrough': ['UnsupportedEstimator', /^estimator\.last: 'passthrough' is not supported/],
  'nested-transformer': ['UnsupportedEstimator', /^estimator\.prepare\.numbers\.spread: QuantileTransformer is not/],
  function: ['UnsupportedEstimator', /^estimator\.functiontransformer: FunctionTransformer with a function/],
  clipping: ['UnsupportedEstimator', /^estimator\.minmaxscaler: MinMaxScaler\(clip=True\)/],
  'impute-behind-pca': ['UnsupportedEstimator', /^estimator\.simpleimputer: .*impute before it$/],
  'other-missing-value': ['UnsupportedEstimator', /missing_values=-1/],
  'grouped-categories': ['UnsupportedEstimator', /^estimator\.prepare\.branch0: .*encode without drop$/],
  'number-and-category': ['UnsupportedEstimator', /'x5' is used both one-hot and as a number/],
  'encoded-behind-scaler': ['UnsupportedEstimator', /\.onehotencoder: .*transformed before/],
  'imputed-in-two-ways': ['UnsupportedEstimator', /'x1' is imputed in two different ways/],
  'several-outputs': ['UnsupportedEstimator', /LinearRegression with 2 outputs/],
  'several-labels': ['UnsupportedEstimator', /RidgeClassifier with several labels/],
  'not-fitted': ['ValueError', /^estimator\.scale: StandardScaler has no mean_: fit it first/],
  'nan-weight': ['ValueError', /^estimator\.last\.coef_\[0\]\[2\]: nan is not a finite number/],
  'infinite-mean': ['ValueError', /^preprocessing\[0\]\.mean\[1\]: inf is not a finite number/],
  'wrong-weight': ['ProbeMismatch', /^probes\.scores\[0\]\[0\]: the document gives .* the estimator gave /],
  'bad-name': ['ValueError', /^name: 'a b'/],
  'class-count': ['ValueError', /^class_names: 2 names for the classes \[0, 1, 2\]/],
  'name-count': ['ValueError', /^feature_names: 2 names for 4 columns/],
  'unknown-feature': ['ValueError', /^units\.width: no such feature/],
  'misfit-type': ['ValueError', /^feature_types\.x0: 'integer', but X holds \d\.\d/],
  'category-without-encoder': ['ValueError', /^feature_types\.x0: 'categorical': only a one-hot encoded column/],
  'number-behind-encoder': ['ValueError', /^feature_types\.x0: 'continuous', but the column is one-hot encoded/],
  'decimals-of-integer': ['ValueError', /^decimals\.x1: the feature is integer/],
  'names-without-rows': ['ValueError', /^X: needed for the probes/],
  'other-columns': ['ValueError', /^X: the estimator was fitted on columns/],
  'qda-sum': ['UnsupportedEstimator', /^estimator\.last: in class 0 column 4 is a linear combination.*reg_param/],
  'qda-duplicate': ['UnsupportedEstimator', /^estimator: in class 0 column 30 is a linear combination.*duplicate/],
  'qda-constant': ['UnsupportedEstimator', /^estimator: in class 0 column 4 is constant, .*singular: .*reg_param/],
  'qda-constant-in-thousands': ['UnsupportedEstimator', /^estimator: in class 0 column 30 is constant/],
  'qda-constant-in-one-class': ['UnsupportedEstimator', /^estimator: in class 1 column 4 is constant/],
  'qda-fewer-rows-than-columns': ['UnsupportedEstimator', /^estimator: in class 0 column \d+ is a linear combination/],
  'qda-not-fitted': ['ValueError', /^estimator: QuadraticDiscriminantAnalysis has no classes_: fit it first/],
  'naive-bayes-constant': ['UnsupportedEstimator', /^estimator: in class 0 column 4 is constant.*var_smoothing/],
  'naive-bayes-constant-tenth': ['UnsupportedEstimator', /^estimator: in class 0 column 30 is constant/],
  'naive-bayes-nan': ['ValueError', /^estimator\.theta_\[0\]\[0\]: nan is not a finite number/],
  'lvq-not-fitted': ['ValueError', /^estimator: GlvqModel has no w_: fit it first/],
  'lvq-other-rule': ['ProbeMismatch', /^estimator\.last: predicts \d for a row whose .* is of class \d/],
  'lvq-other-rule-without-rows': ['ProbeMismatch', /^estimator\.last: predicts \d for a row whose nearest prototype/],
  'lvq-two-kinds-of-matrix': ['UnsupportedEstimator', /^estimator\.last: .* with both omega_ and lambda_/],
  'lvq-count-of-matrices': ['UnsupportedEstimator', /2 matrices in omegas_ for 3 prototypes of 3 classes/],
  'lvq-shape-of-matrix': ['UnsupportedEstimator', /omega_ has shape \(3, 3\) for 4 columns/],
  'lvq-nan-in-matrix': ['ValueError', /^estimator\.last\.omegas_\[1\]\[0\]\[0\]: nan is not a finite number/],
  'lvq-negative-weight': ['UnsupportedEstimator', /lambda_ has a negative weight in column 2/],
  'lvq-count-of-labels': ['UnsupportedEstimator', /2 labels in c_w_ for w_ of shape \(3, 4\)/],
  'lvq-unknown-label': ['UnsupportedEstimator', /a prototype has the label 7, the classes are \[0, 1, 2\]/],
  'lvq-class-without-prototype': ['UnsupportedEstimator', /class 2 has no prototype/],
  'tree-not-fitted': ['ValueError', /^estimator: DecisionTreeClassifier has no tree_: fit it first/],
  'forest-not-fitted': ['ValueError', /^estimator: RandomForestClassifier has no estimators_: fit it first/],
  'histogram-not-fitted': ['ValueError', /^estimator: HistGradientBoostingRegressor has no _predictors: fit it first/],
  'tree-several-outputs': ['UnsupportedEstimator', /^estimator: DecisionTreeRegressor with 2 outputs/],
  'tree-several-labels': ['UnsupportedEstimator', /^estimator\.last: DecisionTreeClassifier with 2 outputs/],
  'forest-several-outputs': ['UnsupportedEstimator', /^estimator: RandomForestRegressor with 2 outputs/],
  'tree-nan-at-leaf': ['ValueError', /^estimator\.tree_\.value\[\d+\]\[0\]: nan is not a finite number/],
  'forest-wrong-leaf': ['ProbeMismatch', /^probes\.scores\[0\]\[0\]: the document gives .* the estimator gave /],
  'boosting-from-a-model': [
    'UnsupportedEstimator',
    /^estimator\.last\.init: LinearRegression is not supported to start/,
  ],
  'boosting-from-chance': ['UnsupportedEstimator', /^estimator\.init: DummyClassifier\(strategy='stratified'\)/],
  'boosting-unknown-loss': ['UnsupportedEstimator', /^estimator: GradientBoostingClassifier\(loss='hinge'\) is not/],
  'histogram-unknown-loss': [
    'UnsupportedEstimator',
    /^estimator\.last: HistGradientBoostingRegressor\(loss='tweedie'\)/,
  ],
  'histogram-codes-without-rows': ['ValueError', /^X: needed for the probes, .* codes of categories/],
  'histogram-missing-in-mix': ['UnsupportedEstimator', /'x2' has missing values .* mix of columns: impute it/],
  'knn-not-fitted': ['ValueError', /^estimator: KNeighborsClassifier has no .*: fit it first/],
  'knn-metric': ['UnsupportedEstimator', /^estimator: KNeighborsClassifier with the metric 'chebyshev'/],
  'knn-order-of-distance': [
    'UnsupportedEstimator',
    /with the metric 'minkowski': supported are euclidean and manhattan/,
  ],
  'knn-weights': ['UnsupportedEstimator', /^estimator: KNeighborsClassifier with weights by a function/],
  'knn-several-outputs': ['UnsupportedEstimator', /^estimator\.last: KNeighborsRegressor with 2 outputs/],
  'svc-kernel': ['UnsupportedEstimator', /^estimator\.last: SVC with the kernel a function is not supported/],
  'svc-break-ties': ['UnsupportedEstimator', /^estimator: SVC\(break_ties=True\) decides by other scores/],
  'mlp-several-labels': ['UnsupportedEstimator', /^estimator: MLPClassifier with several labels per row/],
  'mlp-several-outputs': ['UnsupportedEstimator', /^estimator\.last: MLPRegressor with 2 outputs/],
  'svr-not-fitted': ['ValueError', /^estimator: SVR has no .*: fit it first/],
  'isolation-class-names': ['ValueError', /^class_names: the classes of isolation-forest are \['outlier', 'inlier'\]/],
  'isolation-of-single-rows': ['UnsupportedEstimator', /^estimator: IsolationForest with one row per tree/],
  'plausible-by-something-else': [
    'UnsupportedEstimator',
    /^isolation_forest: LogisticRegression is no IsolationForest/,
  ],
  'plausible-on-other-columns': ['ValueError', /^isolation_forest: has 3 columns, the document has 4/],
};

interface TreeDocument {
  feature: number[];
  threshold: number[];
  left: number[];
  precision: string;
  missing: string | string[];
  categories?: (number[] | null)[];
}

function treesOf(document: ModelDocument): TreeDocument[] {
  const { tree, trees } = document.parameters as { tree?: TreeDocument; trees?: TreeDocument[] };
  return trees ?? [tree!];
}

/** Cells of the rows that are, in the precision of the trees, exactly a threshold of their feature. */
function cellsAtThresholds(name: string): number {
  const document = readModel(name);
  const columns = document.features.map(() => new Set<number>());
  for (const tree of treesOf(document))
    for (const [n, f] of tree.feature.entries()) if (tree.left[n] >= 0) columns[f].add(tree.threshold[n]);
  const round = treesOf(document)[0].precision === 'float32' ? Math.fround : Number;
  const { rows } = read<Expected>(`${name}.expected.json`);
  const atThreshold = (row: Record<string, RowValue>) =>
    document.features.filter((f, i) => columns[i].has(round(row[f.name] as number))).length;
  return rows.reduce((sum, row) => sum + atThreshold(row), 0);
}

it('has all cases in its tables', () => {
  const written = readdirSync(folder).filter((name) => name.endsWith('.model.json'));
  expect(written.map((name) => name.replace('.model.json', '')).sort()).toEqual(Object.keys(FAMILIES).sort());
  expect(Object.keys(read('refusals.json')).sort()).toEqual(Object.keys(REFUSED).sort());
});

describe.each(Object.entries(FAMILIES))('%s', (name, family) => {
  it(`is loaded as ${family} and predicts as scikit-learn does`, () => {
    const document = readModel(name);
    expect(document.family).toBe(family);
    expect(document.probes?.rows.length).toBe(25);
    const model = loadModel(document);
    const expected = read<Expected>(`${name}.expected.json`);
    expect(expected.rows.length).toBe(50);
    for (const [r, row] of expected.rows.entries()) compare(model.predict(row), expected, r, model.classes);
  });
});

function compare(
  own: ReturnType<ReturnType<typeof loadModel>['predict']>,
  expected: Expected,
  r: number,
  classes: readonly string[],
) {
  const wanted = expected.predictions[r];
  if (typeof wanted === 'number') {
    expectClose(own.prediction as number, wanted, `row ${r}`);
    expect(own.scores).toEqual({});
    return;
  }
  expect(own.prediction, `row ${r}`).toBe(wanted);
  for (const [k, label] of classes.entries())
    expectClose(own.scores[label], expected.scores[r][k], `row ${r}, ${label}`);
}

function expectClose(own: number, wanted: number, what: string): void {
  const allowed = TOLERANCE * Math.max(1, Math.abs(wanted));
  expect(Math.abs(own - wanted), `${what}: ${own}, scikit-learn has ${wanted}`).toBeLessThanOrEqual(allowed);
}

describe('the document', () => {
  it.each(Object.entries(FOLDED))('%s folds into %j', (name, kinds) => {
    expect(readModel(name).preprocessing?.map((step) => step.type)).toEqual(kinds);
  });

  it('infers the types of features, keeps dropped ones, and sets no bounds', () => {
    expect(readModel('mixed').features).toEqual([
      { name: 'housing', type: 'categorical', categories: ['free', 'own', 'rent'] },
      { name: 'age', type: 'integer' },
      { name: 'income', type: 'continuous', decimals: 0, unit: 'EUR/month' },
      { name: 'debt', type: 'continuous' },
      { name: 'guarantor', type: 'boolean' },
      { name: 'region', type: 'integer' },
    ]);
  });

  it('takes types and bounds when told to, and numbers that are encoded as categories', () => {
    const document = readModel('numbers-as-categories');
    expect(feature(document, 'age')).toEqual({ name: 'age', type: 'continuous', min: 18, max: 79 });
    expect(feature(document, 'region')).toEqual({
      name: 'region',
      type: 'categorical',
      categories: ['10', '20', '30'],
    });
  });

  it('lists an ignored category that occurs, and a category for missing values where the encoder has one', () => {
    const ignored = feature(readModel('unknown-category-ignored'), 'housing');
    expect(ignored).toMatchObject({ categories: ['free', 'own', 'rent', 'boat'] });
    const missing = feature(readModel('missing-is-a-category'), 'housing');
    expect(missing).toMatchObject({ categories: ['free', 'own', 'rent', '(missing)'] });
  });

  it("has a background whose labels are the model's", () => {
    const document = readModel('mixed');
    const { mad, std, quantiles, shares, samples = [], labels } = document.background!;
    const listed = document.features.filter(({ type }) => type === 'boolean' || type === 'categorical');
    expect(Object.keys(shares!)).toEqual(listed.map(({ name }) => name));
    for (const values of Object.values(shares!))
      expect(Object.values(values).reduce((sum, share) => sum + share)).toBeCloseTo(1, 9);
    const numeric = ['age', 'income', 'debt', 'guarantor', 'region'];
    for (const statistic of [mad, std, quantiles]) expect(Object.keys(statistic!)).toEqual(numeric);
    expect(quantiles!.age).toHaveLength(21);
    expect(samples).toHaveLength(200);
    const model = loadModel(document);
    const named = samples.map((row) => Object.fromEntries(document.features.map((f, i) => [f.name, row[i]])));
    expect(named.map((row) => model.predict(row).prediction)).toEqual(labels);
  });

  it('probes rows with missing values where there are any', () => {
    const missing = readModel('mixed').probes!.rows.filter((row) => row.includes(null));
    expect(missing.length).toBeGreaterThanOrEqual(8);
  });

  it('leaves a missing value to the loader where scikit-learn refuses it', () => {
    const { rows } = read<Expected>('mixed.expected.json');
    expect(() => loadModel(readModel('mixed')).predict({ ...rows[0], age: null })).toThrow(/age.*missing/);
  });

  it.each(Object.entries(MATRICES))('%s has the matrices %j', (name, lengths) => {
    const { prototypes, labels, ...matrices } = readModel(name).parameters as Record<string, unknown[]>;
    expect(labels).toHaveLength(prototypes.length);
    expect(Object.fromEntries(Object.entries(matrices).map(([key, value]) => [key, value.length]))).toEqual(lengths);
  });

  it('labels prototypes by the names of the classes', () => {
    const document = readModel('lvq-named');
    expect(document.classes).toEqual(['x', 'y', 'z']);
    expect(document.parameters.labels).toEqual(['x', 'x', 'y', 'y', 'z', 'z']);
  });

  it('never predicts a class whose prior is 0', () => {
    const document = readModel('naive-bayes-prior-of-zero');
    expect(document.parameters.priors).toEqual([0.5, 0.5, 0]);
    const { predictions, scores } = read<Expected>('naive-bayes-prior-of-zero.expected.json');
    expect(predictions).not.toContain('2');
    expect(scores.every((row) => row[2] === 0)).toBe(true);
  });

  it.each(['naive-bayes-without-rows', 'qda-without-rows', 'qda-without-rows-scaled'])(
    '%s makes up probes that are not all certain',
    (name) => {
      const doubtful = readModel(name).probes!.scores.filter((row) => Math.max(...row) < 0.999);
      expect(doubtful.length).toBeGreaterThan(0);
    },
  );

  it.each(['tree', 'tree-whole', 'forest', 'boosting', 'histogram'])(
    '%s: rows are compared that lie on a split',
    (kind) => {
      const name = kind === 'tree-whole' ? 'tree-at-whole-thresholds' : `${kind}-at-thresholds`;
      expect(cellsAtThresholds(name)).toBeGreaterThan(10);
    },
  );

  it('says what precision a library compares in, and where missing values go', () => {
    for (const name of ['tree-binary', 'forest-mixed', 'boosting-multi', 'isolation'])
      for (const tree of treesOf(readModel(name))) expect(tree.precision).toBe('float32');
    const [tree] = treesOf(readModel('histogram-missing'));
    expect(tree.precision).toBe('float64');
    expect(new Set(tree.missing)).toEqual(new Set(['left', 'right']));
  });

  it('gives ties between classes to the first, as scikit-learn does', () => {
    const { scores } = read<Expected>('forest-ties.expected.json');
    const tied = scores.filter((row) => row.filter((score) => score === Math.max(...row)).length > 1);
    expect(tied.length).toBeGreaterThan(3);
  });

  it.each(['knn-ties', 'knn-votes-tied', 'knn-weighted-at-samples'])(
    '%s: rows are compared with equal votes',
    (name) => {
      const { scores } = read<Expected>(`${name}.expected.json`);
      const tied = scores.filter((row) => row.filter((score) => score === Math.max(...row)).length > 1);
      expect(tied.length).toBeGreaterThan(3);
    },
  );

  it('gives equal votes of pairs to the lower class, whatever the sums of their values', () => {
    const { scores, predictions } = read<Expected>('svc-votes-tied.expected.json');
    const { classes } = readModel('svc-votes-tied');
    const otherwise = scores.filter((row, r) => classes![row.indexOf(Math.max(...row))] !== predictions[r]);
    expect(otherwise.length).toBeGreaterThan(3);
  });

  it('probes no row whose last neighbour is as near as the next sample', () => {
    const { probes, parameters } = readModel('knn-ties');
    const { samples, k } = parameters as { samples: number[][]; k: number };
    expect(probes!.rows.length).toBe(25);
    for (const row of probes!.rows as number[][]) {
      const squares = samples.map((sample) => sample.reduce((sum, value, j) => sum + (value - row[j]) ** 2, 0));
      const [last, next] = squares.sort((a, b) => a - b).slice(k - 1, k + 1);
      expect(next).toBeGreaterThan(last);
    }
  });

  it('counts a row right on the offset of an isolation forest as an inlier', () => {
    const { scores, predictions } = read<Expected>('isolation-ties.expected.json');
    const tied = predictions.filter((_, r) => scores[r][1] === 0);
    expect(tied.length).toBeGreaterThan(0);
    expect(new Set(tied)).toEqual(new Set(['inlier']));
    expect(new Set(predictions)).toEqual(new Set(['outlier', 'inlier']));
  });

  it('splits only missing values off with the largest threshold there is', () => {
    const thresholds = treesOf(readModel('histogram-missing-tells')).flatMap((tree) => tree.threshold);
    expect(thresholds).toContain(Number.MAX_VALUE);
  });

  it('splits codes of categories into sets, and bounds them to those of training', () => {
    const document = readModel('histogram-codes');
    const sets = treesOf(document).flatMap((tree) => (tree.categories ?? []).filter((set) => set !== null));
    expect(sets.length).toBeGreaterThan(5);
    expect(feature(document, 'housing')).toEqual({ name: 'housing', type: 'integer', min: 0, max: 5 });
    const { rows } = read<Expected>('histogram-codes.expected.json');
    expect(rows.some((row) => row.housing === 3 && row.region === 200)).toBe(true);
    expect(rows.some((row) => row.housing === null)).toBe(true);
  });

  it('renumbers splits to the columns of the document, so that dropped features keep their place', () => {
    const document = readModel('forest-mixed');
    const used = new Set(treesOf(document).flatMap((tree) => tree.feature.filter((_, n) => tree.left[n] >= 0)));
    expect([...used].sort()).toEqual([0, 1, 2, 3, 4, 5]); // three kinds of housing, age, income, debt
    expect(document.preprocessing?.[1]).toMatchObject({
      type: 'scale',
      scale: expect.toSatisfy((s) => s.length === 8),
    });
  });

  it('starts boosting from the prior, from zero or from a constant', () => {
    const base = (name: string) => readModel(name).parameters.base;
    expect(base('boosting-from-zero')).toEqual([0, 0, 0]);
    expect(base('boosting-regression-from-a-constant')).toEqual([100]);
    expect((base('boosting-multi') as number[]).reduce((sum, share) => sum + Math.exp(share), 0)).toBeCloseTo(1, 12);
  });

  it.each(['tree-without-rows', 'forest-without-rows', 'histogram-without-rows', 'isolation-without-rows'])(
    '%s makes up probes that fall into different leaves',
    (name) => {
      expect(new Set(readModel(name).probes!.scores.map(String)).size).toBeGreaterThan(1);
    },
  );

  it('is refused by the loader when a leaf was changed', () => {
    const document = readModel('boosting-binary');
    const { trees } = document.parameters as { trees: { value: number[][] }[] };
    for (const value of trees[0].value) value[0] += 0.01;
    expect(() => loadModel(document)).toThrow(/model\.probes\.scores/);
  });

  it('is refused by the loader when a covariance is singular, should someone write it by hand', () => {
    const document = readModel('qda-stored');
    const [covariance] = document.parameters.covariances as number[][][];
    covariance[1] = covariance[0].slice();
    for (const row of covariance) row[1] = row[0];
    expect(() => loadModel(document)).toThrow(/covariances\[0\].*singular.*reg_param/);
  });

  it('is refused by the loader when a weight was changed', () => {
    const document = readModel('logistic-binary');
    (document.parameters.weights as number[])[0] += 0.01;
    expect(() => loadModel(document)).toThrow(/model\.probes\.scores/);
  });
});

describe('is refused', () => {
  it.each(Object.entries(REFUSED))('%s', (name, [type, message]) => {
    const found = read<Record<string, { type: string | null; message: string }>>('refusals.json')[name];
    expect(found.message).toMatch(message);
    expect(found.type).toBe(type);
  });
});

describe('an isolation forest beside the model', () => {
  it('tells inliers as scikit-learn does', () => {
    const model = loadModel(read('plausible.json'));
    const document = loadPolicy({
      schema: 'elsewise.policy/v1',
      plausibility: { method: 'isolation-forest' },
    }).document;
    const { plausibility } = compilePolicy(document, model);
    const { rows, inlier } = read<{ rows: number[][]; inlier: boolean[] }>('plausible-rows.json');
    expect(rows.map((row) => plausibility!.of([]).limit!.holds(Float64Array.from(row)))).toEqual(inlier);
    expect(new Set(inlier).size).toBe(2);
  });
});
