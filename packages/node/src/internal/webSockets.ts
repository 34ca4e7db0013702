/**
 * The `ws` package as connections and as a server: what `WebSocketTransport` does not know.
 */
import * as NodeWS from "@effect/platform-node/NodeWS"
import * as Limits from "@parley/protocol/Limits"
import * as Access from "@parley/transport/Access"
import type * as Listener from "@parley/transport/Listener"
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
import type { ListenerOptions } from "../NodeWebSocket.ts"
import type { Tls } from "../Tls.ts"
import * as accepting from "./accepting.ts"
import { clientOptions, serverOptions } from "./tls.ts"

/** What a client takes beside its URL. */
export interface ClientOptions extends WebSocketTransport.Options {
  readonly tls?: Tls | undefined
  readonly protocols?: ReadonlyArray<string> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Milliseconds that `ws` waits for the other side's close frame, where no transport looks after the connection. */
const closeTimeout = 1_000

/** `ws` refuses a longer message by its header, before it is buffered. */
const boundsOf = (limits: Limits.Limits) => ({ maxPayload: limits.frame, perMessageDeflate: false, closeTimeout })

/** Characters up to which copying a text once more is cheaper than a second buffer to write. */
const few = 16 * 1024

/** Sends a short text in one buffer: `ws` writes the header of a frame by itself unless it has to copy the rest. */
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
): Effect.fn.Return<Transport["Service"], TransportError.TransportError, Scope.Scope> {
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
    // Made where nothing can interrupt: a WebSocket that nobody listens to yet ends the process with its error.
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
): Effect.fn.Return<Listener.Listener["Service"], TransportError.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const { host = "127.0.0.1", path = "/", port, protocols = [] } = options
  const secure = options.tls === undefined ? undefined : yield* serverOptions(options.tls)
  const refusalOf = gate(path, protocols, Access.make(options.access ?? {}, Access.isLoopback(host)))
  const upgrades = new NodeWS.WebSocketServer({
    ...boundsOf(limits),
    noServer: true,
    clientTracking: false,
    handleProtocols: (offered) => [...offered].find((protocol) => protocols.includes(protocol)) ?? false
  })
  let open = 0
  return yield* accepting.listener<http.Server | https.Server>({
    create: () => {
      const bounds = {
        noDelay: true,
        // It bounds the headers as well, and a connection that says nothing.
        requestTimeout: limits.handshake,
        // How often Node.js looks at it.
        connectionsCheckingInterval: Math.min(limits.handshake, 1_000)
      }
      const server = secure === undefined
        ? http.createServer(bounds)
        : https.createServer({ ...bounds, ...secure, handshakeTimeout: limits.handshake })
      server.maxConnections = limits.connections + accepting.waitingRoom
      return server
    },
    place: { host, port },
    connections: limits.connections,
    addressOf: (server) =>
      `${secure === undefined ? "ws" : "wss"}://${accepting.authorityOf(server)}${path === "/" ? "" : path}`,
    attach: (server, arrive) => {
      server.on("request", (request, response) => {
        const status = refusalOf(request) ?? 426
        response.writeHead(status, { ...plain, ...(status === 426 ? { upgrade: "websocket" } : {}) })
        response.end(http.STATUS_CODES[status])
      })
      server.on("upgrade", (request, tcp, head) => {
        const status = refusalOf(request) ?? (open < limits.connections ? undefined : 503)
        if (status !== undefined) return refuse(tcp, status)
        upgrades.handleUpgrade(request, tcp, head, (ws) => {
          open++
          ws.on("close", () => open--)
          // Until somebody runs its handler: then nothing is lost, and no error goes unheard.
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

/** Tells of each read after `ws`, which listens already, has had it. */
const after = (tcp: Duplex | undefined, read: (bytes: number) => void): void => {
  tcp?.on("data", (bytes: Uint8Array) => read(bytes.length))
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

/** The status that a request is refused with; `undefined` where it may pass. */
const gate = (
  path: string,
  protocols: ReadonlyArray<string>,
  access: ReturnType<typeof Access.make>
) =>
({ headers, url = "" }: http.IncomingMessage): number | undefined => {
  if (access(headers) !== undefined) return 403
  if (url.replace(/\?.*$/, "") !== path) return 404
  const offered = headers["sec-websocket-protocol"]?.split(",")
  const isKnown = offered === undefined || offered.some((protocol) => protocols.includes(protocol.trim()))
  return isKnown ? undefined : 400
}

const refuse = (tcp: Duplex, status: number): void => {
  const text = http.STATUS_CODES[status] ?? ""
  tcp.on("error", () => tcp.destroy())
  tcp.on("finish", () => tcp.destroy())
  tcp.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n${text}`
  )
}
