/** Ways to get two connected transports. */
import { NodeTcp } from "@parley/node"
import { type Listener, type Transport, type TransportError } from "@parley/transport"
import { Deferred, Effect, type Scope } from "effect"

type Side = Transport.Transport["Service"]

/** Connects to a listener: the client's side, and the one its handler got. */
export const connected = (
  makeListener: Effect.Effect<Listener.Listener["Service"], TransportError.TransportError, Scope.Scope>,
  connect: (address: string) => Effect.Effect<Side, TransportError.TransportError, Scope.Scope>
): Effect.Effect<readonly [Side, Side], TransportError.TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const listener = yield* makeListener
    const accepted = yield* Deferred.make<Side>()
    yield* Effect.forkScoped(
      listener.run((side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never))
    )
    const client = yield* connect(listener.address)
    return [client, yield* Deferred.await(accepted)]
  })

export const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(":") + 1))

/** A process that relays between its stdio and a connection of ours. */
export const relayed = (
  spawn: (args: ReadonlyArray<string>) => Effect.Effect<Side, TransportError.TransportError, Scope.Scope>,
  args: ReadonlyArray<string>,
  options: Partial<NodeTcp.Options> = {}
): Effect.Effect<readonly [Side, Side], TransportError.TransportError, Scope.Scope> =>
  connected(
    NodeTcp.makeListener({ ...options, port: 0 }),
    (address) => spawn([args[0] ?? "", String(portOf(address)), ...args.slice(1)])
  )

export const fixture = (name: string): string => new URL(`../fixtures/${name}`, import.meta.url).pathname
