/**
 * What a program answers beside the routes of a port.
 */
import type * as Limits from "@parley/protocol/Limits"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import { Answers } from "./Answers.ts"
import type { Port } from "./Port.ts"

/** Gives the requests without a route to this, until the Scope closes. */
export const rest = Effect.fnUntraced(function*<R>(
  port: Port,
  fallback: Effect.Effect<HttpServerResponse, unknown, R> | http.RequestListener,
  { connections, drain }: Limits.Limits
): Effect.fn.Return<void, never, Exclude<R, HttpServerRequest | Scope.Scope> | Scope.Scope> {
  const listener = Effect.isEffect(fallback) ? yield* listenerOf(fallback) : fallback
  const answers = new Answers(port.context)
  port.serveRest({
    connections,
    answers,
    take: (request, response) => {
      answers.add(response)
      listener(request, response)
    }
  })
  yield* Effect.addFinalizer(() => Effect.flatMap(port.left(drain), (within) => answers.drain(within)))
})

/** Effect's server is loaded by programs that use it. */
const listenerOf = Effect.fnUntraced(function*<R>(
  app: Effect.Effect<HttpServerResponse, unknown, R>
): Effect.fn.Return<http.RequestListener, never, Exclude<R, HttpServerRequest | Scope.Scope> | Scope.Scope> {
  const { makeHandler } = yield* Effect.promise(() => import("@effect/platform-node/NodeHttpServer"))
  return yield* makeHandler(app, { scope: yield* Effect.scope })
})
