/** What operators see and do: the index of dead letters, bulk operations that survive their process, the log of actions, and the page. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LetterOperations } from '../../dist/jobs/operator/letter-operations.js';
import { config } from '../../src/config.js';
import { DeadStore } from '../../src/store/events/dead-store.js';
import { Keys } from '../../src/store/keys.js';
import { thisUser } from '../../src/store/this-user.js';
import { openBrowser, seriousFaults } from '../support/browser.js';
import { ApiWorld, POLICY_LINE, SECRETS } from './api-world.js';
import { until } from './queue-world.js';

let api: ApiWorld;

beforeAll(async () => {
  api = await ApiWorld.create({}, ['bulk']);
});

afterAll(() => api?.close());

const body = Buffer.from('{"id":"a","model":"missing","features":{}}');
const letter = {
  source: 'events',
  code: 'not-known',
  message: 'no model "missing"',
  model: 'missing',
  attempts: 1,
  body,
} as const;
const get = async (path: string) => (await api.call('GET', path, { as: 'read' })).json;
const act = (request: object, as: 'admin' | 'read' | 'submit' = 'admin') =>
  api.call('POST', '/v1/actions', { as, body: request });
const latest = async () => (await get('/v1/actions?limit=1')).actions as Record<string, unknown>[];

interface Group {
  readonly id: string;
  readonly code: string;
  readonly model: string | null;
  readonly count: number;
  readonly last: string;
}
const groups = async () => (await get('/v1/dead-letters/groups')).groups as Group[];
const groupOf = async (model: string) => (await groups()).find((group) => group.model === model)!;

describe('groups of dead letters', () => {
  const storeWith = (name: string, limits: object) =>
    new DeadStore(api.world.store.redis, new Keys(`${api.world.store.settings.keyPrefix}-${name}`), {
      ...config.deadLetters,
      ...limits,
    });

  it('are counted by code, model and policy, whatever is added again, dropped or trimmed', async () => {
    const store = storeWith('groups', { maxCount: 5 });
    for (const origin of ['1', '2', '3', '3']) await store.add({ ...letter, origin });
    await store.add({ ...letter, origin: '4', policy: 'retail' });
    await store.add({ ...letter, origin: '3', code: 'damaged' });
    const counts = async () =>
      Object.fromEntries((await store.groups.list(10)).groups.map((one) => [`${one.code} ${one.policy}`, one.count]));
    expect(await counts()).toEqual({ 'not-known null': 2, 'not-known retail': 1, 'damaged null': 1 });
    await store.drop('events-4');
    expect(await counts()).toEqual({ 'not-known null': 2, 'damaged null': 1 });
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (const origin of ['5', '6', '7', '8', '9']) await store.add({ ...letter, origin });
    expect(await counts()).toEqual({ 'not-known null': 5 });
    expect(await store.groups.list(10)).toMatchObject({ letters: 5, ungrouped: 0, groupCount: 1 });
  });

  it('beyond their largest number count to the rest of their code', async () => {
    const store = storeWith('many', { maxGroups: 2 });
    for (let i = 0; i < 6; i++) await store.add({ ...letter, origin: String(i), model: `m${i}` });
    const { groups: found } = await store.groups.list(10);
    expect(new Map(found.map(({ model, count }) => [model, count]))).toEqual(
      new Map([
        ['m0', 1],
        ['m1', 1],
        [null, 4],
      ]),
    );
  });

  it('have pages in which each letter stands once, newest first', async () => {
    const store = storeWith('pages', {});
    for (let i = 0; i < 7; i++) await store.add({ ...letter, origin: String(i) });
    const [{ id }] = (await store.groups.list(1)).groups;
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await store.page(id, 3, before);
      seen.push(...page.letters.map((one) => one.id));
      before = page.next;
      if (before === undefined) break;
    }
    expect([...seen].sort()).toEqual(Array.from({ length: 7 }, (_, i) => `events-${i}`));
  });
});

describe('bulk operations', () => {
  const add = async (model: string, count: number) => {
    const { dead } = api.world.store;
    await Promise.all(Array.from({ length: count }, (_, i) => dead.add({ ...letter, model, origin: `${model}-${i}` })));
    return groupOf(model);
  };
  const ended = (model: string) => until('the end of the operation', async () => (await groupOf(model)) === undefined);

  it('replay no more letters than a person confirmed, and log the end', async () => {
    const { id: group, last } = await add('bulk', 250);
    const asked = { action: 'replay-letters', group, until: last, reason: 'the model is back' };
    expect((await act({ ...asked, count: 249 })).json).toMatchObject({ code: 'conflict', path: 'body.count' });
    expect((await act({ ...asked, count: 250 })).json).toMatchObject({ outcome: 'begun', by: 'the-admin' });
    await ended('bulk');
    const entry = {
      action: 'replay-letters',
      target: `${group} (not-known, bulk, any policy)`,
      outcome: 'done',
      detail: 'replayed: 250 of 250',
      reason: 'the model is back',
    };
    await until('the entry of the end', async () => (await latest())[0].outcome === 'done');
    expect(await latest()).toMatchObject([entry]);
    const queues = (await get('/v1/queues')).queues as { name: string; waiting: number }[];
    expect(queues.find(({ name }) => name === 'elsewise-events')).toMatchObject({ waiting: 250 });
  });

  it('continue in another process behind the last page', async () => {
    const { store } = api.world;
    const { id: group, last } = await add('left', 30);
    const died = new LetterOperations(store, () => true);
    await died.close(); // does not work any more
    const request = { action: 'drop-letters', group, until: last, count: 30, reason: 'wrong producer' } as const;
    await died.begin(request, { by: 'me', via: 'http' });
    expect((await groupOf('left')).count).toBe(30);
    await ended('left');
    const { operations } = (await get('/v1/operations')) as { operations: object[] };
    expect(operations[0]).toMatchObject({
      kind: 'drop-letters',
      total: 30,
      done: 30,
      by: 'me',
      reason: 'wrong producer',
    });
  });

  it('never work on the same letters as another operation', async () => {
    const { store } = api.world;
    const { id: group, last } = await add('opposed', 30);
    const others = await add('others', 1);
    const died = new LetterOperations(store, () => true);
    await died.close();
    const replay = { action: 'replay-letters', group, until: last, count: 30, reason: 'mended' } as const;
    await died.begin(replay, { by: 'me', via: 'http' });
    const ids = ['events-opposed-7', 'events-others-0'];
    for (const drop of [
      { group, until: last, count: 30 },
      { ids, count: 2 },
    ]) {
      const { status, json } = await act({ action: 'drop-letters', ...drop, reason: 'no use' });
      expect([status, json.code]).toEqual([409, 'conflict']);
      expect(await latest()).toMatchObject([{ action: 'drop-letters', outcome: 'failed', reason: 'no use' }]);
    }
    expect((await groupOf('others')).count).toBe(1);
    await ended('opposed');
    const both = await add('both', 40);
    const asked = { group: both.id, until: both.last, count: 40, reason: 'at once' };
    const outcomes = await Promise.all(
      ['replay-letters', 'drop-letters', 'replay-letters'].map(
        async (action) => (await act({ ...asked, action })).status,
      ),
    );
    // 404: the first operation was so fast that no letter is left
    expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
    expect(outcomes.filter((status) => ![200, 404, 409].includes(status))).toEqual([]);
    await ended('both');
    const ofOthers = { group: others.id, until: others.last, count: 1 };
    expect((await act({ action: 'drop-letters', ...ofOthers, reason: 'no use' })).status).toBe(200);
    await ended('others');
  });

  it('take a selection, and tell of letters that cannot be replayed', async () => {
    const { dead } = api.world.store;
    const { id } = await dead.add({ ...letter, model: 'chosen', origin: 'no-body', body: null });
    await act({ action: 'replay-letters', ids: [id], count: 1, reason: 'try' });
    await until('the end', async () => (await latest())[0].detail === 'replayed: 0 of 1, left: 1');
    expect((await groupOf('chosen')).count).toBe(1);
    await act({ action: 'drop-letters', ids: [id], count: 1, reason: 'no use' });
    await ended('chosen');
  });
});

describe('actions', () => {
  it('need the role admin and a reason, and a failure is logged as well', async () => {
    const pause = { action: 'pause-queue', queue: 'elsewise-webhooks' };
    expect((await act({ ...pause, reason: 'x' }, 'read')).status).toBe(403);
    expect((await act({ ...pause, reason: '  ' })).json).toMatchObject({ path: 'body.reason' });
    expect((await act({ ...pause, reason: 'receiver is down' })).status).toBe(200);
    const queues = (await get('/v1/queues')).queues as { name: string; isPaused: boolean }[];
    expect(queues.filter(({ isPaused }) => isPaused).map(({ name }) => name)).toEqual(['elsewise-webhooks']);
    await act({ action: 'resume-queue', queue: 'elsewise-webhooks', reason: 'receiver is back' });
    expect((await act({ action: 'cancel-batch', batch: 'nowhere', reason: 'typo' })).status).toBe(404);
    expect(await latest()).toMatchObject([{ action: 'cancel-batch', target: 'nowhere', outcome: 'failed' }]);
  });

  it('of other routes and of commands are logged', async () => {
    const headers = { 'content-type': 'text/csv', 'x-elsewise-policy': POLICY_LINE };
    const rows = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8').split('\n').slice(0, 41).join('\n');
    await api.call('POST', '/v1/batches?model=credit&batch=small', { as: 'submit', headers, body: rows });
    await until('the batch', async () => (await get('/v1/batches/small')).state === 'done');
    await api.call('POST', '/v1/batches/small/retry', { as: 'submit' });
    expect(await latest()).toMatchObject([{ action: 'retry-batch', target: 'small', by: 'the-submit', reason: '' }]);
    for (const [method, path, action] of [
      ['POST', '/v1/batches/small/retry', 'retry-batch'],
      ['DELETE', '/v1/batches/small', 'cancel-batch'],
    ] as const) {
      const why = `${action}: the file was the wrong one`;
      const query = `?reason=${encodeURIComponent(why)}`;
      expect((await api.call(method, `${path}${query}`, { as: 'submit' })).status).toBe(200);
      expect(await latest()).toMatchObject([{ action, target: 'small', by: 'the-submit', reason: why }]);
      expect((await api.call(method, `${path}?reason=%20`, { as: 'submit' })).json).toMatchObject({
        path: 'query.reason',
      });
    }
    expect((await api.world.call('batch', 'cancel', 'small', '--reason', 'too late')).code).toBe(0);
    const cancelled = { action: 'cancel-batch', target: 'small', via: 'command', detail: 'was done already' };
    expect(await latest()).toMatchObject([{ ...cancelled, by: thisUser(), reason: 'too late', outcome: 'done' }]);
  });
});

describe('the state', () => {
  it('tells when each chunk ran, how often, and on which living worker', async () => {
    const { chunks } = (await get('/v1/batches/small/chunks')) as {
      chunks: { run: Record<string, number | string> }[];
    };
    const { workers } = (await get('/v1/workers')) as { workers: Record<string, unknown>[] };
    expect(workers).toMatchObject([{ isGone: false, queues: ['elsewise-bulk'], threads: 1 }]);
    for (const { run } of chunks) {
      expect(run).toMatchObject({ worker: workers[0].id, attempts: 1 });
      expect(Number(run.ended)).toBeGreaterThanOrEqual(Number(run.started));
    }
    expect(chunks.length).toBeGreaterThan(0);
  });

  it('finds batches by a part of a name and by state', async () => {
    const found = async (query: string) => ((await get(`/v1/batches?${query}`)).batches as object[]).length;
    expect(await found('search=SMA')).toBe(1);
    expect(await found('search=the-submit&state=done')).toBe(1);
    expect(await found('search=small&state=failed')).toBe(0);
    expect(await found('search=other')).toBe(0);
  });
});

async function signInto(page: Page, token: string, hash: string): Promise<void> {
  await page.goto(`${api.server.address}/console${hash}`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

describe('the page', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => /Content Security Policy/.test(message.text()) && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterAll(() => browser?.close());

  it('replays a dead letter with a reason, and shows the row of the log', async () => {
    await api.world.store.dead.add({ ...letter, model: 'shown', origin: 'shown-1' });
    await signInto(page, SECRETS.admin, '#/operator?view=letters');
    await page.getByRole('link', { name: /1 not-known/ }).click();
    await page.getByRole('button', { name: 'Replay all 1', exact: true }).click();
    await page.getByLabel('Reason').fill('the model was pushed');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Replay 1 dead letter', exact: true }).click();
    await page.getByText('Replay 1 dead letter: has begun.').waitFor();
    await page.getByRole('link', { name: 'Actions', exact: true }).click();
    const row = page.getByRole('row', { name: /replay letters.*the model was pushed/ });
    await row.getByText('replayed: 1 of 1').waitFor();
    expect(await row.getByText('the-admin').count()).toBe(1);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('has no serious fault in any view, and fits a phone', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    for (const [view, shown] of Object.entries(VIEWS)) {
      await page.goto(`${api.server.address}/console#/operator?view=${view}`);
      await page.getByText(shown).first().waitFor();
      expect(await seriousFaults(page), view).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(375);
    }
  });

  it('shows no buttons to a token that only reads', async () => {
    const other = await browser.newPage();
    await signInto(other, SECRETS.read, '#/operator');
    await other.getByText('Your token reads.').waitFor();
    await other.getByText('Stream of requests').waitFor();
    expect(await other.getByRole('main').getByRole('button').count()).toBe(0);
    await other.close();
  });

  it('broke no rule of its content security policy, and no script', () => {
    expect(complaints).toEqual([]);
  });
});

/** View -> a text that its data bring. */
const VIEWS = {
  overview: 'Stream of requests',
  batches: 'Not found',
  'batches&id=small': 'rows a second',
  letters: 'Every request has its answer.',
  schedules: 'No schedule is stored.',
  actions: 'Log of actions',
};
