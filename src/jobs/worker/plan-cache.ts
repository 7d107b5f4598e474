/**
 * The models and policies of a worker in the form for threads, within a budget of memory. No document is parsed here: a separate thread
 * loads and checks a document (document-thread.ts) and returns the arrays that all threads share.
 */
import { ElsewiseError } from '../../documents/error.js';
import { type LruCounts, SizedLru } from '../../explain/sized-lru.js';
import { graphsKey } from '../../policy/path.js';
import type { Policy } from '../../policy/policy.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import type { ModelStore } from '../../store/registry/model-store.js';
import { graphsInThread, packInThread } from '../threads/document-thread.js';
import type { SharedGraphs, SharedModel } from '../threads/messages.js';
import { bytesOfGraphs, type PlanReference, planKey, sharedBytes, shareJson } from '../threads/shared-documents.js';

export interface CachedPlan extends PlanReference {
  readonly family: string;
}

interface StoredModel {
  readonly model: SharedModel;
  readonly family: string;
}

export class PlanCache {
  readonly #store: ModelStore;
  /** Policies of one model share the model. */
  readonly #models: SizedLru<Promise<StoredModel>>;
  /** Policies of one model whose paths use the same graphs share the graphs: a policy with another cost builds none. */
  readonly #graphs: SizedLru<Promise<SharedGraphs>>;
  readonly #plans: SizedLru<Promise<CachedPlan>>;

  constructor(store: ModelStore, maxBytes: number) {
    this.#store = store;
    this.#models = new SizedLru(maxBytes);
    this.#graphs = new SizedLru(maxBytes);
    this.#plans = new SizedLru(maxBytes);
  }

  get use(): LruCounts & { plans: number; bytes: number } {
    return { ...this.#plans.counts, plans: this.#plans.size, bytes: this.#models.bytes };
  }

  /** Jobs that ask for the same model at the same time wait for one load. */
  get(model: ModelPin, policy: Policy): Promise<CachedPlan> {
    const key = planKey(model, policy.digest);
    return kept(this.#plans, key, () => this.#plan(key, model, policy), sharedBytes);
  }

  /** The model without a policy, which can only predict. */
  async model(pin: ModelPin): Promise<SharedModel> {
    return (await this.#stored(pin)).model;
  }

  #stored(pin: ModelPin): Promise<StoredModel> {
    return kept(this.#models, planKey(pin), () => this.#load(pin), sharedBytes);
  }

  async #plan(key: string, pin: ModelPin, policy: Policy): Promise<CachedPlan> {
    const stored = await this.#stored(pin);
    const graphs = await this.#graphsFor(pin, stored.model, policy);
    return { ...stored, planKey: key, policy: shareJson(policy.document), graphs };
  }

  /** Undefined: the policy asks for no path. */
  #graphsFor(pin: ModelPin, model: SharedModel, policy: Policy): Promise<SharedGraphs> | undefined {
    if (!policy.document.path) return undefined;
    const key = `${planKey(pin)} ${graphsKey(policy.document)}`;
    return kept(this.#graphs, key, () => graphsInThread(model, policy), bytesOfGraphs);
  }

  async #load(pin: ModelPin): Promise<StoredModel> {
    const version = await this.#store.resolve(`${pin.name}@${pin.version}`);
    if (version.digest !== pin.digest) throw notPinned(pin, version.digest);
    return { model: await packInThread(await this.#store.read(version), pin), family: version.family };
  }
}

/** The cached value of a key, complete or in progress. A failure is not cached. */
function kept<T>(cache: SizedLru<Promise<T>>, key: string, make: () => Promise<T>, sizeOf: (value: T) => number) {
  const known = cache.get(key);
  if (known) return known;
  const made = make();
  cache.set(key, made, 0);
  made.then(
    (value) => cache.resize(key, made, sizeOf(value)),
    () => cache.delete(key), // every waiter gets the failure
  );
  return made;
}

function notPinned({ name, version, digest }: ModelPin, stored: string): ElsewiseError {
  return new ElsewiseError('conflict', `model ${name}@${version} is stored as ${stored}, but the job means ${digest}`);
}
