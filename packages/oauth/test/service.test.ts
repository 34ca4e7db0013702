/** A service of JSON-RPC that takes access tokens, its clients, and a real authorization server: no MCP is loaded. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import * as NodeHttp from "@parley/node/NodeHttp"
import { AccessToken, Scopes } from "@parley/oauth/AccessToken"
import * as ClientAuthorization from "@parley/oauth/ClientAuthorization"
import * as Grant from "@parley/oauth/Grant"
import * as IntrospectionVerifier from "@parley/oauth/IntrospectionVerifier"
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import * as ProofVerifier from "@parley/oauth/ProofVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import { Caller } from "@parley/peer/Caller"
import * as Router from "@parley/peer/Router"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Layer, Logger, Option, Redacted, type Scope } from "effect"
import { HttpRouter } from "effect/http"
import { join } from "node:path"
import { loadingOf } from "../../../tools/architecture/loading.ts"
import { machine, person, redirectUri, serve, visit } from "./support/authorizationServer.ts"
import { issuerUrl, resource } from "./support/issuer.ts"
import { protect } from "./support/protected.ts"

const handlers: Router.Handlers = {
  whoAmI: () =>
    Effect.gen(function*() {
      const token = yield* Handshake.principal(AccessToken)
      const scopes = yield* Effect.map(
        Handshake.Current,
        (current) => current === undefined ? [] : [...Context.get(current.principal, Scopes)]
      )
      return [Option.getOrThrow(token).subject, ...scopes]
    })
}

/** A service at a port, for which every client needs `files:read`. */
const service = Effect.fnUntraced(function*(
  format: "jwt" | "opaque",
  options: Partial<ResourceServer.ResourceServerOptions> = {}
): Effect.fn.Return<{ readonly url: string; readonly issuer: string }, never, Scope.Scope> {
  const { issuer } = yield* serve(format)
  const fetcher = yield* Effect.orDie(NodeHttp.makeFetcher())
  const verifier = format === "jwt"
    ? yield* JwtVerifier.make(fetcher, { issuer })
    : yield* IntrospectionVerifier.make(fetcher, {
      issuer,
      client: { id: machine.id, secret: Redacted.make(machine.secret) }
    })
  const route = Layer.unwrap(Effect.map(NodeHttp.NodeHost, ({ address }) => {
    const auth = ResourceServer.make({
      resource: `${address}/rpc`,
      verifier,
      required: ["files:read"],
      scopes: ["files:read", "files:write"],
      ...options
    })
    return NodeHttp.layerRoute({ path: "/rpc", ...ResourceServer.guard(auth) })
  }))
  const host = NodeHttp.layerHost({ port: 0 }, Layer.provide(route, Router.layer(handlers)))
  const { address } = Context.get(yield* Effect.orDie(Layer.build(host)), NodeHttp.NodeHost)
  return { url: `${address}/rpc`, issuer }
}, Effect.provide(Logger.layer([])))

/** What the service says of a client. */
const whoAmI = (url: string, auth: ClientAuthorization.ClientAuthorization) =>
  Effect.provide(
    Caller.use((caller) => caller.request("whoAmI")),
    HttpCaller.layerOver(
      Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) => ClientAuthorization.makeFetcher(fetcher, { ...auth, url })),
      { url }
    )
  )

const program = (secret = machine.secret) =>
  Grant.clientCredentials({
    client: { clientId: machine.id, credential: { _tag: "Secret", secret: Redacted.make(secret) } }
  })

describe("a service of JSON-RPC behind a guard", () => {
  for (const format of ["jwt", "opaque"] as const) {
    it.live(`knows a person who signs in, and a program with a secret, where tokens are ${format}`, () =>
      Effect.gen(function*() {
        const { url } = yield* service(format)
        const grant = Grant.authorizationCode({
          client: { clientId: person },
          redirectUri,
          authorize: ({ url }) => Effect.promise(() => visit(new URL(url)))
        })
        assert.deepStrictEqual(yield* whoAmI(url, { grant }), ["ada", "files:read"])
        assert.deepStrictEqual(yield* whoAmI(url, { grant: program() }), [machine.id, "files:read"])
      }))
  }

  it.live("takes tokens that are bound to the key of a client", () =>
    Effect.gen(function*() {
      const { url } = yield* service("jwt", {
        proofs: yield* ProofVerifier.make({ isRequired: true, nonce: "random" })
      })
      assert.deepStrictEqual(yield* whoAmI(url, { grant: program() }), [machine.id, "files:read"])
      const loose = yield* Effect.flip(whoAmI(url, { grant: program(), dpop: false }))
      assert.strictEqual(loose._tag === "Disconnected" && ClientAuthorization.failureOf(loose)?.reason._tag, "Rejected")
    }))

  it.live("says to a client why it has no token, without the secret", () =>
    Effect.gen(function*() {
      const { url } = yield* service("jwt")
      const error = yield* Effect.flip(whoAmI(url, { grant: program("wr0ng") }))
      const reason = error._tag === "Disconnected" ? ClientAuthorization.failureOf(error)?.reason : undefined
      assert.deepInclude(reason, { _tag: "Refused", error: "invalid_client" })
      assert.notInclude(JSON.stringify(error), "wr0ng")
    }))
})

describe("a guard", () => {
  const post = (headers: Readonly<Record<string, string>>) =>
    new Request(resource, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: `{"jsonrpc":"2.0","id":1,"method":"whoAmI"}`
    })

  const hosts: ReadonlyArray<
    readonly [string, (options: HttpEndpoint.JsonRpcEndpointOptions) => Effect.Effect<Answering, never, Scope.Scope>]
  > = [
    ["a Web handler", (options) => Effect.map(router, (router) => HttpRoute.toWebHandler(router, options))],
    ["an HttpRouter of Effect", (options) =>
      Effect.map(router, (router) => {
        const layer = Layer.provide(HttpRoute.layer({ path: "/mcp", ...options }), Layer.succeed(Router.Router, router))
        const { handler } = HttpRouter.toWebHandler(layer, { disableLogger: true })
        return (request: Request) => handler(request)
      })]
  ]

  type Answering = (request: Request) => Promise<Response>

  const router = Effect.orDie(Effect.tap(Router.make(), (router) => router.addAll(handlers)))

  it.live.each(hosts)(
    "in %s lets nobody in without a token, and tells where tokens come from",
    ([, open]) =>
      Effect.gen(function*() {
        const { auth, headersWith } = yield* protect()
        const hosts = [new URL(resource).host]
        const answer = yield* open({ ...ResourceServer.guard(auth, { access: { hosts } }), access: { hosts } })
        const send = (request: Request) => Effect.promise(() => answer(request))

        const refused = yield* send(post({}))
        assert.strictEqual(refused.status, 401)
        const place = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? ""
        const metadata = yield* send(new Request(place, { headers: { origin: "https://app.example.org" } }))
        assert.strictEqual(metadata.headers.get("access-control-allow-origin"), "*")
        assert.deepInclude(yield* Effect.promise(() => metadata.json()), {
          resource,
          authorization_servers: [issuerUrl]
        })

        const taken = yield* send(post(yield* headersWith()))
        assert.deepInclude(yield* Effect.promise(() => taken.json()), { result: ["ada", "files:read", "files:write"] })
      }).pipe(Effect.provide(Logger.layer([])))
  )
})

it("no MCP is loaded", () => {
  const root = join(import.meta.dirname, "../../..")
  const loaded = [...loadingOf(root, "@parley/oauth").keys()]
  assert.isAbove(loaded.length, 0)
  assert.deepStrictEqual(loaded.filter((module) => module.startsWith("@parley/mcp")), [])
})
