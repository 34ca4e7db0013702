import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { fork } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stores } from "./support/kept.ts"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "parley-mcp-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

interface Holder {
  readonly url: string
  readonly kill: Effect.Effect<void>
}

const holder = (path: string): Effect.Effect<Holder, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => fork(fileURLToPath(new URL("fixtures/holder.ts", import.meta.url)), [path])),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.flatMap((child) =>
    Effect.callback<Holder>((resume) => {
      const kill = Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
      child.once("message", (url) => resume(Effect.succeed({ url: String(url), kill })))
      child.once("exit", (code) => resume(Effect.die(new Error(`it ended with ${code}`))))
    })
  ))

describe("a second process that has the same store", () => {
  it.live("goes on with the sessions of one that was killed, and with their streams", () =>
    Effect.gen(function*() {
      const path = yield* directory
      const first = yield* holder(path)
      const before = yield* web.visit(web.over(first.url, fetch), "2025-11-25", { elicitation: { form: {} } })
      yield* before.post(web.request("logging/setLevel", { level: "warning" }))
      const standing = yield* before.get()
      yield* standing.read.next
      const { read } = yield* before.post(web.call("speak"))
      for (const text of ["one", "two"]) assert.strictEqual((yield* read.message).params?.["data"], text)
      const lastId = read.lastId()
      assert.strictEqual((yield* read.message).params?.["data"], "three")
      yield* first.kill

      const { server } = yield* sample
      const client = yield* web.open(yield* stores(path), server)
      const after = (message: web.Json) => client.post(message, before.headers)
      const missed = yield* client.send("GET", { ...before.headers, "last-event-id": lastId })
      assert.strictEqual((yield* missed.read.message).params?.["data"], "three")
      // What was agreed on holds: who the client is, and what it can do.
      const asked = yield* after(web.call("name"))
      const ask = yield* asked.read.message
      assert.strictEqual(ask.method, "elicitation/create")
      yield* after({ jsonrpc: "2.0", id: ask.id ?? null, result: { action: "decline" } })
      assert.strictEqual(web.textOf(yield* asked.read.message), "Declined")
      // Who comes back for its standing stream hears of changes here.
      const resumed = yield* client.send("GET", { ...before.headers, "last-event-id": standing.read.lastId() })
      yield* resumed.read.next
      yield* server.listChanged("tools")
      assert.strictEqual((yield* resumed.read.message).method, "notifications/tools/list_changed")
      // The end of the session is one for all.
      assert.strictEqual((yield* client.send("DELETE", before.headers)).status, 204)
      yield* resumed.read.rest
      while ((yield* Effect.promise(() => readdir(path))).length > 0) yield* Effect.yieldNow
      assert.strictEqual((yield* after(web.request("ping"))).status, 404)
    }))

  it.live("gives a session to nobody but who began it", () =>
    Effect.gen(function*() {
      const kept = yield* stores(yield* directory)
      const options = { ...kept, authorize: web.byAuthorization }
      const first = yield* web.visit(yield* web.open(options), "2025-06-18", {}, { authorization: "ann" })
      const second = yield* web.open(options)
      const ping = (headers: web.Headers) =>
        Effect.map(second.post(web.request("ping"), { ...first.headers, ...headers }), ({ status }) => status)
      assert.strictEqual(yield* ping({ authorization: "bob" }), 404)
      assert.strictEqual(yield* ping({}), 200)
      assert.strictEqual(yield* ping({ authorization: "bob" }), 404)
    }))
})
