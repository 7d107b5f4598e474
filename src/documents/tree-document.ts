/** A tree in a document: flat arrays by node, and the comparison of the library that trained it. */
import { z } from 'zod';
import { listOf } from './collections.js';
import { bounded, finite } from './numbers.js';

const direction = z.enum(['left', 'right']);
const whole = listOf(z.int()).min(1);

export const treeSchema = z.strictObject({
  feature: whole,
  threshold: listOf(finite).min(1),
  left: whole,
  right: whole,
  value: listOf(listOf(bounded)).min(1),
  comparison: z.enum(['<=', '<']).default('<='),
  precision: z.enum(['float32', 'float64']).default('float64'),
  missing: z.union([z.enum(['left', 'right', 'error']), listOf(direction)]).default('error'),
  categories: listOf(listOf(z.int().min(0)).nullable()).optional(),
});

export const isolationForestSchema = z.strictObject({ trees: listOf(treeSchema).min(1), offset: finite });

export type TreeDocument = z.output<typeof treeSchema>;
export type IsolationForestDocument = z.output<typeof isolationForestSchema>;
