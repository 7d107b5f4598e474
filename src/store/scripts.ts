/**
 * The Lua scripts: each is one step that must happen wholly or not at all, whoever else does the same at the same time.
 * All keys of a script share a hash tag (see keys.ts).
 */
import type { RedisClient } from './redis.js';

type Argument = string | number | Buffer;

export interface Script {
  readonly lua: string;
}

export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: string[],
  args: Argument[],
): Promise<unknown> {
  return redis.eval(script.lua, keys.length, ...keys, ...args);
}

/**
 * KEYS batch, chunks, rows; ARGV index, JSON of the chunk, digest of its rows, number of rows, compressed rows, TTL.
 * Gives the state the chunk is in now, or `conflict` when it holds other rows or the batch is complete without it. A
 * chunk that is done is left alone.
 */
export const ADD_CHUNK: Script = {
  lua: `
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then
  local chunk = cjson.decode(known)
  if chunk.digest ~= ARGV[3] then return 'conflict' end
  if chunk.state ~= 'waiting' then return chunk.state end
elseif redis.call('HEXISTS', KEYS[1], 'sealed') == 1 then
  return 'conflict'
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('HINCRBY', KEYS[1], 'rows', ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'chunks', 1)
end
redis.call('SET', KEYS[3], ARGV[5], 'EX', ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 'waiting'`,
};

/**
 * KEYS batch, chunks, news, rows, results; ARGV index, JSON of the chunk when done, compressed results, TTL, then pairs
 * of a total's name and its increment. Gives `stored`, `known` when the chunk was done already (nothing is written), or
 * `gone` when there is no such chunk any more.
 */
export const FINISH_CHUNK: Script = {
  lua: `
local known = redis.call('HGET', KEYS[2], ARGV[1])
if not known then return 'gone' end
local state = cjson.decode(known).state
if state == 'done' then return 'known' end
if state == 'failed' then redis.call('HINCRBY', KEYS[1], 'failed', -1) end
redis.call('SET', KEYS[5], ARGV[3], 'EX', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'done', 1)
for i = 5, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('UNLINK', KEYS[4])
redis.call('XADD', KEYS[3], '*', 'chunk', ARGV[1], 'state', 'done')
for i = 1, 3 do redis.call('EXPIRE', KEYS[i], ARGV[4]) end
return 'stored'`,
};

/** KEYS batch, chunks, news; ARGV index, JSON of the chunk when failed, TTL. Only a waiting chunk can fail. */
export const FAIL_CHUNK: Script = {
  lua: `
local known = redis.call('HGET', KEYS[2], ARGV[1])
if not known or cjson.decode(known).state ~= 'waiting' then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'failed', 1)
redis.call('XADD', KEYS[3], '*', 'chunk', ARGV[1], 'state', 'failed')
for i = 1, 3 do redis.call('EXPIRE', KEYS[i], ARGV[3]) end
return 1`,
};

/** KEYS batch, chunks. Gives 1 if the batch had no chunk and is gone now. */
export const DISCARD_EMPTY: Script = {
  lua: `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('UNLINK', KEYS[1])
return 1`,
};
