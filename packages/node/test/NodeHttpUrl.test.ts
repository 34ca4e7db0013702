import { assert, describe, it } from "@effect/vitest"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { inspect } from "node:util"
import * as servers from "./support/httpServers.ts"

/** A server that tells how a call is authorized. */
const telling = servers.answering((request, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: request.headers.authorization })
  )
)

describe("the URL and headers of a caller of NodeHttp", () => {
  it.live("a user and password in the URL are credentials", () =>
    Effect.gen(function*() {
      const url = yield* telling
      const caller = yield* NodeHttp.makeCaller({ url: url.replace("//", "//me:p%40ss@") })
      assert.strictEqual(yield* caller.request("m"), `Basic ${Buffer.from("me:p@ss").toString("base64")}`)
    }))

  it.live("headers of a call are stronger than those of all, and these than credentials, however they are written", () =>
    Effect.gen(function*() {
      const url = yield* telling
      const credentials = url.replace("//", "//me:pass@")
      const authorized = (own: Readonly<Record<string, string>>) =>
        Effect.flatMap(
          NodeHttp.makeCaller({ url: credentials, headers: { Authorization: "all" } }),
          (caller) => Effect.provideService(caller.request("m"), HttpCaller.Headers, own)
        )
      assert.strictEqual(yield* authorized({}), "all")
      assert.strictEqual(yield* authorized({ AUTHORIZATION: "own" }), "own")
    }))

  it.live("a URL that is none is Open", () =>
    Effect.gen(function*() {
      for (const url of ["nowhere", "ftp://127.0.0.1", "http://me:%E0%A4%A@127.0.0.1", "http://me:secret@[here"]) {
        const failure = yield* Effect.flip(Effect.scoped(NodeHttp.makeCaller({ url })))
        assert.strictEqual(failure.reason._tag, "Open")
        assert.notInclude(inspect(failure, { depth: 10 }), "secret")
      }
    }))
})
