/** The chain under attack: every key of the record is changed in every simple way, and each change has to be found. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordsOf } from '../../dist/store/audit/read-chain.js';
import { type ChainSpan, verifySteps, verifyStored } from '../../dist/store/audit/verify-chain.js';
import { verifyExport } from '../../dist/store/audit/verify-export.js';
import { Keys } from '../../dist/store/keys.js';
import { storeOver } from '../../dist/store/store.js';
import { startRedis } from '../../scripts/redis.mjs';
import { digestOf } from '../../src/documents/digest.js';
import { ApiWorld } from './api-world.js';
import { blockOf, chainIn, chainOfDays, DAY_MS, draft, each, exportedOf } from './audit-chain.js';
import { until, World } from './queue-world.js';

const DAYS = 3;
/** The last day has an entry more. */
const PER_DAY = 2;
const POLICY = { schema: 'elsewise.policy/v1', name: 'wishes', seed: 7 };
const ZEROS = `sha256:${'0'.repeat(64)}`;

interface Mutation {
  readonly name: string;
  work(): Promise<unknown>;
}

let world: World;
let keys: Keys;
let days: string[];
/** The digest of the last entry. */
let noted: string;
/** Every key of the record, as Redis dumps it. */
let dumps: Map<string, Buffer>;
/** Their times to live in ms; 0: none. */
const ttls = new Map<string, number>();

const redis = () => world.store.redis;
const list = (day: number) => keys.auditEntries(days[day]);
const places = (day: number) => keys.auditPlaces(days[day]);
const verdict = () => verifyStored(world.store.audit);

beforeAll(async () => {
  world = await World.create();
  keys = new Keys(world.store.settings.keyPrefix);
  await chainOfDays(world, DAYS, PER_DAY);
  const kept = { digest: digestOf(POLICY), text: JSON.stringify(POLICY) };
  await world.store.audit.append(draft('wished'), blockOf(3, 99), kept);
  days = (await world.store.audit.days()).map(({ day }) => day);
  noted = (await world.store.audit.head()).digest;
  const found = await redis().keys(`${world.store.settings.keyPrefix}:{audit}*`);
  for (const key of found) ttls.set(key, Math.max(0, await redis().pttl(key)));
  dumps = new Map(await Promise.all(found.map(async (key) => [key, await redis().dumpBuffer(key)] as const)));
});

afterAll(() => world.close());

async function restore(): Promise<void> {
  const present = await redis().keys(`${world.store.settings.keyPrefix}:{audit}*`);
  const added = present.filter((key) => !dumps.has(key));
  if (added.length) await redis().del(...added);
  for (const [key, dump] of dumps) await redis().restore(key, ttls.get(key)!, dump, 'REPLACE');
}

const anchorOf = async (day: number) => JSON.parse((await redis().hget(keys.auditDays(), days[day]))!);
const setAnchor = async (day: number, change: object) =>
  redis().hset(keys.auditDays(), days[day], JSON.stringify({ ...(await anchorOf(day)), ...change }));
const entryAt = async (key: string, at: number) => (await redis().lindexBuffer(key, at))!;
const digestAt = async (day: number, at: number) =>
  verifyDigest((await entryAt(list(day), at)).toString('latin1').split('\n', 1)[0]);
const verifyDigest = async (head: string) => (await import('../../dist/store/audit/audit-entry.js')).headDigest(head);

function* ofKeys(): Generator<Mutation> {
  for (const key of dumps.keys()) {
    // without its policies a record holds, and cannot be solved again
    if (!key.includes(':policies:')) {
      yield { name: `DEL ${key}`, work: () => redis().del(key) };
      yield { name: `RENAME ${key}`, work: () => redis().rename(key, `${key}-x`) };
    }
    yield { name: `SET ${key}`, work: () => redis().set(key, 'x') };
  }
}

function* ofEntries(): Generator<Mutation> {
  for (const day of days.keys()) {
    const key = list(day);
    const other = list((day + 1) % DAYS);
    yield { name: `LPOP ${day}`, work: () => redis().lpop(key) };
    yield { name: `RPOP ${day}`, work: () => redis().rpop(key) };
    yield { name: `RPUSH garbage ${day}`, work: () => redis().rpush(key, 'garbage') };
    yield { name: `RPOPLPUSH ${day}`, work: () => redis().rpoplpush(key, key) };
    yield { name: `move the last entry of ${day}`, work: () => redis().rpoplpush(key, other) };
    yield { name: `RENAME ${day} to the next day`, work: () => redis().rename(key, other) };
    yield { name: `COPY ${day} to the next day`, work: () => redis().copy(key, other, 'REPLACE') };
    for (let at = 0; at < 2; at++) {
      const change = (to: (entry: Buffer) => Buffer) => async () => redis().lset(key, at, to(await entryAt(key, at)));
      const name = `of entry ${at} of ${day}`;
      yield { name: `a copy ${name} before`, work: async () => redis().lpush(key, await entryAt(key, at)) };
      yield { name: `a copy ${name} behind`, work: async () => redis().rpush(key, await entryAt(key, at)) };
      yield { name: `LREM ${name}`, work: async () => redis().lrem(key, 1, await entryAt(key, at)) };
      yield {
        name: `the other entry in place ${name}`,
        work: async () => redis().lset(key, at, await entryAt(key, 1 - at)),
      };
      yield {
        name: `bytes behind the end ${name}`,
        work: change((entry) => Buffer.concat([entry, Buffer.from('xx')])),
      };
      yield {
        name: `one byte behind the end ${name}`,
        work: change((entry) => Buffer.concat([entry, Buffer.alloc(1)])),
      };
      yield { name: `no last byte ${name}`, work: change((entry) => entry.subarray(0, -1)) };
      yield { name: `no records ${name}`, work: change((entry) => entry.subarray(0, entry.indexOf(10) + 1)) };
      yield { name: `another name ${name}`, work: change((entry) => replaced(entry, '"by":null', '"by":"me"')) };
      yield { name: `another number ${name}`, work: change((entry) => replaced(entry, '"number":', '"number":1')) };
      yield { name: `a space ${name}`, work: change((entry) => replaced(entry, '{', '{ ')) };
    }
  }
}

const replaced = (entry: Buffer, from: string, to: string): Buffer =>
  Buffer.from(entry.toString('latin1').replace(from, to), 'latin1');

function* ofCounters(): Generator<Mutation> {
  for (const day of days.keys()) {
    for (const field of ['entries', 'records', 'first'])
      for (const step of [-1, 1])
        yield {
          name: `${field} of ${day} ${step}`,
          work: async () => setAnchor(day, { [field]: (await anchorOf(day))[field] + step }),
        };
    yield { name: `digest of ${day}`, work: () => setAnchor(day, { digest: ZEROS }) };
    yield { name: `previous of ${day}`, work: () => setAnchor(day, { previous: ZEROS }) };
    yield { name: `another key in ${day}`, work: () => setAnchor(day, { note: 'x' }) };
    yield { name: `dropped mark of ${day}`, work: () => setAnchor(day, { dropped: mark(1) }) };
    yield { name: `anchor of ${day}`, work: () => redis().hdel(keys.auditDays(), days[day]) };
    yield { name: `no JSON for ${day}`, work: () => redis().hset(keys.auditDays(), days[day], 'x') };
    yield {
      name: `the anchor of another day for ${day}`,
      work: async () => setAnchor(day, await anchorOf((day + 1) % DAYS)),
    };
    const [one, other] = jobsOf(day);
    yield { name: `a foreign job in ${day}`, work: () => redis().hset(places(day), 'a job without a record', 0) };
    yield { name: `one job less in ${day}`, work: () => redis().hdel(places(day), one) };
    yield { name: `another place of a job in ${day}`, work: () => redis().hset(places(day), one, 1) };
    yield { name: `swapped places in ${day}`, work: () => redis().hset(places(day), one, 1, other, 0) };
    yield { name: `a blank behind a place in ${day}`, work: () => redis().hset(places(day), one, '0 ') };
    yield { name: `an exchanged job in ${day}`, work: () => exchangeJob(day) };
    yield { name: `a job of an earlier version in ${day}`, work: () => redis().sadd(keys.auditJobs(days[day]), 'x') };
    yield { name: `jobs of ${day} for a short time`, work: () => redis().pexpire(places(day), 1000 * 60) };
    yield { name: `jobs of ${day} for a long time`, work: () => redis().pexpire(places(day), 9 * DAY_MS) };
    yield { name: `jobs of ${day} for ever`, work: () => redis().persist(places(day)) };
    yield { name: `a blank behind the anchor of ${day}`, work: () => respell(day, (text) => `${text} `) };
    yield { name: `a key twice in ${day}`, work: () => respell(day, (text) => text.replace('{', '{"records":9,')) };
    if (day > 0) yield { name: `no first number of ${day}`, work: () => setAnchor(day, { first: undefined }) };
  }
  for (const key of [keys.auditHead(), keys.auditDays(), ...[...days.keys()].map(list), policiesKey()])
    yield { name: `a time to live of ${key}`, work: () => redis().pexpire(key, 100_000_000) };
  for (const day of [-1, 4, 8].map((k) => new Date(Date.now() - k * DAY_MS).toISOString().slice(0, 10))) {
    yield { name: `a job of ${day}`, work: () => redis().hset(keys.auditPlaces(day), 'x', 0) };
    yield { name: `a job of an earlier version of ${day}`, work: () => redis().sadd(keys.auditJobs(day), 'x') };
    yield { name: `a policy of ${day}`, work: () => redis().hset(keys.auditPolicies(day), ZEROS, '{}') };
    yield {
      name: `an entry of ${day}`,
      work: async () => redis().rpush(keys.auditEntries(day), await entryAt(list(0), 0)),
    };
    yield { name: `a text for entries of ${day}`, work: () => redis().set(keys.auditEntries(day), 'x') };
  }
  yield { name: 'a field more in the head', work: () => redis().hset(keys.auditHead(), 'note', 'x') };
  yield { name: 'a blank behind the number of the head', work: () => redis().hset(keys.auditHead(), 'number', '7 ') };
  const one = { previous: '', digest: ZEROS, entries: 1, records: 1, first: 1 };
  for (const day of ['2020-01-01', '2999-01-01', 'someday'])
    yield { name: `a day ${day}`, work: () => redis().hset(keys.auditDays(), day, JSON.stringify(one)) };
  for (const [field, values] of Object.entries({
    digest: [ZEROS, '', 'x'],
    number: ['0', '6', '8', '9', 'x', ''],
    day: [days[0], '2999-01-01', ''],
  })) {
    for (const value of values)
      yield { name: `head ${field} ${value}`, work: () => redis().hset(keys.auditHead(), field, value) };
    yield { name: `head without ${field}`, work: () => redis().hdel(keys.auditHead(), field) };
  }
  const [policies, digest] = [policiesKey(), digestOf(POLICY)];
  const other = JSON.stringify({ ...POLICY, seed: 8 });
  yield { name: 'another policy', work: () => redis().hset(policies, digest, other) };
  yield { name: 'a policy that is no JSON', work: () => redis().hset(policies, digest, 'x') };
  yield { name: 'a blank in a policy', work: () => redis().hset(policies, digest, ` ${JSON.stringify(POLICY)}`) };
}

const policiesKey = () => keys.auditPolicies(days[DAYS - 1]);
/** The jobs of the first two entries, see `chainOfDays`. */
const jobsOf = (day: number) => [0, 1].map((k) => `job-${10 * (DAYS - 1 - day) + k}`);

async function exchangeJob(day: number): Promise<void> {
  await redis().hdel(places(day), jobsOf(day)[0]);
  await redis().hset(places(day), 'another job', 0);
}

async function respell(day: number, spell: (text: string) => string): Promise<void> {
  await redis().hset(keys.auditDays(), days[day], spell((await redis().hget(keys.auditDays(), days[day]))!));
}

const mark = (after: number, ms = Date.now()) => ({ at: new Date(ms).toISOString(), after });

/** Several steps that fit together. */
function* ofSeveral(): Generator<Mutation> {
  const swap = async (one: string, other: string) => {
    await redis().rename(one, `${one}-x`);
    await redis().rename(other, one);
    await redis().rename(`${one}-x`, other);
  };
  yield { name: 'swapped days', work: () => swap(list(0), list(1)) };
  yield { name: 'swapped days at the end', work: () => swap(list(1), list(2)) };
  for (const day of days.keys())
    yield {
      name: `list and anchor of ${day}`,
      work: () => Promise.all([redis().del(list(day)), redis().hdel(keys.auditDays(), days[day])]),
    };
  yield {
    name: 'the first entry, and the day begins behind it',
    work: async () => {
      const previous = await digestAt(0, 0);
      await redis().lpop(list(0));
      await redis().hdel(places(0), jobsOf(0)[0]);
      await redis().hset(places(0), jobsOf(0)[1], 0);
      await setAnchor(0, { previous, entries: 1, records: 3, first: 2 });
    },
  };
  yield {
    name: 'the first day, and the second day is the first',
    work: async () => {
      await redis().del(list(0), places(0));
      await redis().hdel(keys.auditDays(), days[0]);
      await setAnchor(1, { previous: '', first: 1 });
      await redis().hset(keys.auditHead(), 'number', 5);
    },
  };
  yield {
    name: 'the last entry, and the day ends before it',
    work: async () => {
      await redis().rpop(list(DAYS - 1));
      await setAnchor(DAYS - 1, { digest: await digestAt(DAYS - 1, 1), entries: 2, records: 6 });
    },
  };
  for (const [name, dropped] of Object.entries({
    'too early': mark(2),
    'in the future': mark(1, Date.now() + 2 * DAY_MS),
    'after no day': mark(0),
  }))
    yield {
      name: `the first day, dropped ${name}`,
      work: async () => {
        await redis().del(list(0));
        await setAnchor(0, { dropped });
      },
    };
  yield {
    name: 'the last day, dropped',
    work: async () => {
      await redis().del(list(DAYS - 1));
      await setAnchor(DAYS - 1, { dropped: mark(1) });
    },
  };
}

describe('a change of Redis', () => {
  it('is found, whatever it is', async () => {
    expect((await verdict()).fault).toBeUndefined();
    const mutations = [...ofKeys(), ...ofEntries(), ...ofCounters(), ...ofSeveral()];
    expect(mutations.length).toBeGreaterThan(150);
    const missed: string[] = [];
    for (const { name, work } of mutations) {
      await work();
      const found = await verdict().catch((error: Error) => ({ fault: undefined, error }));
      if (found.fault === undefined) missed.push(name);
      await restore();
    }
    expect(missed).toEqual([]);
    expect(await verifyStored(world.store.audit, noted)).toMatchObject({ entries: 7, hasNoted: true, dropped: 0 });
    expect((await verdict()).fault).toBeUndefined();
  });

  it('is not found without a noted digest where the whole record, or its end, was rewritten', async () => {
    await redis().del(...dumps.keys());
    expect(await verdict()).toMatchObject({ entries: 0, head: '' });
    expect((await verdict()).fault).toBeUndefined();
    expect((await verifyStored(world.store.audit, noted)).hasNoted).toBe(false);
    const deleted = await world.call('audit', 'verify');
    expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining('deleted as a whole looks the same')]);
    const told = await world.call('audit', 'verify', '--head', noted);
    expect([told.code, told.stdout]).toEqual([1, expect.stringMatching(/^broken: no entry has the digest/)]);
    await restore();
    // the last entry, with all that names it
    await redis().rpop(list(DAYS - 1));
    const digest = await digestAt(DAYS - 1, 1);
    await redis().hdel(places(DAYS - 1), 'wished');
    await setAnchor(DAYS - 1, { digest, entries: 2, records: 6 });
    await redis().hset(keys.auditHead(), 'digest', digest, 'number', 6);
    expect((await verdict()).fault).toBeUndefined();
    expect((await verifyStored(world.store.audit, noted)).hasNoted).toBe(false);
    await restore();
  });

  it('of the first day is told by every check', async () => {
    await redis().rename(list(0), 'elsewhere');
    const words = `broken: ${days[0]}: the entries of the day are missing`;
    for (const head of [[], ['--head', noted]]) {
      const { code, stdout } = await world.call('audit', 'verify', ...head);
      expect([code, stdout]).toEqual([1, expect.stringContaining(words)]);
    }
    const check = async (span: ChainSpan) => {
      const steps = verifySteps(world.store.audit, span);
      for (let step = await steps.next(); ; step = await steps.next()) if (step.done) return step.value;
    };
    expect((await check({ to: days[0] })).fault).toContain('are missing');
    expect((await check({ from: days[1] })).fault).toBeUndefined();
    await redis().del('elsewhere');
    await restore();
  });

  it('behind the end of a day is found, and is not read', async () => {
    const forged = replaced(await entryAt(list(0), 0), '"number":1,', '"number":3,');
    const lines = await exportedOf(world);
    await redis().rpush(list(0), forged);
    expect((await verdict()).fault).toBe(
      `${days[0]}: 3 entries are stored, and the chain has 2: the others are no part of the chain`,
    );
    expect(await exportedOf(world)).toEqual(lines);
    expect(await recordsOf(world.store.audit, '20-0')).toHaveLength(1);
    await restore();
  });
});

describe('the memory of jobs', () => {
  const dayAt = (k: number) => new Date(Date.now() - k * DAY_MS).toISOString().slice(0, 10);
  const forge: Record<string, (job: string) => Promise<unknown>> = {
    'a job in the set of a day without entries': (job) => redis().sadd(keys.auditJobs(dayAt(4)), job),
    'a job in the set of tomorrow': (job) => redis().sadd(keys.auditJobs(dayAt(-1)), job),
    'a job in the set of today': (job) => redis().sadd(keys.auditJobs(dayAt(0)), job),
    'a place in a day without entries': (job) => redis().hset(keys.auditPlaces(dayAt(4)), job, 0),
    'the place of an entry of today': (job) => redis().hset(keys.auditPlaces(dayAt(0)), job, 0),
    'the place of an entry that does not exist': (job) => redis().hset(keys.auditPlaces(dayAt(1)), job, 99),
    'no place at all': (job) => redis().hset(keys.auditPlaces(dayAt(1)), job, 'x'),
    'places of another type': () => redis().set(keys.auditPlaces(dayAt(1)), 'x'),
    'an entry that the day does not count': async (job) => {
      const entry = replaced(await entryAt(list(0), 0), `"${jobsOf(0)[0]}"`, `"${job}"`);
      await redis().rpush(list(0), entry);
      await redis().hset(places(0), job, 2);
    },
  };

  it('keeps no answer out of the record, whatever it says', async () => {
    for (const [name, work] of Object.entries(forge)) {
      await restore();
      await work('kept out');
      const { audit } = storeOver(redis(), world.store.settings);
      expect(await audit.has('kept out'), name).toBe(false);
      expect(await audit.append(draft('kept out'), blockOf(1, 98)), name).toBe(true);
      expect(await audit.append(draft('kept out'), blockOf(1, 98)), name).toBe(false);
      expect(await recordsOf(audit, '98-0'), name).toHaveLength(1);
      if (name !== 'the place of an entry of today') expect((await verdict()).fault, name).toBeDefined();
    }
    await restore();
  });

  it('of an earlier version is moved, and still keeps an entry from being written twice', async () => {
    for (const day of days.keys()) {
      await redis().sadd(keys.auditJobs(days[day]), ...(await redis().hkeys(places(day))));
      await redis().pexpire(keys.auditJobs(days[day]), await redis().pttl(places(day)));
      await redis().del(places(day));
    }
    await redis().sadd(keys.auditJobs(days[DAYS - 1]), 'redaction-1');
    expect((await verdict()).fault).toContain('jobs are remembered');
    await redis().srem(keys.auditJobs(days[DAYS - 1]), 'redaction-1');
    expect((await verdict()).fault).toBeUndefined();
    const { audit } = storeOver(redis(), world.store.settings);
    for (const job of jobsOf(1)) {
      expect(await audit.has(job)).toBe(true);
      expect(await audit.append(draft(job), blockOf(1, 98))).toBe(false);
    }
    expect(await redis().exists(...days.map((day) => keys.auditJobs(day)))).toBe(0);
    expect((await verdict()).fault).toBeUndefined();
    await restore();
  });

  it('of another type stops a worker with an error, and nothing is written', async () => {
    await redis().set(places(DAYS - 1), 'x');
    await expect(world.store.audit.append(draft('new'), blockOf(1, 98))).rejects.toThrow('another type');
    expect(await redis().llen(list(DAYS - 1))).toBe(PER_DAY + 1);
    await restore();
  });
});

describe('a key of another type', () => {
  it('is a broken record for the command and over HTTP', async () => {
    const api = await ApiWorld.create({}, []);
    try {
      await chainIn(api.world, 2);
      const of = new Keys(api.world.store.settings.keyPrefix);
      const [{ day }] = await api.world.store.audit.days();
      for (const key of [of.auditHead(), of.auditDays(), of.auditPolicies(day), of.auditEntries(day)]) {
        const dump = await api.world.store.redis.dumpBuffer(key);
        await api.world.store.redis.set(key, 'x');
        const { status, text } = await api.call('GET', '/v1/audit/check', { as: 'audit' });
        expect([status, JSON.parse(text.trimEnd().split('\n').at(-1)!).state], key).toEqual([200, 'broken']);
        const { code, stdout } = await api.world.call('audit', 'verify');
        expect([code, stdout], key).toEqual([1, expect.stringMatching(/^broken: /)]);
        await (dump ? api.world.store.redis.restore(key, 0, dump, 'REPLACE') : api.world.store.redis.del(key));
      }
    } finally {
      await api.close();
    }
  });
});

describe('retention', () => {
  it('says at each day when it was dropped: a later change of the setting changes nothing', async () => {
    expect(await world.store.audit.forgetBefore(1)).toEqual([days[0]]);
    expect(await world.store.audit.forgetBefore(1)).toEqual([]);
    expect(await verifyStored(world.store.audit, noted)).toMatchObject({ dropped: 1, entries: 5, hasNoted: true });
    expect((await verdict()).fault).toBeUndefined();
    const list0 = dumps.get(list(0))!;
    await redis().restore(list(0), 0, list0);
    expect((await verdict()).fault).toBe(`${days[0]}: was dropped by retention, and entries of the day are stored`);
    await redis().del(list(0), list(1));
    expect((await verdict()).fault).toBe(`${days[1]}: the entries of the day are missing`);
    await restore();
  });

  it('makes room in a full Redis', async () => {
    const own = await World.create(await startRedis({ maxmemory: '100mb' }));
    try {
      await chainOfDays(own, 3, 2);
      await own.store.redis.config('SET', 'maxmemory', 1_000_000);
      await expect(own.store.redis.set('x', 'y')).rejects.toThrow('OOM');
      expect(await own.store.audit.forgetBefore(1)).toHaveLength(1);
      expect(await verifyStored(own.store.audit)).toMatchObject({ dropped: 1, entries: 4 });
      expect((await verifyStored(own.store.audit)).fault).toBeUndefined();
      await own.store.redis.config('SET', 'maxmemory', 0);
    } finally {
      await own.close();
    }
  });

  it('of an earlier version left no mark: the present setting tells, and the next sweep marks the day', async () => {
    const old = new Date(Date.now() - 400 * DAY_MS).toISOString().slice(0, 10);
    const { first: _, ...anchor } = await anchorOf(0);
    const [entry0, entry1] = [await entryAt(list(0), 0), await entryAt(list(0), 1)];
    await redis().hdel(keys.auditDays(), days[0]);
    await redis().hset(keys.auditDays(), old, JSON.stringify(anchor));
    await redis().del(list(0), places(0));
    expect((await verdict()).fault).toBeUndefined();
    await world.store.audit.forgetBefore(365);
    expect((await world.store.audit.days())[0].dropped).toMatchObject({ after: 365 });
    expect((await verdict()).fault).toBeUndefined();
    await redis().rpush(list(0), entry0, entry1);
    await restore();
  });
});

describe('an export', () => {
  it('that begins in the middle of the chain names the entry before', async () => {
    const lines = await exportedOf(world);
    const from = lines.findIndex((line) => line.includes('"number":2,'));
    const whole = await verifyExport(each(lines), noted);
    expect([whole.behind, whole.hasNoted, whole.fault]).toEqual([undefined, true, undefined]);
    const digest = JSON.parse(lines[0]).entry as string;
    expect((await verifyExport(each(lines.slice(from)), noted)).behind).toEqual({ number: 1, digest });
    const file = world.path('part.ndjson');
    writeFileSync(file, lines.slice(from).join('\n'));
    const { code, stdout } = await world.call('audit', 'verify', file, '--head', noted);
    expect(code).toBe(0);
    expect(stdout).toContain(`begins behind entry 1 (${digest}): entries before are not in this file`);
  });

  it('with fewer, other or swapped lines is told', async () => {
    const lines = await exportedOf(world);
    const missed: string[] = [];
    const check = async (name: string, changed: readonly string[]) => {
      const { fault } = await verifyExport(each(changed));
      if (fault === undefined) missed.push(name);
    };
    for (const [k, line] of lines.entries()) {
      if (k > 0 && k < lines.length - 1)
        await check(
          `without ${k}`,
          lines.filter((_, j) => j !== k),
        );
      await check(`twice ${k}`, [...lines.slice(0, k), line, ...lines.slice(k)]);
      await check(`cut ${k}`, [...lines.slice(0, k), line.slice(0, -1), ...lines.slice(k + 1)]);
      await check(`a key more ${k}`, [...lines.slice(0, k), `${line.slice(0, -1)},"x":1}`, ...lines.slice(k + 1)]);
      for (const field of ['number', 'records', 'index', 'seed'])
        await check(
          `${field} ${k}`,
          lines.map((one, j) => (j === k ? one.replace(`"${field}":`, `"${field}":1`) : one)),
        );
    }
    expect(missed).toEqual([]);
  });
});

describe('a check while the record grows', () => {
  it('never tells a broken chain', async () => {
    const own = await World.create();
    const other = storeOver(own.store.redis, own.store.settings);
    try {
      let isDone = false;
      const writing = chainIn(own, 150).finally(() => {
        isDone = true;
      });
      await until('the first entries', async () => (await own.store.audit.head()).number > 3);
      let checks = 0;
      for (; !isDone; checks++) expect((await verifyStored(other.audit)).fault).toBeUndefined();
      await writing;
      expect(checks).toBeGreaterThan(1);
      expect(await verifyStored(other.audit)).toMatchObject({ entries: 150, records: 450 });
    } finally {
      await own.close();
    }
  });
});
