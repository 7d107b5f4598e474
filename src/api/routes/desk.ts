/** Short questions about a model: the scores of a row, its population, the faults of a policy. A thread of this process answers them. */
import { z } from 'zod';
import { modelHeader } from '../../documents/model-document.js';
import { refuseInvalid } from '../../jobs/model-desk.js';
import { pinOf } from '../../store/batches/manifest.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });
/** The largest number of rows of the background that a page gets. */
const MOST_ROWS = 200;

const predict = defineRoute({
  id: 'predict',
  method: 'POST',
  path: '/v1/predictions',
  summary: 'The prediction and the scores of one row, without a search',
  access: 'submit',
  body: { kind: 'json', schema: SCHEMAS.predictionRequest, limit: 'bodyBytes' },
  responses: {
    200: { description: 'as the model says', schema: SCHEMAS.prediction },
    422: PROBLEM('the row is not valid'),
  },
  async answer({ body, service }) {
    checkReference(body.model, 'body.model');
    const { prediction, scores } = refuseInvalid(await service.desk.predict(body.model, body.features));
    return { status: 200, body: { prediction, scores } };
  },
});

const showPopulation = defineRoute({
  id: 'showPopulation',
  method: 'GET',
  path: '/v1/models/:name/versions/:version/population',
  summary: 'The features of a model and the distribution of their values in its background',
  access: 'read',
  params: z.strictObject({ name: modelHeader.name, version: z.string().min(1).max(100) }),
  query: z.strictObject({
    rows: z.coerce.number().int().min(0).max(MOST_ROWS).default(0).describe('how many rows of the background to add'),
  }),
  responses: { 200: { description: 'shares by feature', schema: SCHEMAS.population }, 404: PROBLEM('not known') },
  async answer({ params, query, service }) {
    const reference = `${params.name}@${params.version}`;
    checkReference(reference, 'params.version');
    const model = pinOf(await service.store.models.resolve(reference));
    const population = await service.desk.population(`${model.name}@${model.version}`, query.rows);
    return { status: 200, body: { schema: 'elsewise.population/v1', model, ...population } };
  },
});

const checkPolicy = defineRoute({
  id: 'checkPolicy',
  method: 'POST',
  path: '/v1/policy-checks',
  summary: 'All faults of a policy at once; nothing is stored',
  access: 'read',
  body: { kind: 'json', schema: SCHEMAS.policyCheckRequest, limit: 'bodyBytes' },
  responses: { 200: { description: 'the faults with their paths', schema: SCHEMAS.policyCheck } },
  async answer({ body, service }) {
    checkReference(body.model, 'body.model');
    const found = await service.desk.policyFaults(body.policy, body.model);
    const faults = found.map(({ path, message }) => ({ path, message }));
    return { status: 200, body: { schema: 'elsewise.policy-check/v1', faults } };
  },
});

export const deskRoutes = [predict, showPopulation, checkPolicy] as const;
