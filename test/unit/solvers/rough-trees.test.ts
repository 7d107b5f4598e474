/** Trees and plausibility on rough ground: rows beside thresholds, splits that no category feels, steps that mix columns. */
import { describe, expect, it } from 'vitest';
import type { RowValue } from '../../../src/documents/model-document.js';
import { treeSchema } from '../../../src/documents/tree-document.js';
import { withoutSets } from '../../../src/models/trees/set-thresholds.js';
import { flatten, leafOf } from '../../../src/models/trees/tree.js';
import { planOf } from '../../support/asking.js';

const stump = (threshold: number, left: number, right: number, feature = 0) => ({
  feature: [feature, 0, 0],
  threshold: [threshold, 0, 0],
  left: [1, -1, -1],
  right: [2, -1, -1],
  value: [[0], [left], [right]],
});

const model = (family: string, parts: Record<string, unknown>) => ({
  schema: 'elsewise.model/v1',
  name: 'm',
  family,
  ...parts,
});
const policyOf = (parts: Record<string, unknown>) => ({ schema: 'elsewise.policy/v1', ...parts });

const explainOne = async (document: unknown, policy: unknown, features: Record<string, RowValue>) =>
  (await planOf(document, policy)).explain({ id: 'r', features });

describe('a split of the plausibility forest that 0 and 1 lie on the same side of', () => {
  /** c moves from x to y at a cost of 1; the forest wants y, and every category goes the same way at the other splits. */
  const document = model('hyperplane', {
    classes: ['no', 'yes'],
    features: [
      { name: 'a', type: 'continuous' },
      { name: 'c', type: 'categorical', categories: ['x', 'y'] },
    ],
    parameters: { weights: [0, 0, 1], bias: -0.5 },
    background: {
      isolationForest: { trees: [stump(-0.2, 0, 1, 1), stump(1.4, 1, 0, 2), stump(0.5, 0, 1, 2)], offset: -0.5 },
    },
  });

  it('asks nothing of a category', async () => {
    const policy = policyOf({ target: 'yes', plausibility: { method: 'isolation-forest' } });
    const { status, counterfactuals } = await explainOne(document, policy, { a: 0, c: 'x' });
    expect(status).toBe('found');
    expect(counterfactuals[0].features).toEqual({ a: 0, c: 'y' });
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  });
});

describe('an isolation forest behind a scale', () => {
  /** b must go above 1; the missing a goes left, where the second tree wants a larger b. */
  const document = model('isolation-forest', {
    classes: ['outlier', 'inlier'],
    features: ['a', 'b'].map((name) => ({ name, type: 'continuous' })),
    preprocessing: [{ type: 'scale', mean: [0, 0], scale: [2, 2] }],
    parameters: {
      trees: [
        {
          feature: [0, 1, 0, 0, 0],
          threshold: [0.5, 0.5, 0, 0, 0],
          left: [1, 3, -1, -1, -1],
          right: [2, 4, -1, -1, -1],
          value: [[0], [0], [0], [0], [2]],
          missing: 'left',
        },
      ],
      offset: -0.5,
    },
  });

  it('sends a missing value where its splits say', async () => {
    const policy = policyOf({ target: 'inlier', cost: { norm: 'l2' } });
    const { status, counterfactuals } = await explainOne(document, policy, { a: null, b: 0 });
    expect(status).toBe('found');
    expect(counterfactuals[0].features.b).toBeCloseTo(1, 9);
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  });
});

describe('trees behind a step that mixes columns', () => {
  /** 0 < a + b wants 1 more; the forest wants b at most 0.25. */
  it('are plausible as well', async () => {
    const document = model('decision-tree', {
      classes: ['no', 'yes'],
      features: ['a', 'b'].map((name) => ({ name, type: 'continuous' })),
      preprocessing: [{ type: 'affine', matrix: [[1, 1]], offset: [0] }],
      parameters: {
        tree: {
          ...stump(1, 0, 0),
          value: [
            [1, 1],
            [1, 0],
            [0, 1],
          ],
        },
        task: 'classification',
      },
      background: { isolationForest: { trees: [stump(0.25, 2, 0, 1)], offset: -0.5 } },
    });
    const policy = policyOf({
      target: 'yes',
      cost: { norm: 'l2' },
      plausibility: { method: 'isolation-forest' },
    });
    const { status, counterfactuals } = await explainOne(document, policy, { a: 0, b: 0 });
    expect(status).toBe('found');
    expect(counterfactuals[0].features.a).toBeCloseTo(0.75, 6);
    expect(counterfactuals[0].features.b).toBeCloseTo(0.25, 6);
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  });

  const shifted = (trees: unknown[]) =>
    model('tree-ensemble', {
      features: [{ name: 'a', type: 'continuous' }],
      preprocessing: [{ type: 'affine', matrix: [[1]], offset: [1] }],
      parameters: { trees, aggregation: 'mean', link: 'identity' },
    });

  /** The next double above 1.25 is an answer: it costs 2⁻¹⁰⁴. */
  it.each([
    ['one tree', [stump(1.25, 0, -1)]],
    ['two trees', [stump(1.25, 0, -1), stump(7, 0, 1)]],
  ])('prove no cost that a hair inside the leaf adds: %s', async (_, trees) => {
    const policy = policyOf({ target: { to: -0.5 }, cost: { norm: 'l2' } });
    const { status, counterfactuals } = await explainOne(shifted(trees), policy, { a: 0.25 });
    expect(status).toBe('found');
    expect(counterfactuals[0].proof.lowerBound).toBeLessThanOrEqual(2 ** -104);
  });

  /** a + 1 <= 0.5 within steps, a rank, and one change. */
  it('are searched box by box, whatever the policy has beside them', async () => {
    const document = model('tree-ensemble', {
      features: [
        { name: 'o', type: 'categorical', categories: ['low', 'mid'], encoding: 'ordinal' },
        { name: 'a', type: 'continuous', decimals: 2, min: -4 },
        { name: 'b', type: 'boolean' },
      ],
      classes: ['no', 'yes'],
      preprocessing: [
        {
          type: 'affine',
          matrix: [
            [0.5, 1, 0],
            [0, 1, -1],
          ],
          offset: [1, 0],
        },
      ],
      parameters: { trees: [stump(0.5, 1, -1), stump(3, 0.5, -1, 1)], aggregation: 'sum', link: 'identity' },
    });
    const policy = policyOf({ target: 'yes', maxChanges: 1, effort: 20_000 });
    const { counterfactuals } = await explainOne(document, policy, { o: 'low', a: 0.25, b: true });
    expect(counterfactuals[0].features).toEqual({ o: 'low', a: -0.5, b: true });
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  });
});

describe('splits by sets of categories', () => {
  const ranked = (codes: number[], missing: 'left' | 'right', left: number, right: number) => ({
    ...stump(0, left, right),
    categories: [codes, null, null],
    missing,
  });
  const trees = [ranked([0, 3], 'left', 1, 2), ranked([1], 'right', 4, 8), ranked([], 'left', 16, 32)];

  it.each([0, 1, 2, 3, 4, 1.5, -1, Number.NaN])('are the same as chains of thresholds at %f', (input) => {
    const forest = flatten(
      trees.map((tree) => treeSchema.parse(tree)),
      1,
      'trees',
    );
    const margins = [{ gain: forest.value, need: 0 }];
    const chained = withoutSets({ kind: 'trees', forest, margins, slack: 0, map: null });
    for (const t of trees.keys())
      expect(chained.margins[0].gain[leafOf(chained.forest, t, Float64Array.of(input))]).toBe(
        forest.value[leafOf(forest, t, Float64Array.of(input))],
      );
  });

  /** The rank must be 0 or 3 and a above 1; from rank 2 the nearer is 3. */
  it('are cut under mahalanobis as well', async () => {
    const document = model('tree-ensemble', {
      classes: ['no', 'yes'],
      features: [
        { name: 'o', type: 'categorical', categories: ['w', 'x', 'y', 'z'], encoding: 'ordinal' },
        { name: 'a', type: 'continuous' },
      ],
      parameters: {
        trees: [ranked([0, 3], 'left', 1, -1), stump(1, -1, 1, 1)],
        aggregation: 'sum',
        base: -1,
        link: 'identity',
      },
      background: {
        covariance: {
          features: ['o', 'a'],
          matrix: [
            [1, 0],
            [0, 1],
          ],
        },
      },
    });
    const policy = policyOf({ target: 'yes', cost: { norm: 'mahalanobis' } });
    const { status, counterfactuals } = await explainOne(document, policy, { o: 'y', a: 0 });
    expect(status).toBe('found');
    expect(counterfactuals[0].features.o).toBe('z');
    expect(counterfactuals[0].proof.kind).toBe('optimal');
  });
});

describe('plausible answers with decimals', () => {
  /** a > b and b of 0.5 at least: the cheapest point has b = 0.5, which is no whole number. */
  it('are searched where rounding an answer undoes it', async () => {
    const document = model('hyperplane', {
      classes: ['no', 'yes'],
      features: [
        { name: 'a', type: 'continuous' },
        { name: 'b', type: 'continuous', decimals: 0 },
      ],
      parameters: { weights: [1, -1], bias: 0 },
      background: { isolationForest: { trees: [stump(0.25, 2, 2)], offset: -0.5 } },
    });
    const policy = policyOf({
      target: 'yes',
      cost: { norm: 'l2' },
      constraints: ['2 * b >= 1'],
      plausibility: { method: 'isolation-forest' },
    });
    const { status, counterfactuals } = await explainOne(document, policy, { a: 0, b: 0 });
    expect(status).toBe('found');
    expect(counterfactuals[0].features.b).toBe(1);
    expect(counterfactuals[0].features.a).toBeCloseTo(1, 6);
  });
});
