/** The scripts of known-row-store.ts, which explains levels and epochs. */
import type { Script } from '../redis/scripts.js';

/**
 * Bits of the bucket number at each level, and the bucket and field of a row key: three bytes of the key choose the bucket, eight others
 * are the field. At least 70 bits have to agree, within one plan.
 */
const LEVELS = `
local LEVELS = {6, 8, 10, 12, 14, 16, 18, 20, 22}
local function bucket(prefix, key, bits)
  local number = string.byte(key, 1) * 65536 + string.byte(key, 2) * 256 + string.byte(key, 3)
  return prefix .. ':' .. bits .. ':' .. math.floor(number / 2 ^ (24 - bits))
end
local function levelsFor(rows)
  local used = 1
  local room = 0
  while used < #LEVELS do
    room = room + 90 * 2 ^ LEVELS[used]
    if rows < room then break end
    used = used + 1
  end
  return used
end`;

/**
 * KEYS the index of this epoch and of the one before; ARGV row keys. Returns for each row nothing, or one byte for the epoch that knows it,
 * followed by the value of ADD_KNOWN_ROWS.
 */
export const FIND_KNOWN_ROWS: Script = {
  lua: `${LEVELS}
local used = {}
for g = 1, 2 do
  local rows = redis.call('HGET', KEYS[g], 'rows')
  used[g] = rows and levelsFor(tonumber(rows)) or 0
end
local found = {}
for i = 1, #ARGV[1] / 16 do
  local key = string.sub(ARGV[1], 16 * i - 15, 16 * i)
  local field = string.sub(key, 4, 11)
  found[i] = false
  for g = 1, 2 do
    for level = used[g], 1, -1 do
      if not found[i] then
        local value = redis.call('HGET', bucket(KEYS[g], key, LEVELS[level]), field)
        if value then found[i] = string.char(g - 1) .. value end
      end
    end
  end
end
return found`,
};

/**
 * KEYS the index of this epoch; ARGV row keys, its expiry, batch, chunk, first line. Without a batch: the value to store for the one row,
 * in place of the chunk. The first answer stays. A row is stored as the batch's number (2 bytes), the chunk (3) and the line (2), so only
 * the first 65,279 batches of an epoch are known.
 */
export const ADD_KNOWN_ROWS: Script = {
  lua: `${LEVELS}
local value = ARGV[4]
local source = 0
if ARGV[3] ~= '' then
  source = tonumber(redis.call('HGET', KEYS[1], 'batch:' .. ARGV[3]) or 0)
  if source == 0 then
    source = redis.call('HINCRBY', KEYS[1], 'sources', 1)
    if source >= 65280 then return 0 end
    redis.call('HSET', KEYS[1], 'batch:' .. ARGV[3], source, 'source:' .. source, ARGV[3])
  end
else
  redis.call('HSET', KEYS[1], 'events', 1)
end
local rows = tonumber(redis.call('HGET', KEYS[1], 'rows') or 0)
local bits = LEVELS[levelsFor(rows)]
local nobody = string.rep('\\0', 16)
local added = 0
for i = 1, #ARGV[1] / 16 do
  local key = string.sub(ARGV[1], 16 * i - 15, 16 * i)
  if key ~= nobody then
    local place = bucket(KEYS[1], key, bits)
    if ARGV[3] ~= '' then value = struct.pack('>I2I3I2', source, tonumber(ARGV[4]), tonumber(ARGV[5]) + i - 1) end
    if redis.call('HSETNX', place, string.sub(key, 4, 11), value) == 1 then
      added = added + 1
      if redis.call('HLEN', place) == 1 then redis.call('EXPIREAT', place, ARGV[2]) end
    end
  end
end
redis.call('HINCRBY', KEYS[1], 'rows', added)
redis.call('EXPIREAT', KEYS[1], ARGV[2])
return added`,
};
