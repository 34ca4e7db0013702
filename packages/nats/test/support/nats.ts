/** A server of NATS, and connections to it. */
import * as NatsClient from "@parley/nats/NatsClient"
import { type Duration, Effect, type Scope } from "effect"
import * as NatsServer from "./NatsServer.ts"

/** A server, and what makes a connection to it that the effect runs with. */
export const served = Effect.fnUntraced(function*(config?: string, timeout: Duration.Input = "5 seconds") {
  const server = yield* NatsServer.make(config ?? "")
  const client = Effect.orDie(NatsClient.make({ servers: server.address, timeout }))
  /** Runs with a connection of its own, which lasts until the Scope closes. */
  const connected = <A, E, R>(
    effect: Effect.Effect<A, E, R | NatsClient.NatsClient>
  ): Effect.Effect<A, E, Exclude<R, NatsClient.NatsClient> | Scope.Scope> =>
    Effect.flatMap(client, (client) => Effect.provideService(effect, NatsClient.NatsClient, client))
  return { server, connected, client }
})
