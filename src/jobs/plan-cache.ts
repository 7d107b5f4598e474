/**
 * A worker's models under their policies, as the threads want them: loaded and checked once, shared by all threads. The
 * document is never parsed here, or a large model would hold up the main loop; its bytes are passed on as they are.
 */
import { ElsewiseError } from '../documents/error.js';
import type { Policy } from '../explain/policy.js';
import type { ModelPin } from '../store/manifest.js';
import type { ModelStore } from '../store/model-store.js';
import type { PlanReference } from './shared-documents.js';
import { type LruCounts, SizedLru } from './sized-lru.js';

export interface CachedPlan extends PlanReference {
  readonly family: string;
}

export class PlanCache {
  readonly #models: ModelStore;
  readonly #plans: SizedLru<Promise<CachedPlan>>;

  constructor(models: ModelStore, maxBytes: number) {
    this.#models = models;
    this.#plans = new SizedLru(maxBytes);
  }

  get use(): LruCounts & { plans: number; bytes: number } {
    return { ...this.#plans.counts, plans: this.#plans.size, bytes: this.#plans.bytes };
  }

  /** Jobs that ask for the same plan at the same time wait for one load. */
  get(model: ModelPin, policy: Policy): Promise<CachedPlan> {
    const planKey = [model.digest, model.version, policy.digest].join(' ');
    const known = this.#plans.get(planKey);
    if (known) return known;
    const plan = this.#load(planKey, model, policy);
    this.#plans.set(planKey, plan, 0);
    // whoever waits for the plan hears of its failure
    plan.then(({ documents }) => this.#plans.resize(planKey, plan, documents.byteLength)).catch(() => {});
    return plan;
  }

  async #load(planKey: string, model: ModelPin, policy: Policy): Promise<CachedPlan> {
    try {
      const version = await this.#models.resolve(`${model.name}@${model.version}`);
      if (version.digest !== model.digest) throw notPinned(model, version.digest);
      const document = await this.#models.read(version);
      return { planKey, documents: shareBytes(document, policy, model.version), family: version.family };
    } catch (error) {
      this.#plans.delete(planKey);
      throw error;
    }
  }
}

/** The JSON of `PlanDocuments` around the model's own bytes. */
function shareBytes(model: Buffer, policy: Policy, version: number): SharedArrayBuffer {
  const rest = Buffer.from(`,"policy":${JSON.stringify(policy.document)},"version":${version}}`);
  const parts = [Buffer.from('{"model":'), model, rest];
  const shared = new SharedArrayBuffer(parts.reduce((bytes, part) => bytes + part.length, 0));
  const target = new Uint8Array(shared);
  let at = 0;
  for (const part of parts) {
    target.set(part, at);
    at += part.length;
  }
  return shared;
}

function notPinned({ name, version, digest }: ModelPin, stored: string): ElsewiseError {
  return new ElsewiseError('conflict', `model ${name}@${version} is stored as ${stored}, but the job means ${digest}`);
}
