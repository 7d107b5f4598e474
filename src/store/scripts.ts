/**
 * The Lua scripts: each is one step that must happen wholly or not at all, whoever else does the same at the same time.
 * All keys of a script share a hash tag (see keys.ts).
 */
import type { Redis } from 'ioredis';

type Argument = string | number | Buffer;

export interface Script {
  readonly lua: string;
}

export async function runScript(redis: Redis, script: Script, keys: string[], args: Argument[]): Promise<unknown> {
  return redis.eval(script.lua, keys.length, ...keys, ...args);
}

/**
 * KEYS versions, digests, counter, block; ARGV digest, JSON about the version, compressed document.
 * Gives {version, 1 if it is new}. The block is written in any case: it is the same by content, and heals a damaged one.
 */
export const PUSH_MODEL: Script = {
  lua: `
redis.call('SET', KEYS[4], ARGV[3])
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return {tonumber(known), 0} end
local version = redis.call('INCR', KEYS[3])
redis.call('HSET', KEYS[1], version, ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], version)
return {version, 1}`,
};

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

/**
 * KEYS files; ARGV path, JSON of the claim, digest of the file, run, 1 to claim what another run has done.
 * Gives the claim that holds: that of the first run that found this content under this path.
 */
export const CLAIM_FILE: Script = {
  lua: `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
  local file = cjson.decode(known)
  if file.digest == ARGV[3] and (ARGV[5] ~= '1' or file.run == ARGV[4]) then return known end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]`,
};

/** KEYS files; ARGV path, batch of the claim, JSON to put in its place or nothing to let go of it. */
export const SETTLE_FILE: Script = {
  lua: `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or cjson.decode(known).batch ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`,
};
