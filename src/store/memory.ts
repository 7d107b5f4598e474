/** How much memory Redis uses and how much it may, from its own INFO. */
import type { RedisClient } from './redis.js';

export interface Memory {
  readonly usedBytes: number;
  /** maxmemory; 0: no limit is set. */
  readonly limitBytes: number;
}

export async function readMemory(redis: RedisClient): Promise<Memory> {
  const text = await redis.info('memory');
  return { usedBytes: field(text, 'used_memory'), limitBytes: field(text, 'maxmemory') };
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
