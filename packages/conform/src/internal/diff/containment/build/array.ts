/** Builds arrays from facts. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Facts } from "../Facts.ts"
import { type Answer, anything, both, first, type Goal, made, none, unknown } from "../Goal.ts"
import { below, type SchemaNode } from "../SchemaNode.ts"
import type { Solving } from "../Solving.ts"

const longest = 1_024

/** An array that the facts allow. */
export const array = (solver: Solving, facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  if (facts.isRepeated) return repeated(solver, facts, holds)
  return placed(solver, facts, new Map(), holds)
}

/** Puts items that are asked for somewhere into their places. */
const placed = (
  solver: Solving,
  facts: Facts,
  taken: ReadonlyMap<number, ReadonlySet<number>>,
  holds: (value: Schema.Json) => Answer
): Answer => {
  const [some, ...others] = facts.someItems
  if (some === undefined) return whole(solver, facts, holds)
  const { from, goal, group } = some
  const used = group === undefined ? undefined : taken.get(group)
  const end = Math.max(from, facts.fewest, tupleOf(facts))
  const places = Array.from({ length: Math.max(0, end - from + 1) }, (_, at) => from + at)
    .filter((place) => used?.has(place) !== true)
  return first(places, (place) => {
    const next = facts.copy()
    next.someItems = others
    if (!next.item(place, goal)) return none
    const now = group === undefined ? taken : new Map([...taken, [group, new Set([...used ?? [], place])]])
    return placed(solver, next, now, holds)
  })
}

/** How many items have places of their own in the schemas. */
const tupleOf = ({ arrays }: Facts): number =>
  Math.max(0, ...arrays.map(({ schema }) => JsonObject.isObject(schema) ? tuple(schema).length : 0))

/** The schemas of the first items. Drafts before 2020-12 wrote them as `items`. */
export const tuple = (schema: Schema.JsonObject): Schema.JsonArray => {
  const items = JsonObject.own(schema, "prefixItems") ?? JsonObject.own(schema, "items")
  return JsonObject.isArray(items) ? items : []
}

/** The keyword of the first items, and that of the others. */
export const itemKeywords = (schema: Schema.JsonObject): readonly [first: string, rest: string] =>
  JsonObject.isArray(JsonObject.own(schema, "items"))
    ? [Object.hasOwn(schema, "prefixItems") ? "prefixItems" : "items", "additionalItems"]
    : ["prefixItems", "items"]

const schemasOf = (facts: Facts, index: number): ReadonlyArray<SchemaNode> =>
  facts.arrays.flatMap((node) => {
    const { schema } = node
    if (!JsonObject.isObject(schema)) return []
    const [firstKeyword, rest] = itemKeywords(schema)
    if (index < tuple(schema).length) return [below(node, firstKeyword, index)]
    return Object.hasOwn(schema, rest) ? [below(node, rest)] : []
  })

const goalOf = (facts: Facts, index: number): Goal =>
  both({ fits: schemasOf(facts, index), misfits: facts.everyItem }, facts.items.get(index) ?? anything)

const whole = (solver: Solving, facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const length = facts.fewest
  if (length > facts.mostParts) return none
  if (length > longest) return unknown(`an array would have more than ${longest} items`)
  const items: Array<Schema.Json> = []
  let doubt: Answer | undefined
  for (let index = 0; index < length; index++) {
    const goal = goalOf(facts, index)
    let answer = solver.solve(goal)
    if (answer._tag === "None") return none
    if (answer._tag === "Found" && facts.isUnique && isAmong(answer.value, items)) {
      answer = solver.solve(both(goal, { fits: [], misfits: [made({ enum: items })] }))
      // Another order of values might be possible.
      if (answer._tag === "None") answer = unknown("no items were found that differ")
    }
    if (answer._tag === "Found") items.push(answer.value)
    else doubt = answer
  }
  if (doubt !== undefined) return doubt
  if (isAmong(items, facts.excluded)) return longer(solver, facts, holds)
  const answer = holds(items)
  return answer._tag === "None" ? unknown("an array that was built does not fit its schema") : answer
}

const isAmong = (value: Schema.Json, values: ReadonlyArray<Schema.Json>): boolean => {
  const text = JsonObject.canonical(value)
  return values.some((other) => JsonObject.canonical(other) === text)
}

/** An array that is excluded is varied by one more item. */
const longer = (solver: Solving, facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const next = facts.copy()
  const isLonger = next.counting(facts.fewest + 1, Infinity) && facts.fewest < longest
  const answer = isLonger ? whole(solver, next, holds) : none
  return answer._tag === "Found" ? answer : unknown("an array that was built is excluded")
}

/** Two items are the same. */
const repeated = (solver: Solving, facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  if (facts.isUnique || facts.mostParts < 2) return none
  const end = Math.min(tupleOf(facts) + 1, 5)
  const pairs = Array.from(
    { length: end + 1 },
    (_, other) => Array.from({ length: other }, (_, one) => [one, other] as const)
  )
  const answer = first(pairs.flat(), ([one, other]) => {
    const same = solver.solve(both(goalOf(facts, one), goalOf(facts, other)))
    if (same._tag !== "Found") return same
    const next = facts.copy()
    next.isRepeated = false
    const goal = { fits: [made({ const: same.value })], misfits: [] }
    if (!next.item(one, goal) || !next.item(other, goal)) return none
    const built = placed(solver, next, new Map(), holds)
    return built._tag === "None" ? unknown("no items were found that are the same") : built
  })
  return answer._tag === "None" && tupleOf(facts) > 4 ? unknown("no items were found that are the same") : answer
}
