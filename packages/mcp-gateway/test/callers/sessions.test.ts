import { assert, describe, it } from "@effect/vitest"
import type { ClientSession } from "@parley/mcp/McpContext"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Schema, Stream } from "effect"
import { byAuthorization } from "../../../mcp/test/http-server/support/web.ts"
import { clientAs, gatewayOf, made, names, settled } from "../support/gateways.ts"
import { clientOf, named, pairs, revisions } from "../support/pairs.ts"

/** A server of the legacy era that keeps notes in its sessions, and lists a tool for each. */
const notes = Effect.gen(function*() {
  const kept = new WeakMap<ClientSession, string>()
  const textOf = (session: ClientSession | undefined) => (session && kept.get(session)) ?? "(nothing)"
  const server = yield* McpServer.make({
    name: "notes",
    version: "1",
    protocolVersions: ["2025-11-25"],
    features: [
      McpTool.make("remember", { params: { text: Schema.String } }, ({ text }, call) =>
        Effect.gen(function*() {
          if (call.session !== undefined) kept.set(call.session, text)
          yield* call.server.listChanged("tools")
          return "ok"
        })),
      McpTool.make("recall", {}, (_, call) => Effect.sync(() => textOf(call.session))),
      {
        ...McpTool.make("noted", {}, () => Effect.succeed("noted")),
        visible: (call) => call.session !== undefined && kept.has(call.session)
      },
      McpResource.make("note://mine", { name: "mine" }, (call) => Effect.sync(() => textOf(call.session)))
    ]
  })
  return server
})

const handlers = { elicit: () => Effect.succeed({ action: "decline" as const }) }

const recalled = (text: string) => [Content.text(text)]

describe("a session of a legacy server behind", () => {
  for (const near of revisions) {
    for (const [how, options] of [["cannot be asked", {}], ["can be asked", { handlers }]] as const) {
      it.effect(`belongs to one principal, whose client ${how}: ${near}`, () =>
        Effect.gen(function*() {
          const gateway = yield* gatewayOf({ notes: yield* notes }, "2025-11-25")
          const ada = yield* clientAs(gateway, "ada", { protocolVersion: near, ...options })
          const eve = yield* clientAs(gateway, "eve", { protocolVersion: near, ...options })
          yield* ada.callTool("notes_remember", { text: "ada's bank session" })
          yield* settled
          assert.deepStrictEqual((yield* eve.callTool("notes_recall")).content, recalled("(nothing)"))
          assert.deepStrictEqual((yield* ada.callTool("notes_recall")).content, recalled("ada's bank session"))
          const mine = (yield* eve.readResource("note://mine")).contents
          assert.deepStrictEqual(mine, [{ uri: "note://mine", text: "(nothing)" }])
          assert.include(names(yield* ada.listTools()), "notes_noted")
          assert.notInclude(names(yield* eve.listTools()), "notes_noted")
        }))

      it.effect(`belongs to one connection without a principal, whose client ${how}: ${near}`, () =>
        Effect.gen(function*() {
          const gateway = yield* gatewayOf({ notes: yield* notes }, "2025-11-25")
          const one = yield* clientOf(gateway, { protocolVersion: near, ...options })
          const two = yield* clientOf(gateway, { protocolVersion: near, ...options })
          yield* one.callTool("notes_remember", { text: "a secret" })
          assert.deepStrictEqual((yield* two.callTool("notes_recall")).content, recalled("(nothing)"))
        }))
    }
  }

  it.effect("belongs to all without a session where the author says that it is shared", () =>
    Effect.gen(function*() {
      const gateway = yield* gatewayOf({ notes: { server: yield* notes, shared: true } }, "2025-11-25")
      const ada = yield* clientAs(gateway, "ada", { protocolVersion: "2026-07-28" })
      const eve = yield* clientAs(gateway, "eve", { protocolVersion: "2026-07-28" })
      yield* ada.callTool("notes_remember", { text: "for all" })
      assert.deepStrictEqual((yield* eve.callTool("notes_recall")).content, recalled("for all"))
    }))

  it.live("belongs to one principal over HTTP, where requests have no connection", () =>
    Effect.gen(function*() {
      const gateway = yield* gatewayOf({ notes: yield* notes }, "2025-11-25")
      const endpoint = yield* McpHttp.endpoint(gateway, { authorize: byAuthorization })
      const { address: url } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
      const fetcher = yield* NodeHttp.makeFetcher()
      const as = (name: string) =>
        McpHttpClient.make(fetcher, {
          name: "test",
          version: "1",
          url,
          protocolVersion: "2026-07-28",
          headers: { authorization: `Bearer ${name}` }
        })
      const [ada, eve] = [yield* as("ada"), yield* as("eve")]
      yield* ada.callTool("notes_remember", { text: "a secret" })
      assert.deepStrictEqual((yield* eve.callTool("notes_recall")).content, recalled("(nothing)"))
    }))

  for (const pair of pairs) {
    it.effect(`tells of a resource whom it belongs to: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const far = yield* made("far", [McpResource.make("test://a", { name: "a" }, () => Effect.succeed("A"))])
        const gateway = yield* gatewayOf({ far }, pair.far)
        yield* settled
        const heard = { ada: 0, eve: 0 }
        for (const name of ["ada", "eve"] as const) {
          const client = yield* clientAs(gateway, name, { protocolVersion: pair.near })
          yield* Effect.forkScoped(Stream.runForEach(client.subscribe("test://a"), ({ _tag }) =>
            Effect.sync(() => {
              if (_tag === "Updated") heard[name]++
            })))
        }
        yield* settled
        yield* far.resourceUpdated("test://a")
        yield* settled
        assert.isAbove(heard.ada, 0)
        assert.isAbove(heard.eve, 0)
      }))
  }
})
