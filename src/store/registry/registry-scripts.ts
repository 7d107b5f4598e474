/**
 * The Lua scripts of the registry. All keys of a script belong to one name (see keys.ts) and lie in one slot of a Cluster. Open batches do
 * not, so a removal relies on a count of uses (see versioned-store.ts).
 */
import type { Script } from '../redis/scripts.js';

/**
 * KEYS versions, digests, counter, block; ARGV digest, JSON about the version, compressed document. Returns {version, 1 if it is new}. The
 * block is always written: its content is the same, and the write repairs a damaged block.
 */
export const PUSH_VERSION: Script = {
  lua: `
redis.call('SET', KEYS[4], ARGV[3])
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return {tonumber(known), 0} end
local version = redis.call('INCR', KEYS[3])
redis.call('HSET', KEYS[1], version, ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], version)
return {version, 1}`,
};

/** KEYS versions, aliases; ARGV a number, an alias or `latest`. Returns {version, JSON about it}, or nothing. */
export const FIND_VERSION: Script = {
  lua: `
local version = ARGV[1]
if version == 'latest' then
  version = false
  for _, number in ipairs(redis.call('HKEYS', KEYS[1])) do
    if not version or tonumber(number) > tonumber(version) then version = number end
  end
elseif not string.match(version, '^%d+$') then
  version = redis.call('HGET', KEYS[2], version)
end
local about = version and redis.call('HGET', KEYS[1], version)
return about and {tonumber(version), about}`,
};

/**
 * KEYS versions, aliases; ARGV alias, version, the expected present version or ''. Returns {`set`, `gone` for a missing version or `moved`
 * when the alias names another version than expected; version before}.
 */
export const SET_ALIAS: Script = {
  lua: `
local before = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then return {'gone', before} end
if ARGV[3] ~= '' and ARGV[3] ~= before then return {'moved', before} end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return {'set', before}`,
};

/** KEYS versions, uses; ARGV version. Returns 1 and counts a use if the version exists; else 0. */
export const SETTLE_ON_VERSION: Script = {
  lua: `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('INCR', KEYS[2])
return 1`,
};

/**
 * KEYS versions, digests, aliases, uses, block; ARGV version, digest, the count of uses when open batches were read. Returns `removed`,
 * `gone` for a missing version, `again` when a use was counted since, or `aliased` and the aliases.
 */
export const REMOVE_VERSION: Script = {
  lua: `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return {'gone'} end
if (redis.call('GET', KEYS[4]) or '0') ~= ARGV[3] then return {'again'} end
local reply = {'aliased'}
local aliases = redis.call('HGETALL', KEYS[3])
for i = 1, #aliases, 2 do
  if aliases[i + 1] == ARGV[1] then table.insert(reply, aliases[i]) end
end
if #reply > 1 then return reply end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[2])
redis.call('UNLINK', KEYS[5])
return {'removed'}`,
};
