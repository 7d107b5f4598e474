/** `/v1/explanations`: one row. The caller waits for the answer or gets the address of the future answer. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { documentFaults } from '../../documents/parse.js';
import { type ResultDocument, resultSchema } from '../../documents/result-document.js';
import { answerFaults } from '../../jobs/audit/check-answer.js';
import { forgetRow } from '../../jobs/forget/forget-row.js';
import { checkReference } from '../references.js';
import { defineRoute, type HttpAnswer } from '../route.js';
import { answerRows, PATIENCE, pendingOf } from '../rows/answer-rows.js';
import { SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';

const RESULT = { description: 'the answer', schema: SCHEMAS.result };
const PENDING = {
  description: 'not answered yet: come again',
  schema: SCHEMAS.pending,
  headers: { location: 'where the answer will be', 'retry-after': 'seconds' },
};

const NOT_STORED = { description: 'not known, or expired', schema: SCHEMAS.problem };
const STORED = z.strictObject({ id: z.string().min(1).max(200) });

const notStored = (): ElsewiseError =>
  new ElsewiseError('not-known', 'no explanation of this id is stored (or it has expired)', 'params.id');

export const explain = defineRoute({
  id: 'explain',
  method: 'POST',
  path: '/v1/explanations',
  summary: 'Explain one row; waits for the answer up to waitMs',
  access: 'submit',
  query: PATIENCE,
  body: { kind: 'event', schema: SCHEMAS.explanationRequest, limit: 'bodyBytes' },
  responses: { 200: RESULT, 202: PENDING },
  async answer({ query, body, service, caller, gone }) {
    const { id = randomUUID() } = body;
    for (const name of ['model', 'policy'] as const) checkReference(body[name], `body.${name}`);
    const [answer] = await answerRows(service, [{ ...body, id, by: caller }], { waitMs: query.waitMs, gone });
    return answer === undefined ? comeBack(id) : { status: 200, body: answer };
  },
});

export const showExplanation = defineRoute({
  id: 'showExplanation',
  method: 'GET',
  path: '/v1/explanations/:id',
  summary: 'The answer to a row, by the id it was sent with',
  access: 'read',
  params: STORED,
  responses: { 200: RESULT, 202: PENDING, 404: NOT_STORED },
  async answer({ params: { id }, service }) {
    const found = await service.answers.find(id);
    if (found === undefined) throw notStored();
    return found === 'pending' ? comeBack(id) : { status: 200, body: found };
  },
});

export const showReceipt = defineRoute({
  id: 'showReceipt',
  method: 'GET',
  path: '/v1/explanations/:id/receipt',
  summary: 'A signed receipt of the answer to a row, issued now',
  access: 'read',
  isPage: true,
  params: STORED,
  responses: {
    200: { description: 'the receipt', schema: SCHEMAS.signedReceipt },
    202: PENDING,
    404: NOT_STORED,
    409: { description: 'the stored answer fails its check, and is not signed', schema: SCHEMAS.problem },
    422: { description: 'the row is invalid, or the server has no keys', schema: SCHEMAS.problem },
    429: { description: 'too many rows are solved or checked already', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, service, gone }) {
    if (!service.receipts)
      throw new ElsewiseError('unsupported', 'the server has no keys for receipts (receipts.keys)');
    const found = await service.answers.find(id);
    if (found === undefined) throw notStored();
    if (found === 'pending') return comeBack(id);
    const result = readAnswer(found);
    const leave = takeSlots(service.replaySlots);
    const faults = await answerFaults(service.store, service.replays, result, gone).finally(leave);
    if (faults.length) throw unsigned(faults);
    const receipt = await service.receipts.issuer.issue(result, new Date());
    if (!receipt)
      throw new ElsewiseError('bad-row', 'the row is invalid, and an invalid row has no receipt', 'params.id');
    return { status: 200, body: receipt };
  },
});

function readAnswer(text: string): ResultDocument {
  try {
    const result: unknown = JSON.parse(text);
    const [fault] = documentFaults(resultSchema, result, '');
    if (!fault) return result as ResultDocument;
    throw unsigned([`${fault.path}: ${fault.message}`]);
  } catch (error) {
    throw error instanceof ElsewiseError ? error : unsigned(['is no JSON']);
  }
}

const unsigned = (faults: readonly string[]): ElsewiseError =>
  new ElsewiseError(
    'conflict',
    `the stored answer fails its check and is not signed: ${faults.join('; ')}`,
    'params.id',
  );

export const dropExplanation = defineRoute({
  id: 'dropExplanation',
  method: 'DELETE',
  path: '/v1/explanations/:id',
  summary: 'Forget a row: remove the stored data of the id, also from batches and the record',
  access: 'admin',
  params: STORED,
  responses: { 200: { description: 'the removed data, and the data that stay', schema: SCHEMAS.forgotten } },
  async answer({ params: { id }, service: { store }, caller = '' }) {
    return { status: 200, body: await forgetRow(store, id, { by: caller }) };
  },
});

function comeBack(id: string): HttpAnswer {
  const body = pendingOf(id);
  return { status: 202, body, headers: { location: body.location, 'retry-after': '1' } };
}
