/**
 * The scripts of the engine. A key is a hash of its `node` and `epoch`; one that was freed has only the epoch. A node is a
 * key that lives for as long as the node. All times are those of the server, in milliseconds.
 */

/** Keys: the node, `heard`, `grace`. Arguments: how long it lives, whether it owns keys. Gives whether it lived. */
export const beat = `
local lived = redis.call('EXISTS', KEYS[1])
if lived == 0 and ARGV[2] == '1' and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('SET', KEYS[3], 1, 'PX', ARGV[1])
end
for at = 1, 2 do
  if redis.call('PEXPIRE', KEYS[at], ARGV[1]) == 0 then redis.call('SET', KEYS[at], 1, 'PX', ARGV[1]) end
end
return lived`

/**
 * Keys: the key, `epoch`, `grace`. Arguments: the node, the beginning of the names of nodes, how long the key is known,
 * until when owners are waited for, how long they are where nothing is known of epochs any more, and whether something was.
 * Gives the owner and its epoch, and nothing where owners are waited for.
 */
export const claim = `
local held = redis.call('HMGET', KEYS[1], 'node', 'epoch')
local owner = held[1]
if owner and owner ~= ARGV[1] then
  if redis.call('EXISTS', ARGV[2] .. owner) == 1 then return held end
end
local counted = redis.call('GET', KEYS[2])
if not counted and ARGV[6] == '1' then redis.call('SET', KEYS[3], 1, 'PX', ARGV[5], 'NX') end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
if owner ~= ARGV[1] and (owner or not held[2]) then
  if micros < ARGV[4] * 1000 or redis.call('EXISTS', KEYS[3]) == 1 then return {} end
end
local newest = math.max(tonumber(counted or 0), tonumber(held[2] or 0))
local epoch = string.format('%.0f', math.max(newest + 1, micros))
redis.call('SET', KEYS[2], epoch)
redis.call('HSET', KEYS[1], 'node', ARGV[1], 'epoch', epoch)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {ARGV[1], epoch}`

/**
 * Keys: the key, `epoch`. Arguments: the node, its epoch, how long the key is known, whether it is given back where nothing as
 * new is known of it. Gives whether the node owns it.
 */
export const keep = `
local held = redis.call('HMGET', KEYS[1], 'node', 'epoch')
local behind = tonumber(ARGV[2]) - tonumber(held[2] or 0)
if behind < 0 or (behind == 0 and held[1] ~= ARGV[1]) then return 0 end
if behind > 0 then
  if ARGV[4] == '0' then return 0 end
  if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[2]) then redis.call('SET', KEYS[2], ARGV[2]) end
  redis.call('HSET', KEYS[1], 'node', ARGV[1], 'epoch', ARGV[2])
end
return redis.call('PEXPIRE', KEYS[1], ARGV[3])`

/** Keys: the key. Arguments: the node, its epoch, how long it is known that it was freed. */
export const release = `
local held = redis.call('HMGET', KEYS[1], 'node', 'epoch')
if held[1] == ARGV[1] and held[2] == ARGV[2] then
  redis.call('HDEL', KEYS[1], 'node')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end`

/** Keys: the keys that are known for longer. Arguments: how long. */
export const renew = `for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end`

/** Keys: the key. Arguments: the beginning of the names of nodes. Gives the owner that lives. */
export const owner = `
local node = redis.call('HGET', KEYS[1], 'node')
return node and redis.call('EXISTS', ARGV[1] .. node) == 1 and node or false`

/** Keys: the name. Arguments: the beginning of the names of nodes, who joins. Gives the members that live; the others are forgotten. */
export const members = `
local living = {}
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[1] .. node) == 1 then
    table.insert(living, node)
  else
    redis.call('SREM', KEYS[1], node)
  end
end
if ARGV[2] then redis.call('SADD', KEYS[1], ARGV[2]) end
return living`
