/** A caller of the server of a world, and why it has no token. */
import { assert } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import type { HttpFetcher } from "@parley/http/shared/client"
import { AuthorizationError } from "@parley/oauth/AuthorizationError"
import * as ClientAuthorization from "@parley/oauth/ClientAuthorization"
import { Caller } from "@parley/peer/Caller"
import { Context, Effect, Layer } from "effect"
import { server, type World } from "./World.ts"

/** A caller of a server that wants tokens, whose calls fail for want of one as `AuthorizationError`. */
export const openOver = (
  fetcher: HttpFetcher.HttpFetcher,
  auth: ClientAuthorization.ClientAuthorization,
  url: string
) =>
  Effect.map(
    Layer.build(HttpCaller.layerOver(ClientAuthorization.makeFetcher(fetcher, { ...auth, url }), {
      url,
      timeout: "30 seconds"
    })),
    (context) => {
      const caller = Context.get(context, Caller)
      return {
        request: (method: string) =>
          Effect.mapError(
            caller.request(method),
            (error) => (error._tag === "Disconnected" ? ClientAuthorization.failureOf(error) : undefined) ?? error
          )
      }
    }
  )

export const open = (world: World, auth = world.auth(), url = server) => openOver(world.fetcher, auth, url)

/** A caller that has a token, which the server does not take any more. */
export const openStale = (world: World, auth?: ClientAuthorization.ClientAuthorization) =>
  Effect.tap(open(world, auth), (caller) => Effect.map(caller.request("ping"), () => world.valid.clear()))

export const reasonOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => error instanceof AuthorizationError ? error.reason : assert.fail(String(error))
  )

/** Why the first request to a world gets no token. */
export const refusal = (world: World, auth?: ClientAuthorization.ClientAuthorization, url?: string) =>
  Effect.scoped(Effect.flatMap(open(world, auth, url), (caller) => reasonOf(caller.request("ping"))))
