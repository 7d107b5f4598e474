/**
 * The Lua scripts. Each is one atomic step, even if several processes run the same step at once. All keys of a script share a hash tag (see
 * keys.ts).
 */
import { createHash } from 'node:crypto';
import type { RedisClient } from './redis.js';

type Argument = string | number | Buffer;

export interface Script {
  readonly lua: string;
}

type ScriptCommand = (keyCount: number, ...keysAndArgs: readonly Argument[]) => Promise<unknown>;

const names = new WeakMap<Script, string>();

/** The name of a script follows from its content. */
function nameOf(script: Script): string {
  const name = names.get(script) ?? `script-${createHash('sha1').update(script.lua).digest('hex')}`;
  names.set(script, name);
  return name;
}

/**
 * Runs a script by its digest (EVALSHA). ioredis sends the text only if the server does not know the script yet. `binary`: text in the
 * reply comes as buffers.
 */
export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly Argument[],
  reply: 'text' | 'binary' = 'text',
): Promise<unknown> {
  const name = nameOf(script);
  if (!(name in redis)) redis.defineCommand(name, { lua: script.lua });
  const commands = redis as unknown as Readonly<Record<string, ScriptCommand>>;
  return commands[reply === 'text' ? name : `${name}Buffer`](keys.length, ...keys, ...args);
}

/** KEYS batch; ARGV manifest, time to live, generation, 1 if it names a webhook. Returns 1 if the batch is new. */
export const CREATE_BATCH: Script = {
  lua: `
local isNew = redis.call('HSETNX', KEYS[1], 'manifest', ARGV[1])
if isNew == 1 then redis.call('HSET', KEYS[1], 'ttl', ARGV[2], 'generation', ARGV[3]) end
if isNew == 1 and ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'webhook', 1) end
redis.call('EXPIRE', KEYS[1], redis.call('HGET', KEYS[1], 'ttl'))
return isNew`,
};

/**
 * The keys of a batch expire one by one. Data written without the manifest would be half a batch and stay for ever. Every key of a batch
 * that a script touches gets a new time to live.
 */
const BATCH = `
local isGone = redis.call('HEXISTS', KEYS[1], 'manifest') == 0
local function refresh(last)
  local ttl = redis.call('HGET', KEYS[1], 'ttl')
  for i = 1, last do redis.call('EXPIRE', KEYS[i], ttl) end
  return ttl
end`;

/** Compares the stored chunk with the chunk of a job. They differ when the batch's id was used again. */
const IS_STALE = `
local function isStale(stored, given, generation)
  local held = redis.call('HGET', KEYS[1], 'generation')
  return cjson.decode(given).digest ~= stored.digest or (held and generation ~= '' and held ~= generation)
end`;

/**
 * KEYS batch, chunks, rows; ARGV index, JSON of the chunk, digest of its rows, number of rows, compressed rows. Returns the present state
 * of the chunk; `conflict` when it has other rows or the batch is complete without it; `cancelled` or `gone` for such a batch. A finished
 * chunk stays unchanged.
 */
export const ADD_CHUNK: Script = {
  lua: `${BATCH}
if isGone then return 'gone' end
if redis.call('HEXISTS', KEYS[1], 'cancelled') == 1 then return 'cancelled' end
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
redis.call('HINCRBY', KEYS[1], 'queuedBytes', #ARGV[5] - redis.call('STRLEN', KEYS[3]))
redis.call('SET', KEYS[3], ARGV[5])
refresh(3)
return 'waiting'`,
};

/**
 * KEYS batch, chunks, news, costs, rows, results; ARGV index, JSON of the chunk when done, compressed results, now in ms, number of rows,
 * sum of costs, generation, number of statuses, then pairs: status field and count, cost bucket and count. Returns `stored`, or `touch`
 * when all keys should also get a common expiry (at the end, and now and then before). Returns `known` when the chunk was already done,
 * `stale` when it is another chunk, `gone` when the chunk no longer exists: nothing is then written.
 */
export const FINISH_CHUNK: Script = {
  lua: `${BATCH}${IS_STALE}
local known = redis.call('HGET', KEYS[2], ARGV[1])
if isGone or not known then return 'gone' end
local chunk = cjson.decode(known)
if isStale(chunk, ARGV[2], ARGV[7]) then return 'stale' end
local state = chunk.state
if state == 'done' then return 'known' end
if state == 'failed' then redis.call('HINCRBY', KEYS[1], 'failed', -1) end
redis.call('SET', KEYS[6], ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
local done = redis.call('HINCRBY', KEYS[1], 'done', 1)
redis.call('HINCRBY', KEYS[1], 'answered', ARGV[5])
redis.call('HINCRBY', KEYS[1], 'resultBytes', #ARGV[3])
redis.call('HINCRBY', KEYS[1], 'queuedBytes', 0 - redis.call('STRLEN', KEYS[5])) -- minus nothing would be -0, which is no integer
if redis.call('HSETNX', KEYS[1], 'firstAt', ARGV[4]) == 1 then redis.call('HSET', KEYS[1], 'firstRows', ARGV[5]) end
redis.call('HSET', KEYS[1], 'lastAt', ARGV[4])
local statuses = 9 + 2 * tonumber(ARGV[8])
for i = 9, statuses - 1, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = statuses, #ARGV, 2 do redis.call('HINCRBY', KEYS[4], ARGV[i], ARGV[i + 1]) end
if statuses <= #ARGV then redis.call('HINCRBYFLOAT', KEYS[4], 'sum', ARGV[6]) end
redis.call('UNLINK', KEYS[5])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'chunk', ARGV[1], 'state', 'done')
local ttl = tonumber(refresh(6))
local touched = tonumber(redis.call('HGET', KEYS[1], 'touched') or ARGV[4])
local isLast = done == tonumber(redis.call('HGET', KEYS[1], 'chunks')) and redis.call('HEXISTS', KEYS[1], 'sealed') == 1
if not isLast and tonumber(ARGV[4]) - touched < 100 * ttl then
  redis.call('HSETNX', KEYS[1], 'touched', ARGV[4])
  return 'stored'
end
redis.call('HSET', KEYS[1], 'touched', ARGV[4])
return 'touch'`,
};

/**
 * KEYS batch, chunks, results; ARGV index, JSON of the chunk as it was read, JSON of the chunk with the new digest, new compressed results,
 * then pairs: status field and difference. Returns 0 and writes nothing if the chunk has changed or is gone. Times to live stay.
 */
export const REPLACE_RESULTS: Script = {
  lua: `
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HINCRBY', KEYS[1], 'resultBytes', #ARGV[4] - redis.call('STRLEN', KEYS[3]))
redis.call('SET', KEYS[3], ARGV[4], 'KEEPTTL')
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for i = 5, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1`,
};

/** KEYS batch, chunks, news; ARGV index, JSON of the chunk when failed, generation or empty. Only a waiting chunk can fail. */
export const FAIL_CHUNK: Script = {
  lua: `${BATCH}${IS_STALE}
local known = redis.call('HGET', KEYS[2], ARGV[1])
if isGone or not known then return 0 end
local chunk = cjson.decode(known)
if chunk.state ~= 'waiting' or isStale(chunk, ARGV[2], ARGV[3]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'failed', 1)
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'chunk', ARGV[1], 'state', 'failed')
refresh(3)
return 1`,
};

/** KEYS batch, chunks. Returns 1 if the batch had no chunk and is now deleted. */
export const DISCARD_EMPTY: Script = {
  lua: `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('UNLINK', KEYS[1])
return 1`,
};

/** KEYS sorted set; ARGV member, score. Removes the member if it still has this score. */
export const FORGET_ENTRY: Script = {
  lua: `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`,
};

/**
 * KEYS stream; ARGV group, the least silence of a consumer (ms), then nothing or the only name. Removes consumers without pending entries
 * and returns their names. This must be one step: a consumer that takes an entry between the check and the removal would lose it.
 */
export const REMOVE_CONSUMERS: Script = {
  lua: `
local removed = {}
for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
  local isMeant = not ARGV[3] or ARGV[3] == consumer.name
  if isMeant and consumer.pending == 0 and consumer.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    removed[#removed + 1] = consumer.name
  end
end
return removed`,
};

/** KEYS the required key, the written key; ARGV command, its further arguments. Returns 0 and writes nothing without the required key. */
export const WRITE_WHILE_THERE: Script = {
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call(ARGV[1], KEYS[2], unpack(ARGV, 2))
return 1`,
};

/**
 * KEYS schedule, files; ARGV path, JSON of the claim, digest of the file, run, 1 to claim content of a finished run again. Returns the
 * valid claim: that of the first run that found this content under this path. Nothing without the schedule.
 */
export const CLAIM_FILE: Script = {
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then
  local file = cjson.decode(known)
  if file.digest == ARGV[3] and (ARGV[5] ~= '1' or file.run == ARGV[4]) then return known end
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return ARGV[2]`,
};

/** KEYS files; ARGV path, batch of the claim, JSON to replace the claim, or empty to release it. */
export const SETTLE_FILE: Script = {
  lua: `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or cjson.decode(known).batch ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`,
};

/** KEYS batch, chunks, rows; ARGV index, JSON of the chunk when waiting, generation. Returns 0 if it has not failed, or has no rows. */
export const REVIVE_CHUNK: Script = {
  lua: `${BATCH}${IS_STALE}
local known = redis.call('HGET', KEYS[2], ARGV[1])
if isGone or not known or redis.call('EXISTS', KEYS[3]) == 0 then return 0 end
local chunk = cjson.decode(known)
if chunk.state ~= 'failed' or isStale(chunk, ARGV[2], ARGV[3]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'failed', -1)
redis.call('HDEL', KEYS[1], 'announced') -- another end is to come
refresh(3)
return 1`,
};

/**
 * KEYS batch, chunks; ARGV number of chunks, digest of the input. Returns the number of chunks. If it is equal, the batch is sealed. `gone`
 * for a missing batch.
 */
export const SEAL_BATCH: Script = {
  lua: `${BATCH}
if isGone then return 'gone' end
local chunks = redis.call('HLEN', KEYS[2])
if chunks == tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'sealed', 1, 'input', ARGV[2]) end
return chunks`,
};

/** KEYS batch, news; ARGV now. Returns `cancelled`, also the second time; `done` when nothing is left to cancel; `gone`. */
export const CANCEL_BATCH: Script = {
  lua: `${BATCH}
if isGone then return 'gone' end
local batch = redis.call('HMGET', KEYS[1], 'sealed', 'chunks', 'done', 'ttl')
if batch[1] and tonumber(batch[2] or 0) == tonumber(batch[3] or 0) then return 'done' end
if redis.call('HSETNX', KEYS[1], 'cancelled', ARGV[1]) == 1 then
  redis.call('XADD', KEYS[2], '*', 'state', 'cancelled')
  redis.call('EXPIRE', KEYS[2], batch[4])
end
return 'cancelled'`,
};

/** KEYS batch; ARGV generation, field, value. Returns 0 and writes nothing if the batch is gone or another batch has its id. */
export const SET_BATCH_FIELD: Script = {
  lua: `
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1`,
};

/** KEYS batch, rows of its chunks. Deletes the rows if the batch is cancelled. */
export const DROP_ROWS: Script = {
  lua: `
if redis.call('HEXISTS', KEYS[1], 'cancelled') == 0 then return 0 end
local bytes = 0
for i = 2, #KEYS do bytes = bytes - redis.call('STRLEN', KEYS[i]) end
redis.call('UNLINK', unpack(KEYS, 2))
redis.call('HINCRBY', KEYS[1], 'queuedBytes', bytes)
return 1`,
};
