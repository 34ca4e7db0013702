/**
 * The questions that a client can be asked, by which the connections to an upstream differ: a server may hear of nothing that the client
 * before us cannot do. Other capabilities are not passed on, so there are few different reaches.
 *
 * All connections of one upstream declare who it is. By this it knows its own calls where the server behind is the one that
 * it is mounted into: a gateway whose configuration names the gateway would list its own lists for ever.
 */
import type { ClientExtension } from "@parley/mcp/client/ClientExtension"
import * as Capabilities from "@parley/mcp/payload/Capabilities"
import { JsonObject } from "@parley/protocol/shared"

/** @internal */
export interface Reach {
  readonly form: boolean
  readonly url: boolean
  readonly sample: boolean
  readonly tools: boolean
  readonly context: boolean
  readonly roots: boolean
}

/** The reach of somebody who can be asked nothing. @internal */
export const none: Reach = { form: false, url: false, sample: false, tools: false, context: false, roots: false }

/** @internal */
export const of = (capabilities: Capabilities.ClientCapabilities): Reach => ({
  form: Capabilities.canElicitForm(capabilities),
  url: Capabilities.canElicitUrl(capabilities),
  sample: Capabilities.canSample(capabilities),
  tools: Capabilities.canSampleTools(capabilities),
  context: capabilities.sampling?.context !== undefined,
  roots: Capabilities.canListRoots(capabilities)
})

/** One text for reaches that are equal: empty for nothing. @internal */
export const keyOf = (reach: Reach): string =>
  Object.entries(reach).flatMap(([name, can]) => can === true ? [name] : []).join()

const identifier = "io.parley/upstream"

/** The extension that an upstream declares, so that it knows itself. @internal */
export const identity = (): ClientExtension => ({
  _tag: "McpClientExtension",
  identifier,
  era: undefined,
  settings: { id: globalThis.crypto.randomUUID() },
  notifications: new Set(),
  bind: () => ({ hear: new Map(), results: new Map() })
})

/** Whether a client is the upstream of an identity. @internal */
export const isSelf = (
  { extensions = {} }: Capabilities.ClientCapabilities,
  { settings = {} }: ClientExtension
): boolean => {
  const declared = Object.hasOwn(extensions, identifier) ? extensions[identifier] : undefined
  return JsonObject.isObject(declared) && declared["id"] === settings["id"]
}
