/**
 * Servers of Node.js as listeners. Accepted connections wait for `run`.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Listener from "@parley/transport/Listener"
import * as Transport from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { AddressInfo, ListenOptions, Server } from "node:net"

/** An accepted connection. It is refused when too many wait. */
export interface Arrival extends Pick<Listener.Arrival, "from" | "open"> {
  readonly refuse: () => void
}

/** A server, and how its connections become arrivals. */
export interface Options<S extends Server> {
  readonly create: () => S
  readonly place: ListenOptions
  readonly connections: number
  /** Connections of one address. */
  readonly perAddress?: number | undefined
  readonly addressOf: (server: S) => string
  /** Called once, before it listens. */
  readonly attach: (server: S, arrive: (arrival: Arrival) => void) => void
}

/** Connections beside the open ones that may still be in their handshake. */
export const waitingRoom = 64

/** Arrivals until `stop`, or until the Scope closes; those that wait are refused then. */
export const arrivals = Effect.fnUntraced(function*(connections: number) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  return {
    arrivals: yield* Scope.provide(Listener.arrivals(connections), scope),
    stop: Scope.close(scope, Exit.void)
  }
})

/** Listens until the Scope closes. Its connections belong to their handlers. */
export const listener = Effect.fnUntraced(function*<S extends Server>(
  options: Options<S>
): Effect.fn.Return<Listener.Listener, Transport.TransportError, Scope.Scope> {
  const { arrivals: arriving, stop } = yield* arrivals(options.connections)
  const server = yield* Effect.acquireRelease(
    Effect.try({ try: options.create, catch: openError }),
    (server) => Effect.sync(() => server.close())
  )
  options.attach(server, ({ from, open, refuse }) => {
    if (!Queue.offerUnsafe(arriving, { from, open, refuse: Effect.sync(refuse) })) refuse()
  })
  yield* listening(server, options.place)
  const context = yield* Effect.context<never>()
  const address = options.addressOf(server)
  server.on("error", (cause) => {
    // A connection that could not be accepted does not end the listener.
    if (server.listening) {
      Effect.runForkWith(context)(
        Effect.logWarning(
          `A connection to ${Excerpt.line(address)} could not be accepted`,
          Excerpt.cause(Cause.fail(cause))
        )
      )
    } else Queue.failCauseUnsafe(arriving, Cause.fail(Transport.transportError({ _tag: "Lost", cause })))
  })
  return Listener.make({
    address,
    port: portOf(server),
    accept: Queue.take(arriving),
    connections: yield* Listener.places(options.connections, options.perAddress),
    stop: Effect.andThen(Effect.sync(() => server.close()), stop)
  })
})

/** The host and port of a server, as in a URL. */
export const authorityOf = (server: Server): string => {
  // A server that listens on a host has an address that is an object.
  const { address, family, port } = server.address() as AddressInfo
  return `${family === "IPv6" ? `[${address}]` : address}:${port}`
}

/** The port of a server, if it listens on one. */
export const portOf = (server: Server): number | undefined => {
  const address = server.address()
  return typeof address === "object" ? address?.port : undefined
}

export const openError = (cause: unknown) => Transport.transportError({ _tag: "Open", cause })

/** Waits until the server listens, or fails with `Open`. */
export const listening = (server: Server, place: ListenOptions): Effect.Effect<void, Transport.TransportError> =>
  Effect.callback((resume) => {
    const onListening = () => {
      forget()
      resume(Effect.void)
    }
    const onError = (cause: unknown) => {
      forget()
      resume(Effect.fail(openError(cause)))
    }
    const forget = () => {
      server.off("listening", onListening)
      server.off("error", onError)
    }
    server.on("listening", onListening)
    server.on("error", onError)
    try {
      server.listen(place)
    } catch (cause) {
      onError(cause)
    }
  })
