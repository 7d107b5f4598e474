/** Isolation forests of our own: the same on every machine, and what is rare comes out as rare. */
import { describe, expect, it } from 'vitest';
import { trainIsolationForest } from '../../../src/models/trees/isolation-training.js';
import { flatten, leafOf } from '../../../src/models/trees/tree.js';
import { Dice } from '../../support/dice.js';

const SIZE = { trees: 50, sampleSize: 64 };

const cloud = (seed: number, count: number) => {
  const dice = new Dice(seed);
  return Array.from({ length: count }, () => Float64Array.of(dice.normal(), 100 * dice.normal(), dice.integer(0, 1)));
};

const normalityOf = (rows: readonly Float64Array[], point: readonly number[]) => {
  const forest = flatten(trainIsolationForest(rows, SIZE), rows[0].length, 'trees');
  const x = Float64Array.from(point);
  return forest.root.reduce((sum, _, t) => sum + forest.value[leafOf(forest, t, x)], 0) / forest.root.length;
};

describe('training', () => {
  it('gives the same trees for the same samples', () => {
    expect(trainIsolationForest(cloud(1, 200), SIZE)).toEqual(trainIsolationForest(cloud(1, 200), SIZE));
  });

  it('gives trees that do not change from release to release', () => {
    const rows = Array.from({ length: 8 }, (_, i) => Float64Array.of(i, i * i));
    const [tree] = trainIsolationForest(rows, { trees: 1, sampleSize: 8 });
    expect(tree.left.length).toBe(tree.value.length);
    expect(tree.threshold[0]).toMatchInlineSnapshot(`3.983215747633949`);
  });

  it('separates every row or stops at the depth of a balanced tree', () => {
    for (const tree of trainIsolationForest(cloud(2, 300), SIZE)) {
      const depth = (node: number): number =>
        tree.left[node] < 0 ? 0 : 1 + Math.max(depth(tree.left[node]), depth(tree.right[node]));
      expect(depth(0)).toBeLessThanOrEqual(6);
    }
  });

  it('has path lengths whose mean over the samples of a tree is 1', () => {
    // c(n) is the mean depth, so the values, in its units, are around one for the samples themselves.
    const rows = cloud(3, 64);
    const forest = flatten(trainIsolationForest(rows, { trees: 200, sampleSize: 64 }), 3, 'trees');
    const mean = rows.reduce(
      (sum, row) => sum + forest.root.reduce((s, _, t) => s + forest.value[leafOf(forest, t, row)], 0) / 200 / 64,
      0,
    );
    expect(mean).toBeGreaterThan(0.9);
    expect(mean).toBeLessThan(1.2);
  });

  it('finds the middle more normal than the edge, in any units', () => {
    const rows = cloud(4, 400);
    expect(normalityOf(rows, [0, 0, 1])).toBeGreaterThan(normalityOf(rows, [4, 0, 1]) + 0.1);
    expect(normalityOf(rows, [0, 0, 1])).toBeGreaterThan(normalityOf(rows, [0, -400, 1]) + 0.1);
  });

  it('takes missing values, and rows that are all alike', () => {
    const rows = cloud(5, 100).map((row, i) => (i % 3 ? row : row.with(0, Number.NaN)));
    expect(Number.isFinite(normalityOf(rows, [Number.NaN, 0, 1]))).toBe(true);
    const alike = Array.from({ length: 30 }, () => Float64Array.of(1, 2));
    expect(trainIsolationForest(alike, SIZE)[0].left).toEqual([-1]);
  });
});
