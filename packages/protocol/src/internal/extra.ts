/**
 * Members of a message that the specification does not name: kept when it is read, and written back behind the others.
 */
import type { Json, JsonObject } from "effect/Schema"

/**
 * The members that make a call what it is. `result` and `error` beside a `method` are extra members.
 *
 * @internal
 */
export const callMembers: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"])

/**
 * The members that make a response what it is. With a `method` it would be a call.
 *
 * @internal
 */
export const responseMembers: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "result", "error"])

/**
 * The members beyond the `named` ones, of which `known` are there. Mostly that number
 * tells that there are no others. Where there are many, the object is reused for them.
 *
 * @internal
 */
export const extraOf = (
  members: { [name: string]: Json },
  known: number,
  named: ReadonlySet<string>
): JsonObject | undefined => {
  // Parsed JSON inherits nothing that `for` would see, and unlike `Object.keys` it makes no array.
  let count = 0
  for (const _ in members) count++
  if (count === known) return undefined
  if (count > few) return without(members, named)
  // `fromEntries` defines members, where an assignment to `__proto__` would not.
  return Object.fromEntries(Object.entries(members).filter(([key]) => !named.has(key)))
}

/** Up to so many members are copied. Copying a million takes ten times as long as parsing them. */
const few = 1_024

const without = (members: { [name: string]: Json }, named: ReadonlySet<string>): JsonObject => {
  for (const name of named) delete members[name]
  return members
}

/**
 * The text of a message with extra members. Throws where one of them has the name of a named member.
 *
 * @internal
 */
export const withExtra = (text: string, extra: JsonObject | undefined, named: ReadonlySet<string>): string => {
  if (extra === undefined) return text
  const taken = Object.keys(extra).find((key) => named.has(key))
  if (taken !== undefined) throw new TypeError(`\`${taken}\` is a member of the specification, not an extra one`)
  const members = JSON.stringify(extra)
  return members === "{}" ? text : `${text.slice(0, -1)},${members.slice(1)}`
}
