/** `/v1/actions`: what operators do, and the log of it. `/v1/operations`: the progress of bulk actions. */
import { z } from 'zod';
import { act } from '../../../jobs/operator/operator-actions.js';
import type { Operation } from '../../../store/operator/operation-store.js';
import { defineRoute } from '../../route.js';
import { SCHEMAS } from '../../schemas.js';

const MOST_ACTIONS = 200;
const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });

const doAction = defineRoute({
  id: 'doAction',
  method: 'POST',
  path: '/v1/actions',
  summary: 'Pause, resume, cancel, retry, run, replay or drop, with a reason for the log',
  access: 'admin',
  body: { kind: 'json', schema: SCHEMAS.actionRequest, limit: 'bodyBytes' },
  responses: {
    200: { description: 'the entry of the log; `begun`: a bulk action goes on', schema: SCHEMAS.action },
    404: PROBLEM('the target is not known'),
    409: PROBLEM('the state of the target does not allow the action, or more letters match than were confirmed'),
  },
  async answer({ body, service: { store, operations }, caller }) {
    const entry = await act(body, { by: caller!, via: 'http' }, { store, operations });
    return { status: 200, body: { schema: 'elsewise.action/v1', ...entry } };
  },
});

const listActions = defineRoute({
  id: 'listActions',
  method: 'GET',
  path: '/v1/actions',
  summary: 'The log of actions, newest first, a page at a time',
  access: 'read',
  query: z.strictObject({
    before: z
      .string()
      .regex(/^\d{1,15}-\d{1,9}$/)
      .optional()
      .describe('the place of a page, as in `next` of the page before'),
    limit: z.coerce.number().int().min(1).max(MOST_ACTIONS).default(50).describe('the most actions of a page'),
  }),
  responses: { 200: { description: 'a page', schema: SCHEMAS.actionList } },
  async answer({ query: { before, limit }, service: { store } }) {
    const found = await store.actions.list(limit + 1, before);
    const actions = found.slice(0, limit);
    const place = found.length > limit ? actions.at(-1)!.id : undefined;
    const next = place === undefined ? undefined : `/v1/actions?limit=${limit}&before=${place}`;
    return { status: 200, body: { schema: 'elsewise.action-list/v1', actions, ...(next && { next }) } };
  },
});

const listOperations = defineRoute({
  id: 'listOperations',
  method: 'GET',
  path: '/v1/operations',
  summary: 'Bulk replays and drops of dead letters with their progress, newest first',
  access: 'read',
  responses: { 200: { description: 'running and recent operations', schema: SCHEMAS.operationList } },
  async answer({ service: { store } }) {
    const operations = (await store.operations.list()).map(describeOperation);
    return { status: 200, body: { schema: 'elsewise.operation-list/v1', operations } };
  },
});

function describeOperation({ ids: _ids, place: _place, entry: { by, reason }, ...operation }: Operation) {
  return { ...operation, by, reason };
}

export const actionRoutes = [doAction, listActions, listOperations] as const;
