import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport, type TransportError, transportError } from "@parley/transport/Transport"
import { Deferred, Effect, Fiber, Logger, Queue, Schema } from "effect"
import * as net from "node:net"
import * as places from "../../interop/support/places.ts"

/** What nobody has caught, from here to the end of a test. */
const strays = Effect.acquireRelease(
  Effect.sync(() => {
    const caught: Array<unknown> = []
    const hear = (error: unknown) => void caught.push(error)
    process.on("unhandledRejection", hear)
    process.on("uncaughtException", hear)
    return { caught, hear }
  }),
  ({ hear }) =>
    Effect.sync(() => {
      process.off("unhandledRejection", hear)
      process.off("uncaughtException", hear)
    })
)

/** Node tells of a rejection behind the turn in which nobody caught it. */
const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

/** A side of a line that can break like a cable. */
const breakable = Effect.fnUntraced(function*(side: Transport) {
  const broken = yield* Deferred.make<never, TransportError>()
  const cut = Deferred.await(broken)
  return {
    side: Transport.of({
      receive: Effect.raceFirst(side.receive, cut),
      send: (texts) => Effect.raceFirst(cut, side.send(texts)),
      close: side.close
    }),
    break: Effect.asVoid(Deferred.fail(broken, transportError({ _tag: "Lost", cause: new Error("cut") })))
  }
})

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {}, roots: {}, sampling: {} },
    clientInfo: { name: "c", version: "1" }
  }
}

describe("complaint 7: unhandled rejections crash the host", () => {
  for (const end of ["closes", "breaks"] as const) {
    it.live(`a line that ${end} while calls ask, report and wait fails them, each with a typed error`, () =>
      Effect.gen(function*() {
        const { caught } = yield* strays
        const outcomes = yield* Queue.unbounded<string>()
        const began = yield* Queue.unbounded<void>()
        const ask = McpTool.make("ask", {}, (_, call) =>
          Effect.andThen(
            Queue.offer(began, undefined),
            call.elicit("name", { message: "Who?", fields: { name: Schema.String } })
          ).pipe(
            Effect.tapError((error) => Queue.offer(outcomes, error._tag)),
            Effect.as("asked")
          ))
        const report = McpTool.make("report", {}, (_, call) =>
          Effect.andThen(
            Queue.offer(began, undefined),
            Effect.forever(Effect.andThen(call.progress({ progress: performance.now() }), Effect.yieldNow))
          ))
        const wait = McpTool.make("wait", {}, () => Effect.andThen(Queue.offer(began, undefined), Effect.never))
        const server = yield* McpServer.make({ name: "s", version: "1", features: [ask, report, wait] })
        const [near, far] = yield* MemoryTransport.makePair()
        const line = yield* breakable(far)
        const serving = yield* McpServer.serve.pipe(
          Effect.provideService(Transport, line.side),
          Effect.provideService(McpServer.McpServer, server),
          Effect.forkChild({ startImmediately: true })
        )
        yield* Effect.forkScoped(Effect.ignore(Effect.forever(near.receive)))
        const calls = ["ask", "ask", "report", "wait"].map((name, index) => ({
          jsonrpc: "2.0",
          id: index + 2,
          method: "tools/call",
          params: { name, _meta: { progressToken: index } }
        }))
        for (const message of [initialize, ...calls]) yield* near.send([JSON.stringify(message)])
        yield* Queue.takeN(began, calls.length)
        yield* end === "closes" ? near.close : line.break
        assert.deepStrictEqual(yield* Queue.takeN(outcomes, 2), ["Disconnected", "Disconnected"])
        const reason = yield* Fiber.join(serving)
        assert.oneOf(reason._tag, end === "closes" ? ["EndOfInput", "Lost"] : ["Lost"])
        yield* turn
        assert.deepStrictEqual(caught, [])
      }).pipe(Effect.provide(Logger.layer([]))))
  }

  it.live("clients over HTTP that drop in the middle leave nothing behind, and the next is served", () =>
    Effect.gen(function*() {
      const { caught } = yield* strays
      const url = new URL(yield* Effect.flatMap(places.server, places.hosted))
      const body = JSON.stringify({ ...initialize, id: 1 })
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        progressToken: 1
      }
      const waiting = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: { name: "dropped" }, _meta: meta }
      })
      const head = (length: number, more = "") =>
        `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n` +
        `accept: application/json, text/event-stream\r\ncontent-length: ${length}\r\n${more}\r\n`
      const modern = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: wait\r\n"
      const starts = [
        head(body.length) + body.slice(0, 20),
        head(body.length).slice(0, 40),
        head(body.length) + body,
        head(waiting.length, modern) + waiting
      ]
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => starts[index % starts.length] ?? ""),
        (start) =>
          Effect.callback<void>((resume) => {
            const socket = net.connect(Number(url.port), url.hostname, () => {
              socket.write(start, () => socket.resetAndDestroy())
            })
            socket.on("error", () => {})
            socket.on("close", () => resume(Effect.void))
          }),
        { concurrency: 10 }
      )
      const answered = yield* Effect.promise(async () => {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
        return (await fetch(url, { method: "POST", body, headers })).status
      })
      assert.strictEqual(answered, 200)
      yield* turn
      assert.deepStrictEqual(caught, [])
    }).pipe(Effect.provide(Logger.layer([]))))
})
