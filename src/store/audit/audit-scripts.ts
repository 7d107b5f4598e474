/** The scripts of audit-store.ts. */
import type { Script } from '../redis/scripts.js';

/**
 * KEYS head, days, entries of the day, policies of the day, jobs of the day, jobs of the days before; ARGV digest of the last entry as the
 * caller knows it, job, entry, digest of the entry, number, day, number of records, seconds for which jobs are remembered, and for a policy
 * that is kept its digest and its text. Returns `added`; `known` if the job
 * has an entry; `moved` and digest, number and day of the last entry if it is another one: nothing is then written.
 */
export const APPEND_ENTRY: Script = {
  lua: `
for i = 5, #KEYS do
  if redis.call('SISMEMBER', KEYS[i], ARGV[2]) == 1 then return {'known'} end
end
local head = redis.call('HMGET', KEYS[1], 'digest', 'number', 'day')
if (head[1] or '') ~= ARGV[1] then return {'moved', head[1] or '', head[2] or '0', head[3] or ''} end
redis.call('RPUSH', KEYS[3], ARGV[3])
if ARGV[9] then redis.call('HSET', KEYS[4], ARGV[9], ARGV[10]) end
redis.call('SADD', KEYS[5], ARGV[2])
redis.call('EXPIRE', KEYS[5], ARGV[8])
redis.call('HSET', KEYS[1], 'digest', ARGV[4], 'number', ARGV[5], 'day', ARGV[6])
local day = redis.call('HGET', KEYS[2], ARGV[6])
local anchor = day and cjson.decode(day) or {previous = ARGV[1], entries = 0, records = 0, first = tonumber(ARGV[5])}
anchor.entries = anchor.entries + 1
anchor.records = anchor.records + tonumber(ARGV[7])
anchor.digest = ARGV[4]
redis.call('HSET', KEYS[2], ARGV[6], cjson.encode(anchor))
return {'added'}`,
};

/** KEYS entries of the day; ARGV place, the entry as it was read, the new entry. Returns 1 if the entry was still the same. */
export const REPLACE_ENTRY: Script = {
  lua: `
if redis.call('LINDEX', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('LSET', KEYS[1], ARGV[1], ARGV[3])
return 1`,
};

/** KEYS entries of the day, policies of the day; ARGV number of entries, digests. Returns the number of dropped policies; -1: entries were added. */
export const DROP_POLICIES: Script = {
  lua: `
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return -1 end
local dropped = 0
for i = 2, #ARGV do dropped = dropped + redis.call('HDEL', KEYS[2], ARGV[i]) end
return dropped`,
};

/**
 * KEYS head, days, and for each day its entries and its jobs. Returns digest, number and day of the head; the days with their anchors; the number of
 * stored entries of each day, and of its jobs; -1: the key has another type.
 */
export const READ_CHAIN: Script = {
  lua: `
local function size(command, key)
  local reply = redis.pcall(command, key)
  return type(reply) == 'number' and reply or -1
end
local head = redis.call('HMGET', KEYS[1], 'digest', 'number', 'day')
local entries, jobs = {}, {}
for i = 3, #KEYS, 2 do
  entries[#entries + 1] = size('LLEN', KEYS[i])
  jobs[#jobs + 1] = size('SCARD', KEYS[i + 1])
end
return {{head[1] or '', head[2] or '', head[3] or ''}, redis.call('HGETALL', KEYS[2]), entries, jobs}`,
};

/** KEYS days, entries of the day, policies of the day; ARGV day, time, number of days. Drops the entries, and the anchor says so. */
export const DROP_DAY: Script = {
  lua: `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
local anchor = cjson.decode(text)
anchor.dropped = {at = ARGV[2], after = tonumber(ARGV[3])}
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(anchor))
redis.call('UNLINK', KEYS[2], KEYS[3])
return 1`,
};

/** The same in a full Redis, from version 7 on: the step makes room. */
export const DROP_DAY_WHEN_FULL: Script = { lua: `#!lua flags=allow-oom${DROP_DAY.lua}` };
