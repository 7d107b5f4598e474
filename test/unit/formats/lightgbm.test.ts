/** The rules of the format on files written by hand, each as text and as a dump. */
import { describe, expect, it } from 'vitest';
import { importLightgbm } from '../../../src/formats/lightgbm/lightgbm.js';
import { loadModel, type ModelDocument, type RowValue } from '../../../src/index.js';

const MISSING_TYPES = ['None', 'Zero', 'NaN'];
const SMALLEST = Math.fround(1e-35);

/** A stump: split of feature 0 (`a`) by threshold or of feature 1 (`b`) by a set of codes; leaves -1 and 2. */
interface Stump {
  threshold?: number;
  codes?: number[];
  missing?: 'None' | 'Zero' | 'NaN';
  isDefaultLeft?: boolean;
  isLinear?: boolean;
}

interface Options {
  objective?: string;
  trees?: Stump[];
  perIteration?: number;
  isAverage?: boolean;
}

function toText({ objective = 'regression', trees = [{}], perIteration = 1, isAverage }: Options): string {
  const head = ['tree', 'version=v4', `num_class=${perIteration}`, `num_tree_per_iteration=${perIteration}`];
  const names = [
    'max_feature_idx=1',
    `objective=${objective}`,
    'feature_names=a b',
    `feature_infos=[0:9] ${info(trees)}`,
  ];
  const blocks = trees.map((tree, t) => `Tree=${t}\n${treeText(tree)}\n`);
  const tail = [
    'end of trees',
    '',
    'feature_importances:',
    'a=1',
    '',
    'parameters:',
    '[boosting: gbdt]',
    'end of parameters',
  ];
  return [...head, ...names, ...(isAverage ? ['average_output'] : []), '', ...blocks, ...tail].join('\n');
}

const info = (trees: readonly Stump[]) => (trees.some(({ codes }) => codes) ? '-1:2:0:34' : '[0:9]');

function treeText({ threshold = 0.5, codes, missing = 'NaN', isDefaultLeft, isLinear }: Stump): string {
  const decision = (codes ? 1 : 0) + (isDefaultLeft ? 2 : 0) + 4 * MISSING_TYPES.indexOf(missing);
  const words = [0, 1].map((w) =>
    (codes ?? []).filter((c) => c >> 5 === w).reduce((word, c) => word + 2 ** (c % 32), 0),
  );
  const sets = codes ? ['cat_boundaries=0 2', `cat_threshold=${words.join(' ')}`] : [];
  return [
    'num_leaves=2',
    `num_cat=${codes ? 1 : 0}`,
    `split_feature=${codes ? 1 : 0}`,
    `threshold=${codes ? 0 : threshold}`,
    `decision_type=${decision}`,
    'left_child=-1',
    'right_child=-2',
    'leaf_value=-1 2',
    ...sets,
    `is_linear=${isLinear ? 1 : 0}`,
    'shrinkage=0.1',
  ].join('\n');
}

function toDump({ objective = 'regression', trees = [{}], perIteration = 1, isAverage = false }: Options): string {
  const b = trees.some(({ codes }) => codes) ? { values: [-1, 2, 0, 34] } : { min_value: 0, max_value: 9, values: [] };
  return JSON.stringify({
    name: 'tree',
    version: 'v4',
    num_class: perIteration,
    num_tree_per_iteration: perIteration,
    objective,
    average_output: isAverage,
    feature_names: ['a', 'b'],
    feature_infos: { a: { min_value: 0, max_value: 9, values: [] }, b },
    tree_info: trees.map((tree, t) => ({ tree_index: t, num_leaves: 2, tree_structure: treeDump(tree) })),
  });
}

function treeDump({ threshold = 0.5, codes, missing = 'NaN', isDefaultLeft = false, isLinear }: Stump): object {
  const linear = isLinear ? { leaf_const: 0, leaf_features: [], leaf_coeff: [] } : {};
  return {
    split_index: 0,
    split_feature: codes ? 1 : 0,
    threshold: codes ? codes.join('||') : threshold,
    decision_type: codes ? '==' : '<=',
    default_left: isDefaultLeft,
    missing_type: missing,
    left_child: { leaf_index: 0, leaf_value: -1, ...linear },
    right_child: { leaf_index: 1, leaf_value: 2, ...linear },
  };
}

const importText = (text: string) => importLightgbm(new TextEncoder().encode(text));

function predict(document: ModelDocument, row: RowValue[]) {
  return loadModel(document).predict(Object.fromEntries(document.features.map(({ name }, f) => [name, row[f]])));
}

describe.each([
  ['text', toText],
  ['dump', toDump],
])('%s', (_form, write) => {
  const importFile = (options: Options = {}) => importText(write(options));
  const number = (tree: Stump, row: RowValue[]) => predict(importFile({ trees: [tree] }), row).prediction;

  it.each<[string, Stump, RowValue, number]>([
    ['at the threshold', {}, 0.5, -1],
    ['past it in float64', {}, 0.5 + 2 ** -53, 2],
    ['NaN, right by default', {}, null, 2],
    ['NaN, left by default', { isDefaultLeft: true }, null, -1],
    ['NaN as 0, below the threshold', { missing: 'None' }, null, -1],
    ['NaN as 0, above the threshold', { missing: 'None', threshold: -0.5, isDefaultLeft: true }, null, 2],
    ['zero as missing, on its own side', { missing: 'Zero', isDefaultLeft: true }, 0, -1],
    ['NaN where zero is missing', { missing: 'Zero', isDefaultLeft: true }, null, -1],
    ['zero between', { missing: 'Zero', isDefaultLeft: true, threshold: -SMALLEST }, SMALLEST, -1],
    ['more than zero', { missing: 'Zero', isDefaultLeft: true, threshold: -SMALLEST }, 2 * SMALLEST, 2],
    ['zero between, to the right', { missing: 'Zero', threshold: SMALLEST }, -SMALLEST, 2],
    ['less than zero', { missing: 'Zero', threshold: SMALLEST }, -2 * SMALLEST, -1],
  ])('a split: %s', (_, tree, value, leaf) => {
    expect(number(tree, [value, 0])).toBe(leaf);
  });

  it('a set split: in it left, all else right, missing values as well', () => {
    const tree: Stump = { codes: [0, 33], isDefaultLeft: true, missing: 'None' };
    expect(['0', '1', '33', '34', null].map((code) => number(tree, [0, code]))).toEqual([-1, 2, -1, 2, 2]);
  });

  it('lists the categories of the training data', () => {
    const [a, b] = importFile({ trees: [{ codes: [0, 33] }] }).features;
    expect(a).toEqual({ name: 'a', type: 'continuous' });
    expect(b).toMatchObject({ name: 'b', encoding: 'ordinal' });
    expect(b).toHaveProperty(
      'categories',
      Array.from({ length: 35 }, (_, code) => String(code)),
    );
  });

  it.each<[string, Stump, [RowValue, number][]]>([
    [
      'to the right past the threshold',
      { missing: 'Zero' },
      [
        [-1, -1],
        [-2 * SMALLEST, -1],
        [-SMALLEST, 2],
        [0, 2],
        [SMALLEST, 2],
        [2 * SMALLEST, -1],
        [0.5, -1],
        [0.6, 2],
        [null, 2],
      ],
    ],
    [
      'to the left past the threshold',
      { missing: 'Zero', isDefaultLeft: true, threshold: -0.5 },
      [
        [-0.5, -1],
        [-0.4, 2],
        [-2 * SMALLEST, 2],
        [-SMALLEST, -1],
        [0, -1],
        [SMALLEST, -1],
        [2 * SMALLEST, 2],
        [null, -1],
      ],
    ],
  ])('sends zeros %s', (_, tree, leaves) => {
    for (const [value, leaf] of leaves) expect([value, number(tree, [value, 0])]).toEqual([value, leaf]);
  });

  it('takes the class of a tree from its number', () => {
    const document = importFile({ objective: 'multiclass num_class:3', trees: Array(6).fill({}), perIteration: 3 });
    expect(document.parameters).toMatchObject({ treeClass: [0, 1, 2, 0, 1, 2], link: 'softmax' });
    expect(document.classes).toEqual(['0', '1', '2']);
  });

  it('honours the sigmoid', () => {
    const document = importFile({ objective: 'binary sigmoid:2' });
    expect(predict(document, [1, 0]).scores['1']).toBeCloseTo(1 / (1 + Math.exp(-4)), 12);
  });

  it('averages per class', () => {
    const trees = Array(4).fill({});
    expect(predict(importFile({ trees, isAverage: true }), [1, 0]).prediction).toBe(2);
    const { parameters } = importFile({ objective: 'multiclass num_class:2', trees, perIteration: 2, isAverage: true });
    expect(parameters.trees).toHaveProperty('[0].value[2]', [1]);
  });

  it('exponentiates', () => {
    expect(predict(importFile({ objective: 'poisson' }), [1, 0]).prediction).toBeCloseTo(Math.exp(2), 12);
  });

  it.each<[string, Options, RegExp]>([
    ['linear trees', { trees: [{ isLinear: true }] }, /does not support linear trees/],
    ['another objective', { objective: 'rank_other' }, /the objective "rank_other"/],
    ['a bad sigmoid', { objective: 'binary sigmoid:x' }, /no valid sigmoid/],
    ['no trees', { trees: [] }, /no trees/],
  ])('refuses %s', (_, options, message) => {
    expect(() => importFile(options)).toThrow(message);
  });
});

it('is the same document from both forms', () => {
  const options = { objective: 'binary sigmoid:1', trees: [{}, { codes: [2, 40] }, { isDefaultLeft: true }] };
  expect(importText(toText(options))).toEqual(importText(toDump(options)));
});

it('reads a tree of one leaf', () => {
  const text = toText({}).replace('num_leaves=2', 'num_leaves=1').replace('leaf_value=-1 2', 'leaf_value=7');
  expect(predict(importText(text), [0, 0]).prediction).toBe(7);
});

describe('broken files', () => {
  it.each<[string, string, RegExp]>([
    ['another file', 'hello', /does not begin with "tree"/],
    ['no objective', toText({}).replace(/objective=.*\n/, ''), /lightgbm\.objective: is missing/],
    ['no objective in a dump', toDump({}).replace(/"objective":"[^"]*",/, ''), /lightgbm\.objective: is missing/],
    [
      'a short list',
      toText({}).replace('leaf_value=-1 2', 'leaf_value=-1'),
      /trees\[0\]\.leaf_value: expected 2 numbers, got 1/,
    ],
    [
      'no number',
      toText({}).replace('threshold=0.5', 'threshold=inf'),
      /threshold: expected finite numbers, got "inf"/,
    ],
    [
      'an unknown decision',
      toText({}).replace('decision_type=8', 'decision_type=12'),
      /decision_type\[0\]: 12 has no meaning/,
    ],
    [
      'a set that is not there',
      toText({}).replace('decision_type=8', 'decision_type=9'),
      /decision_type\[0\]: 9 has no/,
    ],
    ['a cut dump', toDump({}).slice(0, -5), /is not valid JSON/],
    ['a leaf without a number', toDump({}).replace('"leaf_index":1', '"leaf_index":5'), /there is no node of number/],
  ])('%s', (_, text, message) => {
    expect(() => importText(text)).toThrow(message);
  });
});
