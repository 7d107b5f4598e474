/** `/v1/models`: the content of the registry, and pushes of new versions. A version never changes. Equal content is the same version. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { modelHeader } from '../../documents/model-document.js';
import { admitInThread } from '../../jobs/threads/document-thread.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

const UNKNOWN = { description: 'not known', schema: SCHEMAS.problem };
const name = modelHeader.name;

export const listModels = defineRoute({
  method: 'GET',
  path: '/v1/models',
  summary: 'All versions of all models',
  access: 'read',
  responses: { 200: { description: 'by name, newest first', schema: SCHEMAS.modelList } },
  answer: async ({ service }) => ({
    status: 200,
    body: { schema: 'elsewise.model-list/v1', models: await service.store.models.list() },
  }),
});

export const showModel = defineRoute({
  method: 'GET',
  path: '/v1/models/:name',
  summary: 'All versions of a model',
  access: 'read',
  params: z.strictObject({ name }),
  responses: { 200: { description: 'newest first', schema: SCHEMAS.modelList }, 404: UNKNOWN },
  async answer({ params, service: { store } }) {
    await store.models.resolve(params.name); // the error suggests similar names
    return {
      status: 200,
      body: { schema: 'elsewise.model-list/v1', models: await store.models.versions(params.name) },
    };
  },
});

export const showModelVersion = defineRoute({
  method: 'GET',
  path: '/v1/models/:name/versions/:version',
  summary: 'One version of a model: its number, or latest',
  access: 'read',
  params: z.strictObject({ name, version: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/, 'expected a version') }),
  responses: { 200: { description: 'about it', schema: SCHEMAS.modelVersion }, 404: UNKNOWN },
  async answer({ params, service }) {
    const reference = `${params.name}@${params.version}`;
    checkReference(reference, 'params.version');
    return { status: 200, body: await service.store.models.resolve(reference) };
  },
});

export const pushModel = defineRoute({
  method: 'PUT',
  path: '/v1/models/:name',
  summary: 'Push a model document; it gets the next version unless it is stored already',
  access: 'admin',
  params: z.strictObject({ name }),
  body: { kind: 'document', schema: SCHEMAS.model, limit: 'modelBytes' },
  responses: {
    200: { description: 'stored already, as this version', schema: SCHEMAS.modelVersion },
    201: { description: 'a new version', schema: SCHEMAS.modelVersion, headers: { location: 'where it is described' } },
  },
  async answer({ params, body, service }) {
    const { models, settings } = service.store;
    const admitted = await admitInThread(body, settings.maxDocumentMb);
    refuseOtherName(params.name, admitted.name);
    const { version, isNew } = await models.take(admitted);
    const location = `/v1/models/${version.name}/versions/${version.version}`;
    return { status: isNew ? 201 : 200, body: version, headers: { location } };
  },
});

function refuseOtherName(asked: string, own: string): void {
  if (own === asked) return;
  throw new ElsewiseError('bad-document', `the path says "${asked}", the document "${own}"`, 'model.name');
}
