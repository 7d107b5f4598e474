/**
 * The receipt `elsewise.receipt/v1`: the payload of a signed receipt. `iat`, `exp` and `iss` are claims of JSON Web Tokens, so that other
 * programs understand the dates of a receipt.
 */
import { z } from 'zod';
import { decisionSchema, offerSchema, sha256Schema } from './audit-document.js';
import { listOf } from './collections.js';
import { targetSchema } from './policy-document.js';
import { resultSchema } from './result-document.js';

const { status, model, policy } = resultSchema.shape;

export const receiptSchema = z.strictObject({
  schema: z.literal('elsewise.receipt/v1').describe('The kind and version of the document.'),
  iss: z.string().min(1).optional().describe('The operator, from the setting `receipts.issuer`.'),
  iat: z.int().min(0).describe('The time of issue, in seconds since 1970.'),
  exp: z.int().min(0).describe('The end of the receipt, in seconds since 1970: the end of the day `validUntil` (UTC).'),
  validUntil: z.iso.date().describe('The last day on which the operator stands by the offers (UTC).'),
  software: z.string().describe('Name and version of the program that issued the receipt.'),
  id: z.string().describe('The id of the row.'),
  input: sha256Schema.describe(
    'The SHA-256 of `{"features": ..., "target": ...}`: `factual.features` and `target` of the result, as JSON without spaces.',
  ),
  model: model.describe('The model.'),
  policy: policy.describe('The policy.'),
  target: targetSchema.describe('The wanted outcome.'),
  status: status.exclude(['invalid']).describe('As in the result.'),
  decision: decisionSchema.describe('The decision of the model about the person.'),
  offers: listOf(
    offerSchema.extend({
      target: targetSchema.optional().describe('The target of the offer, where the policy names several.'),
    }),
  ).describe('The answers, cheapest first. Each answer is an offer.'),
});

/** The line of a file of receipts, and the answer over HTTP. */
export const signedReceiptSchema = z.strictObject({
  schema: z.literal('elsewise.signed-receipt/v1').describe('The kind and version of the document.'),
  id: z.string().describe('The id of the row.'),
  validUntil: z.iso.date().describe('The last day on which the operator stands by the offers (UTC).'),
  receipt: z
    .string()
    .describe('The receipt as a compact JSON Web Signature (EdDSA, Ed25519). Its payload is `elsewise.receipt/v1`.'),
});

export type ReceiptDocument = z.output<typeof receiptSchema>;
export type SignedReceipt = z.output<typeof signedReceiptSchema>;
