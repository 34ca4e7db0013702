import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Schedule } from "effect"
import { readdir } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { browser } from "../../../../mcp-gateway/test/logins/support/browser.ts"
import { protect } from "../../../../mcp/test/auth/server/support/served.ts"
import { serve } from "../../../../oauth/test/support/authorizationServer.ts"
import * as Parley from "../../Parley.ts"
import { configured } from "./configured.ts"

/** A port that nobody uses: the gateway is a resource whose URL is known before it listens. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? address?.port ?? 0 : 0)))
  })
})

describe("parley mcp gateway", () => {
  it.live("lets each user act at a server with tokens of their own", () =>
    Effect.gen(function*() {
      const { issuer } = yield* serve("jwt")
      const mail = yield* protect("opaque")
      const listen = `127.0.0.1:${yield* freePort}`
      const resource = `http://${listen}/mcp`
      const { file, folder } = yield* configured({
        servers: { mail: { url: mail.url.href, credentials: "user" } },
        listen,
        auth: { issuer, resource, scopes: ["files:read"] }
      })
      const runtime: Parley.Runtime = ["/usr/bin/env", `XDG_STATE_HOME=${folder}`, process.execPath]
      const running = yield* Parley.start(["mcp", "gateway", file], runtime)
      assert.include(yield* running.line, listen)
      const ada = browser("ada")
      const redirectUri = "http://127.0.0.1:9/back"
      const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
        name: "ada",
        version: "1",
        url: resource,
        auth: {
          grant: {
            _tag: "AuthorizationCode",
            redirectUri,
            registration: { client_name: "ada" },
            authorize: ({ url }) => Effect.map(ada.open(url, (at) => at.href.startsWith(redirectUri)), ({ url }) => url)
          }
        }
      })
      const error: { readonly data: { readonly url: string } } = Object(
        yield* Effect.flip(client.callTool("mail_sign_in"))
      )
      assert.match(error.data.url, new RegExp(`^http://${listen}/login\\?ticket=`))
      assert.deepInclude(yield* ada.open(error.data.url), { status: 200 })
      const { content } = yield* Effect.retry(client.callTool("mail_whoami"), {
        times: 50,
        schedule: Schedule.spaced("100 millis")
      })
      assert.include(JSON.stringify(content), `${mail.issuer} ada`)
      assert.isAbove((yield* Effect.promise(() => readdir(join(folder, "parley", "users")))).length, 0)
    }), 60_000)
})
