/**
 * The parts of a message that HTTP headers repeat: the texts of `Mcp-Name` and `Mcp-Param-*`, and the annotations
 * `x-mcp-header` that ask for the latter.
 *
 * Pure, and the same for both sides: a client writes these headers, a server compares them with the body. A value that
 * a header cannot carry as it is travels as `=?base64?…?=` with the Base64 of its UTF-8 between.
 *
 * ```ts run
 * import * as HeaderValue from "@parley/mcp/http/HeaderValue"
 * import { Result } from "effect"
 *
 * console.log(HeaderValue.nameOf("tools/call", { name: "weather" })) // => weather
 * console.log(HeaderValue.encode("Zürich")) // => =?base64?WsO8cmljaA==?=
 * console.log(Result.getOrUndefined(HeaderValue.decode("=?base64?WsO8cmljaA==?="))) // => Zürich
 *
 * const properties = { city: { type: "string", "x-mcp-header": "City" } }
 * const headers = HeaderValue.headersOf({ type: "object", properties })
 * if (Result.isSuccess(headers)) console.log(HeaderValue.valuesOf(headers.success, { city: "Oslo" }))
 * // => { 'Mcp-Param-City': 'Oslo' }
 * ```
 *
 * @since 0.1.0
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as Limits from "@parley/protocol/Limits"
import { Utf8 } from "@parley/protocol/shared"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../internal/Json.ts"

/**
 * A property of a tool's arguments that travels in a header, too.
 *
 * @category models
 * @since 0.1.0
 */
export interface ParamHeader {
  /** The names of the properties that lead to it, from the arguments on. */
  readonly path: ReadonlyArray<string>
  /** The whole name of the header, such as `Mcp-Param-Region`. */
  readonly header: string
}

/** The annotation of a property that travels in a header. @category constants @since 0.1.0 */
export const annotation = "x-mcp-header"

/** The beginning of the names of all such headers. @category constants @since 0.1.0 */
export const prefix = "Mcp-Param-"

/**
 * The text of a header for a value. Printable ASCII stays as it is, unless it is empty, has spaces at an end, or looks
 * as if it were encoded already.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (value: string): string =>
  plain.test(value) && !isEncoded(value) ? value : `${opening}${Base64.encode(value)}${closing}`

/**
 * The value of a header's text, without the white space around it. Fails, in words, for characters that a header cannot
 * have, and for an encoded text that is not strict Base64 of UTF-8.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (text: string): Result.Result<string, string> => {
  const trimmed = text.replace(around, "")
  if (!allowed.test(trimmed)) return Result.fail("it has characters that are no printable ASCII")
  if (!isEncoded(trimmed) || trimmed.length < opening.length + closing.length) return Result.succeed(trimmed)
  return Result.match(Base64.decode(trimmed.slice(opening.length, -closing.length)), {
    onFailure: () => Result.fail("its Base64 is invalid"),
    onSuccess: (bytes) => {
      const text = Utf8.textOf(bytes)
      return text === undefined ? Result.fail("its Base64 holds no UTF-8") : Result.succeed(text)
    }
  })
}

const opening = "=?base64?"

const closing = "?="

const isEncoded = (text: string): boolean => text.startsWith(opening) && text.endsWith(closing)

/**
 * Visible characters, with spaces between at most. A tab could be written as it is; some intermediaries turn it into a
 * space.
 */
const plain = /^[!-~](?:[ -~]*[!-~])?$/

const allowed = /^[\t -~]*$/

/**
 * The lookbehind starts one search per run of white space. Without it, each character of a run starts one, and the
 * time is quadratic in a text that strangers choose.
 */
const around = /^[\t ]+|(?<![\t ])[\t ]+$/g

/**
 * The value of `Mcp-Name` for a request, not encoded: the name of a tool or a prompt, the URI of a resource, or
 * the param that an extension names. `undefined` where the method has no such header, or the params have no
 * such text.
 *
 * @category getters
 * @since 0.1.0
 */
export const nameOf = (
  method: string,
  params: Schema.Json | undefined,
  ofExtension?: string | undefined
): string | undefined => {
  const member = named.get(method) ?? ofExtension
  if (member === undefined || !isObject(params) || !Object.hasOwn(params, member)) return undefined
  const name = params[member]
  return typeof name === "string" ? name : undefined
}

const named: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"]
])

/**
 * The headers that the input schema of a tool asks for. Fails, in words, where an annotation breaks a rule: such a tool
 * must not be offered.
 *
 * - Its value is a token (RFC 9110, 5.6.2), and unique without regard to case.
 * - The property is a string, an integer or a boolean, or may be null beside one of these.
 * - Nothing but `properties` leads to it from the root.
 *
 * @category getters
 * @since 0.1.0
 */
export const headersOf = (inputSchema: Schema.Json): Result.Result<ReadonlyArray<ParamHeader>, string> => {
  const found: Array<ParamHeader> = []
  const taken = new Set<string>()

  const annotated = (schema: Schema.JsonObject, path: ReadonlyArray<string>, isReachable: boolean) => {
    const name = schema[annotation]
    if (!isReachable || path.length === 0) return "something else than properties leads to it"
    if (typeof name !== "string" || !token.test(name)) return "its value is no name of a header"
    if (!isPrimitive(schema["type"])) return "its property is no string, integer or boolean"
    const folded = name.toLowerCase()
    if (taken.has(folded)) return `another property has ${name}, too`
    taken.add(folded)
    found.push({ path, header: prefix + name })
    return undefined
  }

  const visit = (
    schema: Schema.Json | undefined,
    path: ReadonlyArray<string>,
    isReachable: boolean
  ): string | undefined => {
    if (!isObject(schema)) return undefined
    if (path.length > Limits.defaults.depth) return "the schema is too deep"
    if (Object.hasOwn(schema, annotation)) {
      const rule = annotated(schema, path, isReachable)
      if (rule !== undefined) return `${annotation} at ${place(path)}: ${rule}`
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const rule = keyword === "properties"
        ? visitEach(Object.entries(isObject(value) ? value : {}), path, isReachable)
        : inside(keyword, value, path)
      if (rule !== undefined) return rule
    }
    return undefined
  }

  const visitEach = (
    schemas: ReadonlyArray<readonly [string, Schema.Json]>,
    path: ReadonlyArray<string>,
    isReachable: boolean
  ) => {
    for (const [name, schema] of schemas) {
      const rule = visit(schema, [...path, name], isReachable)
      if (rule !== undefined) return rule
    }
    return undefined
  }

  /** What may stand in a schema below another keyword: one schema, a list of them, or some with names. */
  const inside = (keyword: string, value: Schema.Json, path: ReadonlyArray<string>) => {
    const kind = Subschemas.keywords.get(keyword)
    if (kind === undefined) return undefined
    const below = [...path, keyword]
    if (Array.isArray(value)) return visitEach(Object.entries(value), below, false)
    return kind === "named" && isObject(value)
      ? visitEach(Object.entries(value), below, false)
      : visit(value, below, false)
  }

  const rule = visit(inputSchema, [], true)
  return rule === undefined ? Result.succeed(found) : Result.fail(rule)
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const primitives: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"])

const isPrimitive = (type: Schema.Json | undefined): boolean => {
  if (!Array.isArray(type)) return primitives.has(type)
  const others = type.filter((one) => one !== "null")
  return others.length === 1 && primitives.has(others[0])
}

const place = (path: ReadonlyArray<string>) => path.length === 0 ? "the root" : path.join(".")

/**
 * The headers of a call with these arguments, encoded. An argument that is null or absent has no header. One that is not a
 * text, a whole number or a boolean has none either; it breaks the schema, and the server says so.
 *
 * @category encoding
 * @since 0.1.0
 */
export const valuesOf = (
  headers: ReadonlyArray<ParamHeader>,
  args: Schema.Json | undefined
): Record<string, string> => {
  const values: Record<string, string> = {}
  for (const { header, path } of headers) {
    const text = textOf(at(args, path))
    if (text !== undefined) values[header] = encode(text)
  }
  return values
}

/**
 * Tells whether the text of a header, as it was received, says the same as a value of the body. Numbers are compared as
 * numbers: `42.0` is 42.
 *
 * @category predicates
 * @since 0.1.0
 */
export const matches = (text: string, value: Schema.Json | undefined): boolean => {
  const decoded = decode(text)
  return Result.isSuccess(decoded) && isSame(decoded.success, value)
}

/**
 * The first fault of the headers of a call, in words, or `undefined`: a header is missing, differs from the arguments, or is
 * malformed. `get` looks a header up without regard to case.
 *
 * @category predicates
 * @since 0.1.0
 */
export const mismatchOf = (
  headers: ReadonlyArray<ParamHeader>,
  args: Schema.Json | undefined,
  get: (header: string) => string | undefined
): string | undefined => {
  for (const { header, path } of headers) {
    const value = at(args, path)
    const text = get(header)
    if (text === undefined) {
      if (textOf(value) !== undefined) return `${header} is missing`
      continue
    }
    const decoded = decode(text)
    if (Result.isFailure(decoded)) return `${header} is malformed: ${decoded.failure}`
    if (!isSame(decoded.success, value)) return `${header} does not match ${path.join(".")} of the arguments`
  }
  return undefined
}

const isSame = (text: string, value: Schema.Json | undefined): boolean =>
  typeof value === "number" ? numeral.test(text) && Number(text) === value : text === textOf(value)

/** A number of JSON; `Number` alone would take an empty text, or other bases. */
const numeral = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Only whole numbers that everybody reads alike travel. UTF-8 has no half of a surrogate pair. */
const textOf = (value: Schema.Json | undefined): string | undefined =>
  typeof value === "string"
    ? value.toWellFormed()
    : typeof value === "boolean" || Number.isSafeInteger(value)
    ? String(value)
    : undefined

const at = (args: Schema.Json | undefined, path: ReadonlyArray<string>): Schema.Json | undefined => {
  let value = args
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}
