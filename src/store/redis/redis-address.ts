/**
 * The address of Redis and our credentials, read from the URL. The other settings supply the parts that the URL omits.
 *
 *   redis://user:password@host:port/database            one server; rediss:// with TLS
 *   redis+sentinel://host:port,host:port/master/database  the master that Sentinels name; rediss+sentinel:// with TLS
 *   redis+cluster://host:port,host:port                 any nodes of a Cluster; rediss+cluster:// with TLS
 *
 * `new URL` is not used, because it does not accept lists of hosts. `?caFile=...&serverName=...` sets the settings of those names.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';

/** The settings for the address of Redis. An empty one is not set. */
export interface AddressSettings {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly passwordFile: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly serverName: string;
  readonly sentinelNodes: string;
  readonly sentinelMaster: string;
  readonly sentinelUsername: string;
  readonly sentinelPassword: string;
  readonly sentinelPasswordFile: string;
  readonly clusterNodes: string;
}

export type RedisKind = 'single' | 'sentinel' | 'cluster';

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisAddress {
  readonly kind: RedisKind;
  readonly isEncrypted: boolean;
  readonly nodes: readonly RedisNode[];
  /** The master's name at the Sentinels. */
  readonly master: string;
  readonly database: number;
  /** The settings, overridden by the parts of the URL. */
  readonly settings: AddressSettings;
}

const FORMS = 'redis://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port';
/** No @ after the hosts: it would belong to a password with an unescaped / or ?. */
const URL_FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^/?]*)@)?(?<hosts>[^/?@]*)(?:\/(?<path>[^?@]*))?(?:\?(?<query>[^@]*))?$/;
const NODE_FORM = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/;
const DEFAULT_PORT: Readonly<Record<RedisKind, number>> = { single: 6379, sentinel: 26379, cluster: 6379 };
const MAX_PORT = 65_535;
const FILES = ['caFile', 'certFile', 'keyFile'] as const;
const IN_QUERY: readonly string[] = [
  ...[...FILES, 'serverName', 'passwordFile'],
  ...['sentinelUsername', 'sentinelPassword', 'sentinelPasswordFile'],
];

/** Reads no file and makes no connection. */
export function locate(given: AddressSettings): RedisAddress {
  const parts = URL_FORM.exec(given.url)?.groups;
  if (!parts)
    throw usage(
      `expected ${FORMS} (rediss with TLS; %40, %2F, %3F for @, /, ? in a password), got "${withoutPassword(given.url)}"`,
    );
  const settings = { ...given, ...readUser(parts.user ?? ''), ...readQuery(parts.query ?? '') };
  const kind = kindOf(settings, parts.kind as RedisKind | undefined);
  const isEncrypted = parts.tls === 's';
  const [first = '', ...more] = (parts.path ?? '').split('/');
  const database = kind === 'sentinel' && parts.kind ? more.join('/') : [first, ...more].join('/');
  const master = parts.kind === 'sentinel' ? decode(first) || settings.sentinelMaster : settings.sentinelMaster;
  const address = { kind, isEncrypted, nodes: nodesOf(settings, kind, parts.hosts), master, settings };
  checkWhole(address);
  return { ...address, database: readDatabase(database, kind) };
}

/** Shows the address without secrets: `redis+sentinel://a:26379,b:26379/main`. */
export function showAddress({ kind, isEncrypted, nodes, master }: RedisAddress): string {
  const scheme = `redis${isEncrypted ? 's' : ''}${kind === 'single' ? '' : `+${kind}`}`;
  const hosts = nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  return `${scheme}://${hosts.join(',')}${kind === 'sentinel' ? `/${master}` : ''}`;
}

function kindOf({ sentinelNodes, clusterNodes }: AddressSettings, inUrl: RedisKind | undefined): RedisKind {
  if (sentinelNodes && clusterNodes) throw usage('sentinelNodes and clusterNodes are both set: which is it?');
  const listed = sentinelNodes ? 'sentinel' : clusterNodes ? 'cluster' : undefined;
  if (listed && inUrl && listed !== inUrl) throw usage(`the URL names a ${inUrl} and ${listed}Nodes is set as well`);
  return listed ?? inUrl ?? 'single';
}

/** Separately configured lists of nodes replace those of the URL. */
function nodesOf({ sentinelNodes, clusterNodes }: AddressSettings, kind: RedisKind, hosts: string): RedisNode[] {
  const listed = sentinelNodes || clusterNodes || hosts || '127.0.0.1';
  const nodes = listed.split(',').map((text) => readNode(text.trim(), DEFAULT_PORT[kind]));
  if (kind === 'single' && nodes.length > 1) throw usage(`redis:// takes one host; for several: ${FORMS}`);
  return nodes;
}

function readNode(text: string, defaultPort: number): RedisNode {
  const { v6, host, port = defaultPort } = NODE_FORM.exec(text)?.groups ?? {};
  const name = v6 ?? host;
  if (!name || Number(port) > MAX_PORT || Number(port) < 1) throw usage(`expected host:port, got "${text}"`);
  return { host: name, port: Number(port) };
}

function readUser(text: string): Partial<AddressSettings> {
  const colon = text.indexOf(':');
  const username = decode(colon < 0 ? text : text.slice(0, colon));
  const password = colon < 0 ? '' : decode(text.slice(colon + 1));
  return { ...(username && { username }), ...(password && { password }) };
}

function readQuery(text: string): Partial<AddressSettings> {
  const entries = [...new URLSearchParams(text)];
  for (const [name] of entries) {
    const hint = didYouMean(name, IN_QUERY) || `; known are ${IN_QUERY.join(', ')}`;
    if (!IN_QUERY.includes(name)) throw usage(`unknown parameter "${name}" in the URL${hint}`);
  }
  return Object.fromEntries(entries);
}

function readDatabase(text: string, kind: RedisKind): number {
  if (!/^\d{0,5}$/.test(text)) throw usage(`expected the number of a database, got "${text}"`);
  const database = Number(text);
  if (kind === 'cluster' && database > 0) throw usage('a Cluster has one database only, the number 0');
  return database;
}

/** Refuses settings that would connect in an unintended way: without encryption, or with half of a certificate. */
function checkWhole({ kind, isEncrypted, master, settings }: Omit<RedisAddress, 'database'>): void {
  const file = FILES.find((name) => settings[name]);
  if (file && !isEncrypted) throw usage(`${file} is set, but the URL is without TLS: write rediss instead of redis`);
  if (!settings.certFile !== !settings.keyFile) throw usage('certFile and keyFile belong together: set both or none');
  if (kind === 'sentinel' && !master)
    throw usage('Sentinels need the name of the master: redis+sentinel://host/master');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usage('the URL has a % that is no escape: write it as %25');
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/.*@/, '//***@');
}

function usage(message: string): ElsewiseError {
  return new ElsewiseError('usage', message, 'redis');
}
