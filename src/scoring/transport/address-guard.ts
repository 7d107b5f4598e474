/**
 * The permitted addresses of scorers and webhooks. The document of a model or a request is untrusted and names a host. The operator's settings list the permitted
 * hosts. A listed name may still resolve to an address of the inner network (DNS rebinding). The addresses are therefore checked when a
 * connection is made, and the connection goes to a checked address.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ScorerFault } from '../scorer-fault.js';

export interface AddressRules {
  /** The section of the settings with these rules, for messages. Omitted: `scoring`. */
  readonly section?: 'scoring' | 'webhooks';
  readonly hosts: readonly string[];
  readonly privateAddresses: boolean;
}

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Networks outside of the public internet (IANA's special-purpose registries). */
const INNER_NETWORKS: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // includes the unspecified address, loopback and the deprecated form of IPv4 within IPv6 (::127.0.0.1)
  ['::', 96],
  // IPv4 within IPv6: translation (SIIT, NAT64), 6to4 and Teredo reach inner addresses of IPv4
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 23],
  ['2002::', 16],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const inner = new BlockList();
for (const [network, prefix] of INNER_NETWORKS) inner.addSubnet(network, prefix, familyOf(network));

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** IPv4 addresses written as IPv6 (::ffff:10.0.0.1) count as the IPv4 address. */
export function isInnerAddress(address: string): boolean {
  const bare = address.split('%')[0];
  return isIP(bare) === 0 || inner.check(bare, familyOf(bare));
}

/** `host:port` of a URL, in the form of settings and metrics. */
export function hostOf(url: URL): string {
  return `${url.hostname}:${url.port || DEFAULT_PORT[url.protocol]}`;
}

/** Throws unless the settings permit a request to this URL. A name is checked again when it is resolved. */
export function checkAddress(url: URL, rules: AddressRules): void {
  const { hosts, privateAddresses, section } = rules;
  const names = [hostOf(url), ...(url.port ? [] : [url.hostname])];
  if (!hosts.some((host) => names.includes(host.toLowerCase())))
    throw new ScorerFault('refused', `${hostOf(url)} is not in the setting ${settingOf('hosts', section)}`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) && !privateAddresses && isInnerAddress(literal)) throw innerAddress(url.hostname, section);
}

function settingOf(name: 'hosts' | 'privateAddresses', section: AddressRules['section'] = 'scoring'): string {
  const variable = { hosts: 'HOSTS', privateAddresses: 'PRIVATE_ADDRESSES=true' }[name];
  return `${section}.${name} (ELSEWISE_${section.toUpperCase()}_${variable})`;
}

function innerAddress(host: string, section: AddressRules['section']): ScorerFault {
  const hint = `set ${settingOf('privateAddresses', section)} if the host is there`;
  return new ScorerFault('refused', `${host} has a private address: ${hint}`);
}

/** Resolves a name to permitted addresses. The socket connects to one of these and does not resolve again. */
export function guardedLookup({
  privateAddresses,
  section,
}: Pick<AddressRules, 'privateAddresses' | 'section'>): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const allowed = addresses.filter(({ address }) => privateAddresses || !isInnerAddress(address));
      if (allowed.length === 0) return callback(innerAddress(hostname, section), '', 0);
      answer(allowed, options.all === true, callback);
    });
  };
}

function answer(allowed: LookupAddress[], isAll: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [{ address, family }] = allowed;
  if (isAll) callback(null, allowed);
  else callback(null, address, family);
}
