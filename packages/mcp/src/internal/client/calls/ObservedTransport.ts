/** The transport of a client, with a span and a duration for each message that it sends. */
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import * as Operation from "../../telemetry/operation.ts"

/** @internal */
export const make = (place: Operation.Place, inner: McpClientTransport): McpClientTransport => ({
  ...inner,
  request: (method, params, options) =>
    Operation.send(place, method, params, options, (params, options) => inner.request(method, params, options)),
  notify: (method, params) => Operation.send(place, method, params, undefined, (params) => inner.notify(method, params))
})
