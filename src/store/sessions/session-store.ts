/**
 * Sessions of the console in Redis: every process of the API knows them. Redis holds the hash of a session's id and the SHA-256 of the
 * token that signed in. A reader of Redis can use neither.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

const ID_BYTES = 32;
const MINUTE_SECONDS = 60;

export class SessionStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** The id of a new session. Only the browser gets the id. */
  async create(tokenSha256: string, ttlSeconds: number): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    await this.#redis.set(this.#keyOf(id), tokenSha256, 'EX', ttlSeconds);
    return id;
  }

  /** The SHA-256 of the token that signed in. Undefined: no such session, or the session has ended. */
  async tokenOf(id: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keyOf(id))) ?? undefined;
  }

  async end(id: string): Promise<void> {
    await this.#redis.del(this.#keyOf(id));
  }

  /** The number of failed sign-ins from the address in this minute. */
  async failures(address: string): Promise<number> {
    return Number(await this.#redis.get(this.#keys.failedSignIns(address)));
  }

  async countFailure(address: string): Promise<void> {
    const key = this.#keys.failedSignIns(address);
    await this.#redis.multi().incr(key).expire(key, MINUTE_SECONDS).exec();
  }

  #keyOf(id: string): string {
    return this.#keys.session(createHash('sha256').update(id).digest('hex'));
  }
}
