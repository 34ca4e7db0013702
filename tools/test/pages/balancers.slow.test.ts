/** The configurations of docs/how-to/deploy-a-service.md in front of two processes. */
import { assert, describe, it } from "@effect/vitest"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { type Caller, Peer, Router } from "@parley/peer"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, type Schema, Scope } from "effect"
import { suites } from "../../debian/Programs.ts"
import * as Balancer from "./Balancer.ts"
import * as Page from "./Page.ts"

const page = "docs/how-to/deploy-a-service.md"

/** A process in the place of one behind the balancer: it says who it is, and tells progress before it is let go on. */
const node = (name: string, go: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const methods = Router.layer({
      who: () => Effect.succeed(name),
      size: ({ params }) => Effect.succeed(JSON.stringify(params).length),
      work: ({ progress }) => Effect.as(Effect.andThen(Effect.orDie(progress({ value: name })), go), name)
    })
    const routes = Layer.mergeAll(NodeHttp.layerRoute({ path: "/rpc" }), NodeWebSocket.layerRoute({ path: "/rpc" }))
    const host = NodeHttp.layerHost({ port: 0, health: "/health" }, routes).pipe(Layer.provide(methods))
    const { port } = Context.get(yield* Layer.buildWithScope(host, scope), NodeHttp.NodeHost)
    return { name, port, end: Scope.close(scope, Exit.void) }
  }).pipe(Effect.provide(Logger.layer([])))

/** Two processes behind a balancer, at its own address. */
const balanced = (balancer: Balancer.Balancer) =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const nodes = yield* Effect.forEach(["one", "two"], (name) => node(name, Deferred.await(gate)))
    const { ended, port } = yield* Balancer.start(
      balancer,
      Page.block(page, balancer.needed.program, "10.0.0.11"),
      nodes.map(({ port }) => port)
    )
    const caller = yield* NodeHttp.makeCaller({ url: `http://127.0.0.1:${port}/rpc` })
    yield* Effect.raceFirst(Page.eventually(caller.request("who")), ended)
    return { caller, gate, nodes, port }
  })

/** A call that a process holds until the gate opens, and which process that is. */
const working = (caller: Caller.Caller) =>
  Effect.gen(function*() {
    const told = yield* Deferred.make<string>()
    const onProgress = (params: Schema.Json) => Deferred.doneUnsafe(told, Effect.succeed(String(Object(params).value)))
    const call = yield* Effect.forkChild(caller.request("work", {}, { onProgress }), { startImmediately: true })
    return { call, name: yield* Deferred.await(told) }
  })

/** The processes that answer ten calls, one after the other. */
const ten = (caller: Caller.Caller) => Effect.forEach(Array.from({ length: 10 }), () => caller.request("who"))

for (const balancer of Balancer.balancers) {
  suites([balancer.needed], () => {
    describe(balancer.needed.program, () => {
      it.live("passes calls over HTTP and over WebSockets, to both processes", () =>
        Effect.gen(function*() {
          const { caller, port } = yield* balanced(balancer)
          const names = new Set<unknown>()
          while (names.size < 2) {
            const some = Effect.forEach([1, 2, 3, 4], () => caller.request("who"), { concurrency: "unbounded" })
            for (const name of yield* Page.eventually(some)) names.add(name)
          }
          assert.deepStrictEqual([...names].toSorted(), ["one", "two"])
          const socket = yield* NodeWebSocket.makeTransport({ url: `ws://127.0.0.1:${port}/rpc` })
          const peer = yield* Peer.make(socket)
          assert.oneOf(yield* peer.request("who"), ["one", "two"])
        }))

      it.live("passes bodies beyond a mebibyte", () =>
        Effect.gen(function*() {
          const { caller } = yield* balanced(balancer)
          assert.strictEqual(yield* caller.request("size", ["x".repeat(2_000_000)]), 2_000_004)
        }))

      it.live("passes progress on as it comes", () =>
        Effect.gen(function*() {
          const { caller, gate } = yield* balanced(balancer)
          const { call, name } = yield* working(caller)
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual(yield* Fiber.join(call), name)
        }))

      it.live("lets a process drain, which gets no new calls where its health is asked for", () =>
        Effect.gen(function*() {
          const { caller, gate, nodes } = yield* balanced(balancer)
          const { call, name } = yield* working(caller)
          yield* Effect.forkChild(nodes.find((node) => node.name === name)?.end ?? Effect.void)
          const others = Effect.filterOrFail(ten(caller), (names) => !names.includes(name))
          if (balancer.asks) yield* Page.eventually(others)
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual(yield* Fiber.join(call), name)
        }))

      it.live("passes calls to the other process when one has ended", () =>
        Effect.gen(function*() {
          const { caller, nodes } = yield* balanced(balancer)
          yield* nodes[0]?.end ?? Effect.void
          // A call over a connection that the process has just closed may fail with status 502.
          const calls = yield* Page.eventually(ten(caller))
          assert.deepStrictEqual([...new Set(calls)], ["two"])
        }))
    })
  })
}
