/** A server that knows its users by a header, and tells them who they are. */
import { Authentication } from "@parley/middleware"
import { Router } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Deferred, Effect, Logger, References } from "effect"

export class User extends Context.Service<User, { readonly id: string }>()("User") {}

/** The bearer of a token is whom it names. */
export const byToken: Handshake.Authorize = Handshake.authorize(
  User,
  ({ header }) => {
    const id = /^Bearer (\w+)$/.exec(header("authorization") ?? "")?.[1]
    return id === undefined ? Effect.fail(Handshake.unauthenticated("Bearer")) : Effect.succeed({ id })
  },
  ({ id }) => id
)

export const as = (id: string) => ({ authorization: `Bearer ${id}` })

/** Tells in `noted` who has sent a notification. */
export const greeting = Effect.gen(function*() {
  const noted = yield* Deferred.make<string>()
  const known = Authentication.principal(User)
  const router = yield* Router.make()
  yield* router.add("whoami", known(() => User.useSync(({ id }) => id)))
  yield* router.add("note", known(() => Effect.flatMap(User, ({ id }) => Deferred.succeed(noted, id))))
  return { router, noted: Deferred.await(noted) }
})

/** The lines of the log, which is kept away from the console. */
export const watching = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${message}`)
  })
  return { lines, watch: Effect.provideService(References.CurrentLoggers, new Set([logger])) }
}
