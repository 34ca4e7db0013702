/**
 * One server of Node.js at one port: which route takes a request or an upgrade, and
 * what the others get.
 *
 * It owns the server, its times, and how many connections there may be. A route
 * owns its path: it admits, answers, counts and drains. The phases are `starting`,
 * `open` and `draining`; outside of `open` nothing new gets in.
 */
import { RefusalLog, RequestRules, type Serving } from "@parley/http/shared"
import type * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import type * as Transport from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import type * as https from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { authorityOf, listening, openError, portOf, waitingRoom } from "../nodeServer.ts"
import { type Server as SecureOptions, serverOptions } from "../tls.ts"
import type { Tls } from "../TlsOptions.ts"
import type { Answers } from "./Answers.ts"
import { Head } from "./head.ts"
import { isEnding, refuse, refuseUpgrade } from "./refusal.ts"

/** Where a port is, and the times of its connections. */
export interface Options {
  readonly host?: string | undefined
  readonly port: number
  readonly tls?: Tls | undefined
  /** `handshake`, `header` and `partialFrame` bound the head and the body of a request. */
  readonly limits: Limits.Limits
  /** The path that says whether the port is open. */
  readonly health?: string | undefined
}

/** What takes the requests of a path. With a refusal it has nothing but that to answer. */
export interface Requests {
  /** Whether it takes the requests of the paths below its own, too, that have no route. */
  readonly isPrefix?: boolean | undefined
  readonly connections: number
  readonly take: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    refusal: Serving.Refused | undefined
  ) => void
  readonly answers: Answers
  /** Sends the answers that wait for others. */
  readonly flush?: (() => void) | undefined
}

/** What takes the upgrades of a path. */
export interface Upgrades {
  readonly connections: number
  readonly take: (request: http.IncomingMessage, tcp: Duplex, first: Buffer) => void
  /** The server has ended by itself. */
  readonly lost: (cause: unknown) => void
}

/** A port that listens until the Scope closes. It is `starting` until `open`. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Port, Transport.TransportError, Scope.Scope> {
  const secure = options.tls === undefined
    ? undefined
    : { https: yield* Effect.promise(() => import("node:https")), options: yield* serverOptions(options.tls) }
  const context = yield* Effect.context<never>()
  const port = yield* Effect.acquireRelease(
    Effect.try({ try: () => new Port(options, secure, context), catch: openError }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  yield* listening(port.server, { host: options.host ?? "127.0.0.1", port: options.port })
  return port
})

/** Lets clients in, until the Scope closes. */
export const open = (port: Port): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => void (port.phase = "open")),
    () => port.drain
  )

/** The module of Node.js, which a port without TLS does not load, and its options. */
interface Secure {
  readonly https: typeof https
  readonly options: SecureOptions
}

export class Port {
  readonly server: http.Server | https.Server
  readonly context: Context.Context<never>
  phase: "starting" | "open" | "draining" = "starting"
  #rest: Requests | undefined
  readonly #options: Options
  readonly #isSecure: boolean
  readonly #requests = new Map<string, Requests>()
  readonly #upgrades = new Map<string, Upgrades>()
  readonly #log = RefusalLog.make("a WebSocket")
  #since = 0

  constructor(options: Options, secure: Secure | undefined, context: Context.Context<never>) {
    this.#options = options
    this.#isSecure = secure !== undefined
    this.context = context
    const { handshake, header, partialFrame } = options.limits
    const settings: http.ServerOptions = {
      noDelay: true,
      // Otherwise Node takes the first of two headers with the same name, and hides that they may contradict.
      joinDuplicateHeaders: true,
      maxHeaderSize: header,
      headersTimeout: Math.min(handshake, partialFrame),
      requestTimeout: partialFrame,
      connectionsCheckingInterval: Math.min(checking, handshake, partialFrame),
      // Some clients offer HTTP/2 with each request, which is no reason to refuse it.
      shouldUpgradeCallback: (request) => this.#isUpgrade(request)
    }
    this.server = secure === undefined
      ? http.createServer(settings)
      : secure.https.createServer({ ...settings, ...secure.options, handshakeTimeout: handshake })
    const take = (request: http.IncomingMessage, response: http.ServerResponse) => this.#take(request, response)
    this.server.on("request", take)
    // The body is asked for when somebody reads it.
    this.server.on("checkContinue", take)
    // Node.js ends its side of a connection when the client has ended its own. What waits leaves before.
    const leave = () => {
      for (const { flush } of this.#requests.values()) flush?.()
    }
    const connected = secure === undefined ? "connection" : "secureConnection"
    // A request that is declined as an upgrade brings its connection again.
    this.server.on(connected, (socket: Socket) => {
      if (!socket.listeners("end").includes(leave)) socket.prependListener("end", leave)
    })
    this.server.on("error", (cause) => {
      if (this.server.listening) {
        this.#fork(
          Effect.logWarning(
            `A connection to ${Excerpt.line(this.address("http"))} could not be accepted`,
            Excerpt.cause(Cause.fail(cause))
          )
        )
      } else for (const { lost } of this.#upgrades.values()) lost(cause)
    })
    this.#bound()
  }

  /** Its address, with the scheme of a route. */
  address(scheme: "http" | "ws", path = ""): string {
    return `${scheme}${this.#isSecure ? "s" : ""}://${authorityOf(this.server)}${path}`
  }

  get number(): number {
    return portOf(this.server) ?? 0
  }

  /** Serves the requests of a path until the Scope closes. While the port drains, it goes on to refuse them. */
  requests(path: string, requests: Requests): Effect.Effect<void, never, Scope.Scope> {
    return this.#serve(this.#requests, path, requests)
  }

  /** Serves the upgrades of a path until the Scope closes. While the port drains, it goes on to refuse them. */
  upgrades(path: string, upgrades: Upgrades): Effect.Effect<void, never, Scope.Scope> {
    return Effect.suspend(() => {
      // With a listener for upgrades an older Node.js gives them to nobody else, whatever the callback says.
      if (this.server.listenerCount("upgrade") === 0) {
        this.server.on("upgrade", (request, tcp, first) => this.#upgrade(request, tcp, first))
      }
      return this.#serve(this.#upgrades, path, upgrades)
    })
  }

  /** Serves the requests to paths that have no route. */
  serveRest(requests: Requests): void {
    this.#rest = requests
    this.#bound()
  }

  /** Takes nothing new. Where its health is asked for, it goes on to say that it ends. */
  get drain(): Effect.Effect<void> {
    return Effect.clockWith((clock) =>
      Effect.sync(() => {
        if (this.phase === "draining") return
        this.phase = "draining"
        this.#since = clock.currentTimeMillisUnsafe()
        if (this.#options.health === undefined) this.server.close()
      })
    )
  }

  /** What is left of so many milliseconds for draining: routes may close one after the other. */
  left(drain: number): Effect.Effect<number> {
    return Effect.map(
      Clock.currentTimeMillis,
      (now) => this.phase === "draining" ? Math.max(0, drain - (now - this.#since)) : drain
    )
  }

  /** Bounds the connections by what its routes may have. */
  #bound(): void {
    const { health, limits } = this.#options
    let connections = health === undefined && this.#rest === undefined ? 0 : limits.connections
    for (const route of [...this.#requests.values(), ...this.#upgrades.values()]) connections += route.connections
    this.server.maxConnections = connections + waitingRoom
  }

  #serve<Route>(routes: Map<string, Route>, path: string, route: Route): Effect.Effect<void, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.suspend(() => {
        if (routes.has(path)) {
          return Effect.die(new Error(`two routes of ${this.address("http")} have the path ${path}`))
        }
        routes.set(path, route)
        return Effect.sync(() => this.#bound())
      }),
      () =>
        Effect.sync(() => {
          // A route that has drained refuses requests in its own words while another still drains.
          if (this.phase !== "draining") routes.delete(path)
          this.#bound()
        })
    )
  }

  #fork(effect: Effect.Effect<void>): void {
    Effect.runForkWith(this.context)(effect)
  }

  get #unavailable(): Serving.Refused | undefined {
    if (this.phase === "open") return undefined
    return this.phase === "starting" ? starting : RequestRules.shuttingDown
  }

  #take(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (isEnding(request)) return void request.resume()
    const path = Handshake.pathOf({ url: request.url ?? "" })
    const unavailable = this.#unavailable
    if (path === this.#options.health) return refuse(this.context, request, response, unavailable ?? healthy)
    const route = this.#routeOf(path)
    if (route !== undefined) return route.take(request, response, unavailable)
    const refusal = unavailable ?? (this.#upgrades.has(path) ? onlyWebSockets : undefined)
    if (refusal !== undefined) return refuse(this.context, request, response, refusal)
    if (this.#rest === undefined) return refuse(this.context, request, response, notFound)
    this.#rest.take(request, response, undefined)
  }

  /** The route of a path, or the nearest one above that takes the paths below it. */
  #routeOf(path: string): Requests | undefined {
    const own = this.#requests.get(path)
    if (own !== undefined) return own
    let nearest: readonly [path: string, route: Requests] | undefined
    for (const [above, route] of this.#requests) {
      if (route.isPrefix !== true || !path.startsWith(above.endsWith("/") ? above : `${above}/`)) continue
      if (nearest === undefined || above.length > nearest[0].length) nearest = [above, route]
    }
    return nearest?.[1]
  }

  #isUpgrade(request: http.IncomingMessage): boolean {
    if (this.#upgrades.size === 0) return false
    if (request.headers.upgrade?.toLowerCase() === "websocket") return true
    const path = Handshake.pathOf({ url: request.url ?? "" })
    return this.#upgrades.has(path) && !this.#requests.has(path)
  }

  /** Whether the connection owes answers, which would come after that to the upgrade, or was told to end. */
  #owes(request: http.IncomingMessage): boolean {
    if (isEnding(request) || this.#rest?.answers.owes(request.socket) === true) return true
    for (const { answers } of this.#requests.values()) if (answers.owes(request.socket)) return true
    return false
  }

  #upgrade(request: http.IncomingMessage, tcp: Duplex, first: Buffer): void {
    if (this.#owes(request)) return void tcp.destroy()
    if (!this.#isUpgrade(request)) return this.#decline(request, tcp, first)
    const head = new Head(request)
    const route = this.#upgrades.get(Handshake.pathOf(head))
    if (route !== undefined && this.phase === "open") return route.take(request, tcp, first)
    if (this.phase === "open") this.#fork(this.#log(head, 404, this.#elsewhere()))
    refuseUpgrade(tcp, this.#unavailable ?? notFound)
  }

  /**
   * Takes an upgrade for the request that it is without one. Node.js before 24.9 does not ask `shouldUpgradeCallback`: with
   * a route for upgrades each request that offers another protocol, such as HTTP/2, is an upgrade there.
   */
  #decline(request: http.IncomingMessage, tcp: Duplex, first: Buffer): void {
    tcp.unshift(Buffer.concat([withoutOffer(request), first]))
    this.server.emit(this.#isSecure ? "secureConnection" : "connection", tcp)
  }

  #elsewhere(): string {
    const paths = [...this.#upgrades.keys()].map((text) => Excerpt.quoted(text)).join(", ")
    return `WebSockets are served at the \`path\` ${paths}`
  }
}

/** The head of a request, but for the offer of another protocol. */
const withoutOffer = ({ httpVersion, method, rawHeaders, url }: http.IncomingMessage): Buffer => {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at], rawHeaders[at + 1]]
    if (name?.toLowerCase() !== "upgrade") head += `${name}: ${value}\r\n`
  }
  return Buffer.from(`${head}\r\n`, "latin1")
}

/** Milliseconds between two checks for requests that have not arrived in time. */
const checking = 1_000

const notFound = new RequestRules.Refusal(404, "This server serves another path.")

const healthy = new RequestRules.Refusal(200, "ok")

const starting = new RequestRules.Refusal(503, "Starting.", { "retry-after": "1" })

const onlyWebSockets = new RequestRules.Refusal(426, "This path is for WebSockets.", {
  upgrade: "websocket",
  connection: "close"
})
