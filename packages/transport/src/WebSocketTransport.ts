/**
 * WebSockets as transports: each message is one text.
 *
 * It works with every implementation of the standard interface, in browsers, Deno
 * and Node.js, and uses what the `ws` package has beyond it.
 *
 * It does not use Effect's `Socket.fromWebSocket`, because that one ignores
 * `bufferedAmount` when it writes, loses what is written after closing has begun,
 * sends no pings, does not wait for the close handshake, and has no bound on its
 * buffer. It uses Effect's `WebSocketConstructor`: in a browser
 * `Socket.layerWebSocketConstructorGlobal`, for `ws` that of `@effect/platform-node`.
 *
 * |               | with `pause`, `ping`, `terminate` (`ws`) | without (browsers, Deno, Node.js itself)        |
 * | ------------- | ---------------------------------------- | ---------------------------------------------- |
 * | a slow reader | makes the other side wait                | ends with `Unread` beyond `limits.frame`       |
 * | a full line   | `send` waits until it was written        | `send` looks at `bufferedAmount` now and then  |
 * | a dead peer   | ends with `KeepAlive`                    | is noticed when something is sent              |
 *
 * Ends: the close codes 1000, 1001 and 1005 are `EndOfInput`, 1006 and errors are
 * `Lost`, any other is `CloseCode`. A message that `ws` refuses for its size is
 * `TooLarge`. A WebSocket is never half open, so after each of them sending fails
 * as well. The platform keeps the parts of an unfinished message; they count where
 * `unfinished` counts them, as in `NodeWebSocket`.
 *
 * ```ts
 * import { Peer } from "@parley/peer"
 * import { WebSocketTransport } from "@parley/transport"
 * import { Effect } from "effect"
 * import * as Socket from "effect/socket/Socket"
 *
 * export const balance = Effect.gen(function*() {
 *   const transport = yield* WebSocketTransport.make({ url: "wss://bank.example.org/rpc" })
 *   const peer = yield* Peer.make(transport)
 *   return yield* peer.request("balance", ["alice"])
 * }).pipe(Effect.scoped, Effect.provide(Socket.layerWebSocketConstructorGlobal))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as TransportError from "./internal/TransportError.ts"
import { Link } from "./internal/webSocket.ts"
import type * as options_ from "./internal/webSocketOptions.ts"
import { platformOf } from "./internal/webSocketPlatform.ts"
import * as Budget from "./shared/Budget.ts"
import * as Occupancy from "./shared/Occupancy.ts"
import { Transport } from "./Transport.ts"

/**
 * When pings are sent to find out whether the other side is there.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketKeepAlive {
  /** A ping is sent after a silence of this length. The default is 30 seconds. */
  readonly interval?: Duration.Input | undefined
  /** The connection ends when the silence lasts this long after the ping. The default is 30 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * How texts are sent, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketOptions {
  /** The kind of message that is sent, text by default. Both kinds are received, binary ones as UTF-8. */
  readonly format?: "text" | "binary" | undefined
  /**
   * Pings, or `false` for none. Without effect on platforms that cannot send pings, such as browsers. A message that
   * takes longer than both times together to arrive ends the connection, too. With `unfinished`, as `NodeWebSocket` has
   * it, a message may take `limits.partialFrame`.
   */
  readonly keepAlive?: WebSocketKeepAlive | false | undefined
  /**
   * `frame` bounds a message (a larger one is a `BadFrame`, or ends the connection with `TooLarge` where the platform
   * refuses it), `handshake` the opening, `partialFrame` an unfinished message when `unfinished` is given.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * The parts of a message that has not ended: the platform keeps them, and does not report them.
 *
 * @category models
 * @since 0.1.0
 */
export type Unfinished = options_.Unfinished

/**
 * Further options for a WebSocket whose underlying connection is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketSocketOptions extends WebSocketOptions {
  /**
   * Runs the sends of several texts, so that they can leave in one write: `(sends) => { tcp.cork(); sends();
   * tcp.uncork() }`.
   */
  readonly together?: ((sends: () => void) => void) | undefined
  /**
   * Counts what the platform keeps of a message that has not ended. Then all messages of one read are received together,
   * and unfinished messages count against the budget and are bounded by `limits.partialFrame`.
   */
  readonly unfinished?: Unfinished | undefined
}

/**
 * Where to connect to, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketTransportOptions extends WebSocketSocketOptions {
  /** As in `wss://example.org/rpc`. */
  readonly url: string
  /** Subprotocols, the preferred one first. */
  readonly protocols?: ReadonlyArray<string> | undefined
  /** Headers of the upgrade request. Browsers cannot send any: there it fails with `Open`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Connects, and closes with the Scope. Fails with `Open` when it cannot, or not within `Limits.handshake`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options: WebSocketTransportOptions
) => Effect.Effect<
  Transport,
  TransportError.TransportError,
  Scope.Scope | Socket.WebSocketConstructor
> = Effect.fnUntraced(function*(options) {
  const connect = yield* Socket.WebSocketConstructor
  const { headers, url } = options
  const protocols = options.protocols === undefined ? undefined : [...options.protocols]
  return yield* opened(
    Effect.try({
      try: () => connect(url, headers === undefined ? protocols : { protocols, headers }),
      catch: openError
    }),
    options
  )
})

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: WebSocketTransportOptions
): Layer.Layer<Transport, TransportError.TransportError, Socket.WebSocketConstructor> =>
  Layer.effect(Transport, make(options))

/**
 * A transport over a WebSocket that exists, such as a server's connection. Waits until it is open; it is closed with
 * the Scope. Fails with `Open` when it closes before, or is not open within `Limits.handshake`.
 *
 * Call it before messages can come: in the turn in which the WebSocket is made or handed out, or while it is paused.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromWebSocket = (
  socket: Socket.WebSocketLike,
  options: WebSocketSocketOptions = {}
): Effect.Effect<Transport, TransportError.TransportError, Scope.Scope> => opened(Effect.succeed(socket), options)

const opened = Effect.fnUntraced(function*(
  socket: Effect.Effect<Socket.WebSocketLike, TransportError.TransportError>,
  options: WebSocketSocketOptions
): Effect.fn.Return<Transport, TransportError.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const { format = "text", together = (sends: () => void) => sends(), unfinished } = options
  const clock = yield* Clock.Clock
  const budget = yield* Budget.Budget
  const occupancy = yield* Occupancy.Occupancy
  const { close, link } = yield* Effect.acquireRelease(
    Effect.flatMap(socket, (socket) => {
      const link = new Link(platformOf(socket), {
        format,
        limits,
        budget,
        clock,
        together,
        unfinished,
        occupancy
      })
      return Effect.map(Effect.cached(Effect.uninterruptible(link.close)), (close) => ({ close, link }))
    }),
    ({ close }) => close
  )
  yield* Effect.timeoutOrElse(link.ready, {
    duration: limits.handshake,
    orElse: () => Effect.fail(openError(new Error(`the WebSocket was not open within ${limits.handshake} ms`)))
  })
  if (options.keepAlive !== false && link.canPing) {
    const { interval = defaultBeat, timeout = defaultBeat } = options.keepAlive ?? {}
    yield* Effect.forkScoped(link.keepAlive(Duration.toMillis(interval), Duration.toMillis(timeout)), {
      startImmediately: true
    })
  }
  return { receive: link.receive, send: link.send, close, abort: link.abort }
})

/** Well below what proxies and routers forget a silent connection after. */
const defaultBeat: Duration.Input = "30 seconds"

const openError = (cause: unknown) => TransportError.transportError({ _tag: "Open", cause })
