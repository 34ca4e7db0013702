/** The frameworks that people have, with an endpoint at a path and a user that their own code has found. */
import { serve as serveHono } from "@hono/node-server"
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import { NodeHttp } from "@parley/node"
import { Handshake } from "@parley/transport"
import compression from "compression"
import { Context, Effect, type Scope } from "effect"
import express from "express"
import fastify, { type FastifyInstance } from "fastify"
import { type Context as HonoContext, Hono } from "hono"
import { once } from "node:events"
import type * as http from "node:http"
import type { AddressInfo } from "node:net"

export class User extends Context.Service<User, { readonly id: string }>()("frameworks/User") {}

/** The user of a framework as a principal. */
const principalOf = (id: string | undefined) =>
  id === undefined ? undefined : Context.make(User, { id }).pipe(Context.add(Handshake.Name, id))

/** The header by which the frameworks of these tests find their users. Real ones have sessions or tokens. */
export const as = (user: string) => ({ "x-user": user })

export interface Framework {
  readonly name: string
  /** Whether the endpoint hears that it ends: a handler of Web requests has no word for that. */
  readonly drains: boolean
  /** Serves an endpoint at `/mcp`, and its `wellKnown` endpoints, until the Scope closes. Gives the origin. */
  readonly serve: (endpoint: HttpEndpoint) => Effect.Effect<string, never, Scope.Scope>
}

const originOf = (server: http.Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** A server that ends with the Scope, after everything that is opened behind it. */
const ending = (open: () => http.Server) =>
  Effect.acquireRelease(
    Effect.sync(open),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const listening = (server: http.Server) =>
  Effect.promise(async () => {
    if (!server.listening) await once(server, "listening")
    return originOf(server)
  })

const onExpress = (name: string, before: ReadonlyArray<express.RequestHandler>): Framework => ({
  name,
  drains: true,
  serve: (endpoint) =>
    Effect.gen(function*() {
      const app = express()
      const server = yield* ending(() => app.listen(0, "127.0.0.1"))
      const listener = yield* NodeHttp.makeRequestListener(endpoint)
      app.use(...before)
      app.use((request, response, next) => {
        response.locals["user"] = request.get("x-user")
        next()
      })
      app.get("/health", (_, response) => {
        response.sendStatus(listener.isClosing() ? 503 : 200)
      })
      app.all(["/mcp", ...listener.wellKnown], (request, response) => {
        listener.handle(request, response, { principal: principalOf(response.locals["user"]) })
      })
      return yield* listening(server)
    })
})

declare module "fastify" {
  interface FastifyRequest {
    user: string | undefined
  }
}

const onFastify = (name: string, prepare: (app: FastifyInstance) => void): Framework => ({
  name,
  drains: true,
  serve: (endpoint) =>
    Effect.gen(function*() {
      const app = fastify()
      yield* ending(() => app.server)
      const listener = yield* NodeHttp.makeRequestListener(endpoint)
      prepare(app)
      app.decorateRequest("user", undefined)
      app.addHook("onRequest", async (request) => {
        request.user = request.headers["x-user"]?.toString()
      })
      app.get("/health", (_, reply) => reply.code(listener.isClosing() ? 503 : 200).send())
      for (const path of ["/mcp", ...listener.wellKnown]) {
        app.all(path, ({ body, raw, user }, reply) => {
          reply.hijack()
          listener.handle(raw, reply.raw, { body, principal: principalOf(user) })
        })
      }
      yield* Effect.promise(() => app.ready())
      return yield* listening(app.server.listen(0, "127.0.0.1"))
    })
})

type Variables = { Variables: { user: string | undefined } }

const onHono = (name: string, read: (context: HonoContext<Variables>) => Promise<unknown>): Framework => ({
  name,
  drains: false,
  serve: (endpoint) =>
    Effect.gen(function*() {
      const handler = HttpRoute.webHandler(endpoint)
      const app = new Hono<Variables>()
      app.use(async (context, next) => {
        context.set("user", context.req.header("x-user"))
        await next()
      })
      app.get("/health", (context) => context.text("ok"))
      for (const path of ["/mcp", ...handler.wellKnown]) {
        app.all(path, async (context) => {
          const body = context.req.method === "POST" ? await read(context) : undefined
          return handler.handle(context.req.raw, { body, principal: principalOf(context.get("user")) })
        })
      }
      const server = yield* ending(() =>
        // It makes a server of HTTP/1.1 unless it is told otherwise.
        serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as http.Server
      )
      return yield* listening(server)
    })
})

export const frameworks: ReadonlyArray<Framework> = [
  onExpress("Express", [(_request, _response, next) => next()]),
  onExpress("Express behind express.json()", [express.json({ limit: "1mb" })]),
  onExpress("Express behind compression()", [compression({ threshold: 0 })]),
  onFastify("Fastify without a parser", (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, done) => done(null))
  }),
  onFastify("Fastify behind its parser", () => {}),
  onHono("Hono", async () => undefined),
  onHono(
    "Hono behind a parser",
    async ({ req }) => req.header("content-type") === "application/json" ? req.json() : undefined
  )
]
