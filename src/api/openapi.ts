/** The OpenAPI 3.1 document, built from the table of routes: its schemas are those that check requests. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PACKAGE } from '../places.js';
import type { BodySpec, ResponseSpec, Route } from './route.js';
import { type JsonSchema, type NamedSchema, SCHEMAS } from './schemas.js';

const JSON_TYPE = 'application/json';
const PROBLEM = {
  description: 'what went wrong',
  content: { 'application/problem+json': { schema: refer(SCHEMAS.problem) } },
};

export function openApi(routes: readonly Route[]): JsonSchema {
  const { version, description, license } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as Record<string, string>;
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = pathTemplate(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'elsewise', version, description, license: { name: license, identifier: license } },
    servers: [{ url: '/', description: 'The server of this document.' }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.values(SCHEMAS).map((schema) => [schema.name, plain(schema.json())])),
    },
  };
}

/** `/v1/batches/:id` -> `/v1/batches/{id}`. A colon that does not follow a slash is text. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/\/:(\w+)/g, '/{$1}');
}

function operation({ id, summary, access, params, query, headers, body, responses }: Route): JsonSchema {
  return {
    operationId: id,
    summary: access === 'anyone' ? summary : `${summary} (role: ${access === 'known' ? 'any' : access})`,
    security: access === 'anyone' ? [] : [{ token: [] }],
    parameters: [...parameters('path', params), ...parameters('query', query), ...parameters('header', headers)],
    ...(body && { requestBody: { required: true, content: bodyContent(body) } }),
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, spec]) => [status, response(spec)])),
      '4XX': PROBLEM,
      '5XX': PROBLEM,
    },
  };
}

/** A parameter is text. The schema gives its meaning. */
function parameters(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): JsonSchema[] {
  if (!schema) return [];
  return Object.entries(schema.shape).map(([name, one]) => {
    const { description, ...json } = plain(z.toJSONSchema(one as z.ZodType, { io: 'output' }) as JsonSchema);
    const required = place === 'path' || !(one as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description ? { description } : {}), schema: json };
  });
}

function bodyContent(body: BodySpec): JsonSchema {
  if (body.kind !== 'bytes') return { [JSON_TYPE]: { schema: refer(body.schema) } };
  return Object.fromEntries(Object.keys(body.types).map((type) => [type, { schema: { type: 'string' } }]));
}

/** OpenAPI 3.1 cannot express "each line": the schema of one line describes NDJSON. */
function response({ description, type, others = [], schema, headers, isEmpty }: ResponseSpec): JsonSchema {
  const isProblem = schema === SCHEMAS.problem;
  const content = { schema: schema ? refer(schema) : { type: type ? 'string' : 'object' } };
  return {
    description,
    ...(!isEmpty && {
      content: {
        [type ?? (isProblem ? 'application/problem+json' : JSON_TYPE)]: content,
        ...Object.fromEntries(others.map((other) => [other, { schema: { type: 'string' } }])),
      },
    }),
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, header(text)])),
    }),
  };
}

function header(description: string): JsonSchema {
  return { description, schema: { type: 'string' } };
}

function refer({ name }: NamedSchema): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Without `$schema`, because the dialect is OpenAPI's own. */
function plain({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
