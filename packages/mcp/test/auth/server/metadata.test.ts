import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import type { ResourceServer } from "@parley/oauth/ResourceServer"
import { Effect, type Scope } from "effect"
import { protect } from "../../../../oauth/test/support/protected.ts"
import { places } from "../../http-server/support/places.ts"
import * as web from "../../http-server/support/web.ts"
import { features } from "./support/protected.ts"

interface Host {
  readonly name: string
  readonly open: (auth: ResourceServer) => Effect.Effect<(path: string) => web.Client, never, Scope.Scope>
}

const hosts: ReadonlyArray<Host> = [
  {
    name: "the Web handler",
    open: Effect.fnUntraced(function*(auth) {
      const { server } = yield* features()
      const handle = yield* McpHttp.makeWebHandler(server, { auth })
      return (path) => web.over(`http://localhost${path}`, handle)
    })
  },
  ...places.map(({ name, serve }): Host => ({
    name,
    open: Effect.fnUntraced(function*(auth) {
      const { server } = yield* features()
      const url = yield* serve(server, { auth })
      return (path) => web.over(new URL(path, url).href, fetch)
    })
  }))
]

for (const { name, open } of hosts) {
  describe(`the metadata of a protected endpoint in ${name}`, () => {
    it.live("are where clients look, for pages of any origin, and the endpoint says where", () =>
      Effect.gen(function*() {
        const { auth, headersWith } = yield* protect({ scopes: ["files:read"] })
        const at = yield* open(auth)
        for (const path of auth.paths) {
          const answer = yield* at(path).send("GET", { origin: "https://app.example.org" })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.header("content-type"), "application/json")
          assert.strictEqual(answer.header("access-control-allow-origin"), "*")
          assert.deepStrictEqual(yield* answer.json, JSON.parse(JSON.stringify(auth.metadata)))
          const preflight = yield* at(path).send("OPTIONS", {
            origin: "https://app.example.org",
            "access-control-request-method": "GET",
            "access-control-request-headers": "mcp-protocol-version"
          })
          assert.strictEqual(preflight.status, 204)
          assert.strictEqual(preflight.header("access-control-allow-headers"), "mcp-protocol-version")
          const posted = yield* at(path).send("POST", {}, "{}")
          assert.strictEqual(posted.status, 405)
          yield* posted.text
        }
        const refused = yield* web.modern(at("/mcp"), "tools/list")
        yield* refused.text
        assert.strictEqual(refused.status, 401)
        assert.strictEqual(
          refused.header("www-authenticate"),
          `Bearer resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource/mcp"`
        )
        const headers = yield* headersWith()
        const answer = yield* web.modern(at("/mcp"), "tools/call", { name: "write", arguments: {} }, headers)
        assert.strictEqual(web.textOf(yield* answer.json), "written")
      }))
  })
}
