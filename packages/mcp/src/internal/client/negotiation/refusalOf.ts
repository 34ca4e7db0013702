/**
 * Which capability a server declares for a method, so that nothing is sent that it
 * cannot answer.
 */
import { UnsupportedCapability } from "../../../client/McpClientError.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { Agreed } from "./Agreement.ts"

interface Need {
  readonly capability: string
  readonly isMet: (capabilities: ServerCapabilities) => boolean
}

const tools: Need = { capability: "tools", isMet: ({ tools }) => tools !== undefined }
const prompts: Need = { capability: "prompts", isMet: ({ prompts }) => prompts !== undefined }
const resources: Need = { capability: "resources", isMet: ({ resources }) => resources !== undefined }
const subscribe: Need = {
  capability: "resources.subscribe",
  isMet: ({ resources }) => resources?.subscribe === true
}
const completions: Need = { capability: "completions", isMet: ({ completions }) => completions !== undefined }
const logging: Need = { capability: "logging", isMet: ({ logging }) => logging !== undefined }

const needs: ReadonlyMap<string, Need> = new Map([
  ["tools/list", tools],
  ["tools/call", tools],
  ["prompts/list", prompts],
  ["prompts/get", prompts],
  ["resources/list", resources],
  ["resources/templates/list", resources],
  ["resources/read", resources],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", subscribe],
  ["completion/complete", completions],
  ["logging/setLevel", logging]
])

/** Why a method cannot be called, if so. Where nobody asked the server, only the revision's methods are known. @internal */
export const refusalOf = ({ capabilities, wire }: Agreed, method: string): UnsupportedCapability | undefined => {
  if (!wire.serverServes(method)) return new UnsupportedCapability({ method })
  const need = needs.get(method)
  if (need === undefined || capabilities === undefined || need.isMet(capabilities)) return undefined
  // Revisions without the capability have the method all the same.
  if (need === completions && !wire.traits.completions) return undefined
  return new UnsupportedCapability({ method, capability: need.capability })
}
