/**
 * The scripts of dead letters. A letter belongs to a group: its code, model and policy. The index of groups is one sorted set whose members
 * sort as text: `<group>:<time>:<id>`. A count, the ends and a page of a group cost the logarithm of the number of letters, and no body is
 * read. All scripts take the same keys: letters, times, group of each letter, index, facts of each group.
 */
import type { Script } from '../redis/scripts.js';

const GROUPS = `
local function member(group, time, id) return group .. ':' .. string.format('%015d', tonumber(time)) .. ':' .. id end
local function leaveGroup(id)
  local group = redis.call('HGET', KEYS[3], id)
  if not group then return end
  redis.call('HDEL', KEYS[3], id)
  redis.call('ZREM', KEYS[4], member(group, redis.call('ZSCORE', KEYS[2], id) or 0, id))
  if redis.call('ZLEXCOUNT', KEYS[4], '[' .. group .. ':', '(' .. group .. ';') == 0 then redis.call('HDEL', KEYS[5], group) end
end
local function bury(id)
  leaveGroup(id)
  redis.call('ZREM', KEYS[2], id)
  return redis.call('HDEL', KEYS[1], id)
end`;

/**
 * ARGV the largest number of letters, the earliest time to keep, then nothing or: id, time and JSON of a new letter, the largest number of
 * groups, its group, JSON of the group, the group of the rest, JSON of that group. Returns the number of letters. An existing letter is
 * replaced and not counted twice.
 */
export const KEEP_LETTERS: Script = {
  lua: `${GROUPS}
local function join(id, time)
  local group, facts = ARGV[7], ARGV[8]
  if redis.call('HEXISTS', KEYS[5], group) == 0 and redis.call('HLEN', KEYS[5]) >= tonumber(ARGV[6]) then
    group, facts = ARGV[9], ARGV[10]
  end
  redis.call('HSET', KEYS[3], id, group)
  redis.call('ZADD', KEYS[4], 0, member(group, time, id))
  redis.call('HSET', KEYS[5], group, facts)
end
if ARGV[3] then
  leaveGroup(ARGV[3])
  redis.call('HSET', KEYS[1], ARGV[3], ARGV[5])
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
  join(ARGV[3], ARGV[4])
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[2], 'LIMIT', 0, 1000)) do bury(id) end
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[1]
if excess > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, math.min(excess, 1000) - 1)) do bury(id) end
end
return redis.call('ZCARD', KEYS[2])`,
};

/** ARGV id, then nothing or the time of the letter. Returns 1 if the letter existed. */
export const DROP_LETTER: Script = {
  lua: `${GROUPS}
if ARGV[2] and redis.call('ZSCORE', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
return bury(ARGV[1])`,
};
