/** A Cluster of three: every flow works there, and who mistakes it for a single server, or the other way, is told. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { readMemory } from '../../src/store/redis/memory.js';
import { World } from './queue-world.js';
import { checkFlows } from './redis-flows.js';
import { ask, type Servers, startCluster } from './redis-servers.js';

const PAGE = readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8');
const ACL = /```acl-cluster\n(.*)\n```/.exec(PAGE)![1].split(' ');
const PREFIXES = { ELSEWISE_PREFIX: 'elsewise', ELSEWISE_QUEUE_PREFIX: 'bull' };
const NOBODY = { ELSEWISE_STORE_USERNAME: '', ELSEWISE_STORE_PASSWORD: '' };

let servers: Servers;
let world: World;

beforeAll(async () => {
  servers = await startCluster(3);
  for (const port of servers.ports)
    await ask(`redis://127.0.0.1:${port}`, 'ACL', 'SETUSER', 'worker', 'on', '>secret', ...ACL);
  const env = { ELSEWISE_STORE_USERNAME: 'worker', ELSEWISE_STORE_PASSWORD: 'secret', ...PREFIXES };
  world = await World.create({ ...servers, env });
});

afterAll(() => world.close());

describe('a Cluster', () => {
  it('serves registry, batches, waiting, events and metrics to a user with no more rights than documented', async () => {
    expect(world.store.settings.queuePrefix).toBe('{bull}');
    await checkFlows(world, ['first', 'second', 'third']);
    const keys = await Promise.all(servers.ports.map((port) => ask(`redis://127.0.0.1:${port}`, 'DBSIZE')));
    expect(Math.min(...keys.map(Number))).toBeGreaterThan(0); // all three had a part in it
  });

  it('is as full as its fullest master', async () => {
    const [first, second, third] = servers.ports.map((port) => `redis://127.0.0.1:${port}`);
    const limit = (url: string, megabytes: number) => ask(url, 'CONFIG', 'SET', 'maxmemory', `${megabytes}mb`);
    await Promise.all([limit(first, 1000), limit(second, 100), limit(third, 1000)]);
    expect((await readMemory(world.store.redis)).limitBytes).toBe(100 * 2 ** 20);
    await Promise.all([first, second, third].map((url) => limit(url, 0)));
    expect((await readMemory(world.store.redis)).limitBytes).toBe(0);
  });

  it('is found by any of its nodes', async () => {
    const [, second] = servers.ports;
    const env = { REDIS_URL: `redis+cluster://127.0.0.1:1,127.0.0.1:${second}` };
    expect(await world.callWith(env, 'models', 'list')).toMatchObject({ code: 0 });
    const listed = { REDIS_URL: '', ELSEWISE_STORE_CLUSTER_NODES: `127.0.0.1:${second}` };
    expect((await world.callWith(listed, 'models', 'list')).stdout).toContain('credit@1');
  });

  it('under redis:// is noticed by the worker', async () => {
    const onOther = '{foo}'; // slot 12182, of the third
    const env = { ...NOBODY, REDIS_URL: `redis://127.0.0.1:${servers.ports[0]}`, ELSEWISE_PREFIX: onOther };
    const { code, stderr } = await world.runWith(env, 'worker', '--port', '0');
    expect(stderr).toContain('it is a node of a Cluster: write redis+cluster://');
    expect(stderr).toContain('MOVED');
    expect(code).toBe(3);
  });

  it('that is none is refused', async () => {
    const single = await startRedis();
    const env = { ...NOBODY, REDIS_URL: `redis+cluster://127.0.0.1:${single.port}` };
    const { code, stderr } = await world.callWith(env, 'models', 'list');
    expect(stderr).toContain('it is no Cluster: write redis:// instead of redis+cluster://');
    expect(stderr.trimEnd().split('\n').length).toBe(1);
    expect(code).toBe(3);
    await single.stop();
  });

  it('that does not know us, or lets us do too little, says so', async () => {
    const wrong = await world.callWith({ ELSEWISE_STORE_PASSWORD: 'no' }, 'models', 'list');
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringMatching(/WRONGPASS.*check user name and password/) });
    for (const port of servers.ports)
      await ask(`redis://127.0.0.1:${port}`, 'ACL', 'SETUSER', 'worker', '-cluster|slots');
    const blind = await world.callWith({}, 'models', 'list');
    expect(blind).toMatchObject({ code: 3, stderr: expect.stringMatching(/NOPERM.*cluster.*see the ACL/) });
  });

  it('of which nothing is there is away', async () => {
    const env = { REDIS_URL: 'redis+cluster://127.0.0.1:1,127.0.0.1:2' };
    const { code, stderr } = await world.callWith(env, 'models', 'list');
    expect(stderr).toContain('cannot reach Redis at redis+cluster://127.0.0.1:1,127.0.0.1:2 (connect ECONNREFUSED');
    expect(code).toBe(3);
  });
});
