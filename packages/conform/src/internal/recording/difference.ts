/** The differences between a recorded value and one that has come: a list of places, and the values there. */
import * as Subschemas from "@parley/json-schema/Subschemas"
import { ExactNumber, JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import * as shapes from "./shapes.ts"

/** One place. `undefined` stands for nothing. @category models @since 0.1.0 */
export interface Difference {
  readonly pointer: string
  readonly recorded: Schema.Json | undefined
  readonly came: Schema.Json | undefined
}

/** The rules by which values count as equal. */
export interface Rules {
  /** Places that may differ, as pointers into the message; `*` stands for any one member or element. */
  readonly ignore: ReadonlyArray<string>
  /** When the recorded value and the other one passed. */
  readonly recordedAt: number
  readonly cameAt: number
  /** Whether a recorded text stands for another one since both were drawn. */
  readonly isBound: (recorded: Schema.Json, came: Schema.Json, name: string | undefined) => boolean
}

/** A value that may differ, and what stands in its place now. */
export type Bind = (recorded: Schema.Json, came: Schema.Json, name: string | undefined) => void

/** The places that differ, at most so many. Values that differ and may are given to `bind`. */
export const differences = (
  recorded: Schema.Json | undefined,
  came: Schema.Json | undefined,
  rules: Rules,
  bind: Bind = () => {},
  most = 100
): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  const ignored = rules.ignore.map((pointer) => pointer.split("/"))
  const isIgnored = (path: ReadonlyArray<string>): boolean =>
    ignored.some((pattern) =>
      pattern.length === path.length + 1
      && path.every((token, at) => pattern[at + 1] === "*" || Subschemas.keyOf(pattern[at + 1] ?? "") === token)
    )
  const compare = (
    one: Schema.Json | undefined,
    other: Schema.Json | undefined,
    path: ReadonlyArray<string>,
    name: string | undefined
  ): void => {
    if (found.length >= most || isIgnored(path)) return
    if (JsonObject.isObject(one) && JsonObject.isObject(other) && !isNumber(one) && !isNumber(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(JsonObject.own(one, key), JsonObject.own(other, key), [...path, key], key)
      }
      return
    }
    if (JsonObject.isArray(one) && JsonObject.isArray(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at++) {
        compare(one[at], other[at], [...path, String(at)], name)
      }
      return
    }
    if (isEqual(one, other)) return
    if (one !== undefined && other !== undefined && mayDiffer(one, other, name, rules)) return bind(one, other, name)
    found.push({ pointer: pointerOf(path), recorded: one, came: other })
  }
  compare(recorded, came, [], undefined)
  return found
}

const isNumber = (json: Schema.Json): boolean => typeof json === "number" || ExactNumber.isExactNumber(json)

const isEqual = (one: Schema.Json | undefined, other: Schema.Json | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && isScalar(one) && isScalar(other)
    && JSON.stringify(one) === JSON.stringify(other))

const isScalar = (json: Schema.Json): boolean => typeof json !== "object" || json === null || isNumber(json)

/** Whether two values that are not equal may differ, by the name of their member and by their shapes. */
const mayDiffer = (one: Schema.Json, other: Schema.Json, name: string | undefined, rules: Rules): boolean => {
  if (rules.isBound(one, other, name)) return true
  if (typeof one === "string" && shapes.isRedacted(one)) {
    return typeof other === "string" ? shapes.fitsRedacted(one, other) : isScalar(other)
  }
  if (!isScalar(one) || !isScalar(other)) return false
  if (shapes.isTokenName(name)) return [one, other].every((value) => value !== null && typeof value !== "boolean")
  if (typeof one === "number" && typeof other === "number") {
    return shapes.isTime(name, one, rules.recordedAt) && shapes.isTime(name, other, rules.cameAt)
  }
  return typeof one === "string" && typeof other === "string" && shapes.isAlike(one, other)
}

const pointerOf = (path: ReadonlyArray<string>): string => path.map((key) => `/${Subschemas.tokenOf(key)}`).join("")

/** Differences as lines for a person: the place, what was recorded, and what came. */
export const linesOf = (differences: ReadonlyArray<Difference>, most = 10): ReadonlyArray<string> => [
  ...differences.slice(0, most).map(({ came, pointer, recorded }) =>
    `${pointer === "" ? "(all)" : pointer}: recorded ${shown(recorded)}, came ${shown(came)}`
  ),
  ...differences.length > most ? [`… and ${differences.length - most} more`] : []
]

const shown = (json: Schema.Json | undefined): string => {
  if (json === undefined) return "nothing"
  const text = JSON.stringify(json)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Characters of a value in one line. */
const longest = 120
