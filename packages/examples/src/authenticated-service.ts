/**
 * A service on one port that knows its users: HTTP, WebSockets, health and metrics, for programs and for the pages of
 * listed origins. SIGTERM ends it in order. `SECRET` signs the tokens, and `ORIGINS` lists the origins.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Contract, Method } from "@parley/contract"
import { Authentication, Metrics } from "@parley/middleware"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { Router } from "@parley/peer"
import { Handshake } from "@parley/transport"
import { Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { jwtVerify } from "jose"

const settings = Config.all({
  port: Config.Int("PORT").pipe(Config.withDefault(4000)),
  secret: Config.Redacted("SECRET"),
  origins: Config.String("ORIGINS").pipe(
    Config.withDefault(""),
    Config.map((all) => all.split(",").filter((origin) => origin !== ""))
  )
})

class User extends Context.Service<User, { readonly id: string }>()("User") {}

const Greeter = Contract.make("Greeter", {
  greet: Method.make({ params: { name: Schema.String }, result: Schema.String })
})

const known = Authentication.principal(User)
const counted = Metrics.handler()

const GreeterLive = Greeter.toLayer(
  { greet: ({ name }) => Effect.map(User, ({ id }) => `Hello ${name}, says ${id}`) },
  (handler) => counted(known(handler))
)

/** Never in the URL, which ends up in logs: a page has a cookie or offers a subprotocol, a program sends a header. */
const tokenOf = (head: Handshake.Head): string =>
  Handshake.cookiesOf(head).get("token") ??
    Handshake.protocolsOf(head).find((protocol) => protocol.startsWith("bearer."))?.slice("bearer.".length) ??
    head.header("authorization")?.replace(/^Bearer /, "") ?? ""

const authorizeBy = (secret: Redacted.Redacted) => {
  const key = new TextEncoder().encode(Redacted.value(secret))
  return Handshake.authorize(
    User,
    (head) =>
      Effect.tryPromise(() => jwtVerify(tokenOf(head), key, { algorithms: ["HS256"], requiredClaims: ["sub", "exp"] }))
        .pipe(
          Effect.map(({ payload }) => ({ id: String(payload.sub) })),
          Effect.mapError(({ cause }) => Handshake.unauthenticated("Bearer", String(cause)))
        ),
    ({ id }) => id
  )
}

const Service = Layer.unwrap(Effect.gen(function*() {
  const { origins, port, secret } = yield* settings
  const authorize = authorizeBy(secret)
  const fallback = yield* HttpRouter.toHttpEffect(PrometheusMetrics.layerHttp({ path: "/metrics" }))
  return NodeHttp.layerHost(
    { port, health: "/health", fallback },
    Layer.mergeAll(
      NodeHttp.layerRoute({ path: "/rpc", authorize, cors: { origins, credentials: true } }),
      NodeWebSocket.layerRoute({ path: "/rpc", authorize, access: { origins }, protocols: ["greeter"] })
    )
  )
}))

NodeRuntime.runMain(Layer.launch(Layer.provide(Service, Router.layer(GreeterLive))))
