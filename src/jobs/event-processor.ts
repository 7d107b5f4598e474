/** A job of the event queue: one row, answered once however often the same job comes. */

import { parseDocument } from '../documents/parse.js';
import type { ResultDocument } from '../documents/result-document.js';
import { defaultPolicy, loadPolicy, type Policy } from '../explain/policy.js';
import type { ModelPin } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { answerKey, type EventJob, type EventReturn, eventJobSchema } from './contract.js';
import type { Solve } from './lane.js';
import { Once } from './once.js';
import type { PlanCache } from './plan-cache.js';
import { withId } from './result-lines.js';

export class EventProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  readonly #once: Once;
  readonly #onReuse: () => void;

  /** `onReuse`: an answer was there already, and nothing had to be solved. */
  constructor(store: Store, plans: PlanCache, onReuse: () => void = () => {}) {
    this.#store = store;
    this.#plans = plans;
    this.#once = new Once(store);
    this.#onReuse = onReuse;
  }

  async answer(data: unknown, solve: Solve): Promise<EventReturn> {
    const job = parseDocument(eventJobSchema, data, 'job');
    const { results } = this.#store;
    const policy = job.policy ? loadPolicy(job.policy) : defaultPolicy();
    const model = await this.#pin(job.model);
    const key = answerKey(model.digest, policy.digest, job);
    const known = await results.answer(key);
    if (known !== undefined) this.#onReuse();
    const kept = known ?? (await this.#solve(job, key, model, policy, solve));
    const answer = withId(kept, job.id);
    await results.publishAnswer(job.id, key, answer);
    const { status } = JSON.parse(answer) as ResultDocument;
    return { schema: 'elsewise.event-return/v1', id: job.id, key, status, isNew: known === undefined };
  }

  async #pin(model: EventJob['model']): Promise<ModelPin> {
    if (typeof model !== 'string') return model;
    const { name, version, digest } = await this.#store.models.resolve(model);
    return { name, version, digest };
  }

  /** Gives the answer that holds: the first one for the key. */
  async #solve(job: EventJob, key: string, model: ModelPin, policy: Policy, solve: Solve): Promise<string> {
    const { id, features, target } = job;
    const bytes = Buffer.from(JSON.stringify({ id, features, target }));
    const plan = await this.#plans.get(model, policy);
    const rows = { layout: { format: 'ndjson' }, bytes, firstRow: 1, rows: 1 } as const;
    const solved = await this.#once.solve({ plan, policy, rows, manner: {} }, solve);
    const kept = await this.#store.results.keepAnswer(key, Buffer.from(solved.bytes).toString().trimEnd());
    await this.#once.rememberAnswer(plan, key, solved).catch(() => {}); // it is only a cache
    return kept;
  }
}
