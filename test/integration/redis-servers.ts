/** Real servers of every kind, from the one redis-server on the PATH: a Cluster, Sentinels, TLS with its certificates. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort, startRedis } from '../../scripts/redis.mjs';
import { findProgram, Missing } from '../../scripts/system.mjs';
import { until } from './queue-world.js';

const SLOTS = 16_384;
const BUS_PORT_ATTEMPTS = 3;

export interface Servers {
  readonly url: string;
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/** One command on one server, over a connection of its own. */
export async function ask(url: string, ...command: [string, ...string[]]): Promise<unknown> {
  const client = new Redis(url);
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

export interface ClusterServers extends Servers {
  /** Who has the slot of a key, and who would take it over; as they were at the start. */
  pairOf(key: string): Promise<{ readonly master: ClusterNode; readonly replica: ClusterNode }>;
}

export interface ClusterNode {
  readonly url: string;
  readonly port: number;
  readonly bus: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface ClusterOptions {
  /** Whether each master has a replica that takes its place. */
  readonly hasReplicas?: boolean;
  /** After so long without an answer a node is taken for dead. */
  readonly nodeTimeoutMs?: number;
}

/** Masters that share the slots evenly. */
export async function startCluster(count: number, options: ClusterOptions = {}): Promise<ClusterServers> {
  const { hasReplicas = false, nodeTimeoutMs = 2_000 } = options;
  const start = () => Promise.all(Array.from({ length: count }, () => startClusterNode(nodeTimeoutMs)));
  const masters = await start();
  const replicas = hasReplicas ? await start() : [];
  const nodes = [...masters, ...replicas];
  for (const [i, { url }] of masters.entries()) {
    const [from, end] = [i, i + 1].map((k) => Math.round((k * SLOTS) / count));
    await ask(url, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(end - 1));
  }
  for (const { url } of nodes)
    await ask(url, 'CLUSTER', 'MEET', '127.0.0.1', String(nodes[0].port), String(nodes[0].bus));
  await untilAll('the cluster', nodes, async ({ url }) => {
    const about = String(await ask(url, 'CLUSTER', 'INFO'));
    return about.includes('cluster_state:ok') && about.includes(`cluster_known_nodes:${nodes.length}`);
  });
  for (const [i, { url }] of replicas.entries())
    await ask(url, 'CLUSTER', 'REPLICATE', String(await ask(masters[i].url, 'CLUSTER', 'MYID')));
  await untilAll('the replicas', masters, async ({ url }) => !hasReplicas || (await hasReplica(url)));
  const ports = nodes.map(({ port }) => port);
  const url = `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  const pairOf = async (key: string) => {
    const i = Math.floor((Number(await ask(nodes[0].url, 'CLUSTER', 'KEYSLOT', key)) * count) / SLOTS);
    return { master: masters[i], replica: replicas[i] };
  };
  return { url, ports, pairOf, stop: () => stopAll(nodes) };
}

async function startClusterNode(nodeTimeoutMs: number): Promise<ClusterNode> {
  const timeout = ['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-replica-validity-factor', '0'];
  const sync = ['--repl-diskless-sync-delay', '0']; // a replica is not kept waiting for others
  for (let attempt = 1; ; attempt++) {
    const bus = await findFreePort();
    const args = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), ...timeout, ...sync];
    try {
      return { ...(await startRedis({ args })), bus };
    } catch (error) {
      if (attempt === BUS_PORT_ATTEMPTS) throw error; // another process may have taken the free port in between
    }
  }
}

async function hasReplica(url: string): Promise<boolean> {
  return String(await ask(url, 'INFO', 'replication')).includes('state=online');
}

async function untilAll<T>(what: string, all: readonly T[], isSo: (one: T) => Promise<boolean>): Promise<void> {
  await until(what, async () => (await Promise.all(all.map(isSo))).every(Boolean));
}

async function stopAll(servers: readonly { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

export interface SentinelServers extends Servers {
  /** The master that was there first, to be killed. */
  readonly master: { readonly port: number; stop(signal?: NodeJS.Signals): Promise<void> };
  /** The port of the master that the Sentinels name now. */
  masterPort(): Promise<number>;
}

/** A master with a replica, both with a password, and three Sentinels with another. */
export async function startSentinels(passwords: { redis: string; sentinel: string }): Promise<SentinelServers> {
  const shared = ['--masterauth', passwords.redis];
  const master = await startRedis({ password: passwords.redis, appendonly: true, args: shared });
  const following = [...shared, '--replicaof', `127.0.0.1 ${master.port}`];
  const replica = await startRedis({ password: passwords.redis, appendonly: true, args: following });
  await until('the replica', async () => String(await ask(replica.url, 'INFO')).includes('master_link_status:up'));
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(master.port, passwords)));
  const first = sentinels[0].url;
  const knowsAll = async (url: string) => {
    const about = String(await ask(url, 'INFO', 'sentinel'));
    return about.includes('slaves=1,sentinels=3');
  };
  await until('the Sentinels', async () =>
    (await Promise.all(sentinels.map(({ url }) => knowsAll(url)))).every(Boolean),
  );
  const ports = sentinels.map(({ port }) => port);
  return {
    url: `redis+sentinel://:${passwords.redis}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/main`,
    ports,
    master,
    masterPort: async () => Number(((await ask(first, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as string[])[1]),
    stop: () => stopAll([...sentinels, replica, master]),
  };
}

async function startSentinel(masterPort: number, passwords: { redis: string; sentinel: string }) {
  const directory = mkdtempSync(join(tmpdir(), 'elsewise-sentinel-'));
  const file = join(directory, 'sentinel.conf');
  const lines = [
    `sentinel monitor main 127.0.0.1 ${masterPort} 2`,
    `sentinel auth-pass main ${passwords.redis}`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
    `sentinel sentinel-pass ${passwords.sentinel}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const server = await startRedis({ directory, password: passwords.sentinel, sentinelFile: file });
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...server, stop };
}

export interface TlsServer {
  /** With TLS. */
  readonly url: string;
  /** The same server without. */
  readonly plainUrl: string;
  readonly tlsPort: number;
  readonly files: Certificates;
  /** A certificate of the same authority that is valid no more. */
  expired(): Pick<Certificates, 'ca' | 'cert' | 'key'>;
  stop(): Promise<void>;
}

/** Asks clients for a certificate of its own authority. */
export async function startTls(): Promise<TlsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'elsewise-tls-'));
  const files = makeCertificates(directory);
  const tlsPort = await findFreePort();
  const args = ['--tls-port', String(tlsPort), '--tls-auth-clients', 'yes', '--tls-ca-cert-file', files.ca];
  const server = await startRedis({ args: [...args, '--tls-cert-file', files.cert, '--tls-key-file', files.key] });
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const expired = () => makeExpired(directory, files);
  return { url: `rediss://localhost:${tlsPort}`, plainUrl: server.url, tlsPort, files, expired, stop };
}

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/** An authority, a certificate for `localhost` and `redis.test`, and one for a client. */
export function makeCertificates(directory: string): Certificates {
  const file = (name: string) => join(directory, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const authority = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', 'basicConstraints=critical,CA:FALSE'];
  const make = (name: string, subject: string, ...more: string[]) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-subj',
      subject,
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.pem`),
      ...more,
    );
  make('ca', '/CN=elsewise test authority');
  make('server', '/CN=redis', ...authority, '-addext', 'subjectAltName=DNS:localhost,DNS:redis.test');
  make('client', '/CN=worker', ...authority);
  return {
    ca: file('ca.pem'),
    cert: file('server.pem'),
    key: file('server.key'),
    clientCert: file('client.pem'),
    clientKey: file('client.key'),
  };
}

/** Of no days: it ends in the second in which it begins. */
function makeExpired(directory: string, { ca, key }: Certificates): Pick<Certificates, 'ca' | 'cert' | 'key'> {
  const [request, cert] = ['expired.csr', 'expired.pem'].map((name) => join(directory, name));
  const caKey = join(directory, 'ca.key');
  openssl('req', '-new', '-key', key, '-subj', '/CN=localhost', '-out', request);
  openssl('x509', '-req', '-in', request, '-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '0', '-out', cert);
  return { ca, cert, key };
}

function openssl(...args: string[]): void {
  const program = findProgram('openssl');
  if (!program) throw new Missing('no openssl on the PATH: install it, the tests make certificates with it');
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
