/**
 * A worker's models under their policies, as the threads want them. A document is never parsed here, or a large model would
 * hold up the main loop: a thread of its own loads and checks it, gives back what all threads share, and ends, and with it
 * all the memory that the parsing took.
 */
import { ElsewiseError } from '../documents/error.js';
import type { Policy } from '../explain/policy.js';
import type { ModelPin } from '../store/manifest.js';
import type { ModelStore } from '../store/model-store.js';
import type { SharedModel } from './messages.js';
import { SolverPool } from './pool.js';
import { type PlanReference, planKey, shareJson } from './shared-documents.js';

export interface CachedPlan extends PlanReference {
  readonly family: string;
}

interface StoredModel {
  readonly model: SharedModel;
  readonly family: string;
}

interface Entry {
  readonly modelKey: string;
  readonly stored: Promise<StoredModel>;
  readonly plan: Promise<CachedPlan>;
}

/** Policies of one model share it, so there are no more models than that. */
const MAX_PLANS = 32;

export class PlanCache {
  readonly #models: ModelStore;
  readonly #onLookup: (outcome: 'hit' | 'miss') => void;
  readonly #plans = new Map<string, Entry>();

  constructor(models: ModelStore, onLookup: (outcome: 'hit' | 'miss') => void) {
    this.#models = models;
    this.#onLookup = onLookup;
  }

  get size(): number {
    return this.#plans.size;
  }

  /** Jobs that ask for the same model at the same time wait for one load. */
  get(model: ModelPin, policy: Policy): Promise<CachedPlan> {
    const key = planKey(model, policy.digest);
    const known = this.#plans.get(key);
    this.#onLookup(known ? 'hit' : 'miss');
    const entry = known ?? this.#open(key, model, policy);
    this.#keep(key, entry);
    return entry.plan;
  }

  #open(key: string, pin: ModelPin, policy: Policy): Entry {
    const modelKey = planKey(pin);
    const sibling = [...this.#plans.values()].find((entry) => entry.modelKey === modelKey);
    const stored = sibling?.stored ?? this.#load(pin);
    const plan = stored.then((model) => ({ ...model, planKey: key, policy: shareJson(policy.document) }));
    plan.catch(() => this.#plans.delete(key));
    return { modelKey, stored, plan };
  }

  async #load(pin: ModelPin): Promise<StoredModel> {
    const version = await this.#models.resolve(`${pin.name}@${pin.version}`);
    if (version.digest !== pin.digest) throw notPinned(pin, version.digest);
    return { model: await packInThread(await this.#models.read(version), pin), family: version.family };
  }

  #keep(key: string, entry: Entry): void {
    this.#plans.delete(key);
    this.#plans.set(key, entry);
    if (this.#plans.size > MAX_PLANS) this.#plans.delete(this.#plans.keys().next().value!);
  }
}

async function packInThread(bytes: Buffer, { digest, version }: ModelPin): Promise<SharedModel> {
  const pool = new SolverPool({ threads: 1 });
  try {
    return await pool.pack({ kind: 'pack', bytes, digest, version });
  } finally {
    await pool.close();
  }
}

function notPinned({ name, version, digest }: ModelPin, stored: string): ElsewiseError {
  return new ElsewiseError('conflict', `model ${name}@${version} is stored as ${stored}, but the job means ${digest}`);
}
