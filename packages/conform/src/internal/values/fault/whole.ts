/** Objects with a member too few or too many, and arrays likewise. */
import { JsonObject } from "@parley/protocol/shared"
import { numbersOf, valuesOf } from "../Demands.ts"
import type { Fault, Spot } from "./Fault.ts"

/** A whole with more parts is not written. */
const mostParts = 1_000

/** A name that no schema has. */
const foreign = "parleyUnknown"

/** What objects may lack, and what they may have too much. */
export const objects = ({ demands, value, world }: Spot): ReadonlyArray<Fault> => {
  if (!JsonObject.isObject(value)) return []
  const keys = Object.keys(value)
  const closed = ["additionalProperties", "unevaluatedProperties", "propertyNames", "patternProperties"]
    .find((keyword) => valuesOf(demands, keyword).length > 0)
  const odd = closed === "propertyNames" || closed === "patternProperties" ? ["", "a", "0", "A key!"] : []
  const names = [foreign, ...odd, ...patternsOf(demands, world)]
  const counts = (keyword: string) => numbersOf(demands, keyword)
  const absent = demands.flatMap(({ schema }) =>
    ["properties", "dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) => {
      const members = JsonObject.own(schema, keyword)
      if (!JsonObject.isObject(members)) return []
      // What may be there stands in a fuller value, where its own keywords are broken.
      const names = Object.keys(members).filter((key) => keyword !== "properties" || members[key] === false)
      return names.filter((key) => !Object.hasOwn(value, key)).map((key) => [keyword, key] as const)
    })
  )
  return [
    ...keys.map((key) => ({ keyword: requiring(demands, key), value: JsonObject.omit(value, key), at: key })),
    ...closed === undefined
      ? []
      : names.flatMap((key) =>
        [1, "text", null].map((more) => ({ keyword: closed, value: { ...value, [key]: more }, at: key }))
      ),
    // A member alone that needs others, or that must not be there.
    ...absent.flatMap(([keyword, key]) =>
      [null, 1, "text", true].map((more) => ({ keyword, value: { ...value, [key]: more }, at: key }))
    ),
    ...counts("minProperties").map((least) => ({
      keyword: "minProperties",
      value: Object.fromEntries(Object.entries(value).slice(0, Math.max(0, least - 1)))
    })),
    ...counts("maxProperties").filter((most) => most < mostParts).map((most) => ({
      keyword: "maxProperties",
      value: Object.fromEntries([
        ...Object.entries(value),
        ...Array.from({ length: Math.max(0, most + 1 - keys.length) }, (_, index) => [`key${index}`, "text"] as const)
      ])
    }))
  ]
}

/** The keyword that asks for a member. */
const requiring = (demands: Spot["demands"], key: string): string =>
  valuesOf(demands, "required").some((list) => JsonObject.isArray(list) && list.includes(key))
    ? "required"
    : ["dependentRequired", "dependencies", "dependentSchemas", "minProperties"].find((keyword) =>
      valuesOf(demands, keyword).length > 0
    ) ?? "required"

/** Names that patterns of members match: their values have schemas. */
const patternsOf = (demands: Spot["demands"], world: Spot["world"]): ReadonlyArray<string> =>
  valuesOf(demands, "patternProperties").flatMap((patterns) =>
    JsonObject.isObject(patterns)
      ? Object.keys(patterns).flatMap((source) => world.pattern(source)?.example(() => 0) ?? [])
      : []
  )

/** Arrays of the next length that is not allowed, with an item twice, or without what they should contain. */
export const arrays = ({ demands, value }: Spot): ReadonlyArray<Fault> => {
  if (!JsonObject.isArray(value)) return []
  const counts = (keyword: string) => numbersOf(demands, keyword)
  const [first] = value
  const last = value.at(-1) ?? null
  const isOpen = valuesOf(demands, "items").length + valuesOf(demands, "prefixItems").length > 0
  return [
    ...counts("minItems").map((least) => ({ keyword: "minItems", value: value.slice(0, Math.max(0, least - 1)) })),
    ...counts("maxItems").filter((most) => most < mostParts).map((most) => ({
      keyword: "maxItems",
      value: [...value, ...Array.from({ length: Math.max(0, most + 1 - value.length) }, () => last)]
    })),
    ...valuesOf(demands, "uniqueItems").length > 0 && first !== undefined
      ? [{ keyword: "uniqueItems", value: [...value, first] }]
      : [],
    ...valuesOf(demands, "contains").length > 0
      ? [[], value.slice(0, -1), [...value, ...value], [null], ["text"]].map((value) => ({
        keyword: "contains",
        value
      }))
      : [],
    ...isOpen || valuesOf(demands, "unevaluatedItems").length > 0
      ? [null, 1, "text", {}].map((more) => ({ keyword: "items", value: [...value, more], at: value.length }))
      : []
  ]
}
