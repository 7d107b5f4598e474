/**
 * Checks before a worker takes jobs: Redis answers, gives access to our keys and runs our scripts. Warns the operator of risky
 * settings. A worker that starts without these checks would silently retry operations that can never succeed.
 */
import { Keys } from '../keys.js';
import type { StoreSettings } from '../settings.js';
import { answersInfo, connect, type RedisClient } from './redis.js';
import { asRedisFailure } from './redis-failure.js';
import { runScript, type Script } from './scripts.js';
import { checkServers } from './server-check.js';

export interface Preflight {
  readonly isInfoAllowed: boolean;
}

const TOUCH: Script = { lua: "return redis.call('EXISTS', KEYS[1])" };

export async function runPreflight(settings: StoreSettings, notice: (text: string) => void): Promise<Preflight> {
  const redis = await connect(settings);
  try {
    for (const text of await checkServers(redis, settings)) notice(text);
    await touchKeys(redis, settings);
    return { isInfoAllowed: await answersInfo(redis) };
  } catch (error) {
    throw asRedisFailure(settings, error);
  } finally {
    redis.disconnect();
  }
}

/** Reads one key under each prefix: this reveals an ACL for other prefixes, or a Cluster behind redis://. */
async function touchKeys(redis: RedisClient, { keyPrefix, queuePrefix }: StoreSettings): Promise<void> {
  for (const key of [new Keys(keyPrefix).models.names(), `${queuePrefix}:meta`])
    await runScript(redis, TOUCH, [key], []);
}
