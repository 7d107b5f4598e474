/** Routes for monitoring, restarts and routing, and the description of the API. */
import { openApi } from '../openapi.js';
import type { Route } from '../route.js';
import { defineRoute, type HttpAnswer } from '../route.js';

const TEXT = 'text/plain; charset=utf-8';

const plain = (status: number, text: string): HttpAnswer => ({ status, type: TEXT, body: `${text}\n` });

export const health = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process lives; if not, restart it',
  access: 'anyone',
  worksAlone: true,
  responses: { 200: { description: 'it does', type: TEXT } },
  answer: async () => plain(200, 'alive'),
});

export const readiness = defineRoute({
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

/** A function, because the description includes its own route. */
export function describeRoutes(routes: () => readonly Route[]): Route {
  return defineRoute({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    access: 'anyone',
    worksAlone: true,
    responses: { 200: { description: 'OpenAPI 3.1' } },
    answer: async () => ({ status: 200, body: openApi(routes()) }),
  });
}
