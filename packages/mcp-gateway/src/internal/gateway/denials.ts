/**
 * The records of calls whose callers lack a scope: they are refused before they are calls of a server behind.
 */
import { Caller } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Middleware } from "@parley/peer/Handler"
import { JsonObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type { Audit } from "../../Audit.ts"
import * as Record from "../policy/record.ts"

/** The owner of a name, and the name that the thing has there. @internal */
export type OwnerOf = (kind: "tool" | "prompt", name: string) => readonly [server: string, own: string] | undefined

/** @internal */
export const audited = (audit: Audit, ownerOf: OwnerOf): Middleware<ErrorResponse> => (handler) => (call) => {
  const served = handler(call)
  const placeOf = places[call.method]
  if (placeOf === undefined) return served
  return Record.writing(audit, served, (exit) => {
    if (Exit.isSuccess(exit) || !exit.cause.reasons.some(isDenial)) return undefined
    const [kind, name] = placeOf(call.params)
    const given = typeof name === "string" ? name : ""
    const [server, own] = kind === undefined ? [] : ownerOf(kind, given) ?? []
    const caller = Caller.of(call)
    return {
      principal: caller?.auth.principal,
      client: caller?.client.info?.name,
      server,
      method: call.method,
      name: own ?? given,
      outcome: "refused",
      code: McpError.InsufficientScope,
      arguments: JsonObject.member(call.params, "arguments")
    }
  })
}

/** No server behind can answer with this code: `failures` makes another error of it. */
const isDenial = (reason: Cause.Reason<unknown>): boolean =>
  Cause.isFailReason(reason) && JsonObject.isObject(reason.error) &&
  reason.error["_tag"] === "ErrorResponse" && reason.error["code"] === McpError.InsufficientScope

/** The subject of a call: the name of a tool or prompt, or a URI. */
type Place = readonly [kind: "tool" | "prompt" | undefined, name: unknown]

const { member } = JsonObject

const places: { readonly [method: string]: (params: Call["params"]) => Place } = {
  "tools/call": (params) => ["tool", member(params, "name")],
  "prompts/get": (params) => ["prompt", member(params, "name")],
  "resources/read": (params) => [undefined, member(params, "uri")],
  "completion/complete": (params) => {
    const ref = member(params, "ref")
    const name = member(ref, "name")
    return name === undefined ? [undefined, member(ref, "uri")] : ["prompt", name]
  }
}
