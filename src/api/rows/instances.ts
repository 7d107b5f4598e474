/**
 * Several rows in one request, in two forms:
 *
 *   instances   KServe: a list of rows, each an object by feature, or a list of values in the order of the model's features
 *   inputs      Open Inference Protocol: a tensor for each feature, of shape [n] or [n, 1]
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { listOf, recordOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { type RowValue, rowValue } from '../../documents/model-document.js';
import { overlaySchema, targetSchema } from '../../documents/policy-document.js';
import { eventJobSchema } from '../../jobs/contract.js';

export type RowFeatures = Readonly<Record<string, RowValue>>;

const tensorSchema = z.object({
  name: z.string().min(1).describe('The name of a feature.'),
  shape: listOf(z.int().min(0)).min(1).max(2).describe('The number of rows. A second entry is 1.'),
  datatype: z.string().optional().describe('FP64, INT64, BOOL, BYTES, ...: ignored, because the values tell.'),
  data: listOf(z.union([rowValue, z.tuple([rowValue])])).describe('The values of the feature, one for each row.'),
});

export const instancesRequestSchema = z.strictObject({
  instances: listOf(z.union([recordOf(rowValue), listOf(rowValue)]))
    .optional()
    .describe("The rows: objects by feature, or lists of values in the order of the model's features."),
  inputs: listOf(tensorSchema)
    .optional()
    .describe('In place of `instances`: a tensor for each feature, as in the Open Inference Protocol.'),
  ids: listOf(eventJobSchema.shape.id)
    .optional()
    .describe('The id of each row. Default: ids that the server generates.'),
  policy: eventJobSchema.shape.policy,
  overlay: overlaySchema
    .optional()
    .describe('Wishes that tighten the policy for these rows. Default: the policy as it is.'),
  target: targetSchema.optional().describe('The wanted outcome of all rows. Default: the target of the policy.'),
});

/** The policy is checked when the rows are read, because it is mostly cached. */
export const readInstancesSchema = instancesRequestSchema.extend({ policy: z.unknown().optional() });

export type InstancesRequest = z.output<typeof readInstancesSchema>;

/** `featureNames` is asked only for rows that are lists. */
export async function rowsOf(
  { instances, inputs }: InstancesRequest,
  featureNames: () => Promise<readonly string[]>,
): Promise<readonly RowFeatures[]> {
  if ((instances === undefined) === (inputs === undefined))
    throw new ElsewiseError('bad-document', 'expected the rows as "instances" or as "inputs"', 'body');
  if (inputs) return rowsOfTensors(inputs);
  if (!instances!.some(Array.isArray)) return instances as RowFeatures[];
  const names = await featureNames();
  return instances!.map((row, k) => (Array.isArray(row) ? byName(names, row, `body.instances[${k}]`) : row));
}

function byName(names: readonly string[], values: readonly RowValue[], path: string): RowFeatures {
  if (values.length === names.length) return Object.fromEntries(names.map((name, k) => [name, values[k]]));
  throw new ElsewiseError('bad-row', `has ${values.length} values, and the model has ${names.length} features`, path);
}

function rowsOfTensors(inputs: NonNullable<InstancesRequest['inputs']>): RowFeatures[] {
  const rows = inputs[0]?.shape[0] ?? 0;
  for (const [k, { shape, data }] of inputs.entries()) {
    const [own, width = 1] = shape;
    if (own === rows && width === 1 && data.length === rows) continue;
    const given = `has shape [${shape.join(', ')}] and ${data.length} values`;
    throw new ElsewiseError('bad-document', `${given}, expected [${rows}] and ${rows} values`, `body.inputs[${k}]`);
  }
  const columns = inputs.map(({ name, data }) => [name, data.flat() as RowValue[]] as const);
  return Array.from({ length: rows }, (_, r) => Object.fromEntries(columns.map(([name, data]) => [name, data[r]])));
}

/** Given ids, or new ids. */
export function idsOf({ ids }: InstancesRequest, count: number): readonly string[] {
  if (ids === undefined) return Array.from({ length: count }, () => randomUUID());
  if (ids.length !== count)
    throw new ElsewiseError('bad-document', `has ${ids.length} ids for ${count} rows`, 'body.ids');
  const repeated = ids.findIndex((id, k) => ids.indexOf(id) < k);
  if (repeated < 0) return ids;
  const path = `body.ids[${repeated}]`;
  throw new ElsewiseError('bad-document', `is also the id of row ${ids.indexOf(ids[repeated])}`, path);
}

/** A request without rows is as wrong as a request with too many. */
export function checkCount(count: number, most: number): void {
  if (count === 0) throw new ElsewiseError('bad-document', 'has no rows', 'body');
  if (count <= most) return;
  const advice = `the limit is ${most} (api.maxInstances): send more rows as a batch, POST /v1/batches`;
  throw new ElsewiseError('too-large', `has ${count} rows, ${advice}`, 'body');
}
