/** The configurations of docs/how-to/run-on-several-nodes.md before nodes whose engine goes away, and comes back empty. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { NodeHttp } from "@parley/node"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { suites } from "../../../../../tools/debian/Programs.ts"
import * as Balancer from "../../../../../tools/test/pages/Balancer.ts"
import * as Page from "../../../../../tools/test/pages/Page.ts"
import * as web from "../../http-server/support/web.ts"
import * as officialV1 from "../../interop/support/officialV1.ts"

const page = "docs/how-to/run-on-several-nodes.md"

const large = "x".repeat(1_000_000)

interface Work {
  /** The node that has begun to work. */
  readonly begun: Deferred.Deferred<string>
  readonly go: Deferred.Deferred<void>
}

/** A node as the page has it. */
const node = (engine: MemoryNodes.MemoryEngine, journal: Journal, name: string, { begun, go }: Work) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const mesh = yield* Scope.provide(MeshNode.make(engine, { name, lease: "1 second" }), scope)
    const work = Effect.andThen(Deferred.succeed(begun, name), Deferred.await(go))
    const server = yield* McpServer.make({
      name: "balanced",
      version: "1",
      features: [
        McpTool.make("large", {}, () => Effect.succeed(large)),
        McpTool.make("work", {}, () => Effect.as(work, name))
      ]
    })
    const endpoint = yield* Scope.provide(McpHttp.endpoint(server, { mesh, journal }), scope)
    const ready = Effect.scoped(mesh.claim(`ready/${mesh.node}`)).pipe(
      Effect.catchTag("Claimed", () => Effect.void),
      Effect.timeout("1 second"),
      Effect.match({
        onFailure: () => HttpServerResponse.empty({ status: 503 }),
        onSuccess: () => HttpServerResponse.empty({ status: 200 })
      })
    )
    const routes = Layer.effectDiscard(NodeHttp.route(endpoint, { path: "/mcp" }))
    const host = NodeHttp.layerHost({ port: 0, health: "/health", fallback: ready }, routes)
    const { port } = Context.get(yield* Layer.buildWithScope(host, scope), NodeHttp.NodeHost)
    return { name, port, end: Scope.close(scope, Exit.void) }
  }).pipe(Effect.provide(Logger.layer([])))

/** Does something each tenth of a second, for a time, and gives what differs of its outcomes. */
const outcomes = <A>(milliseconds: number, effect: Effect.Effect<A>): Effect.Effect<Set<A>> =>
  Effect.gen(function*() {
    const seen = new Set<A>()
    for (let passed = 0; passed < milliseconds; passed += 100) {
      seen.add(yield* effect)
      yield* Effect.sleep("100 millis")
    }
    return seen
  })

for (const balancer of Balancer.balancers) {
  const { program } = balancer.needed
  suites([balancer.needed], () => {
    describe(program, () => {
      it.live(
        "passes large answers, modern calls without an engine, no 404 for a session, and calls of a node that drains",
        () =>
          Effect.gen(function*() {
            const engine = yield* MemoryNodes.makeEngine
            const journal = yield* MemoryNodes.makeJournal()
            const work = { begun: yield* Deferred.make<string>(), go: yield* Deferred.make<void>() }
            const nodes = yield* Effect.forEach(["one", "two", "three"], (name) => node(engine, journal, name, work))
            const block = Page.block(page, program, "10.0.0.11")
            const { ended, port } = yield* Balancer.start(balancer, block, nodes.map(({ port }) => port))
            const url = `http://127.0.0.1:${port}/mcp`
            const raw = web.over(url, (request) => fetch(request))
            // A connection that is refused is a defect of the client of the tests.
            const modern = Effect.catchCause(
              Effect.map(web.modern(raw, "tools/list"), ({ status }) => status),
              () => Effect.succeed(0)
            )
            const isUp = Effect.filterOrFail(modern, (status) => status === 200)
            yield* Effect.raceFirst(Page.eventually(isUp), ended)

            const transport = officialV1.http(url)
            const { client } = yield* officialV1.connect(transport)
            const call = (name: string) =>
              Effect.tryPromise(async () => {
                const { content } = await client.callTool({ name, arguments: {} })
                return (content as ReadonlyArray<{ readonly text: string }>)[0]?.text
              })
            const many = Effect.forEach(Array.from({ length: 8 }), () => call("large"), { concurrency: "unbounded" })
            assert.isTrue((yield* many).every((text) => text === large))

            const headers = { "mcp-session-id": transport.sessionId, "mcp-protocol-version": "2025-11-25" }
            const legacy = Effect.map(raw.post(web.request("ping"), headers), ({ status }) => status)
            const back = yield* Effect.acquireRelease(Effect.sync(() => engine.stop()), (back) =>
              Effect.sync(() => back()))
            const away = yield* Effect.all([outcomes(2_000, modern), outcomes(2_000, legacy)], { concurrency: 2 })
            assert.deepStrictEqual([...away[0]], [200])
            back(true)
            const after = yield* Effect.all([outcomes(2_000, modern), outcomes(2_000, legacy)], { concurrency: 2 })
            assert.deepStrictEqual([...after[0]], [200])
            const statuses = [...away[1], ...after[1]]
            assert.isTrue(
              statuses.every((status) =>
                status === 200 || status === 503
              ),
              statuses.join()
            )
            assert.strictEqual(yield* Page.eventually(call("large")), large)

            const working = yield* Effect.forkChild(call("work"), { startImmediately: true })
            const name = yield* Deferred.await(work.begun)
            const ending = yield* Effect.forkChild(nodes.find((node) => node.name === name)?.end ?? Effect.void)
            // By now each balancer that asks knows of it.
            yield* Effect.sleep("2200 millis")
            assert.isUndefined(ending.pollUnsafe())
            yield* Deferred.succeed(work.go, undefined)
            assert.strictEqual(yield* Fiber.join(working), name)
            yield* Fiber.join(ending)
            // The session goes on at another node.
            assert.strictEqual(yield* Page.eventually(call("large")), large)
          }),
        60_000
      )
    })
  })
}
