/** The scripts of audit-store.ts. */
import type { Script } from '../redis/scripts.js';

/**
 * KEYS head, days, entries of the day, jobs of the day, jobs of the days before; ARGV digest of the last entry as the caller knows it, job,
 * entry, digest of the entry, number, day, number of records, seconds for which jobs are remembered. Returns `added`; `known` if the job
 * has an entry; `moved` and digest, number and day of the last entry if it is another one: nothing is then written.
 */
export const APPEND_ENTRY: Script = {
  lua: `
for i = 4, #KEYS do
  if redis.call('SISMEMBER', KEYS[i], ARGV[2]) == 1 then return {'known'} end
end
local head = redis.call('HMGET', KEYS[1], 'digest', 'number', 'day')
if (head[1] or '') ~= ARGV[1] then return {'moved', head[1] or '', head[2] or '0', head[3] or ''} end
redis.call('RPUSH', KEYS[3], ARGV[3])
redis.call('SADD', KEYS[4], ARGV[2])
redis.call('EXPIRE', KEYS[4], ARGV[8])
redis.call('HSET', KEYS[1], 'digest', ARGV[4], 'number', ARGV[5], 'day', ARGV[6])
local day = redis.call('HGET', KEYS[2], ARGV[6])
local anchor = day and cjson.decode(day) or {previous = ARGV[1], entries = 0, records = 0}
anchor.entries = anchor.entries + 1
anchor.records = anchor.records + tonumber(ARGV[7])
anchor.digest = ARGV[4]
redis.call('HSET', KEYS[2], ARGV[6], cjson.encode(anchor))
return {'added'}`,
};
