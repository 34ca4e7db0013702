/**
 * The records of calls whose callers lack a scope: they are refused before they are calls of a server behind.
 */
import { Caller } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Middleware } from "@parley/peer/Handler"
import { JsonObject } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Audit } from "../../Audit.ts"

/** The owner of a name, and the name that the thing has there. @internal */
export type OwnerOf = (kind: "tool" | "prompt", name: string) => readonly [server: string, own: string] | undefined

/** @internal */
export const audited = (audit: Audit, ownerOf: OwnerOf): Middleware<ErrorResponse> => (handler) => (call) => {
  const served = handler(call)
  const place = placeOf[call.method]
  if (place === undefined) return served
  return Effect.flatMap(Clock.currentTimeMillis, (time) =>
    Effect.tapError(served, (error) =>
      isDenial(error)
        ? Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const name = JsonObject.member(call.params, place.member)
          const given = typeof name === "string" ? name : ""
          const [server, own] = place.kind === undefined ? [] : ownerOf(place.kind, given) ?? []
          const caller = Caller.of(call)
          const principal = caller?.auth.principal
          const client = caller?.client.info?.name
          const args = JsonObject.member(call.params, "arguments")
          return audit.write({
            time,
            milliseconds: now - time,
            ...(principal !== undefined && { principal }),
            ...(client !== undefined && { client }),
            ...(server !== undefined && { server }),
            method: call.method,
            name: own ?? given,
            outcome: "refused",
            code: McpError.InsufficientScope,
            ...(audit.withArguments === true && args !== undefined && { arguments: args })
          })
        })
        : Effect.void))
}

/** No server behind can answer with this code: `failures` makes another error of it. */
const isDenial = (error: unknown): boolean =>
  JsonObject.isObject(error) && error["_tag"] === "ErrorResponse" && error["code"] === McpError.InsufficientScope

const placeOf: { readonly [method: string]: { readonly kind?: "tool" | "prompt"; readonly member: string } } = {
  "tools/call": { kind: "tool", member: "name" },
  "prompts/get": { kind: "prompt", member: "name" },
  "resources/read": { member: "uri" }
}
