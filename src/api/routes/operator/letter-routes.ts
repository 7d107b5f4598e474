/** `/v1/dead-letters`: dead letters by group and one by one. An index in Redis counts the groups, and no body is read for a count. */
import { z } from 'zod';
import { ElsewiseError } from '../../../documents/error.js';
import { FAILURES, type FailureCode } from '../../../jobs/failures/failures.js';
import { isMalformed, type LetterEntry } from '../../../store/events/dead-store.js';
import type { LetterGroup } from '../../../store/events/letter-groups.js';
import { defineRoute } from '../../route.js';
import { SCHEMAS } from '../../schemas.js';

const MOST_GROUPS = 200;
const MOST_LETTERS = 100;

const listGroups = defineRoute({
  id: 'listDeadLetterGroups',
  method: 'GET',
  path: '/v1/dead-letters/groups',
  summary: 'Dead letters by code, model and policy: count, first and last time, an example',
  access: 'read',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(MOST_GROUPS).default(100).describe('the most groups'),
  }),
  responses: { 200: { description: 'the largest groups first', schema: SCHEMAS.letterGroupList } },
  async answer({ query: { limit }, service: { store } }) {
    await store.dead.count(); // removes old letters
    const { groups, ...counts } = await store.dead.groups.list(limit);
    const body = { schema: 'elsewise.dead-letter-groups/v1', ...counts, groups: groups.map(withAdvice) };
    return { status: 200, body };
  },
});

function withAdvice(group: LetterGroup) {
  const known = Object.hasOwn(FAILURES, group.code) ? FAILURES[group.code as FailureCode] : undefined;
  return { ...group, meaning: known?.meaning ?? '', advice: known?.operator ?? '' };
}

const listLetters = defineRoute({
  id: 'listDeadLetters',
  method: 'GET',
  path: '/v1/dead-letters',
  summary: 'The dead letters of a group, newest first, without bodies, a page at a time',
  access: 'read',
  query: z.strictObject({
    group: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('the id of a group'),
    before: z.string().min(1).max(600).optional().describe('the place of a page, as in `next` of the page before'),
    limit: z.coerce.number().int().min(1).max(MOST_LETTERS).default(25).describe('the most letters of a page'),
  }),
  responses: { 200: { description: 'a page; none: no letter of the group is left', schema: SCHEMAS.letterList } },
  async answer({ query: { group, before, limit }, service: { store } }) {
    const { letters, next } = await store.dead.page(group, limit, before);
    const query = new URLSearchParams({ group, limit: String(limit), ...(next && { before: next }) });
    const body = {
      schema: 'elsewise.dead-letter-list/v1',
      group,
      letters: letters.flatMap(lineOf),
      ...(next && { next: `/v1/dead-letters?${query}` }),
    };
    return { status: 200, body };
  },
});

function lineOf(entry: LetterEntry) {
  if (isMalformed(entry)) return [];
  const { schema: _, body, ...line } = entry;
  return [{ ...line, canReplay: body !== null && !line.isCut && line.source !== 'schedule' }];
}

const showLetter = defineRoute({
  id: 'showDeadLetter',
  method: 'GET',
  path: '/v1/dead-letters/:id',
  summary: 'One dead letter with its request',
  access: 'read',
  params: z.strictObject({ id: z.string().min(1).max(500) }),
  responses: {
    200: { description: 'the letter', schema: SCHEMAS.letter },
    404: { description: 'no such letter, or no longer', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, service: { store } }) {
    const letter = await store.dead.find(id);
    if (letter && !isMalformed(letter)) return { status: 200, body: letter };
    throw new ElsewiseError('not-known', `no dead letter "${id}" is stored`, 'params.id');
  },
});

export const letterRoutes = [listGroups, listLetters, showLetter] as const;
