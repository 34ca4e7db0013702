import { assert, describe, it } from "@effect/vitest"
import type { Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { modern } from "../server/support/line.ts"
import { places } from "./support/places.ts"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const headers: { readonly [name: string]: string } = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "subscriptions/listen"
}

const head: RequestRules.Head = { method: "POST", url: "/mcp", address: undefined, header: (name) => headers[name] }

describe("an endpoint that closes", () => {
  it.effect("waits a moment for who listens and reads nothing, and no longer", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const scope = yield* Scope.make()
      const endpoint = yield* Scope.provide(McpHttp.endpoint(server), scope)
      const writes = yield* Deferred.make<void>()
      const stalled: Responder = {
        start: () => Effect.void,
        write: () => Effect.andThen(Deferred.succeed(writes, undefined), Effect.never),
        toStream: () => undefined
      }
      const params = modern({ notifications: { toolsListChanged: true } })
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params })
      const answering = yield* Effect.forkChild(endpoint.answer(head, text, stalled))
      yield* Deferred.await(writes)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      yield* Fiber.interrupt(answering)
    }))
})

const shutDown = (code: number) => ({ code, message: "Shutting down", data: { started: true } })

/** A server on a host of Node.js, and how that ends. */
const hosted = Effect.fnUntraced(function*(options?: McpHttp.McpHttpOptions) {
  const { server, waiting } = yield* sample
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const [node] = places
  const url = yield* Scope.provide((node ?? assert.fail("no host")).serve(server, options), scope)
  return { client: web.over(url, fetch), waiting, close: Scope.close(scope, Exit.void) }
})

/** What a call is told that runs when the time of its host is over; `isBegun` says whether its stream has begun before. */
const told = Effect.fnUntraced(function*(
  { close, waiting }: Effect.Success<ReturnType<typeof hosted>>,
  asked: Effect.Effect<web.Answer>,
  isBegun: boolean
) {
  const pending = yield* Effect.forkChild(asked)
  const { tell } = yield* Queue.take(waiting)
  if (!isBegun) {
    yield* close
    const answer = yield* Fiber.join(pending)
    return { status: answer.status, last: yield* answer.json }
  }
  tell("one")
  const answer = yield* Fiber.join(pending)
  yield* answer.read.message
  yield* close
  // A stream that is cut off fails here.
  const data = (yield* answer.read.rest).map((event) => event.data)
  return { status: answer.status, last: JSON.parse(data.at(-1) ?? assert.fail("no event")) }
})

describe("a host whose time to drain is over", () => {
  const wait = web.call("wait", { name: "a" })

  for (const isBegun of [true, false]) {
    const how = isBegun ? "by the last event of its stream" : "by its answer where no stream has begun"

    for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
      it.live(`tells each call of a session of ${revision}, ${how}`, () =>
        Effect.gen(function*() {
          const host = yield* hosted()
          const visitor = yield* web.visit(host.client, revision)
          const standing = yield* visitor.get()
          const { last, ...answer } = yield* told(host, visitor.post(wait), isBegun)
          assert.strictEqual(answer.status, 200)
          assert.deepInclude(last, { id: wait.id, error: shutDown(-32000) })
          yield* standing.read.rest
        }))
    }

    it.live(`tells each call of a client without a session, ${how}`, () =>
      Effect.gen(function*() {
        const host = yield* hosted({ sessions: false })
        const headers = { "mcp-protocol-version": "2025-11-25" }
        const { last, ...answer } = yield* told(host, host.client.post(wait, headers), isBegun)
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(last, { id: wait.id, error: shutDown(-32000) })
      }))

    it.live(`tells each modern call, ${how}`, () =>
      Effect.gen(function*() {
        const host = yield* hosted()
        const _meta = { ...web.meta, "io.modelcontextprotocol/logLevel": "info" }
        const asked = web.modern(host.client, "tools/call", { _meta, name: "wait", arguments: { name: "a" } })
        const { last, ...answer } = yield* told(host, asked, isBegun)
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(last, { error: shutDown(-31100) })
      }))
  }

  it.live("tells the calls of a process that gets SIGTERM", () =>
    Effect.gen(function*() {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => fork(fileURLToPath(new URL("fixtures/ending.ts", import.meta.url)))),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const exited = once(child, "exit")
      const url = yield* Effect.promise(async (): Promise<string> => (await once(child, "message"))[0])
      const client = web.over(url, fetch)
      const _meta = { ...web.meta, "io.modelcontextprotocol/logLevel": "info" }
      const visitor = yield* web.visit(client)
      const asked = [visitor.post(web.call("stay")), web.modern(client, "tools/call", { _meta, name: "stay" })]
      const answers = yield* Effect.forEach(asked, (ask) => Effect.tap(ask, ({ read }) => read.message))
      child.kill("SIGTERM")
      const errors = yield* Effect.forEach(answers, ({ read }) =>
        Effect.map(read.rest, (events) => JSON.parse(events.at(-1)?.data ?? "").error))
      assert.deepStrictEqual(errors, [shutDown(-32000), shutDown(-31100)])
      yield* Effect.promise(() =>
        exited
      )
    }))

  it.live("tells calls of clients that accept JSON alone", () =>
    Effect.gen(function*() {
      const json = { accept: "application/json" }
      const host = yield* hosted()
      const visitor = yield* web.visit(host.client)
      const { last, status } = yield* told(host, visitor.post(wait, json), false)
      assert.strictEqual(status, 200)
      assert.deepInclude(last, { id: wait.id, error: shutDown(-32000) })
    }))
})
