/** A node that ends in order while other nodes forward requests of its sessions to it. */
import { assert, describe, it } from "@effect/vitest"
import type { Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import { Effect, Fiber, Queue } from "effect"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"
import { at, cluster, visited } from "./support/cluster.ts"

const ping = web.request("ping")

describe("a node that ends in order", () => {
  for (const isStream of [false, true]) {
    it.effect(`answers the calls of its sessions that came through another node, ${isStream ? "by a" : "without"} stream`, () =>
      Effect.gen(function*() {
        const { owner, there } = yield* visited()
        const pending = yield* Effect.forkChild(there.post(web.call("wait", { name: "a" })))
        const { finish, tell } = yield* Queue.take(owner.waiting)
        if (isStream) tell("one")
        const ending = yield* Effect.forkChild(Effect.andThen(owner.drain, owner.close), { startImmediately: true })
        yield* settled
        assert.isUndefined(ending.pollUnsafe())
        finish("done")
        const answer = yield* Fiber.join(pending)
        if (isStream) assert.strictEqual((yield* answer.read.message).params?.["data"], "one")
        assert.strictEqual(web.textOf(yield* isStream ? answer.read.message : answer.json), "done")
        yield* Fiber.join(ending)
        assert.strictEqual((yield* there.post(ping)).status, 200)
      }))
  }

  it.effect("ends streams that it forwards when its own time is over, and their clients come back for the rest", () =>
    Effect.gen(function*() {
      const { here, other, owner } = yield* visited()
      const headers: web.Headers = { ...here.headers, accept: web.both, "content-type": "application/json" }
      const head: RequestRules.Head = {
        method: "POST",
        url: "/mcp",
        address: undefined,
        header: (name) => headers[name],
        names: () => Object.keys(headers)
      }
      const written = yield* Queue.unbounded<string>()
      let over = () => {}
      const responder: Responder = {
        start: () => Effect.void,
        write: (piece) => Effect.sync(() => Queue.offerUnsafe(written, String(piece))),
        toStream: () => undefined,
        onDraining: (hear) => {
          over = () => hear("over")
          return () => {}
        }
      }
      const text = JSON.stringify(web.call("wait", { name: "a" }))
      const pending = yield* Effect.forkChild(other.endpoint.answer(head, text, responder))
      const { finish, tell } = yield* Queue.take(owner.waiting)
      tell("one")
      let events = ""
      while (!events.includes("one")) events += yield* Queue.take(written)
      over()
      const { status, ...reply } = yield* Fiber.join(pending)
      assert.deepStrictEqual([status, "body" in reply && reply.body], [200, undefined])
      const rest = yield* here.get([...events.matchAll(/^id: (.*)$/gm)].at(-1)?.[1])
      finish("done")
      assert.strictEqual(web.textOf(yield* rest.read.message), "done")
    }))

  it.effect("lets go of sessions without a call at once, and of the others when their calls have ended", () =>
    Effect.gen(function*() {
      const { nodes: [owner, other] } = yield* cluster()
      const [idle, busy] = [yield* web.visit(owner.client), yield* web.visit(owner.client)]
      // Whoever reads a stream is not waited for.
      const standing = yield* at(idle, other).get()
      yield* standing.read.next
      const pending = yield* Effect.forkChild(at(busy, other).post(web.call("wait", { name: "a" })))
      const { finish } = yield* Queue.take(owner.waiting)
      const draining = yield* Effect.forkChild(owner.drain, { startImmediately: true })
      yield* settled
      yield* standing.read.rest
      assert.strictEqual((yield* at(idle, other).post(ping)).status, 200)
      const keyOf = ({ id }: web.Visitor) => `mcp/sample/session/${id}`
      assert.strictEqual(yield* owner.mesh.owner(keyOf(idle)), other.mesh.node)
      assert.strictEqual(yield* owner.mesh.owner(keyOf(busy)), owner.mesh.node)
      // What belongs to the call reaches it all the same.
      assert.strictEqual((yield* at(busy, other).post(ping)).status, 200)
      finish("done")
      assert.strictEqual((yield* Fiber.join(pending)).status, 200)
      yield* Fiber.join(draining)
      assert.strictEqual((yield* at(busy, other).post(ping)).status, 200)
      assert.strictEqual(yield* owner.mesh.owner(keyOf(busy)), other.mesh.node)
    }))
})
