/** Calls and notifications of one session, brought by requests with different tokens of one principal. */
import { assert, describe, it } from "@effect/vitest"
import * as Notification from "@parley/contract/Notification"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import type { AuthInfo } from "@parley/mcp/McpContext"
import type * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Deferred, Effect, Fiber, Queue, type Schema } from "effect"
import * as web from "../http-server/support/web.ts"

/** The scopes of a request are those that its header names. */
const authorize: Handshake.Authorize = Handshake.declare(({ header }) =>
  Effect.succeed(
    Context.make(Handshake.Name, "ada").pipe(Context.add(Scopes, new Set([header("authorization") ?? ""])))
  )
)

const scopesOf = ({ scopes }: AuthInfo) => typeof scopes === "string" ? scopes : [...scopes].join(" ")

const moved = { jsonrpc: "2.0", method: "notifications/moves/moved" }

const capabilities = { extensions: { "com.example/moves": {} } }

const made = Effect.fnUntraced(function*(options: McpHttp.McpHttpOptions = {}, era?: "legacy") {
  const gate = yield* Deferred.make<void>()
  const heard = yield* Queue.unbounded<string>()
  const state = { ran: 0, begun: 0, interrupted: 0 }
  const Moves = McpExtension.make("com.example/moves", {
    server: { notifications: { [moved.method]: Notification.make() } }
  })
  const server = yield* McpServer.make({
    name: "s",
    version: "1",
    extensions: [{
      ...Moves.serve({
        hearers: {
          [moved.method]: (_: unknown, { auth }: { readonly auth: AuthInfo }) =>
            Effect.suspend(() => {
              state.begun++
              return Deferred.await(gate)
            }).pipe(
              Effect.andThen(Effect.suspend(() => Queue.offer(heard, scopesOf(auth)))),
              Effect.onInterrupt(() => Effect.sync(() => state.interrupted++)),
              Effect.asVoid
            )
        }
      }),
      era
    }],
    features: [
      McpTool.make(
        "look",
        {},
        (_, { auth }) => Effect.andThen(Deferred.await(gate), Effect.sync(() => scopesOf(auth)))
      ),
      McpTool.make("admin", { scopes: ["admin"] }, () => Effect.sync(() => `done ${++state.ran}`))
    ]
  })
  const client = yield* web.alone({ authorize, ...options }, server)
  return { client, gate, heard, state }
})

const weak = { authorization: "read" }
const strong = { authorization: "admin" }

/** Time for requests to arrive. */
const arrived = Effect.sleep("20 millis")

describe("the caller of a call in a session", () => {
  it.live("is who brought it, also where another request has the same id, and where it waits for its turn", () =>
    Effect.gen(function*() {
      const { client, gate, heard, state } = yield* made()
      const visitor = yield* web.visit(client, "2025-11-25", capabilities, weak)
      const post = (message: Schema.Json, headers?: web.Headers) =>
        Effect.forkChild(Effect.flatMap(visitor.post(message, headers), ({ text }) => text), {
          startImmediately: true
        })
      // It holds back what comes behind it.
      yield* post(moved)
      const call = (name: string, id: number) => ({ ...web.call(name), id })
      const all = [
        yield* post(call("admin", 7)),
        yield* post(call("look", 7), strong),
        yield* post(call("look", 8)),
        yield* post(call("look", 8), strong),
        yield* post(call("admin", 9), strong)
      ]
      yield* arrived
      yield* Deferred.succeed(gate, undefined)
      const [refused = "", ...others] = yield* Fiber.joinAll(all)
      assert.include(refused, "Insufficient scope")
      const texts = others.map((text) => /"text":"([^"]*)"/.exec(text)?.[1])
      assert.deepStrictEqual(texts, ["admin", "read", "admin", "done 1"])
      assert.strictEqual(yield* Queue.take(heard), "read")
      assert.strictEqual(state.ran, 1)
    }))
})

describe("a notification", () => {
  it.live("of a session is heard to its end, also where its client leaves", () =>
    Effect.gen(function*() {
      const { client, gate, heard } = yield* made()
      const visitor = yield* web.visit(client, "2025-11-25", capabilities, weak)
      const sent = yield* Effect.forkChild(visitor.post(moved), { startImmediately: true })
      yield* arrived
      yield* Fiber.interrupt(sent)
      yield* arrived
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Queue.take(heard), "read")
    }))

  it.live.each([undefined, "legacy"] as const)(
    "is heard where there are no sessions, by an extension of the era %s",
    (era) =>
      Effect.gen(function*() {
        const { client, gate, heard } = yield* made({ sessions: false }, era)
        yield* Deferred.succeed(gate, undefined)
        for (const message of [moved, [moved, moved]]) {
          const { status } = yield* client.post(message, { ...weak, "mcp-protocol-version": "2025-03-26" })
          assert.strictEqual(status, 202)
        }
        assert.deepStrictEqual(yield* Queue.takeN(heard, 3), ["read", "read", "read"])
      })
  )

  it.live("counts until its handler has ended, which the end of its endpoint interrupts", () =>
    Effect.gen(function*() {
      const state = yield* Effect.scoped(Effect.gen(function*() {
        const { client, state } = yield* made({
          limits: { notification: 1 },
          quotas: { principal: { calls: 2, streams: 2, sessions: 2 } }
        })
        const statuses: Array<number> = []
        for (let count = 0; count < 5; count++) {
          const { status } = yield* client.post({ ...moved, params: { _meta: web.meta } }, {
            ...weak,
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": moved.method
          })
          statuses.push(status)
        }
        assert.deepStrictEqual(statuses, [202, 202, 429, 429, 429])
        return state
      }))
      assert.deepStrictEqual(state, { ran: 0, begun: 2, interrupted: 2 })
    }))
})
