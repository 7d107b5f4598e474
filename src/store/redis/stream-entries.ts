/** Removes the entries of a stream that a test names, in pages. `drop` replaces the plain removal, for streams with other duties. */
import type { RedisClient } from './redis.js';

const PAGE = 500;

export async function dropEntries(
  redis: RedisClient,
  key: string,
  isMeant: (fields: readonly string[]) => boolean,
  drop = async (id: string): Promise<unknown> => redis.xdel(key, id),
): Promise<number> {
  let dropped = 0;
  for (let from = '-'; ; ) {
    const page = await redis.xrange(key, from, '+', 'COUNT', PAGE);
    for (const [id, fields] of page) {
      if (!isMeant(fields)) continue;
      await drop(id);
      dropped++;
    }
    if (page.length < PAGE) return dropped;
    from = `(${page[page.length - 1][0]}`;
  }
}
