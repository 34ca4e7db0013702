/** Writes arrays: their first items have schemas of their own, some items are what they should contain. */
import type * as References from "@parley/json-schema/References"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { boundsOf, type Demand, numbersOf } from "../Demands.ts"
import type { Inner } from "./Inner.ts"

/** Items beyond those that have to be there, at most. */
const mostMore = 3

/** An array that has to have more is not written. */
const mostItems = 1_000

/** How often an item is written again that is there already. */
const mostTries = 8

export const write = (demands: ReadonlyArray<Demand>, inner: Inner): Schema.JsonArray | undefined => {
  const { choices, isDeep, world: { references } } = inner
  const { least, most } = boundsOf(demands, "Items")
  const contained = demands.flatMap((demand) => containedIn(demand, references))
  const tuple = Math.max(0, ...demands.map(({ schema }) => tupleOf(schema).length))
  const needed = contained.reduce((sum, { times }) => sum + times, 0)
  const start = Math.min(Math.max(least, needed), most)
  if (start < needed || start < least || start > mostItems) return undefined
  const lengths = [...new Set([start, start + 1, start + 2, tuple, tuple + 1, most, start + mostMore])]
    .filter((length) => length >= start && length <= most && length <= Math.max(start + mostMore, tuple + 1))
  const length = isDeep ? start : lengths[choices.next(lengths.length)] ?? start
  const isUnique = demands.some(({ schema }) => JsonObject.own(schema, "uniqueItems") === true)
  const wanted = contained.flatMap(({ place, times }) => Array<References.Place>(times).fill(place))
  const known = new Set<string>()
  const items: Array<Schema.Json> = []
  for (let index = 0; index < length; index++) {
    const places = placesOfItem(demands, index, references)
    // Those that are contained come last, where no tuple has its items.
    const extra = wanted[index - (length - wanted.length)]
    let item = inner.write(extra === undefined ? places : [...places, extra], index, 0)
    for (let more = 1; isUnique && item !== undefined && known.has(JsonObject.canonical(item)); more++) {
      item = more > mostTries ? undefined : inner.write(extra === undefined ? places : [...places, extra], index, more)
    }
    if (item === undefined) return index >= start ? items : undefined
    known.add(JsonObject.canonical(item))
    items.push(item)
  }
  return items
}

const containedIn = (
  { place, schema }: Demand,
  references: References.References
): ReadonlyArray<{ readonly place: References.Place; readonly times: number }> => {
  const contains = JsonObject.own(schema, "contains")
  if (contains === undefined) return []
  const [times = 1] = numbersOf([{ place, schema }], "minContains")
  return [{ place: references.below(contains, place), times: Math.min(times, mostItems) }]
}

/** The schemas of the first items. Drafts before 2020-12 wrote them as `items`. */
const tupleOf = (schema: Schema.JsonObject): Schema.JsonArray => {
  const first = JsonObject.own(schema, "prefixItems")
  const old = JsonObject.own(schema, "items")
  return JsonObject.isArray(first) ? first : JsonObject.isArray(old) ? old : []
}

/** What an item has to fit. */
export const placesOfItem = (
  demands: ReadonlyArray<Demand>,
  index: number,
  references: References.References
): ReadonlyArray<References.Place> => {
  const places = demands.flatMap(({ place, schema }) => {
    const tuple = tupleOf(schema)
    const items = JsonObject.own(schema, "items")
    const rest = JsonObject.isArray(items) ? JsonObject.own(schema, "additionalItems") : items
    const own = index < tuple.length ? tuple[index] : rest
    return own === undefined ? [] : [references.below(own, place)]
  })
  return places.length > 0 ? places : demands.flatMap(({ place, schema }) => {
    const rest = JsonObject.own(schema, "unevaluatedItems")
    return rest === undefined ? [] : [references.below(rest, place)]
  })
}
