/**
 * Error objects, and what peers send in their place: responses with both members, errors of any shape, and JSON that
 * is no message. Only dialects that say so read these.
 */
import * as Schema from "effect/Schema"
import type { Json, JsonObject } from "effect/Schema"
import * as ErrorCode from "../shared/ErrorCode.ts"
import type { ErrorObject } from "../shared/ErrorObject.ts"

/** What a response says that does not have exactly one of `result` and `error`, or an `error` of another shape. @internal */
export type Outcome = { readonly result: Json } | { readonly error: ErrorObject }

/** Gives `undefined` where the response says nothing, or two things. @internal */
export const outcomeOf = (result: Json | undefined, error: Json | undefined): Outcome | undefined => {
  if (error === null || error === undefined) return result === undefined ? undefined : { result }
  return result === null || result === undefined ? { error: errorObjectOf(error) } : undefined
}

/** The code of an error that has none. */
const codeless = ErrorCode.ServerErrorMax

const errorObjectOf = (error: Exclude<Json, null>): ErrorObject => {
  const strict = errorOf(error)
  if (strict !== undefined) return strict
  if (typeof error === "string") return { code: codeless, message: error }
  // Arrays and other scalars have none of these members.
  const { code, message } = error as JsonObject
  return {
    code: isCode(code) ? code : codeless,
    message: typeof message === "string" ? message : "the error has no message",
    data: error
  }
}

/** The three members of an error object, or `undefined` where it is none. @internal */
export const errorOf = (json: Json): ErrorObject | undefined => {
  if (typeof json !== "object" || json === null) return undefined
  // An array has none of these members.
  const { code, data, message } = json as JsonObject
  if (!isCode(code) || typeof message !== "string") return undefined
  return data === undefined ? { code, message } : { code, message, data }
}

const isCode = (code: unknown): code is number => Number.isSafeInteger(code)

/** Whether JSON that is no message does not even resemble one. A number beyond the range of a double is no JSON. @internal */
export const isForeign = (json: unknown): json is Json => !resembles(json) && isJson(json)

const isJson = Schema.is(Schema.Json)

const resembles = (json: unknown): boolean =>
  typeof json === "object" && json !== null && named.some((member) => Object.hasOwn(json, member))

const named = ["jsonrpc", "method", "result", "error"]
