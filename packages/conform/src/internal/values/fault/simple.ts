/** Values that have another type, that no schema lists, numbers beyond their bounds, texts that are too short or too long. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { numbersOf, valuesOf } from "../Demands.ts"
import { lengthOf } from "../write/text.ts"
import { typeOf } from "../write/value.ts"
import type { Fault, Spot } from "./Fault.ts"

const ofEachType: ReadonlyArray<Schema.Json> = [null, 1, "text", true, {}, [], 1.5, "1", 0, "", -1, [1], { key: 1 }]

/** A value of each other type. */
export const typed = ({ demands, value }: Spot): ReadonlyArray<Fault> => {
  const has = (keyword: string) => valuesOf(demands, keyword).length > 0
  const others = ofEachType.filter((other) => typeOf(other) !== typeOf(value))
  const fraction = typeof value === "number" ? [value + 0.5] : []
  // Where no type is named, a choice or a list may refuse one all the same.
  const keyword = ["type", "const", "enum", "anyOf", "oneOf", "not", "$ref"].find(has)
  return keyword === undefined ? [] : [...others, ...fraction].map((value) => ({ keyword, value }))
}

/** What is near a value that is listed, and is none. */
export const listed = ({ demands, value }: Spot): ReadonlyArray<Fault> => {
  const keyword = ["const", "enum"].find((keyword) => valuesOf(demands, keyword).length > 0)
  if (keyword === undefined) return []
  if (typeof value === "string") {
    const others = [`${value}x`, value.toUpperCase(), value.slice(1), "", ` ${value}`]
    return others.map((value) => ({ keyword, value }))
  }
  if (typeof value === "number") return [value + 1, value - 1, value + 0.5, -value].map((value) => ({ keyword, value }))
  if (typeof value === "boolean") return [{ keyword, value: !value }]
  return []
}

/** Numbers right beyond their bounds, and between two multiples. */
export const numeric = ({ demands, value }: Spot): ReadonlyArray<Fault> => {
  if (typeof value !== "number") return []
  const isInteger = valuesOf(demands, "type").includes("integer")
  const [factor] = numbersOf(demands, "multipleOf")
  const step = factor ?? (isInteger ? 1 : undefined)
  const beyond = (keyword: string, sign: number) =>
    numbersOf(demands, keyword).flatMap((limit) => {
      const isExclusive = keyword.startsWith("exclusive")
      const steps = step === undefined ? [0, Math.abs(limit) * 1e-6 + 1e-6, 1] : [0, step]
      return steps.filter((step) => isExclusive || step > 0).map((step) => ({ keyword, value: limit + sign * step }))
    })
  return [
    ...beyond("minimum", -1),
    ...beyond("exclusiveMinimum", -1),
    ...beyond("maximum", 1),
    ...beyond("exclusiveMaximum", 1),
    // Draft-04 has a flag beside the bound: the bound itself is wrong.
    ...["minimum", "maximum"].flatMap((keyword) => numbersOf(demands, keyword).map((value) => ({ keyword, value }))),
    ...factor === undefined
      ? []
      : [factor / 2, 1, 0.5].map((more) => ({ keyword: "multipleOf", value: value + more }))
  ]
}

/** A text with more characters is not written: the server would be tried by its size. */
const longest = 100_000

/** Texts of the next length that is not allowed, and some that no pattern matches. */
export const textual = ({ demands, value, world }: Spot): ReadonlyArray<Fault> => {
  if (typeof value !== "string") return []
  const all = Array.from(value)
  const [least] = numbersOf(demands, "minLength")
  const [most] = numbersOf(demands, "maxLength")
  const short = least === undefined || least === 0 ? [] : [all.slice(0, least - 1).join("")]
  const missing = most === undefined || most >= longest ? undefined : most + 1 - lengthOf(value)
  const long = missing === undefined || missing <= 0 ? [] : [value + (all.at(-1) ?? "a").repeat(missing)]
  const patterns = valuesOf(demands, "pattern").filter((source) => typeof source === "string").map(world.pattern)
  const tries = [`${value}!`, ` ${value}`, "!", "", "a", "0", "\n", all.slice(0, -1).join(""), "é😀"]
  return [
    ...short.map((value) => ({ keyword: "minLength", value })),
    ...long.map((value) => ({ keyword: "maxLength", value })),
    ...patterns.flatMap((pattern) =>
      tries.filter((text) => pattern?.test(text) === false).slice(0, mostOfPattern).map((value) => ({
        keyword: "pattern",
        value
      }))
    )
  ]
}

const mostOfPattern = 3

/** What fits a schema that it must not fit. */
export const refused = ({ demands, value }: Spot, write: WriteOther): ReadonlyArray<Fault> =>
  demands.flatMap(({ place, schema }) =>
    ["not", "if"].flatMap((keyword) => {
      const other = JsonObject.own(schema, keyword)
      const written = other === undefined ? undefined : write(other, place)
      if (written === undefined) return []
      // Only some members are spoken of: the others stay as they are.
      const both = JsonObject.isObject(written) && JsonObject.isObject(value) ? [{ ...value, ...written }] : []
      return [...both, written].map((value) => ({ keyword, value }))
    })
  )

/** Writes a value that fits a schema beside a place. */
export type WriteOther = (schema: Schema.Json, place: Spot["demands"][number]["place"]) => Schema.Json | undefined
