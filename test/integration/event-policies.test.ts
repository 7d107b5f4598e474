/** Events that name a policy of the registry: a moved alias counts at once, and what it names is read from Redis once. */
import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { Keys } from '../../src/store/keys.js';
import { type Store, storeOver } from '../../src/store/store.js';
import { exampleFeatures } from './api-world.js';
import { POLICY, until, World } from './queue-world.js';

const DOCUMENT = JSON.parse(readFileSync(POLICY, 'utf8'));

let world: World;
let keys: Keys;

beforeAll(async () => {
  world = await World.withModel();
  keys = new Keys(world.store.settings.keyPrefix);
});

afterAll(() => world.close());

const policyOf = (name: string, margin = 0) => ({ ...DOCUMENT, name, margin });
/** Another process: nothing is known to it. */
const freshStore = (): Store => storeOver(world.store.redis, world.store.settings);
const blockOf = ({ name, digest }: { name: string; digest: string }) => keys.policies.block(name, digest);

describe('a worker', () => {
  it('follows an alias that moves, and answers on although the document is not there to be read again', async () => {
    const { policies, redis, results, settings } = world.store;
    const queue = new Queue('elsewise-events', { connection: redis, prefix: settings.queuePrefix });
    const features = exampleFeatures(world);
    let asked = 0;
    const answer = async (): Promise<ResultDocument> => {
      const id = `asked-${asked}`;
      const own = { ...features, income: 1290 + asked++ }; // equal rows would be answered once
      const job = { schema: 'elsewise.event-job/v1', id, model: 'credit', policy: 'moving@production', features: own };
      await queue.add('event', job);
      await until(`the answer to ${id}`, async () => (await results.result(id)) !== undefined);
      return JSON.parse((await results.result(id))!);
    };
    const [first, second] = [
      (await policies.push(policyOf('moving'))).version,
      (await policies.push(policyOf('moving', 0.05))).version,
    ];
    await policies.setAlias('moving', 'production', '1');
    await world.startWorker('--queues', 'events');
    expect(await answer()).toMatchObject({ status: 'found', policy: { name: 'moving', digest: first.digest } });
    await policies.setAlias('moving', 'production', '2');
    expect(await answer()).toMatchObject({ status: 'found', policy: { digest: second.digest } });
    await redis.unlink(blockOf(first), blockOf(second));
    expect(await answer()).toMatchObject({ status: 'found', policy: { digest: second.digest } });
    await policies.setAlias('moving', 'production', '1');
    expect(await answer()).toMatchObject({ status: 'found', policy: { digest: first.digest } });
    await expect(freshStore().policies.load('moving@1')).rejects.toThrow('is not stored');
    await queue.close();
  });
});

describe('a store', () => {
  it('keeps so many policies, and those that were used last', async () => {
    const { policies, redis } = freshStore();
    const versions = [];
    for (let i = 0; i < 65; i++) versions.push((await policies.push(policyOf(`many-${i}`))).version);
    for (const { name } of versions.slice(0, 64)) await policies.load(name);
    await policies.load('many-0');
    await policies.load('many-64');
    await redis.unlink(...versions.map(blockOf));
    for (const name of ['many-0', 'many-2', 'many-64']) expect((await policies.load(name)).name).toBe(name);
    await expect(policies.load('many-1')).rejects.toThrow('is not stored');
  });

  it('keeps no failure', async () => {
    const { policies, redis } = freshStore();
    const block = blockOf((await policies.push(policyOf('failing'))).version);
    const good = (await redis.getBuffer(block))!;
    await redis.set(block, 'damaged');
    await expect(policies.load('failing')).rejects.toThrow('damaged');
    await redis.set(block, good);
    expect((await policies.load('failing')).document).toMatchObject({ name: 'failing' });
  });

  it('does not keep a long one', async () => {
    const { policies, redis } = freshStore();
    const features = Object.fromEntries(Array.from({ length: 50_000 }, (_, f) => [`feature-${f}`, { min: 0 }]));
    const { version } = await policies.push({ ...policyOf('long'), features });
    expect(version.bytes).toBeGreaterThan(2 ** 20);
    await policies.load('long');
    await redis.unlink(blockOf(version));
    await expect(policies.load('long')).rejects.toThrow('is not stored');
  });

  it('knows the number that a content has now, and what was removed no more', async () => {
    const { policies } = freshStore();
    await policies.push(policyOf('again'));
    expect((await policies.load('again')).version).toBe(1);
    await policies.remove('again@1');
    await expect(policies.load('again@1')).rejects.toThrow('no policy "again"');
    await policies.push(policyOf('again'));
    expect((await policies.load('again')).version).toBe(2);
  });
});
