/** The scripts of audit-store.ts. */
import type { Script } from '../redis/scripts.js';

/**
 * A remembered job has an entry only if the counted entry at the place of the memory names the job. A memory that somebody forged keeps no
 * answer out of the record.
 */
const HAS_ENTRY = `
local function hasEntry(days, day, entries, places, job)
  local place = redis.pcall('HGET', places, job)
  if type(place) ~= 'string' or not string.match(place, '^%d+$') then return false end
  local text = redis.pcall('HGET', days, day)
  local isRead, anchor = pcall(cjson.decode, text)
  if not isRead or type(anchor) ~= 'table' or anchor.dropped then return false end
  if tonumber(place) >= (tonumber(anchor.entries) or 0) then return false end
  local entry = redis.pcall('LINDEX', entries, place)
  if type(entry) ~= 'string' then return false end
  local isHead, head = pcall(cjson.decode, string.match(entry, '^[^\\n]*'))
  return isHead and type(head) == 'table' and head.job == job
end`;

/**
 * KEYS head, days, policies of the day, then entries and places of the day and of the days before; ARGV digest of the last entry as the
 * caller knows it, job or empty, entry, digest of the entry, number, number of records, seconds for which jobs are remembered, digest and
 * text of a policy that is kept or empty, then the days. Returns `added`; `known` if the job has an entry; `moved` and digest, number and
 * day of the last entry if it is another one; `damaged` and a key of another type: nothing is then written.
 */
export const APPEND_ENTRY: Script = {
  lua: `${HAS_ENTRY}
for i, expected in ipairs({'hash', 'hash', 'hash', 'list', 'hash'}) do
  local found = redis.call('TYPE', KEYS[i]).ok
  if found ~= 'none' and found ~= expected then return {'damaged', KEYS[i]} end
end
local job, today = ARGV[2], ARGV[10]
if job ~= '' then
  for i = 10, #ARGV do
    local k = 4 + 2 * (i - 10)
    if hasEntry(KEYS[2], ARGV[i], KEYS[k], KEYS[k + 1], job) then return {'known'} end
  end
end
local head = redis.call('HMGET', KEYS[1], 'digest', 'number', 'day')
if (head[1] or '') ~= ARGV[1] then return {'moved', head[1] or '', head[2] or '0', head[3] or ''} end
local text = redis.call('HGET', KEYS[2], today)
local isRead, anchor = true, {previous = ARGV[1], entries = 0, records = 0, first = tonumber(ARGV[5])}
if text then isRead, anchor = pcall(cjson.decode, text) end
if not isRead then return {'damaged', KEYS[2]} end
local stored = redis.call('RPUSH', KEYS[4], ARGV[3])
if ARGV[8] ~= '' then redis.call('HSET', KEYS[3], ARGV[8], ARGV[9]) end
if job ~= '' then
  redis.call('HSET', KEYS[5], job, stored - 1)
  redis.call('EXPIRE', KEYS[5], ARGV[7])
end
redis.call('HSET', KEYS[1], 'digest', ARGV[4], 'number', ARGV[5], 'day', today)
anchor.entries = anchor.entries + 1
anchor.records = anchor.records + tonumber(ARGV[6])
anchor.digest = ARGV[4]
redis.call('HSET', KEYS[2], today, cjson.encode(anchor))
return {'added'}`,
};

/** KEYS days, then entries and places of some days; ARGV job, then the days. Returns 1 if the job has an entry. */
export const FIND_JOB: Script = {
  lua: `${HAS_ENTRY}
for i = 2, #ARGV do
  local k = 2 * i - 2
  if hasEntry(KEYS[1], ARGV[i], KEYS[k], KEYS[k + 1], ARGV[1]) then return 1 end
end
return 0`,
};

/**
 * KEYS jobs of a day as earlier versions wrote them, places of the day; ARGV jobs and places in turn. Moves the jobs that are still there.
 * The time to live goes along.
 */
export const ADOPT_JOBS: Script = {
  lua: `
local ttl = redis.call('PTTL', KEYS[1])
for i = 1, #ARGV, 2 do
  if redis.call('SREM', KEYS[1], ARGV[i]) == 1 then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
if ttl > redis.call('PTTL', KEYS[2]) then redis.call('PEXPIRE', KEYS[2], ttl) end
return 1`,
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
 * KEYS head, days, and for each day its entries, policies, places and jobs of earlier versions. Returns the pairs of the head; the days with
 * their anchors; for each key of a day its size and its time to live in ms. Size -1: the key has another type. Returns the name of a key in
 * place of all if head or days have another type, or will expire.
 */
export const READ_CHAIN: Script = {
  lua: `
local SIZES = {'LLEN', 'HLEN', 'HLEN', 'SCARD'}
for i = 1, 2 do
  local found = redis.call('TYPE', KEYS[i]).ok
  if found ~= 'none' and found ~= 'hash' or redis.call('PTTL', KEYS[i]) >= 0 then return KEYS[i] end
end
local sizes, times = {}, {}
for i = 3, #KEYS do
  local size = redis.pcall(SIZES[(i - 3) % 4 + 1], KEYS[i])
  sizes[i - 2] = type(size) == 'number' and size or -1
  times[i - 2] = redis.call('PTTL', KEYS[i])
end
return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]), sizes, times}`,
};

/** KEYS days, then the keys of the day; ARGV day, time, number of days. Drops the keys of the day, and the anchor says so. */
export const DROP_DAY: Script = {
  lua: `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
local anchor = cjson.decode(text)
anchor.dropped = {at = ARGV[2], after = tonumber(ARGV[3])}
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(anchor))
redis.call('UNLINK', unpack(KEYS, 2))
return 1`,
};

/** The same in a full Redis, from version 7 on: the step makes room. */
export const DROP_DAY_WHEN_FULL: Script = { lua: `#!lua flags=allow-oom${DROP_DAY.lua}` };
