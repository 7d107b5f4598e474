/** Questions about many people: a batch under a changed policy, and two policies or models on the same rows. Solver threads answer them. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';

const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });
const JSON_TYPE = 'application/json';
const ROWS = 'application/x-ndjson';
const COMPARED = { description: 'the comparison in figures and words', schema: SCHEMAS.comparison };

const whatIf = defineRoute({
  id: 'askWhatIf',
  method: 'POST',
  path: '/v1/batches/:id/what-if',
  summary: 'How many people of a batch a changed policy would help; nothing is stored',
  access: 'read',
  params: z.strictObject({ id: batchIdSchema }),
  body: { kind: 'json', schema: SCHEMAS.whatIfRequest, limit: 'bodyBytes' },
  responses: {
    200: COMPARED,
    404: PROBLEM('not known, or expired'),
    422: PROBLEM('the changed policy is not valid'),
  },
  async answer({ params: { id }, body, service, gone }) {
    if (body.policy === undefined && body.allow === undefined && body.merge === undefined)
      throw new ElsewiseError('bad-request', 'name a change: allow, merge or policy', 'body');
    checkReference(body.policy, 'body.policy');
    const leave = takeSlots(service.comparisonSlots);
    const answer = await service.comparisons.whatIf(id, body, gone).finally(leave);
    return { status: 200, type: JSON_TYPE, body: answer };
  },
});

const compare = defineRoute({
  id: 'compare',
  method: 'POST',
  path: '/v1/comparisons',
  summary: 'Two policies or two models on the same rows; nothing is stored',
  access: 'read',
  body: { kind: 'json', schema: SCHEMAS.comparisonRequest, limit: 'bodyBytes' },
  responses: { 200: COMPARED, 404: PROBLEM('not known'), 422: PROBLEM('a policy or the rows are not valid') },
  async answer({ body, service, gone }) {
    checkReference(body.before.model, 'body.before.model');
    checkReference(body.before.policy, 'body.before.policy');
    checkReference(body.after.model, 'body.after.model');
    checkReference(body.after.policy, 'body.after.policy');
    const leave = takeSlots(service.comparisonSlots);
    const answer = await service.comparisons.compare(body, gone).finally(leave);
    return { status: 200, type: JSON_TYPE, body: answer };
  },
});

const sampleRows = defineRoute({
  id: 'showSampleRows',
  method: 'GET',
  path: '/v1/batches/:id/rows',
  summary: 'A random sample of the rows of a batch, as its results repeat them',
  access: 'read',
  params: z.strictObject({ id: batchIdSchema }),
  query: z.strictObject({
    rows: z.coerce.number().int().min(1).default(100).describe('at most api.comparisonRows'),
    seed: z.coerce.number().int().min(0).default(1).describe('the seed of the sample'),
  }),
  responses: { 200: { description: 'rows as explain reads them', type: ROWS }, 404: PROBLEM('not known, or expired') },
  async answer({ params: { id }, query: { rows, seed }, service, gone }) {
    const leave = takeSlots(service.tableSlots);
    const body = await service.comparisons.sampleRows(id, rows, seed, gone).finally(leave);
    return { status: 200, type: ROWS, body };
  },
});

export const comparisonRoutes = [whatIf, compare, sampleRows] as const;
