/** Aliases, policies and removal by way of the command line, on a real Redis. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { Keys } from '../../src/store/keys.js';
import { CREDIT } from './cli-process.js';
import { MODEL, POLICY, until, World, withoutTimes } from './queue-world.js';

const DOCUMENT = JSON.parse(readFileSync(MODEL, 'utf8'));
const RULES = JSON.parse(readFileSync(POLICY, 'utf8'));
const NAME = RULES.name;

let world: World;
let keys: Keys;

beforeAll(async () => {
  world = await World.withModel();
  keys = new Keys(world.store.settings.keyPrefix);
  await world.store.models.push({ ...DOCUMENT, description: 'another one' });
});

afterAll(() => world.close());

function write(name: string, document: unknown): string {
  writeFileSync(world.path(name), JSON.stringify(document));
  return world.path(name);
}

const good = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await world.call(...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

const bad = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await world.call(...args);
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
};

const explain = async (...args: string[]): Promise<void> => {
  const { code, stderr } = await world.run('explain', ...args, '--threads', '1', '--quiet');
  if (code !== 0) throw new Error(stderr);
};

describe('models alias', () => {
  it('names a version, can be moved, and is shown', async () => {
    expect(await good('models', 'alias', 'credit@production=1')).toBe('credit@production is credit@1\n');
    expect(await good('models', 'show', 'credit@production')).toMatch(/model +credit@1\n +aliases +production\n/);
    expect(await good('models', 'alias', 'credit@production=latest')).toBe(
      'credit@production is credit@2, was credit@1\n',
    );
    expect(await good('models', 'alias', 'credit/fallback=1')).toBe('credit@fallback is credit@1\n');
    expect(await good('models', 'list')).toMatch(/credit@2 +production .*\n +credit@1 +fallback /);
    expect(await good('models', 'check', 'credit@production')).toMatch(/name +credit@2/);
  });

  it('is moved from a given version only, if asked to', async () => {
    expect(await bad('models', 'alias', 'credit@production=1', '--from', '1')).toContain('names version 2 and not 1');
    expect(await good('models', 'alias', 'credit@production=1', '--from', '2')).toContain('was credit@2');
  });

  it('cannot be a number, nor name what is not there', async () => {
    const { models } = world.store;
    expect(await bad('models', 'alias', 'credit@7=1')).toContain('"7" cannot be an alias');
    expect(await bad('models', 'alias', 'credit@next=9')).toContain('no version "9"; stored are 2, 1');
    expect(await bad('models', 'alias', 'credit@production')).toContain('with --drop');
    await expect(models.setAlias('credit', 'latest', '1')).rejects.toThrow('"latest" cannot be an alias');
    await expect(models.setAlias('credti', 'next', '1')).rejects.toThrow('did you mean "credit"?');
    await expect(models.resolve('credit@prodution')).rejects.toThrow('did you mean "production"?');
  });
});

describe('letters', () => {
  it('take a model of the registry, and tell its version', async () => {
    const [rows, results, folder] = ['few.csv', 'few.ndjson', 'letters'].map((name) => world.path(name));
    writeFileSync(rows, readFileSync(`${CREDIT}applicants.csv`, 'utf8').split('\n').slice(0, 3).join('\n'));
    await explain('--model', 'credit@1', '--policy', POLICY, '--input', rows, '--output', results);
    await good('letters', results, '--model', 'credit@1', '--policy', POLICY, '--language', 'de', '--output', folder);
    expect(readFileSync(`${folder}/a-0001.txt`, 'utf8')).toContain('Verfahren: credit, Fassung 1\n');
    const other = ['letters', results, '--model', 'credit@2', '--language', 'de', '--output', `${folder}-2`];
    expect(await bad(...other)).toContain('the result is of another model');
  });
});

describe('policies', () => {
  it('have versions, aliases and documents as models have', async () => {
    expect(await good('policies', 'push', POLICY, '--model', 'credit@production')).toBe(`${NAME}@1\n`);
    expect(await good('policies', 'push', write('two.json', { ...RULES, maxChanges: 2 }))).toBe(`${NAME}@2\n`);
    expect(await good('policies', 'push', POLICY)).toBe(`${NAME}@1\n`);
    expect(await good('policies', 'alias', `${NAME}@live=1`)).toContain(`${NAME}@1`);
    expect((await good('policies', 'list')).match(/@\d.*/g)).toEqual([
      expect.stringMatching(/^@2 +- /),
      expect.stringMatching(/^@1 +live /),
    ]);
    expect(await good('policies', 'show', `${NAME}@live`)).toMatch(/policy +\S+@1\n/);
    expect(JSON.parse(await good('policies', 'show', `${NAME}@2`, '--document'))).toMatchObject({
      ...RULES,
      maxChanges: 2,
    });
  });

  it('are refused when they are wrong, unnameable, or do not go with the model', async () => {
    expect(await bad('policies', 'push', write('typo.json', { ...RULES, maxChange: 2 }))).toContain('policy.maxChange');
    expect(await bad('policies', 'push', write('name.json', { ...RULES, name: 'my policy' }))).toContain(
      'policy.name: ',
    );
    const stranger = write('stranger.json', { ...RULES, features: { shoeSize: { change: 'never' } } });
    expect(await bad('policies', 'push', stranger, '--model', MODEL)).toContain('shoeSize');
    expect((await world.store.policies.versions(NAME)).length).toBe(2);
  });

  it('and models of the registry answer as their files do, in explain and in a batch', async () => {
    const input = world.writeRows('rows.csv', 1);
    const expected = await world.explain(input);
    const output = world.path('out.ndjson');
    const named = ['--model', 'credit@production', '--policy', `${NAME}@live`, '--input', input];
    await explain(...named, '--output', output);
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(expected);
    const id = (await good('enqueue', ...named, '--quiet')).trim();
    const { manifest } = await world.store.batches.status(id);
    expect(manifest).toMatchObject({ model: { name: 'credit', version: 1 }, policy: { version: 1 } });
    const worker = await world.startWorker('--queues', 'bulk');
    expect(await world.run('batch', 'wait', id, '--output', output, '--quiet')).toMatchObject({ code: 0 });
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(expected);
    const { policy } = JSON.parse(expected.split('\n')[0]);
    expect(policy).toEqual({ name: NAME, digest: (await world.store.policies.resolve(`${NAME}@1`)).digest });
    const { text } = await worker.get('/metrics');
    // one for the rows; and one for their keys, which are asked for where rows are slow, as on a busy machine
    expect(text).toMatch(/elsewise_prepared_plan_lookups_total\{queue="elsewise-bulk",outcome="miss"\} [12]\n/);
    expect(text).toMatch(/elsewise_prepared_plan_bytes\{queue="elsewise-bulk"\} [1-9]\d+/);
    expect(text).toMatch(/elsewise_cached_plan_bytes [1-9]\d+/);
    worker.process.kill('SIGTERM');
    await worker.ended;
  });

  it('are no longer a version once an option changes them', async () => {
    const input = world.writeRows('rows.csv', 1);
    const id = (
      await good('enqueue', '--model', 'credit', '--policy', NAME, '--count', '2', '--input', input, '--quiet')
    ).trim();
    const { policy } = (await world.store.batches.status(id)).manifest;
    expect([policy.version, policy.document.count, policy.document.maxChanges]).toEqual([undefined, 2, 2]);
  });

  it('give way to a file of their name', async () => {
    const file = write('retail', { ...RULES, name: 'from-a-file' });
    const output = world.path('file.ndjson');
    const rows = world.writeRows('rows.csv', 1);
    await explain('--model', 'credit', '--policy', file, '--input', rows, '--output', output);
    expect(JSON.parse(readFileSync(output, 'utf8').split('\n')[0]).policy.name).toBe('from-a-file');
  });

  it('answer an event that names them, as they are when it is enqueued', async () => {
    const { results, policies } = world.store;
    const [header, row] = readFileSync(world.writeRows('rows.csv', 1), 'utf8').split('\n');
    const values = row.split(',');
    const types = new Map<string, string>(
      DOCUMENT.features.map(({ name, type }: Record<string, string>) => [name, type]),
    );
    const cells = header.split(',').map((name, i) => [name, cell(values[i], types.get(name))]);
    const features = Object.fromEntries(cells.filter(([name]) => types.has(name as string)));
    const producer = new Producer(world.store);
    await producer.enqueueEvent({ id: 'named', model: 'credit@production', policy: `${NAME}@live`, features });
    await policies.setAlias(NAME, 'live', '2');
    const worker = await world.startWorker('--queues', 'events');
    await until('the answer', async () => (await results.result('named')) !== undefined);
    const answer = JSON.parse((await results.result('named'))!);
    expect(answer.policy).toEqual({ name: NAME, digest: (await policies.resolve(`${NAME}@1`)).digest });
    worker.process.kill('SIGTERM');
    await worker.ended;
  });
});

function cell(text: string, type: string | undefined): string | number | boolean {
  if (type === 'boolean') return text === 'true' || text === '1';
  return type === 'categorical' || type === 'ordinal' ? text : Number(text);
}

describe('remove', () => {
  it('is refused for what an alias or an open batch uses, and says which', async () => {
    const { redis } = world.store;
    await redis.del(keys.openBatches()); // those of the tests before, whose worker is gone
    expect(await bad('models', 'remove', 'credit@1')).toMatch(
      /credit@1 is not removed: .* alias (fallback, production|production, fallback)/,
    );
    await redis.hset(keys.openBatches(), 'nightly', openBatch({ model: 'credit@2', policy: `${NAME}@1` }));
    expect(await bad('models', 'remove', 'credit@2')).toContain('it is used by open batch nightly');
    await expect(world.store.policies.remove(`${NAME}@1`)).rejects.toThrow('it is used by open batch nightly');
    await redis.hdel(keys.openBatches(), 'nightly');
  });

  it('does not go by a batch that has expired without anybody taking it out', async () => {
    const { redis, settings, models } = world.store;
    const { version } = await models.push({ ...DOCUMENT, description: 'old' });
    const since = new Date(Date.now() - 1000 * (settings.batchTtlSeconds + 60)).toISOString();
    await redis.hset(keys.openBatches(), 'forgotten', openBatch({ model: `credit@${version.version}`, since }));
    await redis.hset(keys.batch('forgotten'), 'manifest', '{}');
    await expect(models.remove(`credit@${version.version}`)).rejects.toThrow('open batch forgotten');
    await redis.del(keys.batch('forgotten'));
    await models.remove(`credit@${version.version}`);
    await redis.hdel(keys.openBatches(), 'forgotten');
  });

  it('wants a number, and never gives it again', async () => {
    const { models, redis } = world.store;
    expect(await bad('models', 'remove', 'credit')).toContain('expected name@number');
    await models.setAlias('credit', 'production', '2');
    await good('models', 'alias', 'credit@fallback', '--drop');
    const { digest } = await models.resolve('credit@1');
    expect(await good('models', 'remove', 'credit@1')).toBe('credit@1 is removed\n');
    expect(await redis.exists(keys.models.block('credit', digest))).toBe(0);
    await expect(models.remove('credit@1')).rejects.toThrow('no version "1"');
    expect((await models.push(DOCUMENT)).version.version).toBe(4);
  });

  it('of all versions leaves a name that is free and goes on counting', async () => {
    const { policies } = world.store;
    await policies.dropAlias(NAME, 'live');
    for (const version of [1, 2]) await policies.remove(`${NAME}@${version}`);
    expect(await good('policies', 'list')).toContain('no policies');
    expect(await bad('policies', 'show', NAME)).toContain('no policy is stored yet, push one first');
    expect(await good('policies', 'push', POLICY)).toBe(`${NAME}@3\n`);
  });
});

function openBatch(entry: { model: string; policy?: string; since?: string }): string {
  return JSON.stringify({ since: new Date().toISOString(), ...entry });
}

describe('the size of a document', () => {
  it('is limited at push and at load', async () => {
    const large = write('large.json', { ...DOCUMENT, name: 'large', description: 'x'.repeat(2 ** 20) });
    const limit = { ELSEWISE_STORE_MAX_DOCUMENT_MB: '1' };
    const refused = await world.callWith(limit, 'models', 'push', large);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(
      'model: the document is 1.0 MB and may be 1 MB: raise the setting store.maxDocumentMb',
    );
    expect(await world.store.models.versions('large')).toEqual([]);
    await good('models', 'push', large);
    const { code, stderr } = await world.callWith(limit, 'models', 'check', 'large@1');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('model large@1: it decompresses to more than 1048576 bytes'),
    ]);
  });
});
