/** A job of the event queue: one row, answered once however often the same job comes. */

import { parseDocument } from '../documents/parse.js';
import type { ResultDocument } from '../documents/result-document.js';
import type { Policy } from '../explain/policy.js';
import type { ModelPin } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { type EventJob, type EventReturn, eventJobSchema, eventKey } from './contract.js';
import type { Solve } from './lane.js';
import type { PlanCache } from './plan-cache.js';

export class EventProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;

  constructor(store: Store, plans: PlanCache) {
    this.#store = store;
    this.#plans = plans;
  }

  async answer(data: unknown, solve: Solve): Promise<EventReturn> {
    const job = parseDocument(eventJobSchema, data, 'job');
    const { policies, results } = this.#store;
    const policy = await policies.accept(job.policy);
    const model = await this.#pin(job.model);
    const key = eventKey(model.digest, policy.digest, job);
    const known = await results.answer(key);
    const answer = known ?? (await results.keepAnswer(key, await this.#solve(job, model, policy, solve)));
    await results.publishAnswer(job.id, key, answer);
    const { status } = JSON.parse(answer) as ResultDocument;
    return { schema: 'elsewise.event-return/v1', id: job.id, key, status, isNew: known === undefined };
  }

  async #pin(model: EventJob['model']): Promise<ModelPin> {
    if (typeof model !== 'string') return model;
    const { name, version, digest } = await this.#store.models.resolve(model);
    return { name, version, digest };
  }

  async #solve(job: EventJob, model: ModelPin, policy: Policy, solve: Solve): Promise<string> {
    const { id, features, target } = job;
    const bytes = Buffer.from(JSON.stringify({ id, features, target }));
    const plan = await this.#plans.get(model, policy);
    const answer = await solve(plan, policy, { layout: { format: 'ndjson' }, bytes, firstRow: 1, rows: 1 });
    return Buffer.from(answer.bytes).toString().trimEnd();
  }
}
