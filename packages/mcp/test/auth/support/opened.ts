/** A transport to the server of a world, and why it has no token. */
import { assert } from "@effect/vitest"
import { AuthorizationError } from "@parley/mcp/auth/client/AuthorizationError"
import type { ClientAuthorization } from "@parley/mcp/auth/client/ClientAuthorization"
import { Effect } from "effect"
import * as transports from "../../http-client/support/transports.ts"
import { server, type World } from "./World.ts"

export const open = (world: World, auth: ClientAuthorization = world.auth(), url = server) =>
  transports.open(url, { fetcher: Effect.succeed(world.fetcher), auth, timeout: "30 seconds" })

/** A transport that has a token, which the server does not take any more. */
export const openStale = (world: World, auth?: ClientAuthorization) =>
  Effect.tap(open(world, auth), (transport) => Effect.map(transport.request("ping"), () => world.valid.clear()))

export const reasonOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => error instanceof AuthorizationError ? error.reason : assert.fail(String(error))
  )

/** Why the first request to a world gets no token. */
export const refusal = (world: World, auth?: ClientAuthorization, url?: string) =>
  Effect.scoped(Effect.flatMap(open(world, auth, url), (transport) => reasonOf(transport.request("ping"))))
