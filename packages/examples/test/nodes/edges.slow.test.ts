/** What a trial expects of an edge, whichever it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as http from "node:http"
import { suites } from "../../../../tools/debian/Programs.ts"
import { eventually } from "../../../../tools/test/pages/Page.ts"
import { type Edge, readyPath } from "../../src/nodes/cluster/Edge.ts"
import * as Haproxy from "../../src/nodes/cluster/Haproxy.ts"
import { guestHeader, listen } from "../../src/nodes/cluster/Passages.ts"
import * as Rotation from "../../src/nodes/cluster/Rotation.ts"
import * as Printed from "./printed.ts"

/** The paths that were asked for and have no answer, with the names of the nodes. */
const waits = new Map<string, string>()

/** A node that answers with its name, and a path for waiting never. */
const join = Effect.fnUntraced(function*(edge: Edge, name: string) {
  const state = { isReady: true, isFrozen: false }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      http.createServer(({ url = "" }, response) => {
        if (state.isFrozen) return
        if (url === readyPath) return void response.writeHead(state.isReady ? 200 : 503).end()
        if (url === "/mcp") return void response.end(name)
        waits.set(url, name)
        response.writeHead(200)
        response.flushHeaders()
      })
    ),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  )
  const port = yield* Effect.promise(() => listen(server))
  const ended = once(server, "close")
  yield* edge.add({ name, address: `http://127.0.0.1:${port}`, ended })
  const kill = Effect.promise(async () => {
    server.close().closeAllConnections()
    await ended
  })
  return { state, kill }
})

/** The text of an answer, its status where that is a refusal, or `cut` where its connection has ended before. */
const ask = (edge: Edge, path = "/mcp"): Effect.Effect<string> =>
  Effect.promise(async () => {
    const headers = { [guestHeader]: "guest", "mcp-session-id": "session", "content-type": "text/plain" }
    try {
      const response = await fetch(new URL(path, edge.url), { method: "POST", body: "x", headers })
      return response.ok ? await response.text() : String(response.status)
    } catch {
      return "cut"
    }
  })

/** The answers to twelve requests, each once. */
const answers = (edge: Edge): Effect.Effect<string> =>
  Effect.map(Effect.replicateEffect(ask(edge), 12), (all) => [...new Set(all)].sort().join())

const answeredBy = (edge: Edge, names: string) =>
  eventually(Effect.filterOrFail(answers(edge), (answers) => answers === names))

/** A request that waits at this node for its answer. */
const waitAt = Effect.fnUntraced(function*(edge: Edge, node: string) {
  for (;;) {
    const path = `/wait-${randomUUID()}`
    const asked = yield* Effect.forkChild(ask(edge, path), { startImmediately: true })
    const name = yield* eventually(Effect.suspend(() => Effect.fromNullishOr(waits.get(path))))
    if (name === node) return asked
  }
})

const holds = (make: Effect.Effect<Edge, never, Scope.Scope>) => {
  it.live("sends requests to the nodes that are ready, or to all where none is, and writes down where they went", () =>
    Effect.gen(function*() {
      const edge = yield* make
      const [one, two, three] = yield* Effect.all([join(edge, "one"), join(edge, "two"), join(edge, "three")])
      yield* answeredBy(edge, "one,three,two")
      one.state.isReady = false
      yield* answeredBy(edge, "three,two")
      two.state.isReady = false
      three.state.isReady = false
      yield* answeredBy(edge, "one,three,two")
      assert.deepStrictEqual(edge.notices, [])
      assert.strictEqual([...new Set(edge.passages.map(({ node }) => node))].sort().join(), "one,three,two")
      for (const { from, guest, session, to } of edge.passages) {
        assert.deepStrictEqual([guest, session], ["guest", "session"])
        assert.isAtLeast(to, from)
      }
    }))

  it.live("cuts whoever waits for a dead or severed node and nobody else, and sends what a node refuses to another", () =>
    Effect.gen(function*() {
      const edge = yield* make
      const [, two, three] = yield* Effect.all([join(edge, "one"), join(edge, "two"), join(edge, "three")])
      yield* answeredBy(edge, "one,three,two")
      const atOne = yield* waitAt(edge, "one")
      const atTwo = yield* waitAt(edge, "two")
      const noticed = (names: string) =>
        eventually(Effect.filterOrFail(
          Effect.sync(() => [...new Set(edge.notices.map(({ node }) => node))].join()),
          (noticed) => noticed === names
        ))

      yield* three.kill
      assert.strictEqual(yield* answers(edge), "one,two")
      yield* noticed("three")
      edge.remove("three")
      yield* join(edge, "four")
      yield* answeredBy(edge, "four,one,two")

      two.state.isFrozen = true
      assert.strictEqual(yield* Fiber.join(atTwo), "cut")
      yield* noticed("three,two")
      yield* answeredBy(edge, "four,one")

      assert.isUndefined(atOne.pollUnsafe())
      edge.sever("one")
      assert.strictEqual(yield* Fiber.join(atOne), "cut")
      yield* answeredBy(edge, "four,one")
      yield* noticed("three,two")
    }))
}

describe("the edge of this program", () => {
  holds(Rotation.make)
})

describe("HAProxy with the configuration of the page", () => {
  suites([Printed.needed], () => holds(Effect.flatMap(Printed.file("edges"), Haproxy.make)))
})
