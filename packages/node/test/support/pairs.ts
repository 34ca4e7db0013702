/** Ways to get two connected transports. */
import * as NodeTcp from "@parley/node/NodeTcp"
import { type Listener, type Transport } from "@parley/transport"
import { Deferred, Effect, type Scope } from "effect"

type Side = Transport.Transport

/** Connects to a listener: the client's side, and the one its handler got. */
export const connected = <Client>(
  makeListener: Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>,
  connect: (address: string) => Effect.Effect<Client, Transport.TransportError, Scope.Scope>
): Effect.Effect<readonly [Client, Side], Transport.TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const listener = yield* makeListener
    const accepted = yield* Deferred.make<Side>()
    yield* Effect.forkScoped(
      listener.run((side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never))
    )
    const client = yield* connect(listener.address)
    return [client, yield* Deferred.await(accepted)]
  })

/** Connects again and again to one listener. Each connection says its number first, so that the two sides find another. */
export const reconnecting = (
  makeListener: Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>,
  connect: (address: string) => Effect.Effect<Side, Transport.TransportError, Scope.Scope>
) =>
  Effect.gen(function*() {
    const listener = yield* makeListener
    const visits = new Map<string, { readonly side: Deferred.Deferred<Side>; readonly left: Deferred.Deferred<void> }>()
    yield* Effect.forkScoped(listener.run(Effect.fnUntraced(function*(side) {
      const [number] = yield* side.receive
      const visit = visits.get(String(number))
      if (visit === undefined) return
      yield* Deferred.succeed(visit.side, side)
      yield* Deferred.await(visit.left)
    })))
    let count = 0
    return Effect.gen(function*() {
      const number = `[${count++}]`
      const visit = { side: yield* Deferred.make<Side>(), left: yield* Deferred.make<void>() }
      yield* Effect.acquireRelease(Effect.sync(() => visits.set(number, visit)), () => {
        visits.delete(number)
        return Deferred.succeed(visit.left, undefined)
      })
      const client = yield* connect(listener.address)
      yield* client.send([number])
      return [client, yield* Deferred.await(visit.side)] as const
    })
  })

export const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(":") + 1))

/** A process that relays between its stdio and a connection of ours. */
export const relayed = (
  spawn: (args: ReadonlyArray<string>) => Effect.Effect<Side, Transport.TransportError, Scope.Scope>,
  args: ReadonlyArray<string>,
  options: Partial<NodeTcp.TcpOptions> = {}
): Effect.Effect<readonly [Side, Side], Transport.TransportError, Scope.Scope> =>
  connected(
    NodeTcp.makeListener({ ...options, port: 0 }),
    (address) => spawn([args[0] ?? "", String(portOf(address)), ...args.slice(1)])
  )

export const fixture = (name: string): string => new URL(`../fixtures/${name}`, import.meta.url).pathname
