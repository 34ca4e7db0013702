/**
 * The scripts of the journal. The texts of a key are a stream, whose ids are their positions; each entry has its text, when
 * it was appended in milliseconds of the server, its weight, and the epoch of its writer. What is known of them beside is a
 * hash, which outlives them: the newest epoch, the last position, the weight of all, the time of the oldest, and when the key
 * was written to first since it was forgotten.
 *
 * Changes of the keys that somebody follows are in one stream for all.
 */

/** The time, in milliseconds of the server. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** The facts of a key. Keys: the facts, the stream. If the facts were evicted, the stream gives them. */
const facts = `
local facts = redis.call('HMGET', KEYS[1], 'epoch', 'last', 'weight', 'oldest', 'born')
local newest = not facts[1] and redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if newest then
  local weight = 0
  for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do weight = weight + entry[2][6] end
  facts = {newest[2][8], string.match(newest[1], '%d+'), weight, 0, 0}
end`

/** Refuses an epoch that is older than one that was seen. Arguments: the epoch. */
const fenced = `${facts}
if facts[1] and tonumber(ARGV[1]) < tonumber(facts[1]) then return {0, facts[1]} end`

/** Keys: the mark of those who follow the key, the changes. Arguments: the key, how many changes are kept, and for how long. */
const noticed = (isDropped: 0 | 1) => `
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[3], '*', 'key', ARGV[2], 'dropped', ${isDropped})
  redis.call('PEXPIRE', KEYS[4], ARGV[4])
end`

/**
 * Keys and arguments as above, then: the text, its weight, how many texts are kept, of which weight, for how long, and for
 * how long the facts.
 */
export const append = `${fenced}${clock}
local length = redis.call('XLEN', KEYS[2])
local weight = (length > 0 and tonumber(facts[3] or 0) or 0) + ARGV[6]
local oldest = length > 0 and tonumber(facts[4] or 0) or now
local position = string.format('%.0f', (facts[2] or 0) + 1)
redis.call('XADD', KEYS[2], position .. '-0', 'text', ARGV[5], 'at', now, 'weight', ARGV[6], 'epoch', ARGV[1])
length = length + 1
local function is_too_much()
  return length > tonumber(ARGV[7]) or weight > tonumber(ARGV[8]) or oldest < now - ARGV[9]
end
while is_too_much() do
  local entry = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  oldest = tonumber(entry[2][4])
  if length == 1 or not is_too_much() then break end
  redis.call('XDEL', KEYS[2], entry[1])
  length = length - 1
  weight = weight - entry[2][6]
  oldest = 0
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'last', position, 'weight', weight, 'oldest', oldest, 'born', facts[5] or now)
redis.call('PEXPIRE', KEYS[1], ARGV[10])
redis.call('PEXPIRE', KEYS[2], ARGV[9])
${noticed(0)}
return {1, position}`

/** Arguments: the epoch, for how long the facts are kept. */
export const fence = `${fenced}${clock}
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'last', facts[2] or 0, 'weight', facts[3] or 0, 'oldest', facts[4] or 0)
redis.call('HSETNX', KEYS[1], 'born', facts[5] or now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1, '0'}`

/** Arguments as of a change, then: for how long the facts are kept. An owner without a lease leaves none. */
export const drop = `${fenced}
redis.call('DEL', KEYS[1], KEYS[2])
if tonumber(ARGV[1]) > 0 then
  redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'last', 0, 'weight', 0, 'oldest', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
${noticed(1)}
return {1, '0'}`

/**
 * Arguments: the first position, how long texts are kept, how many entries are read. Gives the last position, or `false` where nothing is known of the
 * key, when it was written to first, since when texts are kept, and the entries.
 */
export const read = `${facts}${clock}
return {facts[1] and facts[2], facts[5], string.format('%.0f', now - ARGV[2]), redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[3])}`

/** Keys: the stream. Arguments: how long texts are kept. Gives the newest entry. */
export const newest = `${clock}
local entry = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return entry and entry[2][4] + ARGV[1] >= now and {entry[1], entry[2][2]}`

/** Keys: the changes, the marks of keys. Arguments: how long they are followed. Gives the last change, if there is one. */
export const follow = `
for at = 2, #KEYS do redis.call('SET', KEYS[at], 1, 'PX', ARGV[1]) end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return last and last[1]`
