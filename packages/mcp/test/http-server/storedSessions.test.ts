import { assert, describe, it } from "@effect/vitest"
import type * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Logger, Option, type Schema } from "effect"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const ping = web.request("ping")

/** A store in a Map. */
const storeOf = (records: Map<string, SessionStore.SessionRecord>): SessionStore.SessionStore => ({
  get: (id) => Effect.sync(() => Option.fromUndefinedOr(records.get(id))),
  fence: () => Effect.void,
  put: (id, record) => Effect.sync(() => records.set(id, record).has(id)),
  remove: (id) => Effect.sync(() => records.delete(id))
})

/** A session of another process, as its store has it. */
const stored = Effect.gen(function*() {
  const records = new Map<string, SessionStore.SessionRecord>()
  const { headers, id } = yield* web.visit(yield* web.open({ store: storeOf(records) }))
  return { headers, id, record: records.get(id)! }
})

describe("a session of another process", () => {
  it.effect("is not taken over when it is over, though nobody has removed it", () =>
    Effect.gen(function*() {
      const { headers, id, record } = yield* stored
      const statusAfter = (hours: number) =>
        Effect.gen(function*() {
          const store = storeOf(new Map([[id, { ...record, used: record.used - hours * 3_600_000 }]]))
          const client = yield* web.open({ store, sessions: { idle: "2 hours" } })
          return (yield* client.post(ping, headers)).status
        })
      assert.strictEqual(yield* statusAfter(1), 200)
      assert.strictEqual(yield* statusAfter(4), 404)
    }))

  it.effect("is not taken over by a server of another name that has the same store", () =>
    Effect.gen(function*() {
      const { headers, id, record } = yield* stored
      const statusAt = (name: string) =>
        Effect.gen(function*() {
          const server = yield* McpServer.make({ name, version: "1", features: [] })
          const client = yield* web.open({ store: storeOf(new Map([[id, record]])) }, server)
          return (yield* client.post(ping, headers)).status
        })
      assert.strictEqual(yield* statusAt("sample"), 200)
      assert.strictEqual(yield* statusAt("other"), 404)
    }))

  it.effect("is not taken over where there are as many as may be, and all are at work", () =>
    Effect.gen(function*() {
      const { headers, id, record } = yield* stored
      const client = yield* web.open({ store: storeOf(new Map([[id, record]])), sessions: { max: 1 } })
      const reading = yield* web.visit(client)
      const standing = yield* reading.get()
      assert.strictEqual((yield* client.post(ping, headers)).status, 503)
      assert.strictEqual((yield* reading.post(ping)).status, 200)
      standing.abort()
      assert.strictEqual((yield* client.post(ping, headers)).status, 200)
    }))
})

/** Two processes with one store, a session of both, and lines of the log that are warnings. */
const two = Effect.fnUntraced(function*(revision = "2025-11-25", server?: McpServer.McpServer) {
  const warnings: Array<unknown> = []
  const store = storeOf(new Map())
  const logged = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(message)
    })
  ])
  const open = Effect.provide(web.open({ store }, server), logged)
  const first = yield* open
  const second = yield* open
  const { headers } = yield* web.visit(first, revision, { elicitation: {}, roots: {} })
  const ask = Effect.fnUntraced(function*(client: web.Client) {
    const answer = yield* client.post(web.call("name"), headers)
    return { answer, id: (yield* answer.read.message).id ?? null }
  })
  const reply = (client: web.Client, id: Schema.Json) => client.post(replyOf(id), headers)
  return { first, second, headers, ask, reply, warnings }
})

const replyOf = (id: Schema.Json) => ({ jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } })

describe("an answer that reaches another process than the one that asked", () => {
  it.effect("is refused, says so, and leaves the session and the question as they are", () =>
    Effect.gen(function*() {
      const { ask, first, headers, reply, second, warnings } = yield* two()
      const { answer, id } = yield* ask(first)
      const refused = yield* reply(second, id)
      assert.strictEqual(refused.status, 409)
      const said = yield* refused.json
      const { error } = said
      assert.sameMembers(Object.keys(said), ["jsonrpc", "error"])
      assert.strictEqual(error?.code, -32600)
      assert.match(error?.message ?? "", /^No request of this process has this id: another/)
      assert.strictEqual((yield* second.post(ping, headers)).status, 200)
      assert.strictEqual((yield* reply(first, id)).status, 202)
      assert.strictEqual(web.textOf(yield* answer.read.message), "Ada")
      assert.strictEqual((yield* reply(second, id)).status, 409)
      assert.strictEqual(warnings.length, 1)
      assert.match(String(warnings[0]), /Mcp-Session-Id/)
    }))

  it.effect("is refused, too, if it is an error, or malformed, or has company", () =>
    Effect.gen(function*() {
      const folders = McpTool.make(
        "name",
        {},
        (_, call) => Effect.map(call.listRoots(), (roots) => roots[0]?.name ?? "")
      )
      const server = yield* McpServer.make({ name: "s", version: "1", features: [folders] })
      const { ask, first, headers, second } = yield* two("2025-03-26", server)
      const { id } = yield* ask(first)
      const own = yield* ask(second)
      const status = (message: Schema.Json) => Effect.map(second.post(message, headers), ({ status }) => status)
      assert.strictEqual(yield* status({ jsonrpc: "2.0", id, error: { code: -1, message: "no" } }), 409)
      assert.strictEqual(yield* status({ jsonrpc: "2.0", id, error: "no" }), 409)
      const roots = (id: Schema.Json) => ({
        jsonrpc: "2.0",
        id,
        result: { roots: [{ uri: "file:///home", name: "home" }] }
      })
      assert.strictEqual(yield* status([roots(id), roots(own.id)]), 409)
      // The question of this process is answered all the same.
      assert.strictEqual(web.textOf(yield* own.answer.read.message), "home")
      // An error that answers nothing in particular is no answer to another process.
      assert.strictEqual(yield* status({ jsonrpc: "2.0", id: null, error: { code: -1, message: "no" } }), 202)
    }))

  it.effect("is never taken for the answer to a question of this one", () =>
    Effect.gen(function*() {
      const { ask, first, reply, second } = yield* two()
      const one = yield* ask(first)
      const other = yield* ask(second)
      assert.notStrictEqual(one.id, other.id)
      assert.strictEqual((yield* reply(second, one.id)).status, 409)
      assert.strictEqual((yield* reply(second, other.id)).status, 202)
      assert.strictEqual(web.textOf(yield* other.answer.read.message), "Ada")
    }))
})

describe("an answer that comes late", () => {
  it.effect("is taken without a word where it was asked, with a store and without", () =>
    Effect.gen(function*() {
      const { ask, first, reply, warnings } = yield* two()
      const { answer, id } = yield* ask(first)
      yield* reply(first, id)
      yield* answer.read.rest
      assert.strictEqual((yield* reply(first, id)).status, 202)
      assert.deepStrictEqual(warnings, [])
      const { server } = yield* sample
      const visitor = yield* web.visit(yield* web.open({}, server))
      assert.strictEqual((yield* visitor.post(replyOf(1))).status, 202)
    }))
})
