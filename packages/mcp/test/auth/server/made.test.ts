/** A resource server that is made with its endpoint. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as TokenVerifier from "@parley/oauth/TokenVerifier"
import { Context, Effect, type Layer, type Scope } from "effect"
import type { HttpRouter } from "effect/http"
import { issuerUrl, resource } from "../../../../oauth/test/support/issuer.ts"

const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } }

class Issuer extends Context.Service<Issuer, { readonly url: string }>()("test/Issuer") {}

const server = McpServer.make({ name: "it", version: "1", features: [] })

/** Makes one whose tokens are all refused, and counts. */
const counted = () => {
  let made = 0
  const auth = Effect.map(Issuer, ({ url }) => {
    made++
    const verify = () => Effect.fail(TokenVerifier.refused("Inactive"))
    return ResourceServer.make({ resource, verifier: { issuers: [url], verify } })
  })
  return { auth, made: () => made }
}

describe("`auth` as an effect", () => {
  it.effect("runs once, with the endpoint, and guards every request", () =>
    Effect.gen(function*() {
      const { auth, made } = counted()
      const handle = yield* McpHttp.makeWebHandler(yield* server, { auth, access: { hosts: [new URL(resource).host] } })
      assert.strictEqual(made(), 1)
      for (const _ of [1, 2]) {
        const response = yield* Effect.promise(() => handle(new Request(resource, post)))
        assert.strictEqual(response.status, 401)
        assert.include(response.headers.get("www-authenticate"), "resource_metadata=")
      }
      const metadata = yield* Effect.promise(() =>
        handle(new Request(new URL("/.well-known/oauth-protected-resource/mcp", resource)))
      )
      assert.deepInclude(yield* Effect.promise(() => metadata.json()), { authorization_servers: [issuerUrl] })
      assert.strictEqual(made(), 1)
    }).pipe(Effect.provideService(Issuer, { url: issuerUrl })))

  it.effect("fails the endpoint with its own error", () =>
    Effect.gen(function*() {
      const failing = McpHttp.endpoint(yield* server, { auth: Effect.fail("no issuer" as const) })
      assert.strictEqual(yield* Effect.flip(failing), "no issuer")
    }))

  it("has its errors and requirements in the types", () => {
    const auth: Effect.Effect<ResourceServer.ResourceServer, "down", Issuer | Scope.Scope> = Effect.die("types only")
    const there = (server: McpServer.McpServer) => McpHttp.endpoint(server, { auth })
    expectTypeOf<ReturnType<typeof there>>().toEqualTypeOf<Effect.Effect<HttpEndpoint, "down", Issuer | Scope.Scope>>()
    const layer = () => McpHttp.layer({ auth })
    expectTypeOf<ReturnType<typeof layer>>().toEqualTypeOf<
      Layer.Layer<never, "down", HttpRouter.HttpRouter | McpServer.McpServer | Issuer>
    >()
    const open = () => McpHttp.layer({ keepAlive: "1 second" })
    expectTypeOf<ReturnType<typeof open>>().toEqualTypeOf<
      Layer.Layer<never, never, HttpRouter.HttpRouter | McpServer.McpServer>
    >()
  })
})
