/** All keys that begin with a text, from all masters of a Cluster. A key may come twice, and a key that is written meanwhile may be missing. */
import { Cluster } from 'ioredis';
import type { RedisClient } from './redis.js';

const KEYS_AT_ONCE = 1_000;

export async function* scanKeys(redis: RedisClient, beginning: string): AsyncGenerator<string> {
  const pattern = `${beginning.replace(/[\\*?[\]]/g, '\\$&')}*`;
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_AT_ONCE);
      yield* keys;
      cursor = next;
    } while (cursor !== '0');
  }
}
