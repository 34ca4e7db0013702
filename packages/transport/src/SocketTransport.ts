/**
 * Transports over Effect's `Socket`, and a listener over its `SocketServer`.
 *
 * For platforms that have an Effect `Socket` and no ready-made transport. With the
 * framing `none` every message of the socket is one text; with any other framing
 * the socket is a stream of bytes.
 *
 * A clean close by the other side is `EndOfInput`. Whether writing works after it
 * depends on the socket (Node.js: `allowHalfOpen`). On Node.js use `@parley/node`
 * for TCP and Unix sockets: it fails a write to a lost connection where `NodeSocket`
 * waits for ever, and delivers what was written before it closes. With `allowHalfOpen`
 * Effect's `NodeSocketServer` never finishes closing once a client has closed first.
 *
 * ```ts run
 * import { SocketTransport } from "@parley/transport"
 * import { Effect } from "effect"
 * import { Socket } from "effect/socket"
 *
 * const program = Effect.gen(function*() {
 *   // A socket that gives back the bytes that are written to it.
 *   const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 1 })
 *   const echo = yield* Socket.fromTransformStream(Effect.succeed(stream))
 *   const transport = yield* SocketTransport.make(echo)
 *   yield* transport.send(["one", "two"])
 *   console.log(yield* transport.receive) // => [ 'one', 'two' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import * as framings from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import { serveOneOfMany } from "./internal/connection.ts"
import * as framed from "./internal/framed.ts"
import { Places } from "./internal/places.ts"
import * as Listener from "./Listener.ts"
import { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * The framing, `line` by default, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How the texts are separated in the bytes. The default is `line`; with `none` each message of the socket is a text. */
  readonly framing?: Framing | undefined
  /** `frame`, `header`, `depth` and `partialFrame` bound the texts, `handshake` the opening, `connections` a listener. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * Opens the socket, within `Limits.handshake`, and reads and writes texts through it. Closed with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  socket: Socket.Socket,
  options?: Options
) => Effect.Effect<Transport, TransportError.TransportError, Scope.Scope> = Effect.fnUntraced(
  function*(socket, options = {}) {
    const limits = Limits.make(options.limits)
    const framing = options.framing ?? framings.line
    const scope = yield* Scope.fork(yield* Effect.scope)
    const reader = yield* socket.reader.pipe(
      Effect.mapError((error) => TransportError.make({ _tag: "Open", cause: error })),
      Effect.timeoutOrElse({
        duration: limits.handshake,
        orElse: () =>
          Effect.fail(
            TransportError.make({
              _tag: "Open",
              cause: new Error(`the socket was not open within ${limits.handshake} ms, the limit \`handshake\``)
            })
          )
      }),
      Scope.provide(scope)
    )
    // Acquired after the reader, so released before it: closing writes what is left, then ends.
    const writer = yield* Scope.provide(socket.writer, scope)
    const bytes: framed.Bytes = {
      pull: Effect.mapBoth(reader.pull, { onFailure: endOf, onSuccess: bytesOf }),
      write: (chunk) => Effect.mapError(writer.write(chunk), lost),
      close: Scope.close(scope, Exit.void)
    }
    return yield* framed.fromBytes(
      framing.name === "none"
        ? { ...bytes, writeTexts: (texts) => Effect.mapError(writer.writeAll(texts), lost) }
        : bytes,
      { framing, limits }
    )
  }
)

/**
 * A transport over the `Socket` in the context.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options?: Options
): Layer.Layer<Transport, TransportError.TransportError, Socket.Socket> =>
  Layer.effect(Transport, Effect.flatMap(Socket.Socket, (socket) => make(socket, options)))

/**
 * A listener over the `SocketServer` in the context.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (
  options: Options = {}
): Layer.Layer<Listener.Listener, never, SocketServer.SocketServer> =>
  Layer.effect(Listener.Listener, Effect.map(SocketServer.SocketServer, (server) => makeListener(server, options)))

/**
 * A listener over a `SocketServer`, which accepts connections as long as its own Scope is open.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  server: SocketServer.SocketServer["Service"],
  options: Options = {}
): Listener.Listener => {
  const { connections } = Limits.make(options.limits)
  const address = addressOf(server.address)
  return {
    address,
    run: (handler) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        const places = new Places({ connections }, clock)
        return Effect.mapError(
          server.run((socket) =>
            places.admit({
              address,
              accepted: serveOneOfMany(address, make(socket, options), handler),
              refused: Effect.scoped(Effect.ignore(socket.reader))
            })
          ),
          lost
        )
      })
  }
}

const addressOf = (address: NetAddress.SocketAddress): string => {
  switch (address._tag) {
    case "UnixPathAddress":
      return `unix:${address.path}`
    case "InetAddressV4":
      return `tcp://${NetAddress.formatIp(address.address)}:${address.port}`
    case "InetAddressV6":
      return `tcp://[${NetAddress.formatIp(address.address)}]:${address.port}`
  }
}

const lost = (cause: unknown): TransportError.TransportError => TransportError.make({ _tag: "Lost", cause })

/** Clean closes: 1000 by TCP and WebSockets, 1001 and 1005 by a browser that leaves the page. */
const cleanCodes: ReadonlySet<number> = new Set([1000, 1001, 1005])

const endOf = (error: Socket.SocketError): TransportError.TransportError =>
  error.reason._tag === "SocketCloseError" && cleanCodes.has(error.reason.code)
    ? TransportError.make({ _tag: "EndOfInput" })
    : lost(error)

const encoder = new TextEncoder()

const bytesOf = (chunks: NonEmptyReadonlyArray<Uint8Array | string>): NonEmptyReadonlyArray<Uint8Array> =>
  Arr.map(chunks, (chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk)
