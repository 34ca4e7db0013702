/**
 * The `ws` package as connections and as a server: what `WebSocketTransport` does not know.
 */
import * as NodeWS from "@effect/platform-node/NodeWS"
import * as Excerpt from "@parley/protocol/Excerpt"
import * as Limits from "@parley/protocol/Limits"
import * as Access from "@parley/transport/host/Access"
import * as Listener from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import type * as TransportError from "@parley/transport/TransportError"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { WebSocketConstructor } from "effect/socket/Socket"
import * as http from "node:http"
import * as https from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as nodeServer from "./nodeServer.ts"
import { clientOptions, serverOptions } from "./tls.ts"
import type { ClientOptions, ListenerOptions } from "./webSocketOptions.ts"

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
): Effect.fn.Return<Transport, TransportError.TransportError, Scope.Scope> {
  const { headers = {}, protocols = [] } = options
  const secure = options.tls === undefined ? {} : yield* clientOptions(options.tls)
  let tcp: Socket | undefined
  let onOpen = () => {}
  return yield* WebSocketTransport.make({
    ...options,
    url,
    together: (sends) => corked(tcp, sends),
    onRead: (read) => {
      onOpen = () => after(tcp, read)
    }
  }).pipe(
    // Made where nothing can interrupt, because an error of a WebSocket without listeners ends the process.
    Effect.provideService(WebSocketConstructor, (url) => {
      const ws = new Client(url, [...protocols], {
        ...secure,
        ...boundsOf(Limits.make(options.limits)),
        headers
      })
      ws.once("upgrade", (response) => {
        tcp = response.socket
      })
      ws.once("open", () => onOpen())
      return ws
    })
  )
})

/** Listens until the Scope closes. */
export const listen = Effect.fnUntraced(function*(
  options: ListenerOptions
): Effect.fn.Return<Listener.Listener, TransportError.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const { host = "127.0.0.1", path = "/", port, protocols = [] } = options
  const secure = options.tls === undefined ? undefined : yield* serverOptions(options.tls)
  const refusalOf = gate(path, protocols, options.access ?? {})
  const upgrades = new NodeWS.WebSocketServer({
    ...boundsOf(limits),
    noServer: true,
    clientTracking: false,
    handleProtocols: (offered) => [...offered].find((protocol) => protocols.includes(protocol)) ?? false
  })
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let open = 0
  const places = yield* Listener.places(limits.connections)
  return yield* nodeServer.listener<http.Server | https.Server>({
    create: () => {
      const bounds = {
        noDelay: true,
        // It bounds the headers as well, and a silent connection.
        requestTimeout: limits.handshake,
        // How often Node.js checks it.
        connectionsCheckingInterval: Math.min(limits.handshake, 1_000)
      }
      const server = secure === undefined
        ? http.createServer(bounds)
        : https.createServer({ ...bounds, ...secure, handshakeTimeout: limits.handshake })
      server.maxConnections = limits.connections + nodeServer.waitingRoom
      return server
    },
    place: { host, port },
    connections: limits.connections,
    places,
    addressOf: (server) =>
      `${secure === undefined ? "ws" : "wss"}://${nodeServer.authorityOf(server)}${path === "/" ? "" : path}`,
    attach: (server, arrive) => {
      server.on("request", (request, response) => {
        const status = refusalOf(request) ?? 426
        response.writeHead(status, { ...plain, ...(status === 426 ? { upgrade: "websocket" } : {}) })
        response.end(http.STATUS_CODES[status])
      })
      server.on("upgrade", (request, tcp, head) => {
        const status = refusalOf(request) ?? (open < limits.connections || places.hasIdle() ? undefined : 503)
        if (status !== undefined) {
          fork(logRefusal(request, status))
          return refuse(tcp, status)
        }
        upgrades.handleUpgrade(request, tcp, head, (ws) => {
          open++
          ws.on("close", () => open--)
          // Until its handler runs, so that no message is lost and no error is without a listener.
          ws.on("error", () => {})
          ws.pause()
          arrive({
            open: WebSocketTransport.fromWebSocket(ws, {
              ...options,
              together: (sends) => corked(tcp, sends),
              onRead: (read) => after(tcp, read)
            }),
            refuse: () => {
              ws.resume()
              ws.close(tryAgainLater)
            }
          })
        })
      })
    },
    release: (server) => server.closeAllConnections()
  })
})

/** RFC 6455, 11.7: more connections than can be served. */
const tryAgainLater = 1013

const plain = { "content-type": "text/plain", connection: "close" }

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

/** The status that a request is refused with, `undefined` when it may pass. */
const gate = (path: string, protocols: ReadonlyArray<string>, access: Access.Options) => {
  const nearby = Access.make(access, true)
  const anywhere = Access.make(access, false)
  return ({ headers, socket, url = "" }: http.IncomingMessage): number | undefined => {
    // By the address of the client: a listener on all addresses is reached by the pages of its own machine, too.
    const isNearby = socket.remoteAddress === undefined || Access.isLoopback(socket.remoteAddress)
    if ((isNearby ? nearby : anywhere)(headers) !== undefined) return 403
    if (url.replace(/\?[^]*/, "") !== path) return 404
    const offered = headers["sec-websocket-protocol"]?.split(",")
    const isKnown = offered === undefined || offered.some((protocol) => protocols.includes(protocol.trim()))
    return isKnown ? undefined : 400
  }
}

/** A scan of the internet should not fill the log, but a server that is full should be noticed. */
const logRefusal = ({ headers, socket, url }: http.IncomingMessage, status: number): Effect.Effect<void> => {
  const text = `Refused a WebSocket from ${socket.remoteAddress}: ${status} ${http.STATUS_CODES[status]}`
  const seen = Excerpt.line(JSON.stringify({ url, host: headers.host, origin: headers.origin }), 1_024)
  return status === 503 ? Effect.logWarning(text, seen) : Effect.logDebug(text, seen)
}

const refuse = (tcp: Duplex, status: number): void => {
  const text = http.STATUS_CODES[status] ?? ""
  tcp.on("error", () => tcp.destroy())
  tcp.on("finish", () => tcp.destroy())
  tcp.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n${text}`
  )
}
