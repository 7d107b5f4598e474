/** Routes for monitoring, restarts and routing, and the description of the API. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openApi } from '../openapi.js';
import type { Route } from '../route.js';
import { defineRoute, type HttpAnswer } from '../route.js';

const TEXT = 'text/plain; charset=utf-8';

const plain = (status: number, text: string): HttpAnswer => ({ status, type: TEXT, body: `${text}\n` });

export const health = defineRoute({
  id: 'showHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process lives; if not, restart it',
  access: 'anyone',
  worksAlone: true,
  responses: { 200: { description: 'it does', type: TEXT } },
  answer: async () => plain(200, 'alive'),
});

export const readiness = defineRoute({
  id: 'showReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether it wants requests just now',
  access: 'anyone',
  worksAlone: true,
  responses: { 200: { description: 'it does', type: TEXT }, 503: { description: 'why not', type: TEXT } },
  async answer({ service }) {
    const { isGood, reason } = service.readiness();
    return plain(isGood ? 200 : 503, reason);
  },
});

export const metrics = defineRoute({
  id: 'showMetrics',
  method: 'GET',
  path: '/metrics',
  summary: 'For Prometheus',
  access: 'read',
  worksAlone: true,
  responses: { 200: { description: 'in the text format of Prometheus', type: TEXT } },
  answer: async ({
    service: {
      metrics: { registry },
    },
  }) => ({
    status: 200,
    type: registry.contentType,
    body: await registry.metrics(),
  }),
});

/** A function, because the description includes its own route. The document is written once, with the first request. */
export function describeRoutes(routes: () => readonly Route[]): Route {
  let written: Description | undefined;
  return defineRoute({
    id: 'describeApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    access: 'anyone',
    worksAlone: true,
    headers: z.object({ 'if-none-match': z.string().optional().describe('the `ETag` of a copy that the client has') }),
    responses: {
      200: { description: 'OpenAPI 3.1', headers: { etag: 'changes with the document' } },
      304: { description: 'the copy of the client is up to date', isEmpty: true },
    },
    async answer({ headers: asked }) {
      written ??= describe(routes());
      const headers = { etag: written.etag, 'cache-control': 'no-cache' };
      if (asked['if-none-match'] === written.etag) return { status: 304, body: '', headers };
      return { status: 200, body: written.text, headers };
    },
  });
}

interface Description {
  readonly text: string;
  readonly etag: string;
}

function describe(routes: readonly Route[]): Description {
  const text = JSON.stringify(openApi(routes));
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
