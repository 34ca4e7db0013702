/**
 * Finds what a text must decode to without a codec: by `JSON.parse`, and by the rules written out.
 */
import type { Refusal } from "../../shared/Codec.ts"
import type { Members } from "../../shared/Mutation.ts"

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

const parsedId = (text: string, isResponse: boolean): unknown => {
  const value: unknown = JSON.parse(text)
  if (typeof value !== "number" && typeof value !== "string") return value
  if (isResponse && (typeof value === "string" || Number.isSafeInteger(value))) return value
  if ((typeof value === "number" ? String(value) : JSON.stringify(value)) === text) return value
  return json.rawJSON === undefined ? value : json.rawJSON(text)
}

/** The JSON object with these members. The id of a call is in the spelling of its text, that of a response a value. */
export const valueOf = (members: Members): { readonly [member: string]: unknown } => {
  const value = Object.fromEntries(members.map(([key, text]): [string, unknown] => [key, JSON.parse(text)]))
  const id = members.findLast(([key]) => key === "id")
  return id === undefined ? value : { ...value, id: parsedId(id[1], isResponse(value)) }
}

const isResponse = (value: { readonly [member: string]: unknown }): boolean =>
  !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))

export const refusalOf = (value: { readonly [member: string]: unknown }): Refusal => {
  const id = value["id"]
  const readable = typeof id === "string" || typeof id === "number" || isRaw(id)
  return { _tag: isResponse(value) ? "InvalidResponse" : "InvalidRequest", id: readable ? id : null }
}

const isRaw = (id: unknown): id is { readonly rawJSON: string } =>
  typeof id === "object" && id !== null && Object.hasOwn(id, "rawJSON") && Object.isFrozen(id)

/** Whether a codec may refuse an id, because this runtime cannot write its digits. */
export const mayRefuse = (id: string): boolean =>
  json.rawJSON === undefined && !id.startsWith("\"") && String(JSON.parse(id)) !== id

/** Whether a codec may give an id back in another spelling, because this runtime cannot write this one. */
export const mayRespell = (): boolean => json.rawJSON === undefined

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
