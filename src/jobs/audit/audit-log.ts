/**
 * Records the answers that leave a worker, if the settings ask for it. An entry is written after its answers are stored, from the stored
 * answers. A job that is delivered again finds its entry, or makes up for it.
 */
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.js';
import type { AuditHead } from '../../documents/audit-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { Policy } from '../../policy/policy.js';
import { type AuditBlock, AuditRecords } from '../../store/audit/audit-record.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import type { ModelVersion } from '../../store/registry/model-store.js';
import type { StoredVersion } from '../../store/registry/versioned-store.js';
import type { Store } from '../../store/store.js';
import { SOFTWARE } from './software.js';

/** The origin of the answers of a job. */
export interface AuditedJob extends Pick<AuditHead, 'source' | 'job' | 'batch'> {
  readonly by: string | undefined;
  readonly model: ModelPin;
  readonly policy: Policy;
}

const MAX_VERSIONS = 256;
/** A push after this time is seen by later entries. */
const VERSION_MS = 60_000;

type Registered = Partial<Pick<ModelVersion, 'pushed' | 'pushedBy' | 'threshold'>>;
const NOT_REGISTERED: Registered = {};

export class AuditLog {
  readonly isOn: boolean;
  readonly #store: Store;
  readonly #versions = new LRUCache<string, Registered>({ max: MAX_VERSIONS, ttl: VERSION_MS });

  constructor(store: Store, { enabled }: Pick<Config['audit'], 'enabled'>) {
    this.#store = store;
    this.isOn = enabled;
  }

  /** Whether an answered job lacks its entry: its worker died in between. */
  async lacks(job: string): Promise<boolean> {
    return this.isOn && !(await this.#store.audit.has(job));
  }

  /** `block`: the records of the answers, from a thread. */
  async record({ source, job, batch, by = '', model, policy }: AuditedJob, block: AuditBlock): Promise<void> {
    const { name, digest, document } = policy;
    const { threshold, ...ofModel } = await this.#registered('models', model.name, model.digest);
    const registered = await this.#registered('policies', name, digest);
    const { threshold: _, ...ofPolicy } = registered;
    const kept = registered === NOT_REGISTERED ? { digest, text: JSON.stringify(document) } : undefined;
    await this.#store.audit.append(
      {
        software: SOFTWARE,
        source,
        job,
        ...(batch !== undefined && { batch }),
        by: by || null,
        model: { name: model.name, version: model.version, digest: model.digest, ...ofModel },
        policy: { name, digest, ...ofPolicy },
        threshold: threshold ?? null,
        limits: { deadlineMs: document.deadlineMs, effort: document.effort ?? null },
        seed: document.seed,
      },
      block,
      kept,
    );
  }

  /** The same for answers as lines of results. */
  async recordLines(job: AuditedJob, lines: Iterable<string>): Promise<void> {
    const records = new AuditRecords();
    for (const line of lines) if (line) records.add(JSON.parse(line) as ResultDocument);
    await this.record(job, records.finish());
  }

  /** The facts of the registry about a document. Empty for a document that was never pushed. */
  async #registered(registry: 'models' | 'policies', name: string, digest: string): Promise<Registered> {
    const key = `${registry} ${name} ${digest}`;
    const known = this.#versions.get(key);
    if (known) return known;
    const versions: readonly (StoredVersion & Registered)[] = await this.#store[registry].versions(name);
    const found = versions.find((version) => version.digest === digest);
    const facts = found ? onlyFacts(found) : NOT_REGISTERED;
    this.#versions.set(key, facts);
    return facts;
  }
}

function onlyFacts({ pushed, pushedBy, threshold }: Registered): Registered {
  return { pushed, ...(pushedBy !== undefined && { pushedBy }), ...(threshold !== undefined && { threshold }) };
}
