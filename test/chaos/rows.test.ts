/** Rows, payloads and models that change or do harm in the middle of a batch. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { QueueWorker } from '../../dist/jobs/worker/worker.js';
import { MODEL, POLICY, until, withoutTimes } from '../integration/queue-world.js';
import { ROUNDS, SEED, Trial } from './trial.js';

const MISBEHAVING = new URL('../integration/threads/misbehaving.mjs', import.meta.url).href;
/** What a row's id makes its thread do, and what its result says of it. */
const MISDEEDS = {
  exit: /^thread-lost$/,
  throw: /^failed$/,
  memory: /^(thread-lost|overran)$/, // whichever limit is met first
  hang: /^overran$/,
};
const HUGE_BYTES = 100 * 2 ** 20;

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

console.log(`chaos: seed ${SEED} (CHAOS_SEED=${SEED} replays it)`);

describe.each(rounds)('round %i', (round) => {
  it('rows that kill, fill or block their thread: they alone fail, and say how', async () => {
    const trial = await Trial.begin('poison rows', round);
    const { world, dice } = trial;
    const [header, ...lines] = readFileSync(trial.rows, 'utf8').trimEnd().split('\n');
    const misdeeds = Object.keys(MISDEEDS) as (keyof typeof MISDEEDS)[];
    const guilty = new Map(
      dice
        .shuffle([...lines.keys()])
        .slice(0, 4)
        .map((line, k) => [line, misdeeds[k]]),
    );
    const marked = lines.map((line, i) => (guilty.has(i) ? `${guilty.get(i)}-${line}` : line));
    writeFileSync(world.path('poison.csv'), `${[header, ...marked].join('\n')}\n`);
    const quick = { ...JSON.parse(readFileSync(POLICY, 'utf8')), deadlineMs: 50 };
    writeFileSync(world.path('quick.json'), JSON.stringify(quick));
    const poison = ['--policy', world.path('quick.json'), '--input', world.path('poison.csv')];
    const explained = await world.run('explain', '--model', 'credit@1', ...poison, '--output', world.path('e.ndjson'));
    expect(explained.code).toBe(0);
    const worker = await QueueWorker.start({
      settings: world.store.settings,
      lanes: ['bulk'],
      threads: 2,
      port: 0,
      notice: () => {},
      threadFile: MISBEHAVING,
    });
    const enqueued = await world.run(
      'enqueue',
      '--model',
      'credit',
      ...poison,
      '--batch',
      'poison',
      '--chunk-rows',
      '100',
    );
    expect(enqueued.code).toBe(0);
    const waited = await world.run('batch', 'wait', 'poison', '--output', world.path('p.ndjson'));
    expect(waited.code).toBe(0);
    const [wanted, found] = ['e.ndjson', 'p.ndjson'].map((name) =>
      withoutTimes(readFileSync(world.path(name), 'utf8'))
        .trimEnd()
        .split('\n'),
    );
    expect(found.length).toBe(wanted.length);
    for (const [i, line] of found.entries()) {
      const misdeed = guilty.get(i);
      if (!misdeed) expect(line).toBe(wanted[i]);
      else
        expect(JSON.parse(line)).toMatchObject({
          status: 'not-found',
          reason: { code: expect.stringMatching(MISDEEDS[misdeed]) },
        });
    }
    expect((await world.store.batches.status('poison')).failed).toBe(0);
    await trial.tellPauses('poison');
    await worker.drain();
    await trial.end([]);
  });

  it('garbage in the queues and the stream while a batch runs: dead letters, and not one row the worse', async () => {
    const trial = await Trial.begin('garbage', round);
    const { store } = trial.world;
    const workers = await trial.startWorkers(2);
    const id = await trial.enqueue('beside-garbage');
    const polluted = JSON.parse('{"__proto__": {"isAdmin": true}, "schema": 1}');
    const queue = new Queue('elsewise-bulk', { connection: store.redis, prefix: store.settings.queuePrefix });
    const jobs = [42, null, 'x', {}, polluted, { schema: 'elsewise.chunk-job/v0' }];
    for (const [k, data] of trial.dice.shuffle(jobs).entries())
      await queue.add('chunk', data, { jobId: `garbage-${k}` });
    const bodies = ['', '{', '[]', '{"id":"x"}', '{"id":"x","model":"credit","features":{"__proto__":{"a":1}}}'];
    for (const body of trial.dice.shuffle(bodies)) await store.requests.add(body);
    await store.requests.add('x'.repeat(HUGE_BYTES));
    await store.redis.xadd(`${store.settings.keyPrefix}:requests`, '*', 'nobody', 'at home');
    const letters = jobs.length + bodies.length + 2;
    await until(`${letters} dead letters`, async () => (await store.dead.count()) >= letters);
    expect(await store.dead.count()).toBe(letters);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    for (const worker of workers) expect((await worker.get('/healthz')).status).toBe(200);
    await trial.conclude(id);
    await queue.close();
    await trial.end(workers);
  });

  it('a model replaced under its alias in the middle of a batch: the batch keeps the version that it began with', async () => {
    const trial = await Trial.begin('alias moved', round);
    const { world } = trial;
    const { models } = world.store;
    await models.setAlias('credit', 'production', '1');
    const workers = await trial.startWorkers(1);
    const command = trial.enqueueCommand('pinned').map((part) => (part === 'credit' ? 'credit@production' : part));
    expect((await world.run(...command)).code).toBe(0);
    await trial.midway('pinned');
    const document = JSON.parse(readFileSync(MODEL, 'utf8'));
    const { weights, bias } = document.parameters;
    const opposite = { ...document.parameters, weights: weights.map((w: number) => -w), bias: -bias };
    const { probes: _, ...other } = { ...document, parameters: opposite };
    const { version } = await models.push(other);
    await models.setAlias('credit', 'production', String(version.version));
    await trial.conclude('pinned');
    await trial.end(workers);
  });
});
