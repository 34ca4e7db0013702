/**
 * The JSON text of what a message holds.
 *
 * Short messages are joined from parts: the id is text already, and the text of the last method is remembered. Joined
 * parts are copied into one text before they are sent, which costs a long message a tenth of its time. So a long
 * message is written at once. Whether a message will be long is guessed from the one before.
 */
import type { Json } from "effect/Schema"
import type { ErrorObject } from "../ErrorObject.ts"
import * as Written from "../text/Written.ts"

/** The text of a request whose id is text. Throws as `jsonText` does. @internal */
export const requestText = (id: string, method: string, params: Json | undefined): string => {
  const name = methodText(method)
  if (params === undefined) return `{"jsonrpc":"2.0","id":${id},"method":${name}}`
  return isLongAgain(params) && isNumber(id)
    ? noted(jsonText({ jsonrpc: "2.0", id: Number(id), method, params }))
    : `{"jsonrpc":"2.0","id":${id},"method":${name},"params":${noted(jsonText(params))}}`
}

/** @internal */
export const notificationText = (method: string, params: Json | undefined): string => {
  const name = methodText(method)
  if (params === undefined) return `{"jsonrpc":"2.0","method":${name}}`
  return isLongAgain(params)
    ? noted(jsonText({ jsonrpc: "2.0", method, params }))
    : `{"jsonrpc":"2.0","method":${name},"params":${noted(jsonText(params))}}`
}

/** The text of a success whose id is text. A result that has no text is null. @internal */
export const successText = (id: string, result: Json): string => {
  const written = Written.textOf(result)
  if (written === undefined && isLongAgain(result) && isNumber(id)) {
    return noted(jsonText({ jsonrpc: "2.0", id: Number(id), result }))
  }
  return `{"jsonrpc":"2.0","id":${id},"result":${written ?? noted(resultText(result))}}`
}

/** A result that has no text is null. @internal */
export const resultText = (result: Json): string => textOf(result) ?? "null"

/** The text of an error object: of its three members, whatever else it has. @internal */
export const errorText = ({ code, data, message }: ErrorObject): string => {
  if (!Number.isSafeInteger(code)) throw new TypeError(`the error code ${code} is not a safe integer`)
  const members = `{"code":${code},"message":${jsonText(message)}`
  return data === undefined ? `${members}}` : `${members},"data":${jsonText(data)}}`
}

/**
 * Throws what `JSON.stringify` throws, and a `TypeError` for what has no text.
 *
 * @internal
 */
export const jsonText = (value: Json): string => {
  const text = textOf(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON text`)
  return text
}

// The library types hide that functions and symbols, which an untyped caller may pass, have no text.
const textOf = (value: Json): string | undefined => JSON.stringify(value) as string | undefined

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
