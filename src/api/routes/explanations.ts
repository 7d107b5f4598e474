/** `/v1/explanations`: one row. The caller waits for the answer or gets the address of the future answer. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { checkReference } from '../references.js';
import { defineRoute, type HttpAnswer } from '../route.js';
import { type Pending, SCHEMAS } from '../schemas.js';

const RESULT = { description: 'the answer', schema: SCHEMAS.result };
const PENDING = {
  description: 'not answered yet: come again',
  schema: SCHEMAS.pending,
  headers: { location: 'where the answer will be', 'retry-after': 'seconds' },
};

export const explain = defineRoute({
  id: 'explain',
  method: 'POST',
  path: '/v1/explanations',
  summary: 'Explain one row; waits for the answer up to waitMs',
  access: 'submit',
  query: z.strictObject({
    waitMs: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('milliseconds; more than the server allows counts as what it allows'),
  }),
  body: { kind: 'event', schema: SCHEMAS.explanationRequest, limit: 'bodyBytes' },
  responses: { 200: RESULT, 202: PENDING },
  async answer({ query, body, service, caller, gone }) {
    const { producer, answers, settings, closing } = service;
    const { id = randomUUID() } = body;
    for (const name of ['model', 'policy'] as const) checkReference(body[name], `body.${name}`);
    await answers.listen();
    const event = await producer.enqueueRead({ ...body, id, by: caller });
    const waitMs = Math.min(query.waitMs ?? settings.waitMs, settings.maxWaitMs);
    const answer = await answers.await(event, { waitMs, signal: AbortSignal.any([closing, gone]) });
    return answer === undefined ? comeBack(id) : { status: 200, body: answer };
  },
});

export const showExplanation = defineRoute({
  id: 'showExplanation',
  method: 'GET',
  path: '/v1/explanations/:id',
  summary: 'The answer to a row, by the id it was sent with',
  access: 'read',
  params: z.strictObject({ id: z.string().min(1).max(200) }),
  responses: { 200: RESULT, 202: PENDING, 404: { description: 'not known, or expired', schema: SCHEMAS.problem } },
  async answer({ params: { id }, service }) {
    const found = await service.answers.find(id);
    if (found === undefined)
      throw new ElsewiseError('not-known', 'no explanation of this id is stored (or it has expired)', 'params.id');
    return found === 'pending' ? comeBack(id) : { status: 200, body: found };
  },
});

function comeBack(id: string): HttpAnswer {
  const location = `/v1/explanations/${encodeURIComponent(id)}`;
  const body: Pending = { schema: 'elsewise.pending/v1', id, location };
  return { status: 202, body, headers: { location, 'retry-after': '1' } };
}
