/**
 * What a text must decode to, found without a codec: by `JSON.parse`, and by the rules written out.
 */
import type { Refusal } from "../Codec.ts"
import type { Members } from "../Mutation.ts"

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** `JSON` with what ECMAScript 2026 adds to it. */
const json: JSON & { readonly rawJSON?: (text: string) => unknown } = JSON

const parsedId = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (typeof value !== "number" || Number.isSafeInteger(value) || String(value) === text) return value
  return json.rawJSON === undefined ? Number.NaN : json.rawJSON(text)
}

/** The JSON object with these members, and its id to the last digit. */
export const valueOf = (members: Members): { readonly [member: string]: unknown } =>
  Object.fromEntries(members.map(([key, text]) => [key, key === "id" ? parsedId(text) : JSON.parse(text)]))

export const refusalOf = (value: { readonly [member: string]: unknown }): Refusal => {
  const id = value["id"]
  const readable = typeof id === "string" || typeof id === "number" || isRaw(id)
  const response = !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))
  return { _tag: response ? "InvalidResponse" : "InvalidRequest", id: readable ? id : null }
}

const isRaw = (id: unknown): id is { readonly rawJSON: string } =>
  typeof id === "object" && id !== null && Object.hasOwn(id, "rawJSON") && Object.isFrozen(id)

/** Whether a codec may refuse an id, because this runtime cannot write its digits. */
export const mayRefuse = (id: string): boolean => json.rawJSON === undefined && Number.isNaN(parsedId(id))

/** Whether a text has a number beyond the range of a double. */
export const overflows = (text: string): boolean => {
  let found = false
  JSON.parse(text, (_, value) => {
    found ||= value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    return value
  })
  return found
}

/** Levels of arrays and objects. */
export const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
