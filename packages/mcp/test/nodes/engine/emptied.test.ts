/** An engine of the mesh that comes back without what it knew, is away, or takes nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Overloaded } from "@parley/mesh/Mesh"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "../../http-server/support/sample.ts"
import * as web from "../../http-server/support/web.ts"
import { settled } from "../../support/settled.ts"
import { at, cluster } from "../support/cluster.ts"

const ping = web.request("ping")

describe("an engine that comes back empty, with the journal", () => {
  it.effect("has no session said to be gone whose owner lives", () =>
    Effect.gen(function*() {
      let isEmptied = false
      const { engine, nodes: [owner, other] } = yield* cluster({}, undefined, (store) => ({
        ...store,
        get: (id) => Effect.suspend(() => isEmptied ? Effect.succeedNone : store.get(id))
      }))
      const here = yield* web.visit(owner.client)
      const there = at(here, other)
      const back = engine.stop()
      isEmptied = true
      back(true)
      const statuses = new Set<number>()
      for (let times = 0; times < 20; times++) {
        const answer = yield* there.post(ping)
        statuses.add(answer.status)
        if (answer.status === 503) {
          assert.match(yield* answer.text, /^It is not known now which process has this session/)
          assert.strictEqual(answer.header("retry-after"), "1")
        }
        yield* TestClock.adjust("250 millis")
        yield* settled
      }
      assert.deepStrictEqual([...statuses], [503, 200])
      // One that nobody has is said to be gone, once owners had their time.
      const unknown = at({ ...here, headers: { ...here.headers, "mcp-session-id": crypto.randomUUID() } }, other)
      assert.strictEqual((yield* unknown.post(ping)).status, 404)
    }))
})

describe("a session that cannot begin", () => {
  it.effect("since the engine takes no claim is not one too many", () =>
    Effect.gen(function*() {
      const { nodes: [owner] } = yield* cluster({}, (engine) => ({
        ...engine,
        claim: (key) => Effect.fail(new Overloaded({ key, reason: "Redis says: OOM" }))
      }))
      const answer = yield* owner.client.post(web.handshake("2025-11-25"))
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.header("retry-after"), "1")
      assert.match(yield* answer.text, /^No session can begin now/)
    }))

  it.effect("since there are too many is told so", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.alone({ sessions: { max: 1 } } satisfies McpHttp.McpHttpOptions, server)
      const first = yield* web.visit(client)
      yield* first.post(web.call("echo", { text: "a" }))
      const answer = yield* client.post(web.handshake("2025-11-25"))
      assert.deepStrictEqual([answer.status, answer.header("retry-after")], [503, "10"])
      assert.match(yield* answer.text, /^There are too many sessions/)
    }))
})
