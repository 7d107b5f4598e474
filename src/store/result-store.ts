/**
 * Results, written once. The results of a chunk are one compressed block, stored together with the chunk's state by one
 * script: a job that is delivered twice finds the chunk done and changes nothing. The answer to an event is stored under
 * the content key of its job first; what is published under the event's own id is always a copy of that.
 */
import { ElsewiseError } from '../documents/error.js';
import { countField } from './batch-store.js';
import { pack, unpack } from './block.js';
import type { Keys } from './keys.js';
import type { Chunk } from './manifest.js';
import type { RedisClient } from './redis.js';
import { FINISH_CHUNK, runScript } from './scripts.js';
import type { StoreSettings } from './settings.js';

export interface FinishedChunk {
  readonly batch: string;
  readonly index: number;
  /** The digest of the rows that were answered. */
  readonly digest: string;
  readonly rows: number;
  readonly counts: Readonly<Record<string, number>>;
}

export interface AnswerFailure {
  readonly code: string;
  readonly message: string;
}

/** What is told on the channel `elsewise:answered`: an answer under a content key, or a job that will have none. */
export type AnswerNews =
  | { readonly id: string; readonly key: string }
  | { readonly id: string; readonly job: string; readonly failure: AnswerFailure };

type Retention = Pick<StoreSettings, 'batchTtlSeconds' | 'answerTtlSeconds' | 'answerStreamLength'>;

export class ResultStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #retention: Retention;

  constructor(redis: RedisClient, keys: Keys, retention: Retention) {
    this.#redis = redis;
    this.#keys = keys;
    this.#retention = retention;
  }

  /** `known`: another worker was first, and its results stay. `gone`: the batch does not exist any more. */
  async finishChunk(finished: FinishedChunk, results: Uint8Array): Promise<'stored' | 'known' | 'gone'> {
    const { batch, index, digest, rows, counts } = finished;
    const block = await pack(results, 'passing');
    const chunk: Chunk = { state: 'done', digest, rows, results: block.digest };
    const keys = this.#keys;
    const touched = [keys.batch(batch), keys.batchChunks(batch), keys.batchNews(batch)];
    const totals = Object.entries(counts).flatMap(([status, count]) => [countField(status), count]);
    const reply = await runScript(
      this.#redis,
      FINISH_CHUNK,
      [...touched, keys.batchRows(batch, index), keys.batchResults(batch, index)],
      [index, JSON.stringify(chunk), block.data, this.#retention.batchTtlSeconds, ...totals],
    );
    return reply as 'stored' | 'known' | 'gone';
  }

  /** The results of a chunk as NDJSON, checked against their digest. */
  async chunkResults(batch: string, index: number, digest: string): Promise<Buffer> {
    const data = await this.#redis.getBuffer(this.#keys.batchResults(batch, index));
    if (!data) throw new ElsewiseError('not-known', `the results of chunk ${index} of batch "${batch}" have expired`);
    return unpack(data, digest, `batch ${batch}, results of chunk ${index}`);
  }

  /** The answer that the job of this key already has. */
  async answer(jobKey: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keys.answer(jobKey))) ?? undefined;
  }

  /** Gives the answer that holds: the first one ever stored for the key. */
  async keepAnswer(jobKey: string, answer: string): Promise<string> {
    const key = this.#keys.answer(jobKey);
    const isFirst = await this.#redis.set(key, answer, 'EX', this.#retention.answerTtlSeconds, 'NX');
    return isFirst ? answer : ((await this.#redis.get(key)) ?? answer);
  }

  /**
   * Readers of the stream may see an answer twice after a crash, byte for byte the same; `key` tells. Sent in one go: one
   * Redis keeps their order, and on a Cluster those who wait go by the answer under its content key, which is there.
   */
  async publishAnswer(id: string, jobKey: string, answer: string): Promise<void> {
    const { answerTtlSeconds, answerStreamLength } = this.#retention;
    const entry = ['id', id, 'key', jobKey, 'body', answer];
    await Promise.all([
      this.#redis.set(this.#keys.result(id), answer, 'EX', answerTtlSeconds),
      this.#redis.xadd(this.#keys.results(), 'MAXLEN', '~', answerStreamLength, '*', ...entry),
      this.#announce({ id, key: jobKey }),
    ]);
  }

  /** Wakes those who wait for an answer that will not come. */
  async announceFailure(id: string, job: string, failure: AnswerFailure): Promise<void> {
    await this.#announce({ id, job, failure });
  }

  /** Calls back for every event that is answered or given up from now on; blocks its connection for anything else. */
  async subscribe(connection: RedisClient, hear: (news: AnswerNews) => void): Promise<void> {
    connection.on('message', (_channel, text) => hear(JSON.parse(text) as AnswerNews));
    await connection.subscribe(this.#keys.answered());
  }

  async #announce(news: AnswerNews): Promise<void> {
    await this.#redis.publish(this.#keys.answered(), JSON.stringify(news));
  }

  /** The answer to an event by the id that its producer chose. */
  async result(id: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keys.result(id))) ?? undefined;
  }
}
