/**
 * The scripts of the engine. All times are those of the server, in milliseconds.
 *
 * A key is a hash of its `node` and `epoch`; one that was freed has only the epoch. A node is a key that lives for as long as
 * the node. `heard` lives for half as long: where Redis stands still until a node counts as dead, though others have beaten
 * later, `heard` is gone as well. `epoch` is the last epoch of all keys.
 *
 * While `grace` is there, owners that may come back are waited for. Either all nodes have been silent, or Redis has: `1`. Then
 * a key whose owner is dead is given to nobody else. Or Redis has lost what it had: `2`. Then nor is one that it does not know.
 */

/** Keys: `heard`, `grace`, `epoch`. Arguments: how long owners are waited for, whether there was an epoch. */
const graced = `
local counted = redis.call('GET', KEYS[3])
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
if not counted and ARGV[2] == '1' then
  counted = string.format('%.0f', micros)
  redis.call('SET', KEYS[3], counted)
  redis.call('SET', KEYS[2], 2, 'PX', ARGV[1])
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[2], 1, 'PX', ARGV[1], 'NX')
end`

/**
 * Keys: then the node, and the names that it is a member of, which Redis may have evicted. Arguments: then how long it lives,
 * how long it is heard, and the node. Gives since when it lives.
 */
export const beat = `${graced}
if redis.call('PEXPIRE', KEYS[4], ARGV[3]) == 0 then
  redis.call('SET', KEYS[4], string.format('%.0f', micros), 'PX', ARGV[3])
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[4])
elseif left < tonumber(ARGV[4]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
for at = 5, #KEYS do redis.call('SADD', KEYS[at], ARGV[5]) end
return redis.call('GET', KEYS[4])`

/**
 * Keys: then the key. Arguments: then the node, the beginning of the names of nodes, how long the key is known, until when
 * Redis may have lost what it had. Gives the owner and its epoch, and nothing where owners are waited for.
 */
export const claim = `
local held = redis.call('HMGET', KEYS[4], 'node', 'epoch')
local owner = held[1]
if owner and owner ~= ARGV[3] and redis.call('EXISTS', ARGV[4] .. owner) == 1 then return held end
${graced}
local grace = micros < ARGV[6] * 1000 and '2' or redis.call('GET', KEYS[2])
if grace and owner and owner ~= ARGV[3] or grace == '2' and not held[2] then return {} end
local newest = math.max(tonumber(counted or 0), tonumber(held[2] or 0))
local epoch = string.format('%.0f', math.max(newest + 1, micros))
redis.call('SET', KEYS[3], epoch)
redis.call('HSET', KEYS[4], 'node', ARGV[3], 'epoch', epoch)
redis.call('PEXPIRE', KEYS[4], ARGV[5])
return {ARGV[3], epoch}`

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

/** Keys: a node, keys that it may own. Arguments: the node, how long it is known that a key was freed. */
export const leave = `
redis.call('DEL', KEYS[1])
for at = 2, #KEYS do
  if redis.call('HGET', KEYS[at], 'node') == ARGV[1] then
    redis.call('HDEL', KEYS[at], 'node')
    redis.call('PEXPIRE', KEYS[at], ARGV[2])
  end
end`

/** Keys: the keys that are known for longer. Arguments: how long. */
export const renew = `for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end`

/**
 * Keys: then the key. Arguments: then the beginning of the names of nodes, until when Redis may have lost what it had. Gives the
 * owner that lives, or `false`; and nothing where Redis may have lost whose the key is.
 */
export const owner = `
local held = redis.call('HMGET', KEYS[4], 'node', 'epoch')
if held[1] and redis.call('EXISTS', ARGV[3] .. held[1]) == 1 then return {held[1]} end
if held[2] then return {false} end
${graced}
if micros < ARGV[4] * 1000 or redis.call('GET', KEYS[2]) == '2' then return {} end
return {false}`

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
