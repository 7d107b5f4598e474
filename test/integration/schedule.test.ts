/** Schedules on a real Redis: once per time whatever happens, files once per content, and words for what went wrong. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelBatch } from '../../dist/jobs/batches/batch-control.js';
import { Producer } from '../../dist/jobs/producer.js';
import { openScheduleQueue, Schedules } from '../../dist/jobs/schedules/schedule.js';
import { ScheduleRunner } from '../../dist/jobs/schedules/schedule-run.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { Keys } from '../../src/store/keys.js';
import type { Schedule, ScheduleRun } from '../../src/store/schedules/schedule-document.js';
import { MODEL, POLICY, until, World, withoutTimes } from './queue-world.js';

const NEVER = '0 2 29 2 *'; // nor during this test
const EVERY_SECOND = '* * * * * *';
/** Of a worker that makes batches and answers none. */
const SCHEDULES = { schedules: true };
/** A worker that dies is missed sooner than by default. */
const MISSED_SOON = { ELSEWISE_WORKER_LOCK_MS: '1500', ELSEWISE_WORKER_STALLED_CHECK_MS: '500' };
/** Moments of a run at which a schedule is removed: a race, which `npm run chaos` runs for longer. */
const REMOVALS = process.env.CHAOS === 'long' ? 40 : 10;

let world: World;
let inbox: string;

beforeEach(async () => {
  world = await World.withModel();
  inbox = world.path('inbox');
  mkdirSync(inbox);
});

afterEach(() => world.close());

const pattern = () => join(inbox, '*.csv');

function add(name: string, cron: string, ...more: string[]) {
  const fixed = ['--cron', cron, '--model', 'credit', '--policy', POLICY, '--input', pattern()];
  return world.call('schedule', 'add', name, ...fixed, ...more);
}

/** What the command does after its checks, without the start of a process. */
async function plan(name: string, cron: string, more: Partial<Schedule> = {}): Promise<void> {
  const policy = { document: loadPolicy(JSON.parse(readFileSync(POLICY, 'utf8'))).document };
  const fixed = { schema: 'elsewise.schedule/v1', timeZone: 'UTC', model: 'credit', isPaused: false } as const;
  const created = new Date().toISOString();
  const schedule = { ...fixed, name, cron, policy, input: pattern(), created, ...more };
  await new Schedules(world.store).add(schedule, { replace: false });
}

const runs = (name: string): Promise<ScheduleRun[]> => world.store.schedules.runs(name);

async function ended(name: string, id: string): Promise<ScheduleRun> {
  let found: ScheduleRun | undefined;
  await until(`run ${id}`, async () => {
    found = await world.store.schedules.run(name, id);
    return found !== undefined && found.outcome !== 'running';
  });
  return found!;
}

async function runNow(name: string, { again = false } = {}): Promise<ScheduleRun> {
  return ended(name, await new Schedules(world.store).run(name, { again }));
}

async function batches(): Promise<string[]> {
  const { redis, settings } = world.store;
  const keys = await redis.keys(`${settings.keyPrefix}:batch:{*}`);
  return keys.map((key) => /\{(.*)\}/.exec(key)![1]).sort();
}

describe('schedule add', () => {
  it('shows the next three times, and what is wrong before anything is stored', async () => {
    const good = await add('nightly', '0 2 * * *', '--tz', 'Europe/Zurich');
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout.match(/\d{4}-\d\d-\d\d 02:00 Europe\/Zurich/g)).toHaveLength(3);

    const refused = async (words: string, ...args: Parameters<typeof add>) => {
      const { code, stderr, stdout } = await add(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(words);
    };
    await refused('expected range 0-23', 'other', '0 25 * * *');
    await refused('2 fields', 'other', '0 2');
    await refused('is not a time zone', 'other', '0 2 * * *', '--tz', 'Mars/Base');
    await refused('at most 50', 'a:b', '0 2 * * *');
    await refused('exists with other content', 'nightly', '0 3 * * *');
    const unknown = ['--cron', NEVER, '--input', pattern()];
    expect((await world.call('schedule', 'add', 'x', ...unknown, '--model', 'credti')).stderr).toContain(
      'did you mean',
    );
    const noPolicy = await world.call('schedule', 'add', 'x', ...unknown, '--model', 'credit', '--policy', 'retail');
    expect(noPolicy).toMatchObject({ code: 2, stdout: '' });
    expect((await world.store.schedules.list()).map(({ name }) => name)).toEqual(['nightly']);

    expect(await add('nightly', '0 2 * * *', '--tz', 'Europe/Zurich')).toMatchObject({ code: 0 });
    expect(await add('nightly', '0 3 * * *', '--replace')).toMatchObject({ code: 0 });
    expect((await world.call('schedule', 'list')).stdout).toMatch(/nightly +0 3 \* \* \* +[0-9-]+ 03:00 UTC +- +-/);
  });
});

describe('a run', () => {
  it('makes a batch of each file, writes the results, and does nothing twice', async () => {
    const rows = world.writeRows('rows.csv', 1);
    const head = readFileSync(rows, 'utf8').split('\n').slice(0, 201).join('\n');
    writeFileSync(join(inbox, 'a.csv'), readFileSync(rows));
    writeFileSync(join(inbox, 'b.csv'), `${head}\n`);
    const outbox = world.path('outbox');
    await add('nightly', NEVER, '--output', outbox);
    await world.startWorker();

    const first = await runNow('nightly');
    expect(first).toMatchObject({ kind: 'manual', outcome: 'added', model: 'credit@1', known: 0 });
    expect(first.files.map(({ rows }) => rows)).toEqual([3000, 200]);
    await until('the results', async () => (await world.store.schedules.deliveries('nightly')).size === 2);
    const outputs = readdirSync(outbox).sort();
    expect(outputs).toEqual([`a.${first.files[0].batch}.ndjson`, `b.${first.files[1].batch}.ndjson`]);
    expect(withoutTimes(readFileSync(join(outbox, outputs[0]), 'utf8'))).toBe(await world.explain(rows));

    const { stdout } = await world.call('schedule', 'run', 'nightly');
    expect(await ended('nightly', stdout.trim())).toMatchObject({ outcome: 'nothing-new', known: 2, files: [] });
    appendFileSync(join(inbox, 'b.csv'), readFileSync(rows, 'utf8').split('\n')[300].concat('\n'));
    const third = await runNow('nightly');
    expect(third).toMatchObject({ outcome: 'added', known: 1, files: [{ file: join(inbox, 'b.csv'), rows: 201 }] });
    expect(await runNow('nightly', { again: true })).toMatchObject({ outcome: 'added', known: 0 });
    expect(await batches()).toHaveLength(5);

    const shown = (await world.call('schedule', 'show', 'nightly')).stdout;
    expect(shown).toContain(`${join(inbox, 'b.csv')}: 201 rows, batch ${third.files[0].batch}`);
    expect(shown).toContain('nothing new (2 files known)');
    expect((await world.call('schedule', 'list')).stdout).toContain('2 files, 3,201 rows');
  });

  it('writes the results in the format of the ending', async () => {
    const [header, ...rows] = readFileSync(world.writeRows('rows.csv', 1), 'utf8').split('\n');
    const input = join(inbox, 'a.csv');
    writeFileSync(input, `${[header, ...rows.slice(0, 60)].join('\n')}\n`);
    const outbox = world.path('outbox');
    expect((await add('bad', NEVER, '--output', `${outbox}/all.csv`)).stderr).toContain(`such as ${outbox}/*.csv`);
    expect((await add('bad', NEVER, '--output', `${outbox}/*.xlsx`)).stderr).toContain('the ending .xlsx is not known');
    const brief = await add('bad', NEVER, '--output', `${outbox}/*.csv`, '--detail', 'brief');
    expect(brief).toMatchObject({ code: 2, stdout: '' });
    await add('table', NEVER, '--output', `${outbox}/*.csv`);
    await plan('columns', NEVER, { output: join(outbox, '*.parquet') });
    await plan('short', NEVER, { output: join(outbox, 'short-*.jsonl'), detail: 'brief' });
    await world.serve({ ...SCHEDULES, lanes: ['bulk'] });
    for (const [name, ending, more] of [
      ['table', 'a.BATCH.csv', []],
      ['columns', 'a.BATCH.parquet', []],
      ['short', 'short-a.BATCH.jsonl', ['--detail', 'brief']],
    ] as const) {
      const [{ batch }] = (await runNow(name)).files;
      const output = join(outbox, ending.replace('BATCH', batch!));
      await until(output, async () => existsSync(output));
      const again = world.path(`again-${name}${ending.slice(ending.lastIndexOf('.'))}`);
      expect(await world.call('batch', 'wait', batch!, '--output', again, '--quiet', ...more)).toMatchObject({
        code: 0,
      });
      expect(readFileSync(output).equals(readFileSync(again))).toBe(true);
      expect(readFileSync(output).length).toBeGreaterThan(1000);
    }
    expect(readdirSync(outbox)).toHaveLength(3);
  });

  it('says what will not be written: the results of a batch that was cancelled or has expired', async () => {
    const [header, ...rows] = readFileSync(world.writeRows('rows.csv', 1), 'utf8').split('\n');
    for (const [i, name] of ['a', 'b'].entries()) writeFileSync(join(inbox, `${name}.csv`), `${header}\n${rows[i]}\n`);
    await plan('nightly', NEVER, { output: world.path('outbox') });
    await world.serve(SCHEDULES);
    const [cancelled, expired] = (await runNow('nightly')).files.map(({ batch }) => batch!);
    await cancelBatch(world.store, cancelled);
    await world.store.redis.del(new Keys(world.store.settings.keyPrefix).batch(expired));
    const { schedules } = world.store;
    await until('both to be given up', async () => (await schedules.deliveries('nightly')).size === 2);
    const { stdout } = await world.call('schedule', 'show', 'nightly');
    expect(stdout).toContain(`batch ${cancelled} -> batch ${cancelled} was cancelled: its results are not written`);
    expect(stdout).toContain(`batch ${expired} -> no batch "${expired}" is stored (or it has expired)`);
    const queue = openScheduleQueue(world.store);
    const looks = async () =>
      (await queue.getJobs(['delayed', 'active', 'waiting'])).filter((job) => job.name === 'deliver');
    await until('the last look', async () => (await looks()).length === 0);
    await queue.close();
  });

  it('writes results later that cannot be written now, and says so meanwhile', async () => {
    writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 1)));
    const blocked = world.path('blocked');
    writeFileSync(blocked, 'a file where the folder should be');
    await plan('nightly', NEVER, { output: blocked });
    await world.serve({ ...SCHEDULES, lanes: ['bulk'] });
    const [{ batch }] = (await runNow('nightly')).files;
    const { schedules } = world.store;
    await until('the failure to be told', async () => (await schedules.deliveries('nightly')).size === 1);
    const { stdout } = await world.call('schedule', 'show', 'nightly');
    expect(stdout).toContain('the results are not written yet: ');
    rmSync(blocked);
    const queue = openScheduleQueue(world.store);
    const [waiting] = (await queue.getJobs(['delayed'])).filter((job) => job.name === 'deliver');
    await waiting.promote();
    await until('the results', async () => existsSync(join(blocked, `a.${batch}.ndjson`)));
    expect(readFileSync(join(blocked, `a.${batch}.ndjson`), 'utf8').split('\n')).toHaveLength(3001);
    await queue.close();
  });

  it('resolves the model when it begins', async () => {
    writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 1)));
    await plan('nightly', NEVER);
    await world.serve(SCHEDULES);
    expect(await runNow('nightly')).toMatchObject({ model: 'credit@1' });
    const document = JSON.parse(readFileSync(MODEL, 'utf8'));
    await world.store.models.push({ ...document, description: 'a new one' });
    const later = await runNow('nightly', { again: true });
    expect(later.model).toBe('credit@2');
    const { manifest } = await world.store.batches.status(later.files[0].batch!);
    expect(manifest.model.version).toBe(2);
  });

  it('records what failed, adds the rest, and takes the bad file again when it is better', async () => {
    const rows = readFileSync(world.writeRows('rows.csv', 1), 'utf8');
    writeFileSync(join(inbox, 'bad.csv'), 'nothing,of,this\n1,2,3\n');
    writeFileSync(join(inbox, 'good.csv'), rows);
    await plan('nightly', NEVER);
    const worker = await world.serve(SCHEDULES);
    const first = await runNow('nightly');
    expect(first.outcome).toBe('failed');
    expect(first.files.map(({ failure }) => failure?.code)).toEqual([expect.any(String), undefined]);
    expect((await world.call('schedule', 'list')).stdout).toContain('failed: ');
    expect(await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text()).toMatch(
      /elsewise_jobs_total\{queue="elsewise-schedule",outcome="failed"\} 1/,
    );

    expect(await runNow('nightly')).toMatchObject({ outcome: 'failed', known: 1 });
    writeFileSync(join(inbox, 'bad.csv'), rows);
    expect(await runNow('nightly')).toMatchObject({ outcome: 'added', known: 1, files: [{ rows: 3000 }] });
  });

  it('says when the folder cannot be seen', async () => {
    await plan('blind', NEVER, { input: world.path('elsewhere/*.csv') });
    await world.serve(SCHEDULES);
    const { outcome, failure } = await runNow('blind');
    expect(outcome).toBe('failed');
    expect(failure).toMatchObject({ code: 'bad-input', message: expect.stringContaining('no such folder') });
  });
});

describe('once', () => {
  const runner = () => new ScheduleRunner(world.store, new Producer(world.store), openScheduleQueue(world.store));
  const filesKey = () => new Keys(world.store.settings.keyPrefix).scheduleFiles('nightly');

  it('for runs that are delivered twice, at once and one after the other', async () => {
    writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 1)));
    await plan('nightly', NEVER);
    const at = new Date('2026-01-15T02:00:00Z');
    const request = { schedule: 'nightly', at, kind: 'scheduled', again: false } as const;
    await Promise.all([runner().run(request), runner().run(request)]);
    await runner().run(request);
    expect(await batches()).toEqual([expect.stringMatching(/^nightly-20260115T020000Z-[0-9a-f]{12}$/)]);
    expect(await runs('nightly')).toMatchObject([{ outcome: 'added', files: [{ rows: 3000 }] }]);
    const { redis, settings, batches: stored } = world.store;
    const { chunks, rows } = await stored.status((await batches())[0]);
    expect(rows).toBe(3000);
    expect(await redis.llen(`${settings.queuePrefix}:elsewise-bulk:wait`)).toBe(chunks);
  });

  it('for runs that overlap: the second goes on with the batch of the first, model and all', async () => {
    const file = join(inbox, 'a.csv');
    writeFileSync(file, readFileSync(world.writeRows('rows.csv', 1)));
    await plan('nightly', NEVER);
    const at = (day: number) => new Date(Date.UTC(2026, 0, day, 2));
    const request = (day: number) => ({ schedule: 'nightly', at: at(day), kind: 'scheduled', again: false }) as const;
    await runner().run(request(15));
    const [batch] = await batches();
    const added = JSON.parse((await world.store.redis.hget(filesKey(), file))!);
    const policy = JSON.parse(readFileSync(POLICY, 'utf8'));
    const { rows: _, ...claim } = { ...added, state: 'adding', model: 'credit@1', policy };
    await world.store.redis.hset(filesKey(), file, JSON.stringify(claim)); // as if it had been cut off there
    await world.store.models.push({ ...JSON.parse(readFileSync(MODEL, 'utf8')), description: 'a new one' });
    await runner().run(request(16));
    expect(await batches()).toEqual([batch]);
    expect((await runs('nightly'))[0]).toMatchObject({ model: 'credit@2', files: [{ batch, rows: 3000 }] });
  });

  it('per time, with three workers', async () => {
    await Promise.all([1, 2, 3].map(() => world.startWorker('--queues', 'schedule')));
    writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 1)));
    await plan('often', EVERY_SECOND);
    await until('four runs', async () => (await runs('often')).filter(({ ended }) => ended).length >= 4);
    expect(await world.call('schedule', 'pause', 'often')).toMatchObject({ code: 0, stdout: 'often: paused\n' });
    await sleep(300);
    const all = await runs('often');
    expect(all.every(({ id }) => id.endsWith('.000Z'))).toBe(true);
    const added = all
      .filter(({ outcome }) => outcome === 'added')
      .flatMap(({ files }) => files.map((file) => file.batch));
    expect(new Set(added)).toEqual(new Set(await batches())); // a run that overlaps goes on with the same
    expect(await batches()).toHaveLength(1);
    await sleep(1500);
    expect(await runs('often')).toHaveLength(all.length);
    expect((await world.call('schedule', 'list')).stdout).toContain('paused');
    expect(await world.call('schedule', 'resume', 'often')).toMatchObject({ code: 0 });
    await until('another run', async () => (await runs('often')).length > all.length);
    expect(await world.call('schedule', 'remove', 'often')).toMatchObject({ code: 0 });
    expect(await world.store.schedules.list()).toEqual([]);
    await sleep(1500);
    expect(await new Schedules(world.store).list()).toEqual([]);
    expect(await batches()).toHaveLength(1);
  });

  it('also for a run in whose midst the schedule is removed, and nothing of it is left', async () => {
    writeFileSync(join(inbox, 'a.csv'), readFileSync(world.writeRows('rows.csv', 0)));
    const keys = new Keys(world.store.settings.keyPrefix);
    for (let round = 0; round < REMOVALS; round++) {
      await plan('nightly', NEVER);
      const request = (day: number) =>
        ({ schedule: 'nightly', at: new Date(Date.UTC(2026, round, day)), kind: 'scheduled', again: false }) as const;
      await runner().run(request(1));
      const made = await batches();
      const second = runner().run(request(2));
      await sleep(Math.random() * 4);
      await new Schedules(world.store).remove('nightly');
      await second;
      expect(await batches()).toEqual(made);
      expect(await world.store.redis.keys(`${keys.schedule('nightly')}*`)).toEqual([]);
    }
  });

  it('for all the times that passed while there was no worker', async () => {
    await plan('often', EVERY_SECOND);
    await sleep(3_500);
    const upSince = Date.now();
    await world.serve(SCHEDULES);
    await until('three runs', async () => (await runs('often')).length >= 3);
    const missed = (await runs('often')).filter(({ id }) => Date.parse(id) < upSince - 500);
    expect(missed).toHaveLength(1);
  });

  it('when the worker is killed in the middle: another takes it up', async () => {
    const file = join(inbox, 'a.csv');
    writeFileSync(file, readFileSync(world.writeRows('rows.csv', 5)));
    await plan('nightly', NEVER, { output: world.path('outbox') });
    const doomed = await world.startWorkerWith(MISSED_SOON, '--queues', 'schedule');
    const id = await new Schedules(world.store).run('nightly', { again: false });
    await until('the first chunks', async () => (await batches()).length === 1);
    doomed.process.kill('SIGKILL');
    const [batch] = await batches();
    expect((await world.store.batches.status(batch)).isSealed).toBe(false);
    await world.startWorkerWith(MISSED_SOON);
    expect(await ended('nightly', id)).toMatchObject({
      outcome: 'added',
      files: [{ batch, rows: 15_000 }],
    });
    const output = world.path(`outbox/a.${batch}.ndjson`);
    await until('the results', async () => existsSync(output));
    const ids = readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id as string);
    expect(ids).toHaveLength(15_000);
    expect(new Set(ids).size).toBe(15_000);
    expect(readdirSync(world.path('outbox'))).toHaveLength(1);
  });
});
