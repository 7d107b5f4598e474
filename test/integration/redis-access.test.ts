/** One server with users and with TLS: what is documented works, everything else ends with 3 and says what to do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../scripts/redis.mjs';
import { type Ended, World } from './queue-world.js';
import { checkFlows } from './redis-flows.js';
import { ask, startTls, type TlsServer } from './redis-servers.js';

const PAGE = readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8');
const ACL = /```acl\n(.*)\n```/.exec(PAGE)![1].split(' ');
const PREFIXES = { ELSEWISE_PREFIX: 'elsewise', ELSEWISE_QUEUE_PREFIX: 'bull' };
const PASSWORD = 'p@ss/w:rd%';

function expectRefusal({ code, stdout, stderr }: Ended, ...texts: (string | RegExp)[]): void {
  for (const text of texts) expect(stderr).toMatch(text);
  expect(stderr.trimEnd().split('\n').length).toBe(1);
  expect(stderr).not.toContain(PASSWORD);
  expect(stdout).toBe('');
  expect(code).toBe(3);
}

describe('a user with no more rights than documented', () => {
  let world: World;
  let adminUrl: string;
  let place: string;

  beforeAll(async () => {
    const server = await startRedis({ appendonly: true, password: 'admin' });
    adminUrl = server.url;
    place = `127.0.0.1:${server.port}`;
    await ask(adminUrl, 'ACL', 'SETUSER', 'worker', 'on', `>${PASSWORD}`, ...ACL);
    const url = `redis://worker:${encodeURIComponent(PASSWORD)}@${place}`;
    world = await World.create({ url, stop: () => server.stop(), env: PREFIXES });
  });

  afterAll(() => world.close());

  it('can do everything', () => checkFlows(world, ['only']));

  it('can be given by variables, the password by a file', async () => {
    const file = world.path('password');
    writeFileSync(file, `${PASSWORD}\n`);
    const env = { REDIS_URL: `redis://${place}`, ELSEWISE_STORE_USERNAME: 'worker' };
    const byFile = await world.callWith({ ...env, ELSEWISE_STORE_PASSWORD_FILE: file }, 'models', 'list');
    expect(byFile.stdout).toContain('credit@1');
    const byVariable = await world.callWith({ ...env, ELSEWISE_STORE_PASSWORD: PASSWORD }, 'models', 'list');
    expect(byVariable.stdout).toContain('credit@1');
    const missing = await world.callWith({ ...env, ELSEWISE_STORE_PASSWORD_FILE: '/nowhere' }, 'models', 'list');
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot read /nowhere (ENOENT)') });
  });

  it('who is someone else, or no one, is refused', async () => {
    const wrong = await world.callWith({ REDIS_URL: `redis://worker:no@${place}` }, 'models', 'list');
    expectRefusal(wrong, /WRONGPASS.*: check user name and password/);
    expectRefusal(
      await world.callWith({ REDIS_URL: `redis://${place}` }, 'models', 'list'),
      /NOAUTH.*: it asks for a password/,
    );
    const worker = await world.runWith({ REDIS_URL: `redis://worker:no@${place}` }, 'worker', '--port', '0');
    expectRefusal(worker, 'WRONGPASS');
  });

  it('has no right to other keys and commands, and hears which', async () => {
    const keys = await world.callWith({ ELSEWISE_PREFIX: 'other' }, 'models', 'list');
    expectRefusal(keys, /NOPERM.*SMEMBERS other:models\): let the user do this, see the ACL in docs\/redis.md/);
    const queue = await world.runWith({ ELSEWISE_QUEUE_PREFIX: 'other' }, 'worker', '--port', '0');
    expectRefusal(queue, /NOPERM.*EVALSHA other:meta/);
    await ask(adminUrl, 'ACL', 'SETUSER', 'worker', '-hgetall');
    expectRefusal(await world.call('models', 'show', 'credit'), /NOPERM.*'hgetall'.*HGETALL/);
    await ask(adminUrl, 'ACL', 'SETUSER', 'worker', '+hgetall');
  });

  it('is warned of what is set badly, and told what could not be checked', async () => {
    await ask(adminUrl, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await ask(adminUrl, 'CONFIG', 'SET', 'appendonly', 'no');
    const rows = world.path('rows.csv');
    const enqueue = (batch: string) =>
      world.call('enqueue', '--model', 'credit', '--target', 'approved', '--input', rows, '--batch', batch);
    const blind = await enqueue('blind');
    expect(blind.code).toBe(0);
    expect(blind.stderr).toContain('with maxmemory-policy allkeys-lru it drops jobs and results when it is full');
    expect(blind.stderr).toContain('could not be checked (CONFIG is not allowed)');
    await ask(adminUrl, 'ACL', 'SETUSER', 'worker', '+config|get');
    expect((await enqueue('seeing')).stderr).toContain('it keeps nothing on disk');
    await ask(adminUrl, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await ask(adminUrl, 'CONFIG', 'SET', 'save', '3600 1');
    expect((await enqueue('good')).stderr).not.toContain('Redis at');
  });

  it('works without INFO, and hears that nothing was checked', async () => {
    await ask(adminUrl, 'ACL', 'SETUSER', 'worker', '-info');
    const worker = await world.startWorker();
    const id = await world.enqueue(world.path('rows.csv'), '--batch', 'without-info');
    expect(await world.run('batch', 'wait', id, '--output', world.path('w.ndjson'))).toMatchObject({ code: 0 });
    worker.process.kill('SIGTERM');
    const { code, stderr } = await worker.ended;
    expect(stderr).toContain('could not be checked (INFO is not allowed)');
    expect(code).toBe(0);
  });
});

describe('TLS', () => {
  let world: World;
  let server: TlsServer;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    server = await startTls();
    const { ca, clientCert, clientKey } = server.files;
    env = {
      ELSEWISE_STORE_CA_FILE: ca,
      ELSEWISE_STORE_CERT_FILE: clientCert,
      ELSEWISE_STORE_KEY_FILE: clientKey,
    };
    world = await World.create({ url: server.url, stop: server.stop, env });
  });

  afterAll(() => world.close());

  it('with an authority of our own and a certificate of ours serves everything', () => checkFlows(world, ['only']));

  it('can be set up in the URL alone', async () => {
    const { ca, clientCert, clientKey } = server.files;
    const query = new URLSearchParams({
      caFile: ca,
      certFile: clientCert,
      keyFile: clientKey,
      serverName: 'redis.test',
    });
    const none = { ELSEWISE_STORE_CA_FILE: '', ELSEWISE_STORE_CERT_FILE: '', ELSEWISE_STORE_KEY_FILE: '' };
    const url = `rediss://127.0.0.1:${server.tlsPort}?${query}`;
    expect((await world.callWith(none, 'models', 'list', '--redis', url)).stdout).toContain('credit@1');
  });

  it('that cannot be trusted is not', async () => {
    const list = (changes: NodeJS.ProcessEnv) => world.callWith(changes, 'models', 'list');
    expectRefusal(
      await list({ ELSEWISE_STORE_CA_FILE: '' }),
      /certificate.*: .*name the authority by ELSEWISE_STORE_CA_FILE/,
    );
    const byAddress = { REDIS_URL: `rediss://127.0.0.1:${server.tlsPort}` };
    expectRefusal(await list(byAddress), /altnames.*: .*ELSEWISE_STORE_SERVER_NAME/);
    const nameless = { ELSEWISE_STORE_CERT_FILE: '', ELSEWISE_STORE_KEY_FILE: '' };
    expectRefusal(await list(nameless), /ELSEWISE_STORE_CERT_FILE and ELSEWISE_STORE_KEY_FILE/);
  });

  it('on the wrong side of the port is told', async () => {
    const plain = { REDIS_URL: server.plainUrl.replace('redis:', 'rediss:') };
    expectRefusal(
      await world.callWith(plain, 'models', 'list'),
      /without TLS on that port, write redis instead of rediss/,
    );
    const none = { ELSEWISE_STORE_CA_FILE: '', ELSEWISE_STORE_CERT_FILE: '', ELSEWISE_STORE_KEY_FILE: '' };
    const bare = { ...none, REDIS_URL: `redis://127.0.0.1:${server.tlsPort}` };
    expectRefusal(await world.callWith(bare, 'models', 'list'), /check whether it wants TLS/);
  });

  it('is not left out by mistake', async () => {
    const { code, stderr } = await world.callWith({ REDIS_URL: server.plainUrl }, 'models', 'list');
    expect(stderr).toContain('caFile is set, but the URL is without TLS: write rediss instead of redis');
    expect(code).toBe(2);
  });

  it('or not, a port that is not Redis is told', async () => {
    const http = createServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => http.once('listening', resolve));
    const { port } = http.address() as AddressInfo;
    const none = { ELSEWISE_STORE_CA_FILE: '', ELSEWISE_STORE_CERT_FILE: '', ELSEWISE_STORE_KEY_FILE: '' };
    const result = await world.callWith({ ...none, REDIS_URL: `redis://127.0.0.1:${port}` }, 'models', 'list');
    expectRefusal(result, /the server on that port is not Redis/);
    http.close();
  });

  it('or not, one that takes only its own machine is told', async () => {
    // what a Redis in protected mode says to others, before it hangs up; this machine may have no other address to ask from
    const words =
      '-DENIED Redis is running in protected mode because no password is set. In this mode connections ...\r\n';
    const server = createServer((socket) => socket.on('error', () => {}).end(words)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const none = { ELSEWISE_STORE_CA_FILE: '', ELSEWISE_STORE_CERT_FILE: '', ELSEWISE_STORE_KEY_FILE: '' };
    const result = await world.callWith({ ...none, REDIS_URL: `redis://127.0.0.1:${port}` }, 'models', 'list');
    expectRefusal(
      result,
      /\(DENIED Redis is running in protected mode.*no password is set\): it takes connections from its own/,
    );
    server.close();
  });
});
