/** An event from the queue or from the stream of requests: one row, solved once however often the same content arrives. */
import type { Policy } from '../../policy/policy.js';
import { type ModelPin, pinOf } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import type { AuditLog } from '../audit/audit-log.js';
import { answerKey, type EventJob, type EventReturn, eventJobId } from '../contract.js';
import { refuseLongDeadline } from '../events/event-deadline.js';
import { EventReader } from '../events/event-reader.js';
import type { ReadEvent } from '../events/read-event.js';
import { statusOf, withId } from '../results/result-lines.js';
import { KnownRows } from './known-rows.js';
import type { Solve } from './lane.js';
import type { PlanCache } from './plan-cache.js';

export class EventProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  readonly #audit: AuditLog;
  readonly #reader = new EventReader();
  readonly #knownRows: KnownRows;
  readonly #onReuse: () => void;

  /** `onReuse`: called if the answer is already stored and nothing has to be solved. */
  constructor(store: Store, plans: PlanCache, audit: AuditLog, onReuse: () => void = () => {}) {
    this.#store = store;
    this.#plans = plans;
    this.#audit = audit;
    this.#knownRows = new KnownRows(store);
    this.#onReuse = onReuse;
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  /** A job of the queue. */
  async answer(text: string, solve: Solve): Promise<EventReturn> {
    return this.#answer(await this.#reader.read(text, 'job'), solve, 'event');
  }

  /** The body of a request. */
  async answerRequest(body: Uint8Array, solve: Solve): Promise<EventReturn> {
    return this.#answer(await this.#reader.read(body, 'request'), solve, 'request');
  }

  async #answer(event: ReadEvent, solve: Solve, source: 'event' | 'request'): Promise<EventReturn> {
    const policy = await this.#policy(event.policy);
    refuseLongDeadline(policy.document.deadlineMs);
    const model = await this.#pin(event.model);
    const key = answerKey(model, policy.digest, event);
    const { results } = this.#store;
    const known = await results.answer(key);
    if (known !== undefined) this.#onReuse();
    const kept = known ?? (await this.#solve(event, key, model, policy, solve));
    const id = event.id!; // every job and request has an id
    const answer = withId(kept, id);
    await results.publishAnswer(id, key, answer);
    const audited = { source, job: eventJobId(key, id), by: event.by, model, policy };
    if (this.#audit.isOn) await this.#audit.recordLines(audited, [answer]);
    return { schema: 'elsewise.event-return/v1', id, key, status: statusOf(answer), isNew: known === undefined };
  }

  /** Resolves a reference every time, because an alias may move. A document is read once. */
  async #policy(given: ReadEvent['policy']): Promise<Policy> {
    return typeof given === 'string' ? this.#store.policies.load(given) : this.#reader.policies.open(given);
  }

  async #pin(model: EventJob['model']): Promise<ModelPin> {
    if (typeof model !== 'string') return model;
    return pinOf(await this.#store.models.resolve(model));
  }

  /** Returns the valid answer: the first one stored for the key. */
  async #solve(event: ReadEvent, key: string, model: ModelPin, policy: Policy, solve: Solve): Promise<string> {
    const bytes = Buffer.from(rowText(event));
    const plan = await this.#plans.get(model, policy);
    const rows = { layout: { format: 'ndjson' }, bytes, firstRow: 1, rows: 1 } as const;
    const solved = await this.#knownRows.solve({ plan, policy, rows, options: {} }, solve);
    const line = Buffer.from(solved.bytes).toString().trimEnd();
    const { degraded, limitedByTime } = solved.tally;
    const kept = await this.#store.results.keepAnswer(key, line, degraded + limitedByTime === 0);
    await this.#knownRows.rememberAnswer(plan, key, solved).catch(() => {}); // a failed write costs only a cache entry
    return kept;
  }
}

/** The row as a record of NDJSON. */
function rowText({ id, features, target }: ReadEvent): string {
  return `{"id":${JSON.stringify(id)},"features":${features}${target === undefined ? '' : `,"target":${target}`}}`;
}
