/** The used and the allowed memory of Redis, from INFO. Of a Cluster the fullest master counts, because a batch lies on one master. */
import { Cluster } from 'ioredis';
import type { RedisClient } from './redis.js';
import { isRedisTrouble } from './redis-trouble.js';
import { says } from './redis-words.js';

export interface Memory {
  readonly usedBytes: number;
  /** maxmemory; 0: no limit is set. */
  readonly limitBytes: number;
}

export async function readMemory(redis: RedisClient): Promise<Memory> {
  if (!(redis instanceof Cluster)) return parse(await redis.info('memory'));
  const masters = redis.nodes('master');
  const asked = await Promise.all(masters.map((node) => node.info('memory').then(parse, asUnknown)));
  const all = asked.filter((memory) => memory !== undefined);
  if (all.length === 0) throw new Error('Connection is closed.');
  return all.reduce((fullest, next) => (shareOf(next) > shareOf(fullest) ? next : fullest));
}

/** One of several masters may be unreachable at present. */
function asUnknown(error: Error): undefined {
  if (!isRedisTrouble(error)) throw error;
}

/** A user without permission gets no limit. */
export async function readMemoryIfAllowed(redis: RedisClient): Promise<Memory> {
  try {
    return await readMemory(redis);
  } catch (error) {
    if (says(error, 'notPermitted')) return { usedBytes: 0, limitBytes: 0 };
    throw error;
  }
}

function shareOf({ usedBytes, limitBytes }: Memory): number {
  return limitBytes > 0 ? usedBytes / limitBytes : 0;
}

function parse(info: string): Memory {
  return { usedBytes: field(info, 'used_memory'), limitBytes: field(info, 'maxmemory') };
}

function field(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
