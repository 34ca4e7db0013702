/**
 * Answers of a server without a defect that one rule has found already. Where another rule finds nothing in the repaired
 * answers, it has found that defect once more, and nothing else.
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Json from "../../probe/Json.ts"

/** Takes the defect out of the texts that came for an input. */
export type Repair = (texts: ReadonlyArray<string>, input: string) => ReadonlyArray<string>

/** Changes each response, alone or in a batch. */
const each = (change: (response: Schema.JsonObject) => Schema.JsonObject) => (text: string): string => {
  const changed = (value: Schema.Json) => JsonObject.isObject(value) && isAnswer(value) ? change(value) : value
  return Option.match(Json.parse(text), {
    onNone: () => text,
    onSome: (json) => JSON.stringify(JsonObject.isArray(json) ? json.map(changed) : changed(json))
  })
}

const isAnswer = (value: Schema.JsonObject): boolean => Object.hasOwn(value, "result") || Object.hasOwn(value, "error")

/** The ids in a text that are numbers. */
const numbersOf = (input: string): Array<number> => {
  const json = Option.getOrUndefined(Json.parse(input))
  return (JsonObject.isArray(json) ? json : [json]).flatMap((message) => {
    const id = JsonObject.isObject(message) ? message["id"] : undefined
    return typeof id === "number" ? [id] : []
  })
}

/** A response with the version, and with a result or an error alone. The other one may be null, as in JSON-RPC 1.0. */
const shaped = ({ error = null, result = null, ...others }: Schema.JsonObject): Schema.JsonObject => ({
  ...others,
  jsonrpc: "2.0",
  ...error === null ? { result } : { error }
})

/** The repairs, by the rules that find the defects. */
export const repairs: ReadonlyMap<string, Repair> = new Map<string, Repair>([
  ["jsonrpc/response-shape", (texts) => texts.map(each(shaped))],
  ["jsonrpc/id-same", (texts, input) => {
    // A number that has come back stands for no text, such as that of another request.
    const missing = numbersOf(input)
    const taken = (at: number) => at < 0 ? [] : missing.splice(at, 1)
    for (const number of texts.flatMap(numbersOf)) taken(missing.indexOf(number))
    return texts.map(each((response) => {
      const [id] = taken(missing.findIndex((number) => String(number) === response["id"]))
      return id === undefined ? response : { ...response, id }
    }))
  }]
])
