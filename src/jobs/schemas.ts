/** Every document as JSON Schema, for programs in other languages. `schemas/` holds the files. */
import { z } from 'zod';
import { auditRedactionSchema, auditSchema } from '../documents/audit-document.js';
import { comparisonSchema } from '../documents/comparison-document.js';
import { labelsSchema } from '../documents/labels/label-document.js';
import { modelEnvelope } from '../documents/model-document.js';
import { policySchema } from '../documents/policy-document.js';
import { receiptSchema, signedReceiptSchema } from '../documents/receipt-document.js';
import { resultSchema } from '../documents/result-document.js';
import { summarySchema } from '../documents/summary-document.js';
import { families } from '../models/index.js';
import { manifestSchema } from '../store/batches/manifest.js';
import { letterSchema } from '../store/events/dead-store.js';
import { chunkJobSchema, chunkReturnSchema, eventJobSchema, eventReturnSchema, requestSchema } from './contract.js';
import { webhookSchema } from './webhooks/webhook-document.js';

type JsonSchema = Record<string, unknown>;

const WRITTEN = {
  policy: policySchema,
  labels: labelsSchema,
  'chunk-job': chunkJobSchema,
  'event-job': eventJobSchema,
  request: requestSchema,
};
const READ = {
  result: resultSchema,
  summary: summarySchema,
  comparison: comparisonSchema,
  batch: manifestSchema,
  'chunk-return': chunkReturnSchema,
  'event-return': eventReturnSchema,
  'dead-letter': letterSchema,
  audit: auditSchema,
  'audit-redaction': auditRedactionSchema,
  receipt: receiptSchema,
  'signed-receipt': signedReceiptSchema,
  webhook: webhookSchema,
};

/** By name: `model` -> the schema of `elsewise.model/v1`. */
export function jsonSchemas(): Record<string, JsonSchema> {
  const named = (schemas: Record<string, z.ZodType>, io: 'input' | 'output') =>
    Object.entries(schemas).map(([name, schema]) => [name, titled(name, z.toJSONSchema(schema, { io }))]);
  return Object.fromEntries([
    ['model', titled('model', modelJsonSchema())],
    ...named(WRITTEN, 'input'),
    ...named(READ, 'output'),
  ]);
}

function titled(name: string, schema: JsonSchema): JsonSchema {
  const { $schema, ...rest } = schema;
  return { $schema, title: `elsewise.${name}/v1`, ...rest };
}

/** The part that all models share, and one branch for each family with its own parameters. */
function modelJsonSchema(): JsonSchema {
  const branches = [...families.values()].map(({ name, schema }) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
    return { title: name, properties: { family: { const: name }, parameters }, required: ['family', 'parameters'] };
  });
  return { ...z.toJSONSchema(modelEnvelope, { io: 'input' }), oneOf: branches };
}
