/** The rules of the format on files written by hand; test/interop/xgboost.test.ts has real ones. */
import { describe, expect, it } from 'vitest';
import { importXgboost } from '../../../src/formats/xgboost/xgboost.js';
import { loadModel, type RowValue } from '../../../src/index.js';

/** f0 < 0.1 ? -1 : 2; missing goes right. */
const STUMP = {
  left_children: [1, -1, -1],
  right_children: [2, -1, -1],
  split_indices: [0, 0, 0],
  split_conditions: [0.1, -1, 2],
  default_left: [0, 0, 0],
  tree_param: { size_leaf_vector: '1' },
  base_weights: 'of no use',
};

/** f1 in {1, 3} goes right; missing goes left. */
const SET = {
  ...STUMP,
  split_indices: [1, 0, 0],
  split_conditions: [null, 10, 20],
  default_left: [true, false, false],
  split_type: [1, 0, 0],
  categories: [1, 3],
  categories_nodes: [0],
  categories_segments: [0],
  categories_sizes: [2],
};

interface Options {
  objective?: string;
  trees?: object[];
  treeInfo?: number[];
  parameters?: object;
  learner?: object;
  model?: object;
  booster?: (model: object) => object;
}

function file(options: Options = {}): object {
  const { objective = 'reg:squarederror', trees = [STUMP] } = options;
  const model = {
    gbtree_model_param: { num_parallel_tree: '1', num_trees: String(trees.length) },
    tree_info: options.treeInfo ?? trees.map(() => 0),
    trees,
    ...options.model,
  };
  const parameters = { base_score: '0E0', num_class: '0', num_feature: '2', num_target: '1', ...options.parameters };
  return {
    learner: {
      attributes: {},
      feature_names: [],
      feature_types: [],
      gradient_booster: options.booster?.(model) ?? { name: 'gbtree', model },
      learner_model_param: parameters,
      objective: { name: objective },
      cats: { enc: [], of: 'later versions' },
      ...options.learner,
    },
    version: [2, 0, 0],
  };
}

const toBytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const importFile = (options?: Options) => importXgboost(toBytes(file(options)));

function predict(options: Options, row: RowValue[]) {
  const document = importFile(options);
  const features = Object.fromEntries(document.features.map(({ name }, f) => [name, row[f]]));
  return loadModel(document).predict(features);
}
const number = (options: Options, row: RowValue[]) => predict(options, row).prediction;

describe('a split', () => {
  it.each<[string, RowValue, number]>([
    ['below the threshold', 0.09, -1],
    ['at the threshold in float32, below it in float64', 0.1, 2],
    ['below it in float64, not in float32', 0.1 - 1e-12, 2],
    ['a float32 step below', Math.fround(0.1) - 2 ** -27, -1],
    ['missing, where the default is right', null, 2],
  ])('%s', (_, value, leaf) => {
    expect(number({}, [value, 0])).toBe(leaf);
  });

  it('by categories sends the set right, all else left', () => {
    const options = { trees: [SET] };
    const leaves = ['0', '1', '2', '3', null].map((category) => number(options, [0, category]));
    expect(leaves).toEqual([10, 20, 10, 20, 10]);
  });

  it('by categories reads NaN, which XGBoost writes for the condition', () => {
    const text = JSON.stringify(file({ trees: [SET], learner: { feature_names: ['a NaN', 'b'] } }));
    const document = importXgboost(toBytes(text.replace('[null,', '[NaN,')));
    expect(document.features[0].name).toBe('a NaN');
  });
});

describe('the sum', () => {
  it('is made in float32, from the base score on', () => {
    const small = { ...STUMP, split_conditions: [0.1, 1e-9, 1e-9] };
    expect(number({ trees: [small, small], parameters: { base_score: '1' } }, [0, 0])).toBe(1);
  });

  it('goes to the classes of tree_info', () => {
    const options = {
      objective: 'multi:softprob',
      trees: [STUMP, STUMP],
      treeInfo: [2, 0],
      parameters: { num_class: '3' },
    };
    const { parameters, classes } = importFile(options);
    expect(parameters).toMatchObject({ treeClass: [2, 0], link: 'softmax' });
    expect(classes).toEqual(['0', '1', '2']);
  });

  it('has the base last in files of old versions', () => {
    const small = { ...STUMP, split_conditions: [0.1, 1e-9, 1e-9] };
    const trees = Array(100).fill(small);
    const sums = [[1, 2, 1], [1, 3, 0], undefined].map((version) => {
      const old = { ...file({ trees, parameters: { base_score: '1' } }), ...(version ? { version } : {}) };
      const document = importXgboost(toBytes(old));
      return loadModel(document).predict({ f0: 0, f1: 0 }).prediction;
    });
    expect(sums).toEqual([Math.fround(1 + 1e-7), 1, 1]);
  });

  it('keeps one of several targets', () => {
    const parameters = { num_target: '2', base_score: '[1,10]' };
    const options = { trees: [STUMP, STUMP], treeInfo: [0, 1], parameters };
    const [first, second] = [0, 1].map((output) => importXgboost(toBytes(file(options)), { output }));
    expect([first, second].map((document) => loadModel(document).predict({ f0: 1, f1: 0 }).prediction)).toEqual([
      3, 12,
    ]);
    expect(first.parameters.trees).toHaveLength(1);
    expect(() => importXgboost(toBytes(file(options)), { output: 2 })).toThrow(/there is no output 2/);
  });

  it.each(['base_weights', 'leaf_weights'])('reads vectors of leaves from %s', (key) => {
    const weights = key === 'base_weights' ? [9, 9, -1, -2, 2, 4] : [-1, -2, 2, 4];
    const numbers = { right_children: [2, 0, 1], [key]: weights, tree_param: { size_leaf_vector: '2' } };
    const options = { trees: [{ ...STUMP, ...numbers }], parameters: { num_target: '2', base_score: '[0,0]' } };
    const document = importXgboost(toBytes(file(options)), { output: 1 });
    expect([0, 1].map((f0) => loadModel(document).predict({ f0, f1: 0 }).prediction)).toEqual([-2, 4]);
  });

  it('of gblinear leaves missing values out', () => {
    const booster = () => ({ name: 'gblinear', model: { weights: [2, -1, 0.5] } });
    const rows: RowValue[][] = [
      [3, 1],
      [null, 1],
      [null, null],
    ];
    expect(rows.map((row) => number({ booster, parameters: { base_score: '1' } }, row))).toEqual([6.5, 0.5, 1.5]);
  });

  it('weighs the trees of dart', () => {
    const booster = (model: object) => ({ name: 'dart', gbtree: { name: 'gbtree', model }, weight_drop: [0.5, 2] });
    expect(number({ trees: [STUMP, STUMP], booster }, [1, 0])).toBe(5);
  });
});

describe('base_score', () => {
  it.each<[string, string | number, number | number[]]>([
    ['reg:squarederror', '5E-1', 0.5],
    ['reg:squarederror', 0.25, 0.25],
    ['reg:squarederror', '[2.5E-1]', 0.25],
    ['binary:logistic', '5E-1', 0],
    ['binary:logistic', '[2E-1]', Math.fround(-Math.log(4))],
    ['binary:logitraw', '2.5E-1', 0.25],
    ['count:poisson', '2E0', Math.fround(Math.log(2))],
    ['reg:gamma', '1E0', 0],
    ['reg:tweedie', '[1E0]', 0],
    ['binary:hinge', '5E-1', 0.5],
    ['reg:logistic', '5E-1', 0],
    ['rank:ndcg', '5E-1', 0.5],
    ['survival:cox', '1E0', 0],
    ['survival:aft', '[1E0]', 0],
    ['multi:softprob', '5E-1', [0.5, 0.5, 0.5]],
    ['multi:softmax', '[5E-1,2.5E-1,2.5E-1]', [0.5, 0.25, 0.25]],
  ])('%s: %j', (objective, base_score, margin) => {
    const base = importFile({ objective, parameters: { base_score, num_class: '3' } }).parameters.base;
    expect([base].flat().length).toBe([margin].flat().length);
    for (const [k, value] of [margin].flat().entries()) expect([base].flat()[k]).toBeCloseTo(value, 6);
  });

  it.each(['0', 'nothing', '[5E-1,x]'])('%s is refused', (base_score) => {
    expect(() => importFile({ objective: 'binary:logistic', parameters: { base_score } })).toThrow(
      /base_score: .*gives no margin/,
    );
  });
});

describe('iterations', () => {
  const trees = Array(12).fill(STUMP);
  const count = (options: Options) => (importFile({ trees, ...options }).parameters.trees as unknown[]).length;

  it.each<[string, Options, number]>([
    ['all without best_iteration', {}, 12],
    ['up to the best', { learner: { attributes: { best_iteration: '3' } } }, 4],
    [
      'by iteration_indptr',
      { learner: { attributes: { best_iteration: '0' } }, model: { iteration_indptr: [0, 5, 12] } },
      5,
    ],
    [
      'by parallel trees',
      { learner: { attributes: { best_iteration: '1' } }, model: { gbtree_model_param: { num_parallel_tree: '3' } } },
      6,
    ],
    [
      'by the limit of files without a number of parallel trees',
      {
        learner: { attributes: { best_iteration: '1', best_ntree_limit: '6' } },
        model: { gbtree_model_param: { num_trees: '12' } },
      },
      6,
    ],
    [
      'by classes',
      { objective: 'multi:softmax', parameters: { num_class: '4' }, learner: { attributes: { best_iteration: '1' } } },
      8,
    ],
  ])('%s', (_, options, expected) => {
    expect(count(options)).toBe(expected);
  });
});

describe('features', () => {
  it('are numbered where they have no names', () => {
    expect(importFile().features).toEqual([
      { name: 'f0', type: 'continuous' },
      { name: 'f1', type: 'continuous' },
    ]);
  });

  it('have the names and types of the file', () => {
    const learner = { feature_names: ['a', 'b', 'c', 'd'], feature_types: ['float', 'c', 'i', 'int'] };
    const { features } = importFile({ trees: [SET], learner, parameters: { num_feature: '4' } });
    expect(features).toEqual([
      { name: 'a', type: 'continuous' },
      { name: 'b', type: 'categorical', encoding: 'ordinal', categories: ['0', '1', '2', '3'] },
      { name: 'c', type: 'boolean' },
      { name: 'd', type: 'integer' },
    ]);
  });
});

describe('refused by name', () => {
  it.each<[string, Options, RegExp]>([
    ['another booster', { booster: () => ({ name: 'gbforest', model: {} }) }, /the booster "gbforest"/],
    ['another objective', { objective: 'rank:other' }, /the objective "rank:other"; known are binary:logistic,/],
    ['several targets', { parameters: { num_target: '2' } }, /num_target: the model has 2 targets: .*--output-index/],
    [
      'leaves of several outputs',
      { trees: [{ ...STUMP, tree_param: { size_leaf_vector: '3' } }] },
      /size_leaf_vector: leaves of 3 numbers for 1 outputs/,
    ],
    ['too many categories', { trees: [{ ...SET, categories: [1, 9e6] }] }, /9000000 categories in one feature/],
  ])('%s', (_, options, message) => {
    expect(() => importFile(options)).toThrow(message);
  });

  it.each<[string, RegExp]>([
    ['binf\0\0', /the old binary format/],
    ['\0\0\0?\x05\0\0\0', /the old binary format/],
    ['booster[0]:\n0:[f0<1]', /`dump_model`/],
    ['[{"nodeid": 0}]', /`dump_model`/],
    ['hello', /neither JSON nor UBJSON/],
    ['{}', /xgboost\.learner/],
  ])('%j', (text, message) => {
    expect(() => importXgboost(toBytes(text))).toThrow(message);
  });
});

describe('broken files', () => {
  it.each<[string, Options, RegExp]>([
    ['a short list', { trees: [{ ...STUMP, default_left: [0] }] }, /trees\[0\]\.default_left: 1 entries for 3 nodes/],
    [
      'a lost threshold',
      { trees: [{ ...STUMP, split_conditions: [null, 1, 2] }] },
      /split_conditions\[0\]: expected a finite/,
    ],
    ['classes of trees', { treeInfo: [0, 0] }, /tree_info: 2 entries for 1 trees/],
    ['no trees', { trees: [] }, /no trees/],
  ])('%s', (_, options, message) => {
    expect(() => importFile(options)).toThrow(message);
  });
});
