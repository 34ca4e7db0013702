/** A server of NATS, and connections to it. */
import * as NatsClient from "@parley/nats/NatsClient"
import { Effect, type Scope } from "effect"
import * as NatsServer from "./NatsServer.ts"

/** A server, and what makes a connection to it that the effect runs with. */
export const served = Effect.fnUntraced(function*(config?: string) {
  const server = yield* NatsServer.make(config ?? "")
  /** Runs with a connection of its own, which lasts until the Scope closes. */
  const connected = <A, E, R>(
    effect: Effect.Effect<A, E, R | NatsClient.NatsClient>
  ): Effect.Effect<A, E, Exclude<R, NatsClient.NatsClient> | Scope.Scope> =>
    Effect.flatMap(
      Effect.orDie(NatsClient.make({ servers: server.address })),
      (client) => Effect.provideService(effect, NatsClient.NatsClient, client)
    )
  return { server, connected, client: Effect.orDie(NatsClient.make({ servers: server.address })) }
})
