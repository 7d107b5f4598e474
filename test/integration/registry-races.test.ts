/** The registry when several write to it at once, and when what it holds goes wrong; on a real Redis. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { digestOfBytes } from '../../src/store/codec/block.js';
import { Keys } from '../../src/store/keys.js';
import { MODEL, until, World } from './queue-world.js';

const APPROVED = { schema: 'elsewise.policy/v1', target: 'approved' };
const DOCUMENT = JSON.parse(readFileSync(MODEL, 'utf8'));
const WRITER = fileURLToPath(new URL('./registry-writer.mjs', import.meta.url));

let world: World;
let keys: Keys;

beforeAll(async () => {
  world = await World.create();
  keys = new Keys(world.store.settings.keyPrefix);
});

afterAll(() => world.close());

/** Its exit code. */
function write(name: string, self: string, times: number): Promise<number | null> {
  const child = spawn(process.execPath, [WRITER, MODEL, name, self, String(times)], {
    env: { ...process.env, ...world.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => child.once('close', resolve));
}

describe('two processes', () => {
  it('push and move aliases at once, and nothing is lost', async () => {
    const { models } = world.store;
    const TIMES = 15;
    await models.push({ ...DOCUMENT, name: 'busy' });
    await models.setAlias('busy', 'turn', '1');
    expect(await Promise.all([write('busy', 'left', TIMES), write('busy', 'right', TIMES)])).toEqual([0, 0]);
    const versions = await models.versions('busy');
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 1 + 3 * TIMES }, (_, i) => 46 - i));
    expect(new Set(versions.map(({ digest }) => digest)).size).toBe(1 + 3 * TIMES);
    const aliases = await models.aliases('busy');
    expect(aliases.get('turn')).toBe(1 + 2 * TIMES);
    for (const self of ['left', 'right']) {
      for (let i = 0; i < TIMES; i++) {
        const { document } = await models.load(`busy@${self}-${i}`);
        expect(document.description).toBe(`${self} ${i}`);
      }
    }
  });
});

describe('a removal', () => {
  it('and a batch that settles on the version: one of them wins, never both, never neither', async () => {
    const { models, redis } = world.store;
    const outcomes = { batch: 0, removal: 0 };
    for (let round = 0; round < 84; round++) {
      const { version } = await models.push({ ...DOCUMENT, name: 'contested', description: `${round}` });
      const reference = `contested@${version.version}`;
      const open = async () => {
        for (let wait = 0; wait < round % 7; wait++) await redis.ping();
        const entry = JSON.stringify({ model: reference, since: new Date().toISOString() });
        await redis.hset(keys.openBatches(), `b-${round}`, entry);
        await models.settleOn(version);
      };
      const remove = async () => {
        for (let wait = 0; wait < round % 3; wait++) await redis.ping();
        await models.remove(reference);
      };
      const [batch, removal] = await Promise.allSettled([open(), remove()]);
      expect([batch.status, removal.status].sort()).toEqual(['fulfilled', 'rejected']);
      const isThere = await models.resolve(reference).then(
        () => true,
        () => false,
      );
      expect(isThere).toBe(batch.status === 'fulfilled');
      outcomes[isThere ? 'batch' : 'removal']++;
      await redis.hdel(keys.openBatches(), `b-${round}`);
    }
    expect(outcomes.batch).toBeGreaterThan(0);
    expect(outcomes.removal).toBeGreaterThan(0);
  });

  it('looks again when a batch came in between its look and its deed', async () => {
    const { models, redis } = world.store;
    const { version } = await models.push({ ...DOCUMENT, name: 'between' });
    const entry = JSON.stringify({ model: 'between@1', since: new Date().toISOString() });
    const late = interceptOnce(redis, 'hgetall', keys.openBatches(), async () => {
      await redis.hset(keys.openBatches(), 'late', entry);
      await models.settleOn(version);
    });
    await expect(models.remove('between@1')).rejects.toThrow('it is used by open batch late');
    expect(late.isDone).toBe(true);
    await redis.hdel(keys.openBatches(), 'late');
    expect((await models.load('between@1')).version).toBe(1);
  });

  it('after the resolve fails the enqueue, which leaves nothing behind', async () => {
    const { models, batches, redis } = world.store;
    await models.push({ ...DOCUMENT, name: 'vanishing' });
    const lines = readFileSync(world.writeRows('rows.csv', 1));
    async function* rows() {
      await models.remove('vanishing@1'); // the model has been resolved and loaded by now
      yield lines;
    }
    const producer = new Producer(world.store);
    const input = { source: rows(), name: 'rows.csv', model: 'vanishing', policy: APPROVED, batch: 'too-late' };
    await expect(producer.enqueueBatch(input)).rejects.toThrow(/no model "vanishing" is stored/);
    await expect(batches.status('too-late')).rejects.toThrow(/no batch "too-late"/);
    expect(await redis.keys(`${world.store.settings.keyPrefix}*too-late*`)).toEqual([]);
  });
});

describe('a batch', () => {
  it('keeps the version that it was given when its alias moves on meanwhile', async () => {
    const { models, batches, results } = world.store;
    const producer = new Producer(world.store);
    await models.push({ ...DOCUMENT, name: 'moving' });
    await models.push({ ...DOCUMENT, name: 'moving', description: 'the next one' });
    await models.setAlias('moving', 'production', '1');
    const worker = await world.startWorker('--queues', 'bulk');
    const text = readFileSync(world.writeRows('rows.csv', 1), 'utf8');
    const lines = Buffer.from(`${text.split('\n').slice(0, 601).join('\n')}\n`);
    const half = lines.length >> 1;
    async function* rows() {
      yield lines.subarray(0, half);
      await models.setAlias('moving', 'production', '2');
      yield lines.subarray(half);
    }
    const input = { source: rows(), name: 'rows.csv', model: 'moving@production', policy: APPROVED, chunkRows: 100 };
    const { id, chunks } = await producer.enqueueBatch({ ...input, batch: 'moving-1' });
    await until('the batch', async () => {
      const { done, failed } = await batches.status(id);
      return done + failed === chunks;
    });
    const versions = new Set<number>();
    for (const [i, chunk] of (await batches.chunks(id, 0, chunks)).entries()) {
      if (chunk?.state !== 'done') throw new Error(`chunk ${i}: ${JSON.stringify(chunk)}`);
      const answers = (await results.chunkResults(id, i, chunk.results)).toString().trimEnd();
      for (const line of answers.split('\n')) versions.add(JSON.parse(line).model.version);
    }
    expect([...versions]).toEqual([1]);
    expect((await models.resolve('moving@production')).version).toBe(2);
    worker.process.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });
});

describe('what Redis holds', () => {
  it('is named when it is damaged or a bomb, by the store, the command line and the failed chunk', async () => {
    const { models, batches, redis } = world.store;
    const { version } = await models.push({ ...DOCUMENT, name: 'broken' });
    const key = keys.models.block('broken', version.digest);
    const input = world.writeRows('few.csv', 1);
    const enqueued = await world.run(
      'enqueue',
      '--model',
      'broken',
      '--input',
      input,
      '--target',
      'approved',
      '--quiet',
    );
    const id = enqueued.stdout.trim();
    await redis.set(key, 'no zlib');
    expect((await world.run('models', 'check', 'broken@1')).stderr).toContain(
      'model broken@1: the content in Redis is damaged',
    );
    const worker = await world.startWorker('--queues', 'bulk');
    await until('the failure', async () => (await batches.status(id)).failed > 0);
    expect(await batches.chunk(id, 0)).toMatchObject({
      state: 'failed',
      code: 'damaged',
      message: expect.stringContaining('model broken@1: the content in Redis is damaged'),
    });
    worker.process.kill('SIGTERM');
    await worker.ended;
    await redis.set(key, deflateSync(Buffer.alloc(2 ** 27)));
    await expect(models.load('broken@1')).rejects.toThrow(/^model broken@1: it decompresses to more than 67108864/);
  });

  it('is refused when the block is that of another model, whole as it is', async () => {
    const { models, redis } = world.store;
    const { version } = await models.push({ ...DOCUMENT, name: 'swapped' });
    const forged = Buffer.from(JSON.stringify({ ...DOCUMENT, classes: ['approved', 'rejected'] }));
    await redis.set(keys.models.block('swapped', version.digest), deflateSync(forged));
    await expect(models.load('swapped@1')).rejects.toThrow(`its digest is ${digestOfBytes(forged)}`);
  });
});

/** Runs `act` after the next call of a command on the key has been answered, before its caller hears of it. */
function interceptOnce(redis: object, command: string, key: string, act: () => Promise<void>): { isDone: boolean } {
  const client = redis as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const original = client[command];
  const state = { isDone: false };
  client[command] = async (...args) => {
    const reply = await original.apply(redis, args);
    if (args[0] === key && !state.isDone) {
      state.isDone = true;
      client[command] = original;
      await act();
    }
    return reply;
  };
  return state;
}
