/**
 * `/v1/models` and `/v1/policies`: the content of a registry, pushes of new versions, removals and aliases. A version never changes. Equal
 * content is the same version. Both registries have the same routes.
 */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { modelHeader } from '../../documents/model-document.js';
import { type AdmittedDocuments, admitInThread } from '../../jobs/threads/document-thread.js';
import { LATEST, readExactReference } from '../../store/registry/reference.js';
import type { StoredVersion, VersionedStore } from '../../store/registry/versioned-store.js';
import type { Store } from '../../store/store.js';
import { checkReference, withPlace } from '../references.js';
import { defineRoute, type Route } from '../route.js';
import { type AliasList, type NamedSchema, SCHEMAS } from '../schemas.js';
import type { ApiSettings } from '../settings.js';

interface RegistryPart {
  readonly noun: keyof AdmittedDocuments;
  readonly group: 'models' | 'policies';
  /** The end of operation ids. */
  readonly one: string;
  readonly many: string;
  readonly document: NamedSchema;
  readonly version: NamedSchema;
  readonly list: NamedSchema;
  readonly limit: keyof Pick<ApiSettings, 'bodyBytes' | 'modelBytes'>;
  store(store: Store): VersionedStore<StoredVersion, never>;
}

const MODELS: RegistryPart = {
  noun: 'model',
  group: 'models',
  one: 'Model',
  many: 'Models',
  document: SCHEMAS.model,
  version: SCHEMAS.modelVersion,
  list: SCHEMAS.modelList,
  limit: 'modelBytes',
  store: ({ models }) => models as unknown as VersionedStore<StoredVersion, never>,
};

const POLICIES: RegistryPart = {
  noun: 'policy',
  group: 'policies',
  one: 'Policy',
  many: 'Policies',
  document: SCHEMAS.policy,
  version: SCHEMAS.policyVersion,
  list: SCHEMAS.policyList,
  limit: 'bodyBytes',
  store: ({ policies }) => policies as unknown as VersionedStore<StoredVersion, never>,
};

const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });
const UNKNOWN = PROBLEM('not known');
const REFUSED = PROBLEM('the document, its name or the request is not valid');
const USED = PROBLEM('an alias or an open batch uses the version, or another caller was first');
const word = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/, 'expected letters, digits, dot, dash and underscore');
const name = modelHeader.name.describe('the name of the document');
const version = word.describe('a number, an alias, or latest');
const alias = word.describe('begins with a letter');

export const registryRoutes: readonly Route[] = [MODELS, POLICIES].flatMap((part) => [
  ...versionRoutes(part),
  ...documentRoutes(part),
  ...aliasRoutes(part),
]);

function versionRoutes({ noun, group, one, many, version: schema, list, store }: RegistryPart): Route[] {
  const listed = (versions: StoredVersion[]) => ({
    status: 200,
    body: { schema: `elsewise.${noun}-list/v1`, [group]: versions },
  });
  return [
    defineRoute({
      id: `list${many}`,
      method: 'GET',
      path: `/v1/${group}`,
      summary: `All versions of all ${group}`,
      access: 'read',
      responses: { 200: { description: 'by name, newest first', schema: list } },
      answer: async ({ service }) => listed(await store(service.store).list()),
    }),
    defineRoute({
      id: `show${one}`,
      method: 'GET',
      path: `/v1/${group}/:name`,
      summary: `All versions of a ${noun}`,
      access: 'read',
      params: z.strictObject({ name }),
      responses: { 200: { description: 'newest first', schema: list }, 404: UNKNOWN },
      async answer({ params, service }) {
        const registry = store(service.store);
        await registry.resolve(params.name); // the error suggests similar names
        return listed(await registry.versions(params.name));
      },
    }),
    defineRoute({
      id: `show${one}Version`,
      method: 'GET',
      path: `/v1/${group}/:name/versions/:version`,
      summary: `One version of a ${noun}: its number, an alias, or latest`,
      access: 'read',
      params: z.strictObject({ name, version }),
      responses: { 200: { description: 'about the version', schema }, 404: UNKNOWN },
      answer: async ({ params, service }) => ({ status: 200, body: await resolve(store(service.store), params) }),
    }),
  ];
}

function documentRoutes({ noun, group, one, document, version: schema, limit, store }: RegistryPart): Route[] {
  return [
    defineRoute({
      id: `show${one}Document`,
      method: 'GET',
      path: `/v1/${group}/:name/versions/:version/document`,
      summary: `The document of a version of a ${noun}`,
      access: 'read',
      params: z.strictObject({ name, version }),
      responses: { 200: { description: 'the document with its keys in order', schema: document }, 404: UNKNOWN },
      async answer({ params, service }) {
        const registry = store(service.store);
        return { status: 200, body: await registry.read(await resolve(registry, params)) };
      },
    }),
    defineRoute({
      id: `push${one}`,
      method: 'PUT',
      path: `/v1/${group}/:name`,
      summary: `Push a ${noun} document; it gets the next version unless it is stored already`,
      access: 'admin',
      params: z.strictObject({ name }),
      query: z.strictObject({ reason: z.string().max(500).optional().describe('kept with the version') }),
      body: { kind: 'document', schema: document, limit },
      responses: {
        200: { description: 'stored already, as this version', schema },
        201: { description: 'a new version', schema, headers: { location: 'where it is described' } },
        422: REFUSED,
      },
      async answer({ params, query, body, service, caller }) {
        const admitted = await admitInThread(noun, body, service.store.settings.maxDocumentMb);
        refuseOtherName(params.name, admitted.name, noun);
        const pushed = await store(service.store).take(admitted, caller, query.reason);
        const location = `/v1/${group}/${admitted.name}/versions/${pushed.version.version}`;
        return { status: pushed.isNew ? 201 : 200, body: pushed.version, headers: { location } };
      },
    }),
    defineRoute({
      id: `remove${one}Version`,
      method: 'DELETE',
      path: `/v1/${group}/:name/versions/:version`,
      summary: `Remove a version of a ${noun} for good, by its number`,
      access: 'admin',
      params: z.strictObject({ name, version: word.describe('a number') }),
      responses: { 200: { description: 'the version that was removed', schema }, 404: UNKNOWN, 409: USED },
      async answer({ params, service }) {
        const reference = `${params.name}@${params.version}`;
        withPlace('params.version', () => readExactReference(reference));
        return { status: 200, body: await store(service.store).remove(reference) };
      },
    }),
  ];
}

function aliasRoutes({ noun, group, one, store }: RegistryPart): Route[] {
  const path = `/v1/${group}/:name/aliases`;
  const aliasesOf = async (registry: VersionedStore<StoredVersion, never>, own: string): Promise<AliasList> => ({
    schema: 'elsewise.alias-list/v1',
    name: own,
    aliases: Object.fromEntries([...(await registry.aliases(own))].sort()),
  });
  return [
    defineRoute({
      id: `list${one}Aliases`,
      method: 'GET',
      path,
      summary: `The aliases of a ${noun}, each with its version`,
      access: 'read',
      params: z.strictObject({ name }),
      responses: { 200: { description: 'alias and number of the version', schema: SCHEMAS.aliasList }, 404: UNKNOWN },
      async answer({ params, service }) {
        const registry = store(service.store);
        await registry.resolve(params.name);
        return { status: 200, body: await aliasesOf(registry, params.name) };
      },
    }),
    defineRoute({
      id: `move${one}Alias`,
      method: 'PUT',
      path: `${path}/:alias`,
      summary: `Let an alias of a ${noun} name a version`,
      access: 'admin',
      params: z.strictObject({ name, alias }),
      body: { kind: 'json', schema: SCHEMAS.aliasMove },
      responses: {
        200: { description: 'alias and number of the version, for all aliases of the name', schema: SCHEMAS.aliasList },
        404: UNKNOWN,
        409: USED,
      },
      async answer({ params, body, service }) {
        const registry = store(service.store);
        const wanted = String(body.version ?? LATEST);
        checkReference(`${params.name}@${wanted}`, 'body.version');
        await withPlace('params.alias', () => registry.setAlias(params.name, params.alias, wanted, body.from));
        return { status: 200, body: await aliasesOf(registry, params.name) };
      },
    }),
    defineRoute({
      id: `drop${one}Alias`,
      method: 'DELETE',
      path: `${path}/:alias`,
      summary: `Delete an alias of a ${noun}; the versions stay`,
      access: 'admin',
      params: z.strictObject({ name, alias }),
      responses: { 200: { description: 'the aliases that are left', schema: SCHEMAS.aliasList }, 404: UNKNOWN },
      async answer({ params, service }) {
        const registry = store(service.store);
        await registry.dropAlias(params.name, params.alias);
        return { status: 200, body: await aliasesOf(registry, params.name) };
      },
    }),
  ];
}

function resolve(
  registry: VersionedStore<StoredVersion, never>,
  params: { readonly name: string; readonly version: string },
): Promise<StoredVersion> {
  const reference = `${params.name}@${params.version}`;
  checkReference(reference, 'params.version');
  return registry.resolve(reference);
}

function refuseOtherName(asked: string, own: string, noun: string): void {
  if (own === asked) return;
  throw new ElsewiseError('bad-document', `the path says "${asked}", the document "${own}"`, `${noun}.name`);
}
