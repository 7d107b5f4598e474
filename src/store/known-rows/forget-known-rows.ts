/**
 * Removes entries of the index of known rows by their value: the place of a removed result. The key of a row is a digest of its values, which
 * are not known here, so all buckets are read. An entry that is written meanwhile refers to a removed result, which readers skip.
 */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { scanKeys } from '../redis/scan-keys.js';
import { type KnownRowReference, storedReference } from './known-row-store.js';

const BUCKET = /^(.*\}:\d+):\d+:\d+$/;

export async function forgetKnownRows(
  redis: RedisClient,
  keys: Keys,
  places: readonly KnownRowReference[],
): Promise<number> {
  if (places.length === 0) return 0;
  const values = new Map<string, Promise<Set<string>>>();
  let removed = 0;
  for await (const key of scanKeys(redis, keys.allKnownRows())) {
    const epoch = BUCKET.exec(key)?.[1];
    if (epoch === undefined) continue;
    const wanted = values.get(epoch) ?? valuesIn(redis, epoch, places);
    values.set(epoch, wanted);
    removed += await forgetIn(redis, key, await wanted);
  }
  return removed;
}

/** The values of the places, in hexadecimal: an epoch has its own numbers of batches. */
async function valuesIn(redis: RedisClient, epoch: string, places: readonly KnownRowReference[]): Promise<Set<string>> {
  const values = await Promise.all(places.map((place) => storedReference(redis, epoch, place)));
  return new Set(values.flatMap((value) => (value ? [value.toString('hex')] : [])));
}

async function forgetIn(redis: RedisClient, bucket: string, wanted: ReadonlySet<string>): Promise<number> {
  if (wanted.size === 0) return 0;
  const stored = await redis.callBuffer('HGETALL', bucket);
  const parts = stored as Buffer[];
  const fields = parts.filter((_, i) => i % 2 === 0 && wanted.has(parts[i + 1].toString('hex')));
  return fields.length ? redis.hdel(bucket, ...fields) : 0;
}
