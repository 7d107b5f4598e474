/** Makes the server, its client, TLS and the system say each of the words that we tell their errors apart by. */
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort, startRedis } from '../../scripts/redis.mjs';
import { isSaid, notAnswered, says, WORDS, type Word } from '../../src/store/redis/redis-words.js';
import { until } from './queue-world.js';
import { ask, type ClusterServers, startCluster, startTls, type TlsServer } from './redis-servers.js';

interface Plain {
  readonly url: string;
  readonly port: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

let plain: Plain;
let cluster: ClusterServers;
let tls: TlsServer;
const servers: Server[] = [];

beforeAll(async () => {
  [plain, cluster, tls] = await Promise.all([startRedis(), startCluster(2), startTls()]);
});

afterAll(async () => {
  for (const server of servers) server.close();
  await Promise.all([plain.stop(), cluster.stop(), tls.stop()]);
});

/** The error of a command, or of the connection where that says more. */
async function errorOf(options: RedisOptions, ...command: readonly [string, ...string[]]): Promise<Error> {
  const redis = new Redis({ lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, ...options });
  const errors: Error[] = [];
  redis.on('error', (error) => errors.push(error));
  try {
    await redis.connect();
    await redis.call(...command);
  } catch (error) {
    return errors[0] ?? (error as Error);
  } finally {
    redis.disconnect();
  }
  throw new Error('it went well');
}

const onPlain = (...command: readonly [string, ...string[]]) => errorOf({ port: plain.port }, ...command);

/** With a server that is set up for it; the first commands are its setting. */
async function onServer(
  args: readonly string[],
  setting: readonly (readonly [string, ...string[]])[],
  ...command: readonly [string, ...string[]]
): Promise<Error> {
  const server = await startRedis({ args: [...args] });
  try {
    for (const one of setting) await ask(server.url, ...one);
    return await errorOf({ port: server.port }, ...command);
  } finally {
    await server.stop('SIGKILL');
  }
}

/** What listens on a port and does this with a connection. */
async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onSocket(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function tlsOptions(more: object = {}): RedisOptions {
  const read = (file: string) => readFileSync(file, 'utf8');
  const { ca, clientCert, clientKey } = tls.files;
  const own = { ca: read(ca), cert: read(clientCert), key: read(clientKey), servername: 'localhost' };
  return { port: tls.tlsPort, tls: { ...own, ...more } };
}

async function onCluster(ports: readonly number[], ...command: readonly [string, ...string[]]): Promise<Error> {
  const nodes = ports.map((port) => ({ host: '127.0.0.1', port }));
  const client = new Cluster(nodes, { lazyConnect: true, clusterRetryStrategy: () => null, maxRedirections: 1 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.call(command[0], command.slice(1));
  } catch (error) {
    return error as Error;
  } finally {
    client.disconnect();
  }
  throw new Error('it went well');
}

/** On a server that asks for a password. */
async function withPassword(password: string | undefined): Promise<Error> {
  const server = await startRedis({ password: 'secret' });
  return errorOf({ port: server.port, password }, 'GET', 'x').finally(() => server.stop('SIGKILL'));
}

/** A script that does not end, asked about from another connection. */
async function whileBusy(): Promise<Error> {
  const server = await startRedis({ args: ['--busy-reply-threshold', '10'] });
  const busy = new Redis(server.url, { retryStrategy: () => null });
  busy.on('error', () => {});
  try {
    void busy.eval('while true do end', 0).catch(() => {});
    let error: Error = new Error('not yet');
    await until('it to be busy', async () => {
      error = await errorOf({ port: server.port }, 'GET', 'x').catch(() => error);
      return says(error, 'busy');
    });
    return error;
  } finally {
    busy.disconnect();
    await server.stop('SIGKILL');
  }
}

/** A server that takes long to read what it has kept. */
async function whileLoading(): Promise<Error> {
  const directory = await mkdtemp(join(tmpdir(), 'elsewise-loading-'));
  const first = await startRedis({ directory });
  await ask(first.url, 'EVAL', 'for i = 1, 2000 do redis.call("SET", i, string.rep("x", 100)) end', '0');
  await ask(first.url, 'SAVE');
  await first.stop();
  const slowly = ['--key-load-delay', '500', '--loading-process-events-interval-bytes', '1024'];
  const port = await findFreePort();
  const starting = startRedis({ directory, port, args: slowly });
  let error: Error = new Error('not yet');
  await until('it to load', async () => {
    error = await errorOf({ port, enableReadyCheck: false }, 'GET', '1').catch(() => error);
    return says(error, 'loading');
  });
  await (await starting).stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
  return error;
}

/** A server whose folder is gone cannot save, and takes no more. */
async function withoutDisk(): Promise<Error> {
  const directory = await mkdtemp(join(tmpdir(), 'elsewise-no-disk-'));
  const server = await startRedis({ directory, args: ['--save', '3600 1'] });
  try {
    rmSync(directory, { recursive: true, force: true });
    await ask(server.url, 'BGSAVE');
    await until('it to fail', async () => String(await ask(server.url, 'INFO')).includes('rdb_last_bgsave_status:err'));
    return await errorOf({ port: server.port }, 'SET', 'x', '1');
  } finally {
    await server.stop('SIGKILL');
  }
}

/** Two keys of a slot of which one has been moved already. */
async function whileMigrating(): Promise<Error> {
  const [here, there] = cluster.ports;
  const slot = String(await ask(`redis://127.0.0.1:${here}`, 'CLUSTER', 'KEYSLOT', 'x'));
  const [from, to] = Number(slot) < 8192 ? [here, there] : [there, here];
  const id = String(await ask(`redis://127.0.0.1:${to}`, 'CLUSTER', 'MYID'));
  await ask(`redis://127.0.0.1:${from}`, 'SET', '{x}here', '1');
  await ask(`redis://127.0.0.1:${from}`, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', id);
  return errorOf({ port: from }, 'MGET', '{x}here', '{x}gone').finally(() =>
    ask(`redis://127.0.0.1:${from}`, 'CLUSTER', 'SETSLOT', slot, 'STABLE'),
  );
}

/** A certificate that has just expired, shown by nobody but Node itself. */
async function expired(): Promise<Error> {
  const { createServer: createTlsServer } = await import('node:tls');
  const { ca, cert, key } = tls.expired();
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }).listen(0, '127.0.0.1');
  servers.push(server as unknown as Server);
  await new Promise((resolve) => server.once('listening', resolve));
  const port = (server.address() as AddressInfo).port;
  return errorOf({ port, tls: { ca: readFileSync(ca, 'utf8'), servername: 'localhost' } }, 'PING');
}

const PROVOKED: Readonly<Record<Word, () => Promise<Error>>> = {
  wrongPassword: async () => {
    expect((await onPlain('AUTH', 'x')).message).toMatch(WORDS.wrongPassword);
    return withPassword('wrong');
  },
  noPassword: () => withPassword(undefined),
  protectedMode: async () => {
    const server = await startRedis({ args: ['--bind', '0.0.0.0', '--protected-mode', 'yes'] });
    const { connect } = await import('node:net');
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    const greeting = await new Promise((resolve) => socket.once('data', resolve));
    await server.stop('SIGKILL');
    return new Error(String(greeting));
  },
  notPermitted: async () => {
    await ask(plain.url, 'ACL', 'SETUSER', 'guest', 'on', 'nopass', '~*', '+@all', '-get');
    const guest = { port: plain.port, username: 'guest', password: 'x' };
    const inScript = await errorOf(guest, 'EVAL', 'return redis.call("GET", KEYS[1])', '1', 'x');
    expect(inScript.message).toMatch(WORDS.notPermitted);
    return errorOf(guest, 'GET', 'x');
  },
  unknownCommand: () => onPlain('NOSUCHCOMMAND'),
  noCluster: () => onPlain('CLUSTER', 'INFO'),
  otherSlot: async () => {
    const [port] = cluster.ports;
    const crossed = await errorOf({ port }, 'MSET', 'a', '1', 'b', '2');
    expect(crossed.message).toMatch(WORDS.otherSlot);
    const moved = await Promise.all(
      cluster.ports.map((one) => errorOf({ port: one }, 'GET', 'a').catch(() => undefined)),
    );
    return moved.find((error) => error !== undefined)!;
  },
  noSentinel: () => onPlain('SENTINEL', 'MASTERS'),
  clusterDown: () => onServer(['--cluster-enabled', 'yes'], [], 'GET', 'x'),
  full: async () => {
    const server = await startRedis({ maxmemory: '1' });
    const script = await errorOf({ port: server.port }, 'EVAL', 'return redis.call("SET", KEYS[1], "1")', '1', 'x');
    expect(script.message).toMatch(WORDS.full);
    return errorOf({ port: server.port }, 'SET', 'x', '1').finally(() => server.stop('SIGKILL'));
  },
  noDisk: withoutDisk,
  readOnly: () => onServer([], [['REPLICAOF', '127.0.0.1', '1']], 'SET', 'x', '1'),
  groupExists: async () => {
    await ask(plain.url, 'XGROUP', 'CREATE', 'stream', 'group', '0', 'MKSTREAM');
    return onPlain('XGROUP', 'CREATE', 'stream', 'group', '0');
  },
  loading: whileLoading,
  busy: whileBusy,
  masterDown: () => onServer(['--replica-serve-stale-data', 'no'], [['REPLICAOF', '127.0.0.1', '1']], 'GET', 'x'),
  tryAgain: whileMigrating,
  fewReplicas: () => onServer([], [['CONFIG', 'SET', 'min-replicas-to-write', '1']], 'SET', 'x', '1'),
  closed: async () => {
    const redis = new Redis(plain.url, { retryStrategy: () => null });
    redis.on('error', () => {});
    const waiting = redis.blpop('nothing', 0).then(
      () => new Error('it went well'),
      (error: Error) => error,
    );
    await until('it to wait', async () => String(await ask(plain.url, 'INFO')).includes('blocked_clients:1'));
    redis.disconnect();
    return waiting;
  },
  gaveUp: async () => {
    const redis = new Redis({ port: await findFreePort(), maxRetriesPerRequest: 1, retryStrategy: () => 1 });
    redis.on('error', () => {});
    return redis
      .get('x')
      .then(
        () => new Error('it went well'),
        (error: Error) => error,
      )
      .finally(() => redis.disconnect());
  },
  noNode: async () => {
    expect((await onCluster([plain.port], 'GET', 'x')).message).toMatch(WORDS.noNode); // it is no node
    return onCluster([await findFreePort()], 'GET', 'x');
  },
  redirected: async () => {
    const port = await listen((socket) => {
      const { port: own } = socket.address() as AddressInfo;
      const slots = `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:${own}\r\n`;
      socket.on('data', (bytes) => {
        for (const command of String(bytes)
          .toLowerCase()
          .split(/(?=\*\d+\r\n\$)/))
          socket.write(
            command.includes('slots')
              ? slots
              : command.includes('get\r\n')
                ? `-MOVED 1 127.0.0.1:${own}\r\n`
                : '+OK\r\n',
          );
      });
    });
    return onCluster([port], 'GET', 'x');
  },
  noSentinels: async () => {
    const sentinels = [{ host: '127.0.0.1', port: await findFreePort() }];
    return errorOf({ sentinels, name: 'main', sentinelRetryStrategy: () => null }, 'GET', 'x');
  },
  noRedis: async () => {
    const port = await listen((socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')));
    return errorOf({ port }, 'GET', 'x');
  },
  unknownAuthority: () => errorOf(tlsOptions({ ca: undefined }), 'PING'),
  otherHost: () => errorOf(tlsOptions({ servername: 'elsewhere.test' }), 'PING'),
  expired,
  noCertificate: () => errorOf(tlsOptions({ cert: undefined, key: undefined, maxVersion: 'TLSv1.2' }), 'PING'),
  noTls: async () => {
    const port = await listen((socket) => socket.once('data', () => socket.write('-ERR unknown command\r\n')));
    return errorOf({ ...tlsOptions(), port }, 'PING');
  },
  tlsCut: async () => errorOf({ ...tlsOptions(), port: await listen((socket) => socket.end()) }, 'PING'),
  reset: async () =>
    errorOf({ port: await listen((socket) => socket.once('data', () => socket.resetAndDestroy())) }, 'PING'),
  unreachable: async () => errorOf({ port: await findFreePort() }, 'PING'),
  silent: async () => notAnswered(1_000),
};

it.each(Object.keys(WORDS) as Word[])('%s is said as we expect it', async (word) => {
  const error = await PROVOKED[word]();
  const { code = '' } = error as NodeJS.ErrnoException;
  expect(isSaid(error.message, [word], `${error.name} ${code}`), `${error.name}: ${error.message} ${code}`).toBe(true);
});
