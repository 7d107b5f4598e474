/** How much memory Redis uses and how much it may, from its own INFO. Of a Cluster the master that is fullest counts: a batch is all on one. */
import { Cluster } from 'ioredis';
import type { RedisClient } from './redis.js';

export interface Memory {
  readonly usedBytes: number;
  /** maxmemory; 0: no limit is set. */
  readonly limitBytes: number;
}

export async function readMemory(redis: RedisClient): Promise<Memory> {
  if (!(redis instanceof Cluster)) return parse(await redis.info('memory'));
  const asked = await Promise.allSettled(redis.nodes('master').map(async (node) => parse(await node.info('memory'))));
  const all = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])); // one may be going just now
  if (all.length === 0) throw asked[0]?.reason ?? new Error('Connection is closed.');
  return all.reduce((fullest, next) => (shareOf(next) > shareOf(fullest) ? next : fullest));
}

/** A user that may not ask is told of no limit. */
export async function readMemoryIfAllowed(redis: RedisClient): Promise<Memory> {
  try {
    return await readMemory(redis);
  } catch (error) {
    if (/NOPERM/.test((error as Error).message)) return { usedBytes: 0, limitBytes: 0 };
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
