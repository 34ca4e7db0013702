/** Subscriptions of a session that another process takes up, whose client may read less by then. */
import { assert, describe, it } from "@effect/vitest"
import { Scopes } from "@parley/mcp/auth/server/AccessToken"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpError from "@parley/mcp/wire/McpError"
import * as MemoryEngine from "@parley/mesh/MemoryEngine"
import * as MemoryJournal from "@parley/mesh/MemoryJournal"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Peer from "@parley/peer/Peer"
import * as Handshake from "@parley/transport/host/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Effect, Exit, Fiber, Queue, Scope, Stream } from "effect"
import * as restored from "../../src/internal/server/changes/restored.ts"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"

/** Everybody is Ann, with the scopes that a header says. */
const authorize = Handshake.declare(({ header }) =>
  Effect.succeed(Context.add(
    Context.make(Handshake.Name, "ann"),
    Scopes,
    new Set((header("authorization") ?? "").split(" "))
  ))
)

const uris = ["test://open", "test://scoped", "test://shown", "test://gone"]

/** What Ann may see now, beyond her scopes. */
interface Seen {
  shown: boolean
}

const resource = (name: string, scopes: ReadonlyArray<string> = []) =>
  McpResource.make(`test://${name}`, { name, scopes }, () => Effect.succeed(""))

const featuresOf = (seen: Seen, told: Queue.Dequeue<void>, hasAll: boolean) => [
  { ...resource("open"), watch: () => Stream.fromQueue(told) },
  resource("scoped", ["secrets"]),
  { ...resource("shown"), visible: () => seen.shown },
  ...(hasAll ? [resource("gone")] : [])
]

/** What a session hears of that one node had, and another takes up, since its client reads the stream again. */
const heard = Effect.fnUntraced(function*(scopes: string, shown: boolean, hasAll: boolean) {
  const seen: Seen = { shown: true }
  const engine = yield* MemoryEngine.make
  const journal = yield* MemoryJournal.make()
  const node = (hasAll: boolean) =>
    Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const mesh = yield* Effect.orDie(Scope.provide(MeshNode.make(engine), scope))
      const told = yield* Queue.unbounded<void>()
      const server = yield* McpServer.make({ name: "s", version: "1", features: featuresOf(seen, told, hasAll) })
      const handle = yield* Scope.provide(McpHttp.makeWebHandler(server, { authorize, mesh, journal }), scope)
      return { client: web.over("http://localhost/mcp", handle), close: Scope.close(scope, Exit.void), server, told }
    })
  const [first, second] = [yield* node(true), yield* node(hasAll)]
  const visitor = yield* web.visit(first.client, "2025-11-25", {}, { authorization: "secrets" })
  for (const uri of uris) yield* visitor.post(web.request("resources/subscribe", { uri }))
  yield* first.close
  seen.shown = shown
  const headers = { ...visitor.headers, authorization: scopes }
  const standing = yield* second.client.send("GET", { ...headers, accept: "text/event-stream" })
  assert.strictEqual(standing.status, 200)
  const reading = yield* Effect.forkChild(standing.read.rest, { startImmediately: true })
  yield* settled
  for (const uri of uris) yield* second.server.resourceUpdated(uri)
  yield* settled
  yield* Queue.offer(second.told, undefined)
  yield* settled
  assert.strictEqual((yield* second.client.send("DELETE", headers)).status, 204)
  const updates: Array<string> = (yield* Fiber.join(reading)).flatMap(({ data = "" }) => {
    const { method, params } = data === "" ? {} : JSON.parse(data)
    return method === "notifications/resources/updated" ? [params.uri] : []
  })
  return { updates: [...new Set(updates)].toSorted(), open: updates.filter((uri) => uri === "test://open").length }
})

describe("the subscriptions of a session that another process takes up", () => {
  it.effect("go on, also where the resource tells of its changes itself", () =>
    Effect.gen(function*() {
      // Once since another process has it, once that the server says, once that the resource does.
      assert.deepStrictEqual(yield* heard("secrets", true, true), { updates: uris.toSorted(), open: 3 })
    }))

  it.effect.each<readonly [string, string, boolean, boolean, string]>([
    ["its client has no scope for any more", "", true, true, "test://scoped"],
    ["its client may not see any more", "secrets", false, true, "test://shown"],
    ["are not there any more", "secrets", true, false, "test://gone"]
  ])("end for resources that %s", ([, scopes, shown, hasAll, ended]) =>
    Effect.gen(function*() {
      const { updates } = yield* heard(scopes, shown, hasAll)
      assert.deepStrictEqual(updates, uris.filter((uri) => uri !== ended).toSorted())
    }))
})

describe("a subscription that is asked for again", () => {
  const refusals: ReadonlyArray<readonly [string, Effect.Effect<never, ErrorResponse.ErrorResponse>, boolean]> = [
    ["no resource has the URI", Effect.fail(ErrorResponse.make(McpError.ResourceNotFound, "")), false],
    ["the params are refused", Effect.fail(ErrorResponse.invalidParams([])), false],
    ["the caller lacks a scope", Effect.fail(McpError.insufficientScope(["a"])), false],
    ["the definition is not approved", Effect.fail(McpError.notApproved("s", "resource", "r", true)), false],
    ["the handler dies", Effect.die("no"), false],
    ["the server behind is away", Effect.fail(McpError.upstreamFailed("s", "cannot be reached")), true],
    ["the server behind has no room", Effect.fail(ErrorResponse.make(McpError.Overloaded, "")), true],
    ["the question is interrupted", Effect.interrupt, true]
  ]

  it.effect.each(refusals)("is kept or forgotten where %s", ([, refusal, isKept]) =>
    Effect.gen(function*() {
      const [peer] = yield* MemoryTransport.makePair()
      const caller = yield* Peer.make(peer)
      const record = { subscriptions: ["a:1", "a:2"] }
      let asked = 0
      const again = restored.restored({
        record,
        update: ({ subscriptions }) => void Object.assign(record, { subscriptions }),
        unwatch: () => {},
        peer: () => caller
      }, ({ params }) => {
        asked++
        return JSON.stringify(params) === `{"uri":"a:1"}` ? refusal : Effect.succeed({})
      })
      yield* again
      assert.deepStrictEqual(record.subscriptions, isKept ? ["a:1", "a:2"] : ["a:2"])
      assert.strictEqual(asked, 2)
      yield* again
      assert.strictEqual(asked, isKept ? 3 : 2)
    }))
})
