import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOFTWARE } from '../../dist/jobs/audit/software.js';
import { recordsOf } from '../../dist/store/audit/read-chain.js';
import { redactRecords } from '../../dist/store/audit/redact-records.js';
import { type ChainSpan, verifySteps, verifyStored } from '../../dist/store/audit/verify-chain.js';
import { verifyExport } from '../../dist/store/audit/verify-export.js';
import { Keys } from '../../dist/store/keys.js';
import { storeOver } from '../../dist/store/store.js';
import { auditedAnswerSchema, auditSchema } from '../../src/documents/audit-document.js';
import { inputDigest } from '../../src/documents/digest.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { Dice } from '../support/dice.js';
import { ApiWorld } from './api-world.js';
import { blockOf, chainIn, chainOfDays, draft, each, exportedOf } from './audit-chain.js';
import { MODEL, until, World } from './queue-world.js';

const AUDIT = { enabled: true, retentionDays: 30 };

let world: World;
beforeAll(async () => {
  world = await World.withModel();
});
afterAll(() => world.close());

const exported = (of: World = world): Promise<string[]> => exportedOf(of);

/** No record is redacted. */
const wholeSchema = auditSchema.extend({ record: auditedAnswerSchema });

const documentsOf = (lines: readonly string[]) => lines.map((line) => wholeSchema.parse(JSON.parse(line)));

describe('the record of answers', () => {
  it('has a record for each answer of a batch, an event and a request', async () => {
    await world.serve({ lanes: ['bulk', 'events'], audit: AUDIT });
    const batch = await world.add(world.writeRows('rows.csv', 1), { chunkRows: 500 });
    const results = (await world.results(batch)).trimEnd().split('\n');
    const answered = results.map((line) => JSON.parse(line) as ResultDocument);
    const { features } = answered[0].factual!;
    const event = { model: 'credit', features, target: 'approved' };
    await world.store.requests.add(JSON.stringify({ ...event, id: 'asked', by: 'the branch' }));
    await until('all records', async () => (await exported()).length === results.length + 1);
    const records = documentsOf(await exported());
    const ofBatch = records.filter(({ source }) => source === 'batch');
    expect(ofBatch.map(({ record }) => record.id).sort()).toEqual(answered.map(({ id }) => id).sort());
    const byId = new Map(ofBatch.map((record) => [record.record.id, record]));
    for (const { id, status, factual, target, counterfactuals, model, policy, seed } of answered) {
      const found = byId.get(id)!;
      expect(found).toMatchObject({ batch, software: SOFTWARE, threshold: 0.6, seed });
      expect(found.model).toMatchObject({ ...model, pushedBy: expect.stringContaining('@') });
      expect(found.policy).toEqual(policy);
      expect(found.record).toMatchObject({ status, input: inputDigest(factual!.features, target) });
      const changes = counterfactuals.map((answer) => answer.changes.map(({ feature, to }) => [feature, to]));
      expect(found.record.answers.map((answer) => Object.entries(answer.changes))).toEqual(changes);
      expect(found.record.answers.map(({ proof }) => proof)).toEqual(counterfactuals.map(({ proof }) => proof));
    }
    const asked = records.filter(({ source }) => source === 'request');
    expect(asked.map(({ by, record }) => [by, record.id])).toEqual([['the branch', 'asked']]);
    expect(await verifyStored(world.store.audit)).toMatchObject({ records: results.length + 1, dropped: 0 });
  });

  it('keeps the values of the person out', async () => {
    const [line] = await recordsOf(world.store.audit, 'asked');
    expect(line).toContain('"input":"sha256:');
    for (const key of ['"factual"', '"features"', '"from"']) expect(line).not.toContain(key);
  });

  it('records one entry however often jobs are delivered, also from several processes at once', async () => {
    const own = await World.create();
    try {
      const others = [own.store, storeOver(own.store.redis, own.store.settings)];
      const twice = Array.from({ length: 40 }, (_, k) =>
        others[k % 2].audit.append(draft(`job-${k >> 1}`), blockOf(2, k)),
      );
      expect((await Promise.all(twice)).filter(Boolean)).toHaveLength(20);
      expect(await verifyStored(own.store.audit)).toMatchObject({ entries: 20, records: 40 });
      expect((await verifyStored(own.store.audit)).fault).toBeUndefined();
    } finally {
      await own.close();
    }
  });

  it('makes up for the record of a worker that died behind its results', async () => {
    const own = await World.withModel();
    try {
      const silent = await own.serve({ lanes: ['bulk'], audit: { ...AUDIT, enabled: false } });
      const batch = await own.add(own.writeRows('rows.csv', 1), { chunkRows: 1000 });
      const results = await own.results(batch);
      await silent.drain();
      expect(await exported(own)).toEqual([]);
      // the same jobs once more, as after a death between results and record
      const { ChunkProcessor } = await import('../../dist/jobs/worker/chunk-processor.js');
      const { AuditLog } = await import('../../dist/jobs/audit/audit-log.js');
      const manifest = (await own.store.batches.manifest(batch))!;
      const { chunkJobId } = await import('../../dist/jobs/contract.js');
      const processor = new ChunkProcessor(own.store, undefined as never, new AuditLog(own.store, AUDIT));
      const solve = () => Promise.reject(new Error('a stored chunk needs no search'));
      const chunks = await own.store.redis.hgetall(new Keys(own.store.settings.keyPrefix).batchChunks(batch));
      for (let time = 0; time < 2; time++)
        for (const [chunk, text] of Object.entries(chunks)) {
          const { digest, firstRow, rows } = JSON.parse(text);
          const { model, policy } = manifest;
          const job = { schema: 'elsewise.chunk-job/v1', batch, chunk: Number(chunk), firstRow, rows, digest };
          const data = JSON.stringify({ ...job, model, policy: policy.digest });
          const id = chunkJobId(manifest, Number(chunk));
          await processor.answer(data, solve, { id, started: 0, worker: 'here', attempts: 1 });
        }
      expect(await exported(own)).toHaveLength(results.trimEnd().split('\n').length);
    } finally {
      await own.close();
    }
  });

  it('has exactly one record for each row although a worker is killed', async () => {
    const own = await World.withModel();
    try {
      const env = {
        ELSEWISE_AUDIT_ENABLED: 'true',
        ELSEWISE_WORKER_LOCK_MS: '1000',
        ELSEWISE_WORKER_STALLED_CHECK_MS: '500',
      };
      const batch = await own.add(own.writeRows('rows.csv', 2), { chunkRows: 100 });
      const first = await own.startWorkerWith(env, '--queues', 'bulk');
      await until('some records', async () => (await own.store.audit.head()).number > 3);
      first.process.kill('SIGKILL');
      await own.startWorkerWith(env, '--queues', 'bulk');
      const ids = (await own.results(batch))
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as ResultDocument).id);
      await until('all records', async () => (await exported(own)).length >= ids.length);
      expect(
        documentsOf(await exported(own))
          .map(({ record }) => record.id)
          .sort(),
      ).toEqual(ids.sort());
      expect((await verifyStored(own.store.audit)).fault).toBeUndefined();
    } finally {
      await own.close();
    }
  });

  it('is checked for some days, and tells the records of these days that were redacted later', async () => {
    const own = await World.create();
    const check = async (span: ChainSpan) => {
      const steps = verifySteps(own.store.audit, span);
      for (let step = await steps.next(); ; step = await steps.next()) if (step.done) return step.value;
    };
    try {
      await chainOfDays(own, 4, 2);
      const [first, second] = (await own.store.audit.days()).map(({ day }) => day);
      const redactor = { software: SOFTWARE, by: null, keepsRecords: false };
      const { id } = documentsOf(await exported(own))[0].record;
      await redactRecords(own.store.audit, id, redactor);
      expect(await check({ to: first })).toMatchObject({ entries: 2, records: 6, redacted: 1 });
      expect((await check({ to: first })).fault).toBeUndefined();
      expect((await check({ from: second, to: second })).fault).toBeUndefined();
      // without the entry that names the redaction
      const lists = new Keys(own.store.settings.keyPrefix);
      const last = (await own.store.audit.days())[3].day;
      await own.store.redis.rpop(lists.auditEntries(last));
      expect(await check({ to: first })).toMatchObject({
        entries: 2,
        records: 6,
        fault: expect.stringContaining(last),
      });
    } finally {
      await own.close();
    }
  });

  it('drops old days and still verifies', async () => {
    const own = await World.create();
    try {
      await chainOfDays(own, 6, 3);
      const before = await verifyStored(own.store.audit);
      expect(before).toMatchObject({ entries: 18, dropped: 0 });
      expect(await own.store.audit.forgetBefore(2)).toHaveLength(3);
      const after = await verifyStored(own.store.audit, before.head);
      expect(after).toEqual({ ...before, entries: 9, records: 27, dropped: 3, hasNoted: true });
      // the digest of an entry of a dropped day is only known as the end of its day: no entry proves it
      const [first] = await own.store.audit.days();
      expect((await verifyStored(own.store.audit, first.digest)).hasNoted).toBe(false);
      expect((await verifyStored(own.store.audit, `sha256:${'1'.repeat(64)}`)).hasNoted).toBe(false);
      const middle = (await own.store.audit.days())[4];
      await own.store.redis.unlink(new Keys(own.store.settings.keyPrefix).auditEntries(middle.day));
      expect((await verifyStored(own.store.audit)).fault).toBe(`${middle.day}: the entries of the day are missing`);
    } finally {
      await own.close();
    }
  });
});

describe('GET /v1/audit', () => {
  it('gives auditors the record in pages, with the name of the token that asked', async () => {
    const api = await ApiWorld.create({}, []);
    try {
      await api.world.serve({ lanes: ['events'], audit: AUDIT });
      const [line] = await exported();
      const { features } = (
        JSON.parse((await world.results(documentsOf([line])[0].batch!)).split('\n')[0]) as ResultDocument
      ).factual!;
      for (const id of ['a', 'b', 'c'])
        await api.call('POST', '/v1/explanations?waitMs=60000', {
          as: 'submit',
          body: { id, model: 'credit', features, target: 'approved' },
        });
      await until('three records', async () => (await api.world.store.audit.head()).number === 3);
      const page = async (query: string) => (await api.call('GET', `/v1/audit${query}`, { as: 'audit' })).text;
      const all = (await page('')).trimEnd().split('\n');
      expect(
        documentsOf(all)
          .map(({ by, record }) => [by, record.id])
          .sort(),
      ).toEqual(['a', 'b', 'c'].map((id) => ['the-submit', id]));
      expect((await page('?after=1&limit=1')).trimEnd()).toBe(all[1]);
      expect(await page('?after=3')).toBe('');
      expect(await page('?to=2020-01-01')).toBe('');
      expect((await api.call('GET', '/v1/audit', { as: 'read' })).status).toBe(403);
      const spoofed = { id: 'd', model: 'credit', features, target: 'approved', by: 'somebody' };
      expect((await api.call('POST', '/v1/explanations', { as: 'submit', body: spoofed })).status).toBe(422);
    } finally {
      await api.close();
    }
  });
});

describe('a changed character of the chain', () => {
  const dice = new Dice(15);
  const flip = (text: Buffer): Buffer => {
    const copy = Buffer.from(text);
    copy[dice.integer(0, copy.length - 1)] ^= dice.integer(1, 255);
    return copy;
  };

  it('is found in Redis, wherever it is', async () => {
    const own = await World.create();
    try {
      await chainIn(own, 6);
      const { redis, settings } = own.store;
      const keys = new Keys(settings.keyPrefix);
      const [{ day }] = await own.store.audit.days();
      const list = keys.auditEntries(day);
      const lines = await exported(own);
      for (let k = 0; k < 300; k++) {
        const index = dice.integer(0, 5);
        const entry = (await redis.lindexBuffer(list, index))!;
        await redis.lset(list, index, flip(entry));
        const { fault } = await verifyStored(own.store.audit);
        // some bits of a compressed block have no meaning: the records are then the same
        const same = fault === undefined && (await exported(own)).join() === lines.join();
        if (!same) expect(fault).toMatch(/^entry \d+/);
        await redis.lset(list, index, entry);
      }
      for (const [key, field] of [
        [keys.auditDays(), day],
        [keys.auditHead(), 'digest'],
      ]) {
        const text = (await redis.hget(key, field))!;
        const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
        for (const at of digits) {
          await redis.hset(key, field, `${text.slice(0, at)}${(Number(text[at]) + 1) % 10}${text.slice(at + 1)}`);
          expect((await verifyStored(own.store.audit)).fault).toBeDefined();
        }
        await redis.hset(key, field, text);
      }
      expect((await verifyStored(own.store.audit)).fault).toBeUndefined();
    } finally {
      await own.close();
    }
  });

  it('is found in an export, with its line', async () => {
    const lines = (await exported()).slice(-600);
    const whole = lines.slice(lines.findIndex((line) => line.includes('"index":0,')));
    expect((await verifyExport(each(whole))).fault).toBeUndefined();
    for (let k = 0; k < 300; k++) {
      const at = dice.integer(0, whole.length - 1);
      const changed = flip(Buffer.from(whole[at])).toString();
      const { fault } = await verifyExport(each([...whole.slice(0, at), changed, ...whole.slice(at + 1)]));
      expect(fault, `${k}: ${changed}`).toBeDefined();
    }
    const record = whole[5].replace('"degraded":false', '"degraded":true');
    const { fault } = await verifyExport(each([...whole.slice(0, 5), record, ...whole.slice(6)]));
    expect(fault).toMatch(/^line 6, ".*": the record does not have its digest$/);
  });

  it('is found where lines are missing, doubled or swapped', async () => {
    const own = await World.create();
    try {
      await chainIn(own, 5);
      const lines = await exported(own);
      for (let k = 0; k < lines.length - 1; k++) {
        const [before, after] = [lines.slice(0, k), lines.slice(k + 1)];
        const swapped = [...before, lines[k + 1], lines[k], ...lines.slice(k + 2)];
        for (const other of [[...before, ...after], [...before, lines[k], lines[k], ...after], swapped]) {
          const { fault } = await verifyExport(each(other));
          expect(fault).toBeDefined();
        }
      }
    } finally {
      await own.close();
    }
  });
});

describe('elsewise audit', () => {
  it('shows, exports and verifies', async () => {
    const file = world.path('audit.ndjson');
    const made = await world.call('audit', 'export', '--output', file);
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/^3,001 records, the last entry is sha256:/)]);
    const head = /sha256:[0-9a-f]{64}/.exec(made.stderr)![0];
    for (const where of [[file], []]) {
      const { code, stdout } = await world.call('audit', 'verify', ...where, '--head', head);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^3,001 records in \d+ entries hold\n/)]);
    }
    const shown = await world.call('audit', 'show', 'asked');
    expect(JSON.parse(shown.stdout)).toMatchObject({ by: 'the branch', record: { id: 'asked' } });
    expect((await world.call('audit', 'show', 'nobody')).code).toBe(2);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"score":0.', '"score":1.'));
    const broken = await world.call('audit', 'verify', file);
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringMatching(/^broken: line 1[,:] /)]);
    const other = await world.call('audit', 'verify', '--head', `sha256:${'1'.repeat(64)}`);
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('broken: no entry has the digest')]);
    const nothing = await world.call('audit', 'export', '--output', file, '--to', '2020-01-01');
    expect([nothing.code, readFileSync(file, 'utf8')]).toEqual([0, '']);
    const empty = await world.call('audit', 'verify', file);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('has no records')]);
    expect((await world.call('audit', 'export', '--output', file, '--to', 'today')).code).toBe(2);
  });

  it('tells who pushed a model', async () => {
    const { stdout } = await world.call('models', 'show', 'credit');
    expect(stdout).toMatch(/pushed +\S+ by \S+@\S+/);
    expect(readFileSync(MODEL, 'utf8')).toContain('"threshold"');
  });
});
