/**
 * The `ws` package as connections and as a server: what `WebSocketTransport` does not know.
 */
import * as NodeWS from "@effect/platform-node-shared/NodeWS"
import { Access, Authorization, RefusalLog, RequestRules } from "@parley/http/shared"
import { HttpStatusError } from "@parley/peer/Caller"
import * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Listener from "@parley/transport/Listener"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { WebSocketConstructor } from "effect/socket/Socket"
import * as http from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Head } from "./http/head.ts"
import * as Port from "./http/Port.ts"
import { refuseUpgrade } from "./http/refusal.ts"
import * as nodeServer from "./nodeServer.ts"
import { clientOptions } from "./tls.ts"
import * as Unfinished from "./webSocket/Unfinished.ts"
import type { ClientOptions, ListenerOptions, RouteOptions } from "./webSocketOptions.ts"

/** Milliseconds that `ws` waits for the other side's close frame, when no transport owns the connection. */
const closeTimeout = 1_000

/** `ws` refuses a longer message by its header, before it is buffered. */
const boundsOf = (limits: Limits.Limits) => ({ maxPayload: limits.frame, perMessageDeflate: false, closeTimeout })

/** Characters up to which copying a text is cheaper than writing a second buffer. */
const few = 16 * 1024

/** Sends a short text in one buffer: `ws` writes the header of a frame separately unless it copies the payload. */
class Client extends NodeWS.WebSocket {
  override send(data: Sending[0], options?: Sending[1] | Written, written?: Written): void {
    if (typeof options === "object") super.send(data, options, written)
    else if (typeof data === "string" && data.length <= few) super.send(Buffer.from(data), { binary: false }, options)
    else super.send(data, options)
  }
}

type Sending = Parameters<NodeWS.WebSocket["send"]>
type Written = Sending[2]

/** Connects, within `Limits.handshake`. */
export const connect = Effect.fnUntraced(function*(
  url: string,
  options: ClientOptions
): Effect.fn.Return<Transport, TransportError, Scope.Scope> {
  const { headers = {}, protocols = [] } = options
  const secure = options.tls === undefined ? {} : yield* clientOptions(options.tls)
  let tcp: Socket | undefined
  let onOpen = () => {}
  const limits = Limits.make(options.limits)
  const unfinished = yield* Unfinished.make(limits, (read) => {
    onOpen = () => after(tcp, read)
  })
  return yield* WebSocketTransport.make({
    ...options,
    url,
    together: (sends) => corked(tcp, sends),
    unfinished
  }).pipe(
    // Made where nothing can interrupt, because an error of a WebSocket without listeners ends the process.
    Effect.provideService(WebSocketConstructor, (url) => {
      const ws = new Client(url, [...protocols], {
        ...secure,
        ...boundsOf(limits),
        headers
      })
      ws.once("upgrade", (response) => {
        tcp = response.socket
      })
      ws.once("open", () => onOpen())
      ws.once("unexpected-response", (request, response) => refused(ws, url, request, response))
      return ws
    })
  )
})

/** Characters of an answer that show what answered. */
const excerptLength = 1_024

/** Ends a handshake that was answered by another status than 101, with the beginning of the answer. */
const refused = (ws: NodeWS.WebSocket, url: string, request: http.ClientRequest, response: http.IncomingMessage) => {
  let excerpt = ""
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    const { origin, pathname } = new URL(url)
    // The origin of a WebSocket's URL is its scheme and its host, without user and password.
    const place = `${origin}${pathname}`
    ws.emit(
      "error",
      new HttpStatusError({ status: response.statusCode ?? 0, excerpt: excerpt.slice(0, excerptLength), url: place })
    )
    request.destroy()
    ws.terminate()
  }
  response.setEncoding("utf8")
  response.on("data", (part: string) => {
    excerpt += part
    if (excerpt.length >= excerptLength) end()
  })
  for (const event of ["end", "error", "close"]) response.once(event, end)
}

/** Listens at a port of its own until the Scope closes. */
export const listen = Effect.fnUntraced(function*(
  options: ListenerOptions
): Effect.fn.Return<Listener.Listener, TransportError, Scope.Scope> {
  const port = yield* Port.make({ ...options, limits: Limits.make(options.limits) })
  const listener = yield* serve(port, options, port.drain)
  yield* Port.open(port)
  return listener
})

/** Listens at a path of a port until the Scope closes. */
export const serve = Effect.fnUntraced(function*(
  port: Port.Port,
  options: RouteOptions,
  drain: Effect.Effect<void> = Effect.void
): Effect.fn.Return<Listener.Listener, never, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const { authorize, path = "/", protocols = [] } = options
  const refusalOf = gate(protocols, options.access ?? {})
  const upgrades = new NodeWS.WebSocketServer({
    ...boundsOf(limits),
    noServer: true,
    clientTracking: false,
    handleProtocols: (offered) => [...offered].find((protocol) => protocols.includes(protocol)) ?? false
  })
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const log = RefusalLog.make("a WebSocket")
  const places = yield* Listener.places(limits.connections, options.connectionsPerAddress)
  const { arrivals, stop } = yield* nodeServer.arrivals(limits.connections)
  const deciding = new Set<Fiber.Fiber<unknown>>()
  let open = 0
  let isStopped = false

  const crowded = (): Authorization.Denial | undefined =>
    open + deciding.size < limits.connections || places.hasIdle() ? undefined : full(limits.connections)

  const deny = (tcp: Duplex, head: Head, denial: Authorization.Denial) => {
    fork(log(head, denial.status, denial.reason))
    refuseUpgrade(tcp, denial)
  }

  const accept = (
    request: http.IncomingMessage,
    tcp: Duplex,
    first: Buffer,
    handshake: Handshake.Handshake
  ) =>
    upgrades.handleUpgrade(request, tcp, first, (ws) => {
      open++
      ws.on("close", () => open--)
      // Until its handler runs, so that no message is lost and no error is without a listener.
      ws.on("error", () => {})
      ws.pause()
      const refuse = () => {
        ws.resume()
        ws.close(tryAgainLater)
      }
      const transport = Effect.flatMap(
        Unfinished.make(limits, (read) => after(tcp, read)),
        (unfinished) =>
          WebSocketTransport.fromWebSocket(ws, { ...options, together: (sends) => corked(tcp, sends), unfinished })
      )
      const from = handshake.head.address
      if (!Queue.offerUnsafe(arrivals, { from, open: transport, refuse: Effect.sync(refuse), handshake })) refuse()
    })

  /** Holds the connection until `authorize` has decided. What the client sends too early is kept, but nothing after it. */
  const decide = (
    authorize: Handshake.Authorize,
    request: http.IncomingMessage,
    tcp: Duplex,
    first: Buffer,
    head: Head
  ) => {
    const early = [first]
    const hold = (bytes: Buffer) => {
      early.push(bytes)
      tcp.pause()
    }
    const leave = () => fiber.interruptUnsafe()
    tcp.on("data", hold).on("end", leave).on("close", leave).on("error", leave)
    const fiber = fork(Effect.result(Authorization.run(authorize, head, limits.handshake)))
    deciding.add(fiber)
    fiber.addObserver((exit) => {
      deciding.delete(fiber)
      tcp.off("data", hold).off("end", leave).off("close", leave).off("error", leave)
      if (isStopped) refuseUpgrade(tcp, RequestRules.shuttingDown)
      else if (Exit.isFailure(exit)) tcp.destroy()
      else if (Result.isFailure(exit.value)) deny(tcp, head, exit.value.failure)
      else accept(request, tcp, Buffer.concat(early), exit.value.success)
    })
  }

  yield* port.upgrades(path, {
    connections: limits.connections + nodeServer.waitingRoom,
    lost: (cause) => Queue.failCauseUnsafe(arrivals, Cause.fail(transportError({ _tag: "Lost", cause }))),
    take: (request, tcp, first) => {
      if (isStopped) return refuseUpgrade(tcp, RequestRules.shuttingDown)
      const head = new Head(request)
      const denial = refusalOf(head) ?? crowded()
      if (denial !== undefined) deny(tcp, head, denial)
      else if (authorize === undefined) accept(request, tcp, first, Handshake.anonymous(head))
      else decide(authorize, request, tcp, first, head)
    }
  })
  const end = Effect.suspend(() => {
    isStopped = true
    for (const fiber of [...deciding]) fiber.interruptUnsafe()
    return Effect.andThen(drain, stop)
  })
  yield* Effect.addFinalizer(() => end)
  return Listener.make({
    address: port.address("ws", path === "/" ? "" : path),
    port: port.number,
    accept: Queue.take(arrivals),
    connections: places,
    stop: end
  })
})

/** RFC 6455, 11.7: more connections than can be served. */
const tryAgainLater = 1013

/** Reports each read. `ws` listens already, so it has processed the bytes by then. */
const after = (tcp: Duplex | undefined, read: (bytes: Uint8Array) => void): void => {
  tcp?.on("data", read)
}

/** Several messages leave in one write. */
const corked = (tcp: Duplex | undefined, sends: () => void): void => {
  tcp?.cork()
  try {
    sends()
  } finally {
    tcp?.uncork()
  }
}

/** Why a request to upgrade is refused, `undefined` when it may pass. */
const gate = (protocols: ReadonlyArray<string>, access: Access.AccessOptions) => {
  // No browser asks before it opens a WebSocket, and behind a bridge or a proxy a page of this machine comes from another
  // address. So pages have to be listed wherever they come from.
  const refusalOf = Access.gate({ ...access, origins: access.origins ?? [] })
  return (head: Head): Authorization.Denial | undefined => {
    const refused = refusalOf(head)
    if (refused !== undefined) return denial(403, RefusalLog.accessReason(refused, head))
    const offered = Handshake.protocolsOf(head)
    if (offered.length === 0 || offered.some((protocol) => protocols.includes(protocol))) return undefined
    const texts = offered.slice(0, 5).map((text) => Excerpt.quoted(text)).join(", ")
    return denial(400, `it offers no known subprotocol; \`protocols: [${texts}]\` would take what it offers`)
  }
}

const full = (connections: number): Authorization.Denial =>
  denial(503, `${connections} connections are open, as many as \`limits.connections\` allows`)

const denial = (status: number, reason: string): Authorization.Denial => ({
  status,
  text: http.STATUS_CODES[status] ?? "",
  headers: {},
  reason
})
