/** Reads the parts of a message, without asking that it is a right one. */
import { JsonObject } from "@parley/protocol/shared"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The JSON of a text, where it is any. */
export const parse: (text: string) => Option.Option<Schema.Json> = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Json)
)

/** The object of a text, where it is one. */
export const objectOf = (text: string): Schema.JsonObject | undefined => {
  // A failure of the parser costs much, and a server may write a flood of lines that are no JSON.
  if (!/^\s*\{/.test(text)) return undefined
  const json = Option.getOrUndefined(parse(text))
  return JsonObject.isObject(json) ? json : undefined
}

/** The id of a response or a request, as JSON. */
export const idOf = (text: string): string | undefined => {
  const id = objectOf(text)?.["id"]
  return id === undefined ? undefined : JSON.stringify(id)
}

/** Tells whether a text is a response: it has a result or an error, and no method. */
export const isResponse = (text: string): boolean => {
  const message = objectOf(text)
  return message !== undefined && !Object.hasOwn(message, "method") &&
    (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
}

/** Tells whether one of the texts is a response. */
export const hasResponse = (texts: ReadonlyArray<string>): boolean => texts.some(isResponse)
