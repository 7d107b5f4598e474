/**
 * The log of actions: each action of a person or program on queues, batches, schedules and dead letters, with name, time, reason, target and
 * outcome. A stream, bounded by age and count. An entry with the outcome `begun` is written before the action and replaced after its end: an
 * action whose process died stays visible.
 */
import { z } from 'zod';
import type { Config } from '../../config.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

export const ACTION_NAMES = [
  'pause-queue',
  'resume-queue',
  'cancel-batch',
  'retry-batch',
  'pause-schedule',
  'resume-schedule',
  'run-schedule',
  'remove-schedule',
  'replay-letters',
  'drop-letters',
  'stop-operation',
] as const;

const MAX_DETAIL = 500;
export const MAX_REASON = 500;

const loggedActionSchema = z.strictObject({
  action: z.enum(ACTION_NAMES),
  target: z.string().describe('The queue, batch, schedule, operation, or group of dead letters.'),
  by: z.string().describe('The name of the token, or user and machine of a command.'),
  via: z.enum(['http', 'command']),
  reason: z.string().describe('The reason in the words of the person. Empty: none was given.'),
  at: z.iso.datetime().describe('The time of the request.'),
  outcome: z.enum(['begun', 'done', 'failed']).describe('`begun`: the action runs, or its process died.'),
  detail: z.string().describe('The effect, or the reason of the failure.'),
});

export const actionEntrySchema = loggedActionSchema.extend({ id: z.string() });

export type ActionEntry = z.output<typeof actionEntrySchema>;
type LoggedAction = z.output<typeof loggedActionSchema>;
export type ActionName = LoggedAction['action'];
export type NewAction = Pick<LoggedAction, 'action' | 'target' | 'by' | 'via' | 'reason'>;

const DAY_MS = 86_400_000;

export class ActionLog {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #retention: Config['actions'];

  constructor(redis: RedisClient, keys: Keys, retention: Config['actions']) {
    this.#redis = redis;
    this.#key = keys.actions();
    this.#retention = retention;
  }

  /** Does the work between two writes. `tell` words the effect. */
  async record<T>(action: NewAction, work: () => Promise<T>, tell: (result: T) => string): Promise<T> {
    const begun = await this.begin(action);
    try {
      const result = await work();
      await this.end(begun, 'done', tell(result));
      return result;
    } catch (error) {
      await this.end(begun, 'failed', (error as Error).message);
      throw error;
    }
  }

  async begin(action: NewAction): Promise<ActionEntry> {
    const entry: LoggedAction = {
      ...action,
      reason: action.reason.slice(0, MAX_REASON),
      at: new Date().toISOString(),
      outcome: 'begun',
      detail: '',
    };
    const id = (await this.#add(entry)) as string;
    await this.#redis.xtrim(this.#key, 'MINID', Date.now() - this.#retention.retentionDays * DAY_MS);
    return { id, ...entry };
  }

  /** Replaces the entry of the beginning in one step. */
  async end({ id, ...begun }: ActionEntry, outcome: 'done' | 'failed', detail: string): Promise<ActionEntry> {
    const entry: LoggedAction = { ...begun, outcome, detail: detail.slice(0, MAX_DETAIL) };
    const replies = await this.#redis
      .multi()
      .xadd(this.#key, '*', 'action', JSON.stringify(entry))
      .xdel(this.#key, id)
      .exec();
    return { id: String(replies?.[0][1]), ...entry };
  }

  /** The latest first, from the entry before `before` on. */
  async list(count: number, before?: string): Promise<ActionEntry[]> {
    const from = before === undefined ? '+' : `(${before}`;
    return (await this.#redis.xrevrange(this.#key, from, '-', 'COUNT', count)).map(readActionEntry);
  }

  #add(entry: LoggedAction): Promise<string | null> {
    const args = ['MAXLEN', '~', this.#retention.maxCount, '*', 'action', JSON.stringify(entry)] as const;
    return this.#redis.xadd(this.#key, ...args);
  }
}

function readActionEntry([id, fields]: [id: string, fields: string[]]): ActionEntry {
  const text = fields[fields.indexOf('action') + 1];
  return { id, ...parseDocument(loggedActionSchema, JSON.parse(text), 'action') };
}
