/**
 * The reading of results by a client: parts that do not fit are left out and logged where the rest can be used.
 *
 * A member that is null is one that is absent. An entry of a list, or a block of what a tool answers, is dropped where it
 * does not fit. A tool that answers no content answers an empty list of it.
 */
import { Excerpt, Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { InvalidResult } from "../../../client/McpClientError.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import { isArray, isObject } from "../../Json.ts"
import { withoutNulls } from "../../wire/lenient.ts"
import * as failures from "./failures.ts"

/** Reads the result of a method. @internal */
export type ResultReader = <A>(
  method: string,
  decode: Decoder<A>,
  json: Schema.Json
) => Result.Result<A, InvalidResult>

/** Takes every result that does not fit for invalid. @internal */
export const strict: ResultReader = (method, decode, json) =>
  Result.mapError(decode(json), (issue) => failures.fromIssue(method, issue))

/** @internal */
export const lenient = (log: (message: string) => void): ResultReader => (method, decode, json) => {
  const whole = decode(json)
  if (Result.isSuccess(whole)) return Result.succeed(whole.success)
  const reading = withoutNulls(decode)
  const answered: Schema.Json = method === "tools/call" && isObject(json)
    ? Relayed.carry({ ...json, content: json["content"] ?? [] }, json)
    : json
  const bare = reading(answered)
  const member = members.get(method)
  if (Result.isFailure(bare) && member !== undefined && isObject(answered)) {
    const entries = answered[member]
    const kept = isArray(entries) ? fitting(reading, member, entries) : undefined
    if (kept !== undefined && kept.dropped > 0) {
      const { dropped, first } = kept
      log(`dropped ${dropped} of \`${member}\` in the result of ${method}, which do not fit: ${Excerpt.line(first)}`)
      return strict(method, reading, Relayed.carry({ ...answered, [member]: kept.entries }, answered))
    }
  }
  return Result.mapError(bare, (issue) => failures.fromIssue(method, issue))
}

/** The lists of which some entries may be left out. */
const members: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
  ["prompts/list", "prompts"],
  ["tools/call", "content"]
])

/** The entries with which the result would fit, one by one, without their nulls; and why the first other one does not. */
const fitting = <A>(
  decode: Decoder<A>,
  member: string,
  entries: Schema.JsonArray
): { readonly entries: Schema.JsonArray; readonly dropped: number; readonly first: string } => {
  let first: string | undefined
  const kept = entries.flatMap((entry, index) => {
    const one = decode({ [member]: [entry] })
    if (Result.isFailure(one)) {
      const { message = "", path = [] } = one.failure.issues[0] ?? {}
      first ??= `${[member, index, ...path.slice(2)].join(".")}: ${message}`
      return []
    }
    // A decoder gives the members that it was given.
    return (one.success as Record<string, Schema.JsonArray>)[member] ?? []
  })
  return { entries: kept, dropped: entries.length - kept.length, first: first ?? "" }
}
