/**
 * Clients of MCP on one wire, and a server of MCP on another, which `parley proxy` and `parley tap` join.
 *
 * Over HTTP, MCP is more than texts: it has sessions, headers and streams of its own. So a client that speaks MCP is served by
 * a bridge where one of the two sides is HTTP and the other is not. Its first text tells.
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as Envelope from "@parley/mcp/wire/Envelope"
import { JsonObject } from "@parley/protocol/shared"
import type { Head } from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Watch } from "../../tap/Watch.ts"
import * as Place from "../../wire/Place.ts"
import type { Wire } from "../../wire/Wire.ts"
import * as Bridge from "./Bridge.ts"
import * as lasting from "./lasting.ts"
import * as Narrator from "./Narrator.ts"

/** The other side of a client, which is opened for it. */
type Open = Effect.Effect<Transport, TransportError, Scope.Scope>

/**
 * The client, and the other side for what it speaks: `open`, or a bridge to a server of MCP over HTTP. The first texts of the
 * client are read to find out, and given again.
 */
export const sidesOf = (
  client: Transport,
  wire: Wire,
  open: Open
): Effect.Effect<{ readonly client: Transport; readonly open: Open }> => {
  if (wire.dialect !== "jsonRpc") return Effect.succeed({ client, open })
  return Effect.map(Effect.exit(client.receive), (first) => {
    let isRead = false
    const receive = Effect.suspend(() => {
      if (isRead) return client.receive
      isRead = true
      return first
    })
    const isMcp = Exit.isSuccess(first) && typeof first.value[0] === "string" && speaksMcp(first.value[0])
    return { client: { ...client, receive }, open: isMcp ? bridged(wire) : open }
  })
}

/** A bridge for one client, as the transport to it. */
const bridged = (wire: Wire): Open =>
  Effect.gen(function*() {
    const server = yield* Effect.flatMap(lasting.make({ wire, isSole: true, narrator: narrator() }), Bridge.make)
    const [near, far] = yield* MemoryTransport.makePair()
    yield* Effect.forkScoped(McpServer.serve.pipe(
      Effect.provideService(McpServer.McpServer, server),
      Effect.provideService(Transport, far)
    ))
    return near
  })

/**
 * An endpoint of HTTP before a server on another wire: `plain`, and a bridge for clients that speak MCP, which reaches the
 * server for the first of them. The watch sees what passes to the server.
 */
export const endpoint = (
  plain: HttpEndpoint,
  place: Place.Place,
  wire: Wire,
  watch: Watch
): Effect.Effect<HttpEndpoint, never, Scope.Scope> => {
  if (wire.dialect !== "jsonRpc") return Effect.succeed(plain)
  return Effect.gen(function*() {
    const isOpen = !Place.isLocal(place)
    const behind = yield* lasting.make({ wire, isSole: false, isLazy: true, isOpen, narrator: narrator(), watch })
    const mcp = yield* McpHttp.endpoint(yield* Bridge.make(behind), { access: { origins: "loopback" } })
    return {
      ...mcp,
      admit: (head) => isOfMcp(head) ? mcp.admit(head) : plain.admit(head),
      answer: (head, text, responder) =>
        isOfMcp(head) || speaksMcp(text) ? mcp.answer(head, text, responder) : plain.answer(head, text, responder),
      refusing: plain.refusing
    }
  })
}

/** Whether a request is one that only MCP has: of a session, of a revision, or no POST. */
const isOfMcp = ({ header, method }: Head): boolean =>
  method !== "POST" || header("mcp-session-id") !== undefined || header("mcp-protocol-version") !== undefined

const narrator = () => Narrator.make("parley:", "server:")

/** Whether a text begins a conversation of MCP: it shakes hands, or says its revision with its request. */
export const speaksMcp = (text: string): boolean => {
  if (!text.includes("protocolVersion")) return false
  const parsed = Result.try((): Schema.Json => JSON.parse(text))
  if (Result.isFailure(parsed)) return false
  const message = JsonObject.isArray(parsed.success) ? parsed.success[0] : parsed.success
  if (!JsonObject.isObject(message)) return false
  const { method, params } = message
  if (Envelope.readEnvelope(params) !== undefined) return true
  return method === "initialize" && JsonObject.isObject(params) && typeof params["protocolVersion"] === "string"
}
