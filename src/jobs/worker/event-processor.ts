/** An event, from the queue or from the stream of requests: one row, answered once however often the same comes. */
import type { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { parseStored } from '../../documents/untrusted-json.js';
import type { Policy } from '../../policy/policy.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import { answerKey, type EventJob, type EventReturn, eventJobSchema, requestSchema } from '../contract.js';
import { forEvent } from '../events/event-deadline.js';
import { withId } from '../results/result-lines.js';
import { Once } from './known-rows.js';
import type { Solve } from './lane.js';
import type { PlanCache } from './plan-cache.js';
import { PolicyCache } from './policy-cache.js';

type Row = Omit<EventJob, 'schema' | 'policy'>;

/** The policy is checked apart from the rest, because it is mostly known already. */
const JOB = eventJobSchema.omit({ policy: true });
const REQUEST = requestSchema.omit({ policy: true });

export class EventProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  readonly #policies = new PolicyCache();
  readonly #once: Once;
  readonly #onReuse: () => void;

  /** `onReuse`: an answer was there already, and nothing had to be solved. */
  constructor(store: Store, plans: PlanCache, onReuse: () => void = () => {}) {
    this.#store = store;
    this.#plans = plans;
    this.#once = new Once(store);
    this.#onReuse = onReuse;
  }

  /** A job of the queue. */
  async answer(text: string, solve: Solve): Promise<EventReturn> {
    return this.#answer(JOB, parseStored(text, 'job'), 'job', solve);
  }

  /** The body of a request. */
  answerRequest(data: unknown, solve: Solve): Promise<EventReturn> {
    return this.#answer(REQUEST, data, 'request', solve);
  }

  async #answer(schema: z.ZodType<Row>, data: unknown, what: string, solve: Solve): Promise<EventReturn> {
    const { row, policy } = await this.#read(schema, data, what);
    const model = await this.#pin(row.model);
    const key = answerKey(model.digest, policy.digest, row);
    const { results } = this.#store;
    const known = await results.answer(key);
    if (known !== undefined) this.#onReuse();
    const kept = known ?? (await this.#solve(row, key, model, policy, solve));
    const answer = withId(kept, row.id);
    await results.publishAnswer(row.id, key, answer);
    const { status } = JSON.parse(answer) as ResultDocument;
    return { schema: 'elsewise.event-return/v1', id: row.id, key, status, isNew: known === undefined };
  }

  /** A body of brackets only is short and deeper than any stack. */
  async #read(schema: z.ZodType<Row>, data: unknown, what: string): Promise<{ row: Row; policy: Policy }> {
    try {
      const { document, rest } = withoutPolicy(data);
      return { row: parseDocument(schema, rest, what), policy: forEvent(await this.#policy(document)) };
    } catch (error) {
      throw error instanceof RangeError ? new ElsewiseError('bad-document', 'nested too deeply', what) : error;
    }
  }

  /** A reference is looked up every time, for an alias may move; a document is read once. */
  async #policy(given: unknown): Promise<Policy> {
    return typeof given === 'string' ? this.#store.policies.load(given) : this.#policies.get(given);
  }

  async #pin(model: EventJob['model']): Promise<ModelPin> {
    if (typeof model !== 'string') return model;
    const { name, version, digest } = await this.#store.models.resolve(model);
    return { name, version, digest };
  }

  /** Gives the answer that holds: the first one for the key. */
  async #solve(row: Row, key: string, model: ModelPin, policy: Policy, solve: Solve): Promise<string> {
    const { id, features, target } = row;
    const bytes = Buffer.from(JSON.stringify({ id, features, target }));
    const plan = await this.#plans.get(model, policy);
    const rows = { layout: { format: 'ndjson' }, bytes, firstRow: 1, rows: 1 } as const;
    const solved = await this.#once.solve({ plan, policy, rows, manner: {} }, solve);
    const line = Buffer.from(solved.bytes).toString().trimEnd();
    const { degraded } = JSON.parse(line) as ResultDocument;
    const kept = await this.#store.results.keepAnswer(key, line, !degraded);
    await this.#once.rememberAnswer(plan, key, solved).catch(() => {}); // it is only a cache
    return kept;
  }
}

function withoutPolicy(data: unknown): { document?: unknown; rest: unknown } {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'policy')) return { rest: data };
  const { policy, ...rest } = data as Record<string, unknown>;
  return { document: policy, rest };
}
