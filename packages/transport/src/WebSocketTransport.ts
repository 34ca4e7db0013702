/**
 * WebSockets as transports: each message is one text.
 *
 * For any implementation of the standard interface, in browsers, Deno and Node.js,
 * and better with what the `ws` package has beyond it.
 *
 * Not over Effect's `Socket.fromWebSocket`: its `write` returns at once however
 * much `bufferedAmount` shows, what it writes after the closing has begun vanishes,
 * it sends no pings, it does not wait for the close handshake, and without `pause`
 * its buffer has no bound. What is kept is its `WebSocketConstructor`: in a browser
 * `Socket.layerWebSocketConstructorGlobal`, for `ws` that of `@effect/platform-node`.
 *
 * |               | with `pause`, `ping`, `terminate` (`ws`) | without (browsers, Deno, Node.js itself)        |
 * | ------------- | ---------------------------------------- | ---------------------------------------------- |
 * | a slow reader | makes the other side wait                | ends with `Unread` beyond `limits.frame`       |
 * | a full line   | `send` waits until it was written        | `send` looks at `bufferedAmount` now and then  |
 * | a dead peer   | ends with `KeepAlive`                    | is found out by whoever sends                  |
 *
 * Ends: the close codes 1000, 1001 and 1005 are `EndOfInput`, 1006 and errors are
 * `Lost`, any other is `CloseCode`. A WebSocket is never half open, so after each
 * of them sending fails as well. The platform keeps what has come of a message; it
 * is counted where one says what was read (`onRead`), as `NodeWebSocket` does.
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
import * as Budget from "./Budget.ts"
import { Link } from "./internal/webSocket.ts"
import { platformOf } from "./internal/webSocketPlatform.ts"
import { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * When the other side is asked whether it is there.
 *
 * @category models
 * @since 0.1.0
 */
export interface KeepAlive {
  /** After so long a silence a ping is sent. The default is 30 seconds. */
  readonly interval?: Duration.Input | undefined
  /** So long after the ping a silence ends the connection. The default is 30 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * How texts are sent, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The messages that are sent, text by default. Both are received, binary ones as UTF-8. */
  readonly format?: "text" | "binary" | undefined
  /**
   * Pings, or `false` for none. On where the platform can send them; elsewhere, as in browsers, this does nothing. A
   * message that takes longer than both times together to arrive ends the connection, too; with `onRead`, as of
   * `NodeWebSocket`, one that takes longer than `limits.partialFrame`.
   */
  readonly keepAlive?: KeepAlive | false | undefined
  /**
   * `frame` bounds a message (a larger one is a `BadFrame`), `handshake` the opening, `partialFrame` an unfinished
   * message where what is read is counted.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * What is taken besides where one has the connection below the WebSocket.
 *
 * @category models
 * @since 0.1.0
 */
export interface SocketOptions extends Options {
  /**
   * Runs the sends of several texts, so that they can leave in one write: `(sends) => { tcp.cork(); sends();
   * tcp.uncork() }`.
   */
  readonly together?: ((sends: () => void) => void) | undefined
  /**
   * Called once with what to call after each read of the connection below, with its size in bytes: `(read) =>
   * tcp.on("data", ({ length }) => read(length))` once the WebSocket listens. With it the messages of one read are
   * received as soon as it is over, and what has come of an unfinished message counts: it ends the connection when the
   * budget is spent, or after `limits.partialFrame`.
   */
  readonly onRead?: ((read: (bytes: number) => void) => void) | undefined
}

/**
 * Where to connect to, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions extends SocketOptions {
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
  options: ClientOptions
) => Effect.Effect<
  Transport["Service"],
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
  options: ClientOptions
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
  options: SocketOptions = {}
): Effect.Effect<Transport["Service"], TransportError.TransportError, Scope.Scope> =>
  opened(Effect.succeed(socket), options)

const opened = Effect.fnUntraced(function*(
  socket: Effect.Effect<Socket.WebSocketLike, TransportError.TransportError>,
  options: SocketOptions
): Effect.fn.Return<Transport["Service"], TransportError.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  const { format = "text", onRead, together = (sends: () => void) => sends() } = options
  const clock = yield* Clock.Clock
  const budget = yield* Budget.Budget
  const { close, link } = yield* Effect.acquireRelease(
    Effect.flatMap(socket, (socket) => {
      const link = new Link(platformOf(socket), { format, limits, budget, clock, together, onRead })
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
  return { receive: link.receive, send: link.send, close }
})

/** Well below what proxies and routers forget a silent connection after. */
const defaultBeat: Duration.Input = "30 seconds"

const openError = (cause: unknown) => TransportError.make({ _tag: "Open", cause })
