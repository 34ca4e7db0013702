/**
 * The JSON text of messages, in the form of JSON-RPC 2.0 or of a dialect, and of the ids and values in them; and the
 * value of a text.
 *
 * Short messages are joined from parts: the id is text already, and the text of the last method is remembered. Joined
 * parts are copied into one text before they are sent, which costs a long message a tenth of its time. So a long
 * message is written at once. Whether a message will be long is guessed from the one before.
 */
import type { Json, JsonArray, JsonObject } from "effect/Schema"
import { callMembers, withExtra } from "./extra.ts"
import { parse } from "./number/exact.ts"

/**
 * The rules of a dialect that writing depends on. `Dialect` explains each.
 *
 * @category models
 * @since 0.1.0
 */
export interface EncodeOptions {
  readonly version?: "required" | "optional" | "omit" | undefined
  readonly responses?: "one" | "any" | "both" | undefined
  readonly notificationId?: "omit" | "null" | undefined
  readonly params?: "optional" | "null" | "array" | undefined
}

/**
 * The text of a request whose id is already text. Partial, as `encodeUnsafe`, and throws where a member of `extra` has
 * a name of the specification.
 *
 * @category encoding
 * @since 0.1.0
 */
export const requestText = (
  id: string,
  method: string,
  params: Json | undefined,
  extra?: JsonObject,
  options?: EncodeOptions
): string => {
  if (options !== undefined) return callText(options, id, method, params, extra)
  const name = methodText(method)
  const text = params === undefined
    ? `{"jsonrpc":"2.0","id":${id},"method":${name}}`
    : isLongAgain(params) && isNumber(id)
    ? noted(jsonText({ jsonrpc: "2.0", id: Number(id), method, params }))
    : `{"jsonrpc":"2.0","id":${id},"method":${name},"params":${noted(jsonText(params))}}`
  return extra === undefined ? text : withExtra(text, extra, callMembers)
}

/**
 * The text of a notification. Partial, as `requestText`.
 *
 * @category encoding
 * @since 0.1.0
 */
export const notificationText = (
  method: string,
  params: Json | undefined,
  extra?: JsonObject,
  options?: EncodeOptions
): string => {
  if (options !== undefined) return callText(options, undefined, method, params, extra)
  const name = methodText(method)
  const written = keptText(params)
  const text = params === undefined
    ? `{"jsonrpc":"2.0","method":${name}}`
    : written === undefined && isLongAgain(params)
    ? noted(jsonText({ jsonrpc: "2.0", method, params }))
    : `{"jsonrpc":"2.0","method":${name},"params":${written ?? noted(jsonText(params))}}`
  return extra === undefined ? text : withExtra(text, extra, callMembers)
}

/**
 * The text of a successful response whose id is already text. Partial, as `encodeUnsafe`. A result without JSON
 * text, such as `undefined`, is written as null, because a response must have `result`.
 *
 * @category encoding
 * @since 0.1.0
 */
export const successText = (id: string, result: Json, options?: EncodeOptions): string => {
  const written = keptText(result) ?? (isPassing ? around(result) : undefined)
  if (options !== undefined) {
    const end = options.responses === "both" ? `,"error":null}` : "}"
    return `${start(options)}"id":${id},"result":${written ?? resultText(result)}${end}`
  }
  return written === undefined && isLongAgain(result) && isNumber(id)
    ? noted(jsonText({ jsonrpc: "2.0", id: Number(id), result }))
    : `{"jsonrpc":"2.0","id":${id},"result":${written ?? noted(resultText(result))}}`
}

/** The text of a call in the form of a dialect; one without an id is a notification. */
const callText = (
  form: EncodeOptions,
  id: string | undefined,
  method: string,
  params: Json | undefined,
  extra: JsonObject | undefined
): string => {
  const name = id ?? (form.notificationId === "null" ? "null" : undefined)
  const members = [
    ...name === undefined ? [] : [`"id":${name}`],
    `"method":${jsonText(method)}`,
    ...paramsOf(form, params)
  ]
  return withExtra(`${start(form)}${members.join(",")}}`, extra, callMembers)
}

/** How a message begins. @internal */
export const start = ({ version }: EncodeOptions): string => version === "omit" ? "{" : `{"jsonrpc":"2.0",`

const paramsOf = (form: EncodeOptions, params: Json | undefined): ReadonlyArray<string> => {
  if (params === undefined) {
    return form.params === "null"
      ? [`"params":null`]
      : form.params === "array"
      ? [`"params":[]`]
      : []
  }
  if (form.params === "array" && !Array.isArray(params)) {
    throw new TypeError("the dialect has no params by name: give them as an array")
  }
  return [`"params":${keptText(params) ?? jsonText(params)}`]
}

/**
 * The JSON text of an id, in the spelling that it came in. Partial: throws for NaN and the infinities, which the type
 * cannot keep out.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toText = (id: string | number | { readonly rawJSON: string } | null): string => {
  if (typeof id !== "number") return JSON.stringify(id)
  if (!Number.isFinite(id)) throw new TypeError(`the id ${id} has no JSON text: it must be finite`)
  return String(id)
}

const texts = new WeakMap<object, string>()

/**
 * Writes the text of a value now and keeps it as long as the value. The value must not be changed afterwards. Partial:
 * throws what `JSON.stringify` throws.
 *
 * @category constructors
 * @since 0.1.0
 */
export const keep = <A extends JsonObject | ReadonlyArray<Json>>(json: A): A => keepText(json, JSON.stringify(json))

/**
 * Writes the text of a value now, and gives a copy that keeps it. What becomes of the value afterwards changes nothing of
 * the text. Partial: throws what `JSON.stringify` throws.
 *
 * @category constructors
 * @since 0.1.0
 */
export const copy = (json: JsonObject | JsonArray): JsonObject | JsonArray =>
  keepText(isArray(json) ? [...json] : { ...json }, JSON.stringify(json))

const isArray = (json: JsonObject | JsonArray): json is JsonArray => Array.isArray(json)

/**
 * Writes an object around values whose texts are kept, each as a member or in an array that is one, and keeps its text.
 * Where there are none, it does nothing. The object must not be changed afterwards.
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrap = <A extends JsonObject>(json: A): A => {
  const text = isInUse ? around(json) : undefined
  return text === undefined ? json : keepText(json, text)
}

/** The text of an object around values whose texts are kept; `undefined` where there are none, or for another value. */
const around = (json: Json): string | undefined => {
  const object = writtenAs(json)
  if (object === undefined) return undefined
  let isKept = false
  const members = Object.entries(object).map(([name, value]) => {
    const text = keptText(value) ?? keptTexts(value)
    isKept ||= text !== undefined
    return { name, value, text }
  })
  if (!isKept) return undefined
  // A long text is copied once, when it is sent: `join` would copy it here, too.
  let all = ""
  for (const { name, text, value } of members) {
    const written = text ?? stringify(value)
    if (written !== undefined) all += `${all === "" ? "{" : ","}${JSON.stringify(name)}:${written}`
  }
  return all + "}"
}

/** The object that is written for a value, as `JSON.stringify` finds it. */
const writtenAs = (json: Json): JsonObject | undefined => {
  if (typeof json !== "object" || json === null) return undefined
  const toJSON: unknown = Reflect.get(json, "toJSON")
  const object: unknown = typeof toJSON === "function" ? toJSON.call(json, "") : json
  // Untyped values may have such a method of their own, which gives anything.
  return typeof object === "object" && object !== null && !Array.isArray(object) ? object as JsonObject : undefined
}

/** The text of an array whose elements all have theirs. */
const keptTexts = (json: Json): string | undefined => {
  if (!Array.isArray(json) || keptText(json[0]) === undefined) return undefined
  const all = json.map(keptText)
  return all.includes(undefined) ? undefined : `[${all.join(",")}]`
}

/** Keeps the text that a value came in, for results that have it as a member. @internal */
export const keepSource = (json: object, text: string): void => {
  isPassing = true
  keepText(json, text)
}

/** Whether any text is kept of a value that came in one. */
let isPassing = false

const keepText = <A extends object>(json: A, text: string): A => {
  isInUse = true
  texts.set(json, text)
  return json
}

/** The kept text of a value, or `undefined`. @category accessors @since 0.1.0 */
export const keptText = (json: Json | undefined): string | undefined =>
  isInUse && typeof json === "object" && json !== null ? texts.get(json) : undefined

/** Whether any text is kept. Until then a message costs nothing more. */
let isInUse = false

/** A result that has no text is null. */
const resultText = (result: Json): string => stringify(result) ?? "null"

/** Throws what `JSON.stringify` throws, and a `TypeError` for what has no text. @internal */
export const jsonText = (value: Json): string => {
  const text = stringify(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON text`)
  return text
}

// The library types hide that functions and symbols, which an untyped caller may pass, have no text.
const stringify = (value: Json): string | undefined => JSON.stringify(value) as string | undefined

/** From this length on, copying a text costs more than the check of `isLongAgain`. */
const long = 64 * 1024

let wasLong = false

/** Remembers whether this text of a message, or of its longest part, was long. */
const noted = (text: string): string => {
  wasLong = text.length > long
  return text
}

/** Whether a value is written together with the message that it belongs to. */
const isLongAgain = (value: Json): boolean =>
  wasLong && typeof value === "object" && value !== null && !("toJSON" in value)

/** Whether an id's text is what is written for a number. */
const isNumber = (id: string): boolean => String(Number(id)) === id

/** A loop calls the same method: remembering its text saves a tenth of the cost of a request. */
const methodText = (method: string): string => {
  if (method !== lastMethod) {
    lastMethodText = jsonText(method)
    lastMethod = method
  }
  return lastMethodText
}

let lastMethod = ""
let lastMethodText = `""`

/**
 * The value of a JSON text. Partial: throws what `JSON.parse` throws.
 *
 * V8 takes a name that is one escape, such as `"\n"`, for the name `"\\"` of an object that it has parsed before and that
 * began with the same names (https://github.com/nodejs/node/issues/63785): what one client sends would change what
 * another one says. So V8 sees no text that may have such a name, but one in which they are longer, to say whether it is
 * JSON. A text that nests too deep for a second parse is left to V8 all the same.
 *
 * @internal
 */
export const valueOf = (text: string): unknown => {
  if (!text.includes("\\") || text.search(namesOfOneEscape) === -1) return JSON.parse(text)
  JSON.parse(text.replace(namesOfOneEscape, "\"$1 \"$2"))
  try {
    return parse(text, Number)
  } catch {
    return JSON.parse(text)
  }
}

const namesOfOneEscape = /"(\\(?:u[\dA-Fa-f]{4}|[^u]))"([ \t\r\n]*:)/g
