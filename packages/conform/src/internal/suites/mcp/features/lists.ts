/** What lists have to be, whatever is in them. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Check, RuleInfo } from "../../../../Suite.ts"
import { Unverified } from "../../../../Suite.ts"
import { describe } from "../../../protocol/mcp/Conversation.ts"
import type { List } from "../../../protocol/mcp/List.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

/** Each page of a list fits its shape. */
export const shape = (info: RuleInfo, list: List, capability: string = list.capability): Rule.McpRule =>
  Rule.each(info, (dialogue): Check =>
    Effect.gen(function*() {
      yield* Rule.needs(dialogue, capability)
      const { pages } = yield* dialogue.listed(list)
      const decode = list.decoder(dialogue.accord.codec)
      return pages.flatMap((page) => {
        const { exchange, outcome } = page
        if (outcome._tag !== "Result") return []
        const decoded = decode(outcome.result)
        const received = Result.isFailure(decoded) ? decoded.failure.message : undefined
        return received === undefined
          ? []
          : [Rule.finding(`a result of ${list.method} that fits its shape`, received, exchange)]
      }).slice(0, 3)
    }))

/** The entries of a list. A list that is refused has none, and something else says so. */
export const entriesOf = (dialogue: Dialogue, list: List) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, list.capability)
    const { end, entries, pages } = yield* dialogue.listed(list)
    if (end._tag === "Refused" && pages.length <= 1) {
      return yield* new Unverified({ reason: `${list.method} gave ${describe(end.outcome)}` })
    }
    return entries
  })

/** Values that come more than once. */
export const repeated = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at))
]

/** Whether a text can be decoded as Base64 (RFC 4648, section 4). */
export const isBase64 = (text: string): boolean => {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && (text.length - padding) % 4 !== 1
}

/** The members of content that hold Base64, with the path of each. */
export const encodedIn = (json: unknown, path = "result"): ReadonlyArray<readonly [path: string, text: string]> => {
  if (Array.isArray(json)) return json.flatMap((value, at) => encodedIn(value, `${path}[${at}]`))
  if (!JsonObject.isObject(json)) return []
  const { blob, data, resource, type } = json
  const own = (type === "image" || type === "audio") && typeof data === "string"
    ? [[`${path}.data`, data] as const]
    : typeof blob === "string"
    ? [[`${path}.blob`, blob] as const]
    : []
  const below = ["content", "contents", "messages"].flatMap((name) => encodedIn(json[name], `${path}.${name}`))
  return [...own, ...below, ...encodedIn(resource, `${path}.resource`)]
}
