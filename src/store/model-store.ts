/**
 * The registry of models: `name@1`, `name@2`, ... each fixed for ever by the digest of its document. The number is given
 * by one script, so two pushes at once get two numbers, and the same content pushed again gets the number it has.
 */
import { canonicalJson } from '../documents/digest.js';
import { ElsewiseError } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';
import { type LoadedModel, loadModel } from '../models/load.js';
import { pack, unpack } from './block.js';
import type { Keys } from './keys.js';
import type { RedisClient } from './redis.js';
import { PUSH_MODEL, runScript } from './scripts.js';

/** What the registry knows of a version without opening its document. */
export interface ModelVersion {
  readonly name: string;
  readonly version: number;
  readonly digest: string;
  readonly family: string;
  readonly features: number;
  readonly classes: readonly string[];
  /** Of the document, before compression. */
  readonly bytes: number;
  readonly pushed: string;
}

export interface Pushed {
  readonly version: ModelVersion;
  readonly isNew: boolean;
}

const REFERENCE = /^(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:@(?<version>[A-Za-z0-9._-]+))?$/;

export class ModelStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Loads the model first, so what does not fit its schema or its probes never gets in. */
  async push(document: unknown): Promise<Pushed> {
    const model = loadModel(document);
    const block = await pack(Buffer.from(canonicalJson(model.document)), 'lasting');
    const about = describe(model, block.bytes);
    const keys = this.#keys;
    const touched = [keys.modelVersions(model.name), keys.modelDigests(model.name), keys.modelCounter(model.name)];
    const reply = await runScript(
      this.#redis,
      PUSH_MODEL,
      [...touched, keys.modelBlock(model.name, model.digest)],
      [model.digest, JSON.stringify(about), block.data],
    );
    const [number, isNew] = reply as [number, number];
    await this.#redis.sadd(keys.modelNames(), model.name);
    return { version: await this.#version(model.name, number), isNew: isNew === 1 };
  }

  /** All versions of all models, by name, newest first. */
  async list(): Promise<ModelVersion[]> {
    const names = (await this.#redis.smembers(this.#keys.modelNames())).sort();
    return (await Promise.all(names.map((name) => this.versions(name)))).flat();
  }

  /** Newest first; empty when there is no model of that name. */
  async versions(name: string): Promise<ModelVersion[]> {
    const stored = await this.#redis.hgetall(this.#keys.modelVersions(name));
    return Object.entries(stored)
      .map(([number, about]) => toVersion(name, Number(number), about))
      .sort((a, b) => b.version - a.version);
  }

  /** `name@3`, `name@latest` or `name`, which is the same as the latest. */
  async resolve(reference: string): Promise<ModelVersion> {
    const { name, version = 'latest' } = REFERENCE.exec(reference)?.groups ?? {};
    if (!name) throw new ElsewiseError('usage', `expected name, name@version or name@latest, got "${reference}"`);
    const versions = await this.versions(name);
    if (versions.length === 0) throw await this.#unknownName(name);
    const found = version === 'latest' ? versions[0] : versions.find((one) => String(one.version) === version);
    if (found) return found;
    const numbers = versions.map((one) => one.version).join(', ');
    throw new ElsewiseError('not-known', `model "${name}" has no version "${version}"; stored are ${numbers}`);
  }

  /** The document as canonical JSON bytes, checked against its digest. */
  async read({ name, version, digest }: Pick<ModelVersion, 'name' | 'version' | 'digest'>): Promise<Buffer> {
    const data = await this.#redis.getBuffer(this.#keys.modelBlock(name, digest));
    const reference = `${name}@${version}`;
    if (!data) throw new ElsewiseError('not-known', `the document of model ${reference} (${digest}) is not stored`);
    return unpack(data, digest, `model ${reference}`);
  }

  /** A reference -> the model, ready for use and knowing its version. */
  async load(reference: string): Promise<LoadedModel> {
    const version = await this.resolve(reference);
    const document: unknown = JSON.parse((await this.read(version)).toString());
    return loadModel(document, { version: version.version, digest: version.digest });
  }

  async #version(name: string, number: number): Promise<ModelVersion> {
    const about = await this.#redis.hget(this.#keys.modelVersions(name), String(number));
    if (about) return toVersion(name, number, about);
    throw new ElsewiseError('not-known', `version ${number} of model "${name}" was removed while it was being pushed`);
  }

  async #unknownName(name: string): Promise<ElsewiseError> {
    const names = await this.#redis.smembers(this.#keys.modelNames());
    const hint = names.length ? didYouMean(name, names) : '; the registry is empty, see `elsewise models push`';
    return new ElsewiseError('not-known', `no model "${name}" is stored${hint}`);
  }
}

function describe(model: LoadedModel, bytes: number): Omit<ModelVersion, 'name' | 'version'> {
  const { family, features } = model.document;
  const pushed = new Date().toISOString();
  return { digest: model.digest, family, features: features.length, classes: model.classes, bytes, pushed };
}

function toVersion(name: string, version: number, about: string): ModelVersion {
  return { name, version, ...(JSON.parse(about) as Omit<ModelVersion, 'name' | 'version'>) };
}
