/**
 * The mechanics of a registry, for models and policies alike: `name@1`, `name@2`, ... each fixed for ever by the digest of its document,
 * and aliases that point to versions. One script assigns the numbers: two concurrent pushes get two numbers, and equal content keeps its
 * number. A number is never given twice.
 *
 * A version that an alias or an open batch uses cannot be removed. Open batches lie in another slot of a Cluster than the keys of the name,
 * and one script cannot see both. Instead, the creator of a batch first adds its entry and then settles on the version, which counts a use.
 * A removal reads the count and the open batches. Its script removes the version only if the count is unchanged. Either the removal sees
 * the batch, or the batch finds that the version is gone.
 */
import { canonicalJson } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import type { OpenBatches, UsedKind } from '../batches/open-batches.js';
import { pack, unpack } from '../codec/block.js';
import { asBuffer } from '../codec/byte-streams.js';
import type { RegistryKeys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { runScript } from '../redis/scripts.js';
import { thisUser } from '../this-user.js';
import { checkAlias, checkName, LATEST, readExactReference, readReference } from './reference.js';
import { FIND_VERSION, PUSH_VERSION, REMOVE_VERSION, SET_ALIAS, SETTLE_ON_VERSION } from './registry-scripts.js';

/** The data about a version that the registry has without its document. */
export interface StoredVersion {
  readonly name: string;
  readonly version: number;
  readonly digest: string;
  /** Bytes of the document, before compression. */
  readonly bytes: number;
  readonly pushed: string;
  /** The name of the token that pushed the version, or user and machine of a command. */
  readonly pushedBy?: string;
  /** The reason that the caller gave. */
  readonly reason?: string;
}

export type Pin = Pick<StoredVersion, 'name' | 'version' | 'digest'>;

export interface Pushed<V extends StoredVersion> {
  readonly version: V;
  readonly isNew: boolean;
}

/** A checked document. */
export interface Content {
  readonly name: string;
  readonly digest: string;
  readonly document: unknown;
}

/** A document that may be stored, in its stored form. Nothing of it is in Redis yet. */
export interface Admitted<V extends StoredVersion = StoredVersion> {
  readonly name: string;
  readonly about: Omit<V, 'name' | 'version' | 'pushed' | 'pushedBy' | 'reason'>;
  /** The compressed document. */
  readonly data: Uint8Array;
}

/** The differences between models and policies. `V` holds the facts about a version, `C` is the loaded document. */
export interface Kind<V extends StoredVersion, C extends Content> {
  readonly noun: UsedKind;
  /** Rejects documents that must not be stored. */
  check(document: unknown): Promise<C>;
  describe(content: C): Omit<V, keyof StoredVersion>;
  /** Loads content that was admitted before. */
  load(document: unknown, version: V): Promise<C>;
}

export interface RegistryOptions {
  readonly keys: RegistryKeys;
  readonly openBatches: OpenBatches;
  readonly maxDocumentMb: number;
}

const MB = 2 ** 20;

/** Refuses a document that does not load, does not match its probes or is too large. */
export async function admit<V extends StoredVersion, C extends Content>(
  kind: Kind<V, C>,
  document: unknown,
  maxDocumentMb: number,
): Promise<Admitted<V>> {
  const content = await kind.check(document);
  const { name, digest } = content;
  checkName(name, `${kind.noun}.name`);
  const bytes = Buffer.from(canonicalJson(content.document));
  checkSize(kind.noun, bytes.length, maxDocumentMb);
  const { data } = await pack(bytes, 'lasting');
  return { name, about: { digest, bytes: bytes.length, ...kind.describe(content) } as Admitted<V>['about'], data };
}

export class VersionedStore<V extends StoredVersion, C extends Content> {
  readonly #redis: RedisClient;
  readonly #keys: RegistryKeys;
  readonly #kind: Kind<V, C>;
  readonly #options: RegistryOptions;

  constructor(redis: RedisClient, kind: Kind<V, C>, options: RegistryOptions) {
    this.#redis = redis;
    this.#keys = options.keys;
    this.#kind = kind;
    this.#options = options;
  }

  /** `by`: the name of the caller; by default user and machine of this process. */
  async push(document: unknown, by?: string): Promise<Pushed<V>> {
    return this.take(await admit(this.#kind, document, this.#options.maxDocumentMb), by);
  }

  /** Stores content that was admitted before, perhaps in another thread. */
  async take({ name, about, data }: Admitted<V>, by: string = thisUser(), reason?: string): Promise<Pushed<V>> {
    const { digest } = about;
    const stored = JSON.stringify({ ...about, pushed: new Date().toISOString(), pushedBy: by, reason });
    const keys = this.#keys;
    const touched = [keys.versions(name), keys.digests(name), keys.counter(name), keys.block(name, digest)];
    const reply = await runScript(this.#redis, PUSH_VERSION, touched, [digest, stored, asBuffer(data)]);
    const [number, isNew] = reply as [number, number];
    await this.#redis.sadd(keys.names(), name);
    return { version: await this.resolve(`${name}@${number}`), isNew: isNew === 1 };
  }

  /** All versions of all names, by name, newest first. */
  async list(): Promise<V[]> {
    const names = (await this.#redis.smembers(this.#keys.names())).sort();
    return (await Promise.all(names.map((name) => this.versions(name)))).flat();
  }

  /** Newest first; empty for an unknown name. */
  async versions(name: string): Promise<V[]> {
    const stored = await this.#redis.hgetall(this.#keys.versions(name));
    return Object.entries(stored)
      .map(([number, about]) => toVersion<V>(name, Number(number), about))
      .sort((a, b) => b.version - a.version);
  }

  /** Alias -> version number. */
  async aliases(name: string): Promise<Map<string, number>> {
    const stored = await this.#redis.hgetall(this.#keys.aliases(name));
    return new Map(Object.entries(stored).map(([alias, version]) => [alias, Number(version)]));
  }

  /** `name@3`, `name@production`, `name@latest` or `name`, which is the same as the latest. */
  async resolve(reference: string): Promise<V> {
    const { name, version } = readReference(reference);
    const keys = [this.#keys.versions(name), this.#keys.aliases(name)];
    const found = (await runScript(this.#redis, FIND_VERSION, keys, [version])) as [number, string] | null;
    if (!found) throw await this.#notKnown(name, version);
    return toVersion<V>(name, ...found);
  }

  /** The document as canonical JSON bytes, checked against its digest. */
  async read({ name, version, digest }: Pin): Promise<Buffer> {
    const data = await this.#redis.getBuffer(this.#keys.block(name, digest));
    const what = `${this.#kind.noun} ${name}@${version}`;
    if (!data) throw new ElsewiseError('not-known', `the document of ${what} (${digest}) is not stored`);
    return unpack(data, digest, what, this.#options.maxDocumentMb * MB);
  }

  /** A reference -> the loaded content of its version. */
  async load(reference: string): Promise<C> {
    return this.open(await this.resolve(reference));
  }

  protected async open(version: V): Promise<C> {
    return this.#kind.load(JSON.parse((await this.read(version)).toString()), version);
  }

  /**
   * Points the alias to another version of the name. Returns the version that it named before. With `expected` only if it still names that
   * version, so of two concurrent moves one is refused.
   */
  async setAlias(
    name: string,
    alias: string,
    version: string,
    expected?: number,
  ): Promise<{ now: V; before?: number }> {
    checkAlias(alias);
    const now = await this.resolve(`${name}@${version}`);
    const keys = [this.#keys.versions(name), this.#keys.aliases(name)];
    const reply = await runScript(this.#redis, SET_ALIAS, keys, [alias, now.version, expected ?? '']);
    const [outcome, before] = reply as ['set' | 'gone' | 'moved', string];
    if (outcome === 'gone') throw await this.#notKnown(name, String(now.version));
    if (outcome === 'moved') throw aliasMoved(`${name}@${alias}`, before, expected!);
    return { now, ...(before && { before: Number(before) }) };
  }

  /** The versions stay. */
  async dropAlias(name: string, alias: string): Promise<void> {
    const dropped = await this.#redis.hdel(this.#keys.aliases(name), alias);
    if (dropped === 0) throw await this.#notKnown(name, alias);
  }

  /** For the creator of an open batch: from now on the version stays. Throws if the version is already gone. */
  async settleOn({ name, version }: Pick<StoredVersion, 'name' | 'version'>): Promise<void> {
    const keys = [this.#keys.versions(name), this.#keys.uses(name)];
    const isThere = await runScript(this.#redis, SETTLE_ON_VERSION, keys, [version]);
    if (isThere !== 1) throw await this.#notKnown(name, String(version));
  }

  /** Permanent: its number is not given again. Refused while an alias or an open batch uses the version. */
  async remove(reference: string): Promise<V> {
    const { name, version } = readExactReference(reference);
    const found = await this.resolve(`${name}@${version}`);
    for (;;) {
      const [outcome, ...aliases] = await this.#tryRemove(found);
      if (outcome === 'removed') return found;
      if (outcome === 'gone') throw await this.#notKnown(name, String(version));
      if (outcome === 'aliased') throw this.#inUse(found, 'alias', aliases);
    }
  }

  async #tryRemove(found: V): Promise<string[]> {
    const { name, version, digest } = found;
    const keys = this.#keys;
    const uses = (await this.#redis.get(keys.uses(name))) ?? '0';
    const batches = await this.#options.openBatches.using(this.#kind.noun, `${name}@${version}`);
    if (batches.length > 0) throw this.#inUse(found, 'open batch', batches);
    const touched = [keys.versions(name), keys.digests(name), keys.aliases(name), keys.uses(name)];
    const reply = await runScript(
      this.#redis,
      REMOVE_VERSION,
      [...touched, keys.block(name, digest)],
      [version, digest, uses],
    );
    return reply as string[];
  }

  async #notKnown(name: string, version: string): Promise<ElsewiseError> {
    const versions = await this.versions(name);
    if (versions.length === 0) return this.#unknownName(name);
    const aliases = [...(await this.aliases(name)).keys()];
    const hint = didYouMean(version, [...aliases, LATEST]);
    const stored = [...versions.map((one) => one.version), ...aliases].join(', ');
    const { noun } = this.#kind;
    return new ElsewiseError('not-known', `${noun} "${name}" has no version "${version}"; stored are ${stored}${hint}`);
  }

  async #unknownName(name: string): Promise<ElsewiseError> {
    const { noun } = this.#kind;
    const names = [...new Set((await this.list()).map((version) => version.name))];
    const hint = names.length ? didYouMean(name, names) : `; no ${noun} is stored yet, push one first`;
    return new ElsewiseError('not-known', `no ${noun} "${name}" is stored${hint}`);
  }

  #inUse({ name, version }: V, user: string, ids: readonly string[]): ElsewiseError {
    const what = `${this.#kind.noun} ${name}@${version}`;
    return new ElsewiseError('conflict', `${what} is not removed: it is used by ${user} ${ids.join(', ')}`);
  }
}

function aliasMoved(reference: string, before: string, expected: number): ElsewiseError {
  if (!before)
    return new ElsewiseError('conflict', `${reference} does not exist yet: leave "from" out to create the alias`);
  const message = `${reference} names version ${before} and not ${expected}: somebody else has moved the alias`;
  return new ElsewiseError('conflict', message);
}

function toVersion<V extends StoredVersion>(name: string, version: number, about: string): V {
  return { name, version, ...(JSON.parse(about) as object) } as V;
}

function checkSize(noun: UsedKind, bytes: number, maxDocumentMb: number): void {
  if (bytes <= maxDocumentMb * MB) return;
  const size = `the document is ${(bytes / MB).toFixed(1)} MB and may be ${maxDocumentMb} MB`;
  const advice = 'raise the setting store.maxDocumentMb, for workers as well';
  throw new ElsewiseError('bad-document', `${size}: ${advice}`, noun);
}
