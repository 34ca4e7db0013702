/** A server that has changed: one field of one response is another, chosen by a seed. */
import type { Wrapping } from "@parley/transport/Transport"
import { Effect, type Schema } from "effect"

interface Place {
  readonly pointer: string
  readonly value: string | number | boolean
  readonly set: (value: Schema.Json) => void
}

/** Members whose values may differ in any case: ids, tokens and times. */
const free = /(?:id|token|cursor|time|timestamp|date|at)$/i

/** Strings, numbers and booleans of a value that is JSON. */
const placesOf = (json: object, pointer: string): ReadonlyArray<Place> =>
  Object.entries(json).flatMap(([key, value]: [string, unknown]): ReadonlyArray<Place> => {
    const here = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (typeof value === "object" && value !== null) return placesOf(value, here)
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return []
    return free.test(key) ? [] : [{ pointer: here, value, set: (value) => void Reflect.set(json, key, value) }]
  })

/** Another value of the same type. */
const otherOf = (value: string | number | boolean): Schema.Json =>
  typeof value === "boolean" ? !value : typeof value === "number" ? value + 1 : `${value} changed`

/** The wrapping, and the pointer that it has changed. `leave` names responses that it may not change. */
export const changing = (
  seed: number
): { readonly wrapping: Wrapping; readonly changed: () => ReadonlyArray<string> } => {
  const changed: Array<string> = []
  let random = seed * 2_654_435_761
  const next = (below: number) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(random / 2 ** 32 * below)
  }
  /** How many responses pass as they are. */
  let skipped = next(4)
  const change = (text: string): string => {
    const message = JSON.parse(text)
    if (changed.length > 0 || message.method !== undefined) return text
    const all = placesOf({ result: message.result ?? null, error: message.error ?? null }, "")
    if (all.length === 0 || skipped-- > 0) return text
    const place = all[next(all.length)]
    if (place === undefined) return text
    place.set(otherOf(place.value))
    changed.push(place.pointer)
    return JSON.stringify(message)
  }
  return {
    changed: () => changed,
    wrapping: (inner) =>
      Effect.succeed({
        ...inner,
        receive: Effect.map(inner.receive, ([first, ...rest]) => {
          const each = (one: typeof first) => typeof one === "string" ? change(one) : one
          return [each(first), ...rest.map(each)] as const
        })
      })
  }
}
