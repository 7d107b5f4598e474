/** A tree in a document: flat arrays by node, and the comparison of the library that trained it. */
import { z } from 'zod';
import { listOf } from './collections.js';
import { bounded, finite } from './numbers.js';

const direction = z.enum(['left', 'right']);
const whole = listOf(z.int()).min(1);

export const treeSchema = z.strictObject({
  feature: whole.describe('The input that a node compares, by node. A leaf may have any number.'),
  threshold: listOf(finite).min(1).describe('The threshold, by node.'),
  left: whole.describe('The left child, by node. -1 marks a leaf.'),
  right: whole.describe('The right child, by node. -1 marks a leaf.'),
  value: listOf(listOf(bounded)).min(1).describe('The outputs, by node. Only leaves count.'),
  comparison: z
    .enum(['<=', '<'])
    .default('<=')
    .describe('A row goes left when its input is at most, or below, the threshold.'),
  precision: z
    .enum(['float32', 'float64'])
    .default('float64')
    .describe('The arithmetic in which the source library compares.'),
  missing: z
    .union([z.enum(['left', 'right', 'error']), listOf(direction)])
    .default('error')
    .describe('The side of a missing value, for all nodes or by node. `error`: a missing value is invalid.'),
  categories: listOf(listOf(z.int().min(0)).nullable())
    .optional()
    .describe('The categories that go left, by node. Null: the node compares with its threshold.'),
});

export const isolationForestSchema = z.strictObject({
  trees: listOf(treeSchema)
    .min(1)
    .describe('The trees. The value of a leaf is the length of its path, in units of the average length.'),
  offset: finite.describe('The score at which a row counts as an inlier, as in scikit-learn.'),
});

export type TreeDocument = z.output<typeof treeSchema>;
export type IsolationForestDocument = z.output<typeof isolationForestSchema>;
