/**
 * Checks once at the start whether a Redis will keep its data, and warns with advice. Nothing is refused: the operator may have
 * reasons. A setting that the ACL hides is reported as well and is no failure.
 */
import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './redis.js';
import { type AddressSettings, locate, showAddress } from './redis-address.js';
import { says } from './redis-words.js';

type Info = ReadonlyMap<string, string>;

interface Rule {
  isBroken(info: Info): boolean;
  words(info: Info): string;
}

const MIN_VERSION = [6, 2] as const;

const RULES: readonly Rule[] = [
  {
    isBroken: (info) => isOlder(info.get('redis_version')),
    words: (info) => `it is version ${info.get('redis_version')}: update it to ${MIN_VERSION.join('.')} or newer`,
  },
  {
    isBroken: (info) => isOther(info.get('maxmemory_policy'), 'noeviction'),
    words: (info) =>
      `with maxmemory-policy ${info.get('maxmemory_policy')} it drops jobs and results when it is full: ` +
      'set maxmemory-policy noeviction',
  },
  {
    isBroken: (info) => info.get('role') === 'slave',
    words: () => 'it is a replica and takes no writes: name its master',
  },
  {
    isBroken: (info) => [info.get('aof_last_write_status'), info.get('rdb_last_bgsave_status')].includes('err'),
    words: () => 'it could not write to its disk: make room there, or it will refuse new work',
  },
];

const NO_PERSISTENCE =
  'it keeps nothing on disk, so a restart loses every job and result: set appendonly yes (or save points)';
const UNKNOWN_PERSISTENCE =
  'it has no append-only file, and whether it saves snapshots could not be checked (CONFIG is not allowed): ' +
  'set appendonly yes, or make sure of save points';
const UNCHECKED =
  'version, maxmemory-policy and persistence could not be checked (INFO is not allowed): make sure of 6.2 or newer, ' +
  'noeviction and appendonly yes, or allow INFO';

/** Warnings for the operator; empty if all is well. For a Cluster each master is asked. */
export async function checkServers(redis: RedisClient, settings: AddressSettings): Promise<string[]> {
  const isCluster = redis instanceof Cluster;
  const nodes = isCluster ? redis.nodes('master') : [redis];
  const found = await Promise.all(nodes.map((node) => checkServer(node, isCluster)));
  const places = new Map<string, string[]>();
  for (const [i, texts] of found.entries()) {
    const { host, port } = nodes[i].options;
    const place = isCluster ? `${host}:${port}` : showAddress(locate(settings));
    for (const text of texts) places.set(text, [...(places.get(text) ?? []), place]);
  }
  return [...places].map(([text, where]) => `Redis at ${where.join(', ')}: ${text}`);
}

async function checkServer(node: Redis, isCluster: boolean): Promise<string[]> {
  const text = await node.info().catch(unlessDenied);
  if (text === undefined) return [UNCHECKED];
  const info = readInfo(text);
  const broken = RULES.filter((rule) => rule.isBroken(info)).map((rule) => rule.words(info));
  return [...broken, ...checkMode(info, isCluster), ...(await checkPersistence(node, info))];
}

function checkMode(info: Info, isCluster: boolean): string[] {
  const isNode = info.get('cluster_enabled') === '1';
  if (isNode === isCluster || !info.has('cluster_enabled')) return [];
  return isNode
    ? ['it is a node of a Cluster: write redis+cluster:// instead of redis://, or some keys cannot be reached']
    : ['it is no Cluster: write redis:// instead of redis+cluster://'];
}

async function checkPersistence(node: Redis, info: Info): Promise<string[]> {
  if (info.get('aof_enabled') !== '0') return [];
  const reply = (await node.config('GET', 'save').catch(unlessDenied)) as string[] | undefined;
  if (reply === undefined) return [UNKNOWN_PERSISTENCE];
  return reply[1] ? [] : [NO_PERSISTENCE];
}

/** Servers other than Redis itself may not know the command. */
function unlessDenied(error: Error): undefined {
  if (!says(error, 'notPermitted', 'unknownCommand')) throw error;
}

function readInfo(text: string): Info {
  const pairs = text.split(/\r?\n/).map((line) => line.split(/:(.*)/s, 2) as [string, string]);
  return new Map(pairs.filter(([name, value]) => name && value !== undefined));
}

function isOther(value: string | undefined, expected: string): boolean {
  return value !== undefined && value !== expected;
}

function isOlder(version: string | undefined): boolean {
  if (version === undefined) return false;
  const [major, minor] = version.split('.').map(Number);
  return major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]);
}
