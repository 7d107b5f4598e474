/** The registry of models on a real Redis, by way of the command line and of the store. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../../src/store/codec/block.js';
import { Keys } from '../../src/store/keys.js';
import { MODEL, World } from './queue-world.js';

const DOCUMENT = JSON.parse(readFileSync(MODEL, 'utf8'));

let world: World;

beforeAll(async () => {
  world = await World.create();
});

afterAll(() => world.close());

describe('models push, list, show', () => {
  it('gives numbers to contents', async () => {
    const other = world.path('other.json');
    writeFileSync(other, JSON.stringify({ ...DOCUMENT, description: 'another one' }));
    expect(await world.run('models', 'push', MODEL)).toMatchObject({ code: 0, stdout: 'credit@1\n' });
    expect(await world.run('models', 'push', other)).toMatchObject({ code: 0, stdout: 'credit@2\n' });
    const again = await world.run('models', 'push', MODEL);
    expect(again).toMatchObject({ code: 0, stdout: 'credit@1\n' });
    expect(again.stderr).toContain('the same content');
  });

  it('lists all versions, newest first', async () => {
    const { code, stdout } = await world.run('models', 'list');
    expect(code).toBe(0);
    expect(stdout.match(/credit@\d/g)).toEqual(['credit@2', 'credit@1']);
  });

  it('gives the document back as it was', async () => {
    const { stdout } = await world.run('models', 'show', 'credit@1', '--document');
    expect(JSON.parse(stdout)).toEqual(DOCUMENT);
    expect((await world.run('models', 'show', 'credit')).stdout).toContain('credit@2');
  });

  it('says what there is when asked for what there is not', async () => {
    const name = await world.run('models', 'show', 'credti');
    expect(name).toMatchObject({ code: 2, stdout: '' });
    expect(name.stderr).toContain('did you mean "credit"?');
    expect((await world.run('models', 'show', 'credit@9')).stderr).toContain('stored are 2, 1');
  });

  it('refuses a model that is not what its probes say', async () => {
    const bad = world.path('bad.json');
    const { bias } = DOCUMENT.parameters;
    writeFileSync(bad, JSON.stringify({ ...DOCUMENT, parameters: { ...DOCUMENT.parameters, bias: bias + 1 } }));
    const { code, stderr } = await world.run('models', 'push', bad);
    expect(code).toBe(2);
    expect(stderr).toContain('model.probes');
    expect((await world.store.models.versions('credit')).length).toBe(2);
  });
});

describe('the store', () => {
  it('gives different numbers to different contents pushed at once, and one to the same', async () => {
    const pushes = Array.from({ length: 24 }, (_, i) => ({ ...DOCUMENT, name: 'crowd', description: `${i % 8}` }));
    const pushed = await Promise.all(pushes.map((document) => world.store.models.push(document)));
    expect(pushed.filter(({ isNew }) => isNew).length).toBe(8);
    const digests = new Map(pushed.map(({ version }) => [version.version, version.digest]));
    expect([...digests.keys()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { version } of pushed) expect(version.digest).toBe(digests.get(version.version));
  });

  it('refuses a damaged document, and a push of the same content heals it', async () => {
    const { models, redis, settings } = world.store;
    const { digest } = await models.resolve('credit@1');
    const key = new Keys(settings.keyPrefix).models.block('credit', digest);
    const forged = await pack(
      Buffer.from(JSON.stringify({ ...DOCUMENT, classes: ['approved', 'rejected'] })),
      'lasting',
    );
    for (const damage of [forged.data, Buffer.from('no zlib'), (await redis.getBuffer(key))!.subarray(0, 100)]) {
      await redis.set(key, damage);
      await expect(models.load('credit@1')).rejects.toThrow(/damaged/);
      expect((await world.run('models', 'show', 'credit@1')).code).toBe(2);
    }
    await models.push(DOCUMENT);
    expect((await models.load('credit@1')).version).toBe(1);
  });
});
