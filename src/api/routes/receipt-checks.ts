/** `/v1/receipt-checks`: a receipt against the keys of this server, and against its row, model and policy, in the words of the command line. */
import { ElsewiseError } from '../../documents/error.js';
import type { ReceiptDocument } from '../../documents/receipt-document.js';
import { FITS, originFaults, rowFault } from '../../receipts/check-offer.js';
import { checkReceipt } from '../../receipts/check-receipt.js';
import { pinOf } from '../../store/batches/manifest.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { type ReceiptCheckRequest, SCHEMAS } from '../schemas.js';
import type { Service } from '../service.js';
import { takeSlots } from '../wait-slots.js';

const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });

export const checkReceiptOf = defineRoute({
  id: 'checkReceipt',
  method: 'POST',
  path: '/v1/receipt-checks',
  summary: 'Check a receipt: its signature, its dates, its row, its model and its policy',
  access: 'audit',
  body: { kind: 'json', schema: SCHEMAS.receiptCheckRequest, limit: 'bodyBytes' },
  responses: {
    200: { description: 'the verdict', schema: SCHEMAS.receiptCheck },
    404: PROBLEM('the model or the policy is not in the registry'),
    422: PROBLEM('the server has no keys, or the model is scored elsewhere'),
    429: PROBLEM('too many rows are solved or checked already'),
  },
  async answer({ body, service }) {
    const { receipts, replaySlots } = service;
    if (!receipts) throw new ElsewiseError('unsupported', 'the server has no keys for receipts (receipts.keys)');
    for (const name of ['model', 'policy'] as const) checkReference(body[name], `body.${name}`);
    if (body.policy !== undefined && body.model === undefined)
      throw new ElsewiseError('bad-request', 'a policy needs its model', 'body.model');
    const terms = { now: new Date(), maxBytes: receipts.maxBytes };
    const verdict = await checkReceipt(body.receipt.trim(), await receipts.file.keys(), terms);
    const leave = takeSlots(replaySlots);
    const compare = async () => (verdict.receipt ? comparisonOf(verdict.receipt, body, service) : fits());
    const comparison = await compare().finally(leave);
    return { status: 200, body: { schema: 'elsewise.receipt-check/v1', ...verdict, ...comparison } };
  },
});

interface Comparison {
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

const fits = (...notes: readonly string[]): Comparison => ({ notes, faults: [] });
const fails = (...faults: readonly string[]): Comparison => ({ notes: [], faults });

const OF_ORDER =
  '. Numbers as text, left-out values and another order of features have another digest: send the model and the policy';

async function comparisonOf(
  receipt: ReceiptDocument,
  { features, target, model, policy }: ReceiptCheckRequest,
  { store, replays }: Service,
): Promise<Comparison> {
  const row = features && { features, ...(target !== undefined && { target }) };
  if (model === undefined) {
    const fault = row && rowFault(receipt, row);
    if (fault) return fails(fault + OF_ORDER);
    return row ? fits(FITS.row) : fits();
  }
  const pin = pinOf(await store.models.resolve(model));
  const accepted = await store.policies.accept(policy);
  const origin = originFaults(receipt, { model: pin, policy: accepted });
  if (origin.length) return fails(...origin);
  if (!row) return fits(FITS.origin);
  return replays.recheck(receipt, row, pin, accepted);
}
