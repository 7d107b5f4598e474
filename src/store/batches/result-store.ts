/**
 * Results, written once. The results of a chunk are one compressed block, stored together with the chunk's state by one script: a job that
 * is delivered twice finds the chunk done and changes nothing. The answer to an event is stored first under the content key of its job. The
 * copy under the event's own id is always made from that answer.
 */
import { ElsewiseError, type StoredError } from '../../documents/error.js';
import { asBuffer } from '../codec/byte-streams.js';
import { type ResultBlock, unpackLines } from '../codec/result-block.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { scanKeys } from '../redis/scan-keys.js';
import { FINISH_CHUNK, REPLACE_RESULTS, runScript } from '../redis/scripts.js';
import { dropEntries } from '../redis/stream-entries.js';
import type { StoreSettings } from '../settings.js';
import { type CostSketch, countField } from './batch-store.js';
import type { ChunkFacts, ChunkRun, ManifestChunk } from './manifest.js';

export interface FinishedChunk {
  readonly batch: string;
  readonly generation: string;
  readonly index: number;
  /** The answered rows. */
  readonly facts: ChunkFacts;
  readonly counts: Readonly<Record<string, number>>;
  readonly costs: CostSketch;
  readonly run?: ChunkRun;
}

/** A message on the channel `elsewise:answered`: an answer under a content key, or a job without an answer. */
export type AnswerNews =
  | { readonly id: string; readonly key: string }
  | { readonly id: string; readonly job: string; readonly failure: StoredError };

type Retention = Pick<StoreSettings, 'answerTtlSeconds' | 'answerStreamLength'>;

/** `touch`: stored, and the batch has ended or its keys should now get a common expiry, see `BatchStore.touch`. */
export type Finish = 'stored' | 'touch' | 'known' | 'stale' | 'gone';

/** A chunk of a batch, identified by its generation as well. */
export interface Place {
  readonly batch: string;
  readonly generation: string;
  readonly chunk: number;
}

/** The id of a stored line of results; undefined: it is no result. */
function idOfLine(line: string): string | undefined {
  try {
    return (JSON.parse(line) as { id?: string }).id;
  } catch {
    return undefined;
  }
}

/** Long enough for every waiting client to see the answer. */
const PASSING_SECONDS = 60;

export class ResultStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #retention: Retention;

  constructor(redis: RedisClient, keys: Keys, retention: Retention) {
    this.#redis = redis;
    this.#keys = keys;
    this.#retention = retention;
  }

  /**
   * `known`: another worker was first, and its results stay. `gone`: the batch no longer exists. `stale`: the batch no longer exists, and
   * another batch has its id.
   */
  async finishChunk(finished: FinishedChunk, block: ResultBlock): Promise<Finish> {
    const { batch, generation, index, facts, counts, costs, run } = finished;
    const { digest, firstRow, rows } = facts;
    const chunk: ManifestChunk = { state: 'done', digest, firstRow, rows, results: block.digest, ...(run && { run }) };
    const keys = this.#keys;
    const common = [keys.batch(batch), keys.batchChunks(batch), keys.batchNews(batch), keys.batchCosts(batch)];
    const statuses = Object.entries(counts).flatMap(([status, count]) => [countField(status), count]);
    const reply = await runScript(
      this.#redis,
      FINISH_CHUNK,
      [...common, keys.batchRows(batch, index), keys.batchResults(batch, index)],
      [
        ...[index, JSON.stringify(chunk), asBuffer(block.data), Date.now(), rows, costs.sum, generation],
        ...[statuses.length / 2, ...statuses, ...[...costs.buckets].flat()],
      ],
    );
    return reply as Finish;
  }

  /** The stored results of chunks; undefined for those that are gone. */
  async blocks(places: readonly Place[]): Promise<(ResultBlock | undefined)[]> {
    return Promise.all(
      places.map(async ({ batch, generation, chunk }) => {
        const [data, state, held] = await Promise.all([
          this.#redis.getBuffer(this.#keys.batchResults(batch, chunk)),
          this.#redis.hget(this.#keys.batchChunks(batch), String(chunk)),
          this.#redis.hget(this.#keys.batch(batch), 'generation'),
        ]);
        const digest = state === null ? undefined : (JSON.parse(state) as { results?: string }).results;
        return data && digest && held === generation ? { data, digest } : undefined;
      }),
    );
  }

  /** The results of a chunk as NDJSON, checked against their digest. */
  async chunkResults(batch: string, index: number, digest: string): Promise<Buffer> {
    const data = await this.#redis.getBuffer(this.#keys.batchResults(batch, index));
    if (!data) throw new ElsewiseError('not-known', `the results of chunk ${index} of batch "${batch}" have expired`);
    return unpackLines({ data, digest }, `batch ${batch}, results of chunk ${index}`);
  }

  /**
   * Replaces the results of a finished chunk. `counts`: the differences of rows by status. False: the chunk was changed meanwhile. The
   * text of the chunk is compared, so it is read here as it is stored.
   */
  async replaceResults(
    batch: string,
    index: number,
    rewrite: (digest: string) => Promise<{ block: ResultBlock; counts: Readonly<Record<string, number>> } | undefined>,
  ): Promise<boolean> {
    const keys = [this.#keys.batch(batch), this.#keys.batchChunks(batch), this.#keys.batchResults(batch, index)];
    const before = await this.#redis.hget(keys[1], String(index));
    const chunk = before === null ? undefined : (JSON.parse(before) as ManifestChunk);
    if (chunk?.state !== 'done') return true;
    const rewritten = await rewrite(chunk.results);
    if (!rewritten) return true;
    const { block, counts } = rewritten;
    const after = JSON.stringify({ ...chunk, results: block.digest } satisfies ManifestChunk);
    const differences = Object.entries(counts).flatMap(([status, count]) => [countField(status), count]);
    const args = [index, before!, after, asBuffer(block.data), ...differences];
    return (await runScript(this.#redis, REPLACE_RESULTS, keys, args)) === 1;
  }

  /** The stored answer of the job with this key. */
  async answer(jobKey: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keys.answer(jobKey))) ?? undefined;
  }

  /**
   * Returns the valid answer: the first one stored for the key. An answer that a time limit or a lost thread influenced is kept only
   * briefly: it serves the clients that wait for it, not later ones.
   */
  async keepAnswer(jobKey: string, answer: string, isLasting: boolean): Promise<string> {
    const key = this.#keys.answer(jobKey);
    const ttlSeconds = isLasting ? this.#retention.answerTtlSeconds : PASSING_SECONDS;
    const isFirst = await this.#redis.set(key, answer, 'EX', ttlSeconds, 'NX');
    return isFirst ? answer : ((await this.#redis.get(key)) ?? answer);
  }

  /**
   * Readers of the stream may see an answer twice after a crash, byte for byte the same and with the same `key`. All commands are sent
   * together: a single Redis keeps their order, and on a Cluster waiting clients read the answer under its content key, which is already
   * stored.
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

  /** The bytes of the last published answer, if the stream has one. */
  async latestAnswerBytes(): Promise<number | undefined> {
    const [entry] = await this.#redis.xrevrange(this.#keys.results(), '+', '-', 'COUNT', 1);
    return entry?.[1].at(-1)?.length;
  }

  /** Removes the answer under an id. Returns whether there was one. */
  async dropResult(id: string): Promise<boolean> {
    return (await this.#redis.del(this.#keys.result(id))) === 1;
  }

  /** Removes the answers by content that were first given to this id. Returns their keys. */
  async dropAnswersOf(id: string): Promise<string[]> {
    const beginning = this.#keys.answer('');
    const dropped: string[] = [];
    for await (const key of scanKeys(this.#redis, beginning)) {
      const answer = await this.#redis.get(key);
      if (answer === null || idOfLine(answer) !== id) continue;
      if ((await this.#redis.del(key)) === 1) dropped.push(key.slice(beginning.length));
    }
    return dropped;
  }

  /** Removes the answers to an id from the stream. Returns their number. */
  dropFromStream(id: string): Promise<number> {
    return dropEntries(this.#redis, this.#keys.results(), (fields) => fields[fields.indexOf('id') + 1] === id);
  }

  /** Trims old answers from the stream, which is otherwise bounded only by length. */
  async forgetOldAnswers(): Promise<void> {
    const earliest = Date.now() - 1000 * this.#retention.answerTtlSeconds;
    await this.#redis.xtrim(this.#keys.results(), 'MINID', earliest);
  }

  /** Wakes clients that wait for an answer that will not come. */
  async announceFailure(id: string, job: string, failure: StoredError): Promise<void> {
    await this.#announce({ id, job, failure });
  }

  /** Calls back for every event that is answered or given up from now on. The connection cannot be used for other commands. */
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
