/**
 * The rules of a dialect as functions between JSON objects: what it reads and writes, and what JSON-RPC 2.0 has for it.
 */
import type { Dialect } from "@parley/protocol/Dialect"

type Open = { readonly [member: string]: unknown }

const has = (json: Open, member: string): boolean => Object.hasOwn(json, member)

const without = (json: Open, ...members: ReadonlyArray<string>): Open =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !members.includes(name)))

/** Beside others, because an assignment to `__proto__` defines nothing. */
const having = (json: Open, member: string, value: unknown): Open =>
  Object.fromEntries([...Object.entries(without(json, member)), [member, value]])

/** The object of JSON-RPC 2.0 that a dialect reads this one as. What it refuses becomes an object that is no message. */
export const normalized = (dialect: Dialect, json: Open): Open => {
  const versioned = dialect.version === "required" ? json : having(json, "jsonrpc", "2.0")
  return has(versioned, "method") ? call(dialect, versioned) : response(dialect, versioned)
}

const call = ({ nullId, nullParams }: Dialect, json: Open): Open => {
  const named = json["id"] !== null || nullId === "request"
    ? json
    : nullId === "notification"
    ? without(json, "id")
    : having(json, "id", false)
  return named["params"] === null && nullParams === "absent" ? without(named, "params") : named
}

const response = ({ responses }: Dialect, json: Open): Open => {
  if (responses === "one") return json
  const one = json["error"] === null
    ? without(json, "error")
    : has(json, "error") && json["result"] === null
    ? without(json, "result")
    : json
  return has(one, "error") && !has(one, "result") ? having(one, "error", errorOf(one["error"])) : one
}

/** The error object for an error of any shape. */
const errorOf = (error: unknown): unknown => {
  if (typeof error === "string") return { code: -32000, message: error }
  const { code, message } = Object(error)
  if (Number.isSafeInteger(code) && typeof message === "string") return error
  return {
    code: Number.isSafeInteger(code) ? code : -32000,
    message: typeof message === "string" ? message : "the error has no message",
    data: error
  }
}

/** The object that a dialect writes for one of JSON-RPC 2.0. Throws where it has none. */
export const written = (dialect: Dialect, json: Open): Open => {
  const versioned = dialect.version === "omit" ? without(json, "jsonrpc") : json
  return has(versioned, "method") ? writtenCall(dialect, versioned) : writtenResponse(dialect, versioned)
}

const writtenCall = ({ notificationId, params }: Dialect, json: Open): Open => {
  const named = has(json, "id") || notificationId === "omit" ? json : having(json, "id", null)
  if (params === "array" && has(named, "params") && !Array.isArray(named["params"])) {
    throw new TypeError("params by name")
  }
  if (params === "optional" || has(named, "params")) return named
  return having(named, "params", params === "null" ? null : [])
}

const writtenResponse = ({ responses }: Dialect, json: Open): Open =>
  responses === "both" ? having(json, has(json, "error") ? "result" : "error", null) : json
