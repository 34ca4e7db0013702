/**
 * What OpenTelemetry's exporters post for a client and a server, each with one of its own, received and, among the slow
 * tests, after it has gone through a collector.
 */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Layer, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import { type Collector, exported, type Point, receiver, rotel, type Span } from "./support/collector.ts"
import { served } from "./support/served.ts"

type Connect = (
  revision: Revision,
  collector: Collector
) => Effect.Effect<McpClient.McpClient, unknown, Scope.Scope>

const options = (revision: Revision) => ({ name: "agent", version: "1", protocolVersion: revision, metrics: true })

const overHttp: Connect = Effect.fnUntraced(function*(revision, { url }) {
  // The server and what it listens with have an exporter of their own.
  const listening = Layer.build(Layer.provideMerge(Layer.effect(McpServer.McpServer, served), exported(url, "tools")))
  const context = yield* listening
  const { address } = yield* Effect.flatMap(McpServer.McpServer, (server) => McpHttp.endpoint(server)).pipe(
    Effect.flatMap((endpoint) => NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })),
    Effect.provideContext(context)
  )
  return yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), { ...options(revision), url: address })
})

const overStdio: Connect = (revision, { url }) =>
  McpStdioClient.make({
    ...options(revision),
    start: NodeChildProcess.makeTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL("support/stdioServer.ts", import.meta.url)), url],
      env: compileCacheEnv
    })
  })

const lines: ReadonlyArray<{
  readonly name: string
  readonly connect: Connect
  readonly network: Readonly<Record<string, unknown>>
}> = [
  { name: "HTTP", connect: overHttp, network: { "network.transport": "tcp", "network.protocol.name": "http" } },
  { name: "stdio", connect: overStdio, network: { "network.transport": "pipe" } }
]

const internal = 1
const server = 2
const client = 3
const failed = 2

const isSlow = process.env["SLOW"] === "1"

/** The spans of the two services, by kind and name. */
const expected: ReadonlyArray<readonly [service: string, kind: number, name: string]> = [
  ["agent", internal, "agent"],
  ["tools", internal, "sum"],
  ...["add", "fail", "refuse"].flatMap((tool) => [
    ["agent", client, `tools/call ${tool}`] as const,
    ["tools", server, `tools/call ${tool}`] as const
  ])
]

describe(isSlow ? "a collector" : "an exporter", () => {
  for (const { connect, name, network } of lines) {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      it.live(`gets one trace of a call over ${name} in ${revision}, and the durations of both sides`, () =>
        Effect.gen(function*() {
          const received = yield* (isSlow ? rotel : receiver)
          yield* Effect.scoped(Effect.gen(function*() {
            const mcp = yield* connect(revision, received)
            yield* mcp.callTool("add").pipe(Effect.withSpan("agent"))
            yield* Effect.flip(mcp.callTool("fail"))
            yield* Effect.flip(mcp.callTool("refuse"))
          })).pipe(Effect.provide(exported(received.url, "agent")))
          const spansOf = (service: string, kind: number, name: string) =>
            received.spans.filter((one) => one.service === service && one.kind === kind && one.name === name)
          // A server in a process of its own posts when its input has ended, and a collector when it likes.
          yield* received.until(() =>
            expected.every((of) => spansOf(...of).length > 0)
            && ["agent", "tools"].every((one) => received.points.some(({ service }) => service === one))
          )

          const span = (...of: Parameters<typeof spansOf>): Span => {
            const found = spansOf(...of)
            assert.strictEqual(found.length, 1, of.join(" "))
            return found[0] as Span
          }
          const agent = span("agent", internal, "agent")
          const near = span("agent", client, "tools/call add")
          const far = span("tools", server, "tools/call add")
          const inside = span("tools", internal, "sum")
          assert.deepStrictEqual(
            [near, far, inside].map(({ parentSpanId, traceId }) => [traceId, parentSpanId]),
            [agent, near, far].map(({ spanId }) => [agent.traceId, spanId])
          )
          for (const one of [near, far]) {
            assert.deepInclude(one.attributes, {
              "mcp.method.name": "tools/call",
              "mcp.protocol.version": revision,
              "gen_ai.tool.name": "add",
              "gen_ai.operation.name": "execute_tool",
              ...network
            })
          }
          const { "mcp.session.id": session, ...rest } = near.attributes
          assert.strictEqual(session !== undefined, name === "HTTP" && revision === "2025-11-25")
          assert.strictEqual(far.attributes["mcp.session.id"], session)
          assert.strictEqual(rest["server.address"], name === "HTTP" ? "127.0.0.1" : undefined)
          for (const one of [span("agent", client, "tools/call fail"), span("tools", server, "tools/call fail")]) {
            assert.strictEqual(one.attributes["error.type"], "tool_error")
            assert.deepStrictEqual(one.status, { code: failed, message: "the result of the tool has isError" })
          }
          for (const one of [span("agent", client, "tools/call refuse"), span("tools", server, "tools/call refuse")]) {
            assert.deepInclude(one.attributes, { "error.type": "1001", "rpc.response.status_code": "1001" })
            assert.deepStrictEqual(one.status, { code: failed, message: "Insufficient funds" })
          }

          const point = (service: string, metric: string, tool: string): Point => {
            const found = received.points.findLast((one) =>
              one.service === service && one.metric === metric && one.attributes["gen_ai.tool.name"] === tool
            )
            assert.isDefined(found, `${service} ${metric} ${tool}`)
            return found as Point
          }
          for (const [service, side] of [["agent", "client"], ["tools", "server"]] as const) {
            const metric = `mcp.${side}.operation.duration`
            const added = point(service, metric, "add")
            assert.deepInclude(added, { unit: "s", count: 1 })
            assert.deepInclude(added.attributes, { "mcp.protocol.version": revision, ...network })
            assert.strictEqual(added.bounds.length, 14)
            assert.strictEqual(point(service, metric, "fail").attributes["error.type"], "tool_error")
          }
          assert.deepStrictEqual(received.points.filter(({ metric }) => metric.startsWith("rpc.")), [])
        }))
    }
  }
})
