/**
 * The models and policies that a thread caches, within a budget of bytes. One entry serves all kinds of tasks, layouts and outputs: its
 * writers are kept beside it (row-answerer.ts), and readers are made for each chunk.
 */
import type { Plan, PlanOptions } from '../../explain/plan.js';
import { modelBytes } from '../../explain/plan-memory.js';
import { type LruCounts, SizedLru } from '../../explain/sized-lru.js';
import type { LoadedModel } from '../../models/load.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import { type PlanReference, readSharedJson, readSharedModel } from './shared-documents.js';

export interface ThreadPlanOptions {
  /** Rows of the plan may throw `EngineNeeded`. */
  readonly prepare: (model: LoadedModel, policy: Policy, options: PlanOptions) => Plan | Promise<Plan>;
  readonly now: () => number;
  readonly ownTime?: () => number;
  /** Memory for models and plans in the thread. */
  readonly planBytes: number;
}

/** The share of the budget that one plan may use for targets of rows and relaxed policies. */
const PART_SHARE = 1 / 2;

/** A model, and its plan once a row has to be explained. */
export class ThreadPlan {
  readonly model: LoadedModel;
  readonly #reference: PlanReference;
  /** Whether the scorer of a remote model has reproduced the scores of the probes. */
  isScorerChecked = false;
  #plan: Plan | undefined;

  constructor(reference: PlanReference) {
    this.#reference = reference;
    this.model = readSharedModel(reference.model);
  }

  async prepare({ prepare, now, ownTime, planBytes }: ThreadPlanOptions): Promise<Plan> {
    const { policy, graphs } = this.#reference;
    const options: PlanOptions = { now, ownTime, partBytes: PART_SHARE * planBytes, graphs: graphs && new Map(graphs) };
    this.#plan ??= await prepare(this.model, loadPolicy(readSharedJson(policy!)), options);
    return this.#plan;
  }

  get bytes(): number {
    return this.#plan?.bytes ?? modelBytes(this.model);
  }
}

export class ThreadPlans {
  readonly #kept: SizedLru<ThreadPlan>;

  constructor(maxBytes: number) {
    this.#kept = new SizedLru(maxBytes);
  }

  get use(): LruCounts & { readonly plans: number; readonly bytes: number } {
    return { ...this.#kept.counts, plans: this.#kept.size, bytes: this.#kept.bytes };
  }

  get(reference: PlanReference): ThreadPlan {
    return this.#kept.get(reference.planKey) ?? this.renew(reference);
  }

  /** Replaces a plan that can no longer be trusted. */
  renew(reference: PlanReference): ThreadPlan {
    const plan = new ThreadPlan(reference);
    this.#kept.set(reference.planKey, plan, 0);
    return plan;
  }

  /** Counts the present size of the plan, and drops others if the budget is exceeded. */
  weigh({ planKey }: PlanReference, plan: ThreadPlan): void {
    this.#kept.resize(planKey, plan, plan.bytes);
  }
}
