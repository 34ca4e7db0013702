/**
 * Which method is served by what, and which of them need something to be offered.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { listen, subscribe, unsubscribe } from "../changes/subscriptions.ts"
import type { ServerState } from "../definition/ServerState.ts"
import { listPrompts, listResources, listTemplates, listTools } from "../lists/visibility.ts"
import { complete } from "./completion.ts"
import * as Handshake from "./handshake.ts"
import { callTool, getPrompt, readResource } from "./invocation.ts"
import type { LiveCall } from "./LiveCall.ts"

/** @internal */
export type Route = (call: LiveCall) => Effect.Effect<Schema.Json, ErrorResponse>

/** By method. Which revision has which method is said by its wire. @internal */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["tools/call", callTool],
  ["tools/list", listTools],
  ["resources/read", readResource],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/get", getPrompt],
  ["prompts/list", listPrompts],
  ["completion/complete", complete],
  ["subscriptions/listen", listen],
  ["server/discover", Handshake.discover],
  ["logging/setLevel", Handshake.setLevel],
  ["ping", Handshake.ping]
])

/** Whether the server has declared what a method belongs to. @internal */
export const offers = ({ features: { capabilities } }: ServerState, method: string): boolean => {
  if (method.startsWith("tools/")) return capabilities.tools !== undefined
  if (method.startsWith("resources/")) return capabilities.resources !== undefined
  if (method.startsWith("prompts/")) return capabilities.prompts !== undefined
  return method !== "completion/complete" || capabilities.completions !== undefined
}
