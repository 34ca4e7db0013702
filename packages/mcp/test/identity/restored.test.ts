/** Subscriptions of a session that another process takes up, whose client may read less by then. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import * as McpError from "@parley/mcp/wire/McpError"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Scopes } from "@parley/oauth/AccessToken"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import { ErrorCode } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Deferred, Effect, Exit, Fiber, Logger, Queue, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
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

/** A server behind this one that cannot be asked. */
const unreached: FeatureSource = {
  featuresFor: () => Effect.succeed([]),
  tool: () => undefined,
  capabilities: () => ({}),
  onChange: () => Effect.void,
  isAway: () => true
}

/** What a session hears of that one node had, and another takes up, since its client reads the stream again. */
const heard = Effect.fnUntraced(function*(scopes: string, shown: boolean, hasAll: boolean, isAway = false) {
  const seen: Seen = { shown: true }
  const engine = yield* MemoryNodes.makeEngine
  const journal = yield* MemoryNodes.makeJournal()
  const node = (hasAll: boolean) =>
    Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const mesh = yield* Effect.orDie(Scope.provide(MeshNode.make(engine), scope))
      const told = yield* Queue.unbounded<void>()
      const server = yield* McpServer.make({ name: "s", version: "1", features: featuresOf(seen, told, hasAll) })
      if (isAway) yield* Scope.provide(server.mount(unreached), scope)
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

  it.effect.each<readonly [string, string, boolean, boolean, string, boolean]>([
    ["its client has no scope for any more", "", true, true, "test://scoped", false],
    ["its client may not see any more", "secrets", false, true, "test://shown", false],
    ["its client may not see any more, while a server behind is away", "secrets", false, true, "test://shown", true],
    ["are not there any more", "secrets", true, false, "test://gone", false]
  ])("end for resources that %s", ([, scopes, shown, hasAll, ended, isAway]) =>
    Effect.gen(function*() {
      const { updates } = yield* heard(scopes, shown, hasAll, isAway)
      assert.deepStrictEqual(updates, uris.filter((uri) => uri !== ended).toSorted())
    }))
})

/** What is asked again for a session with subscriptions, by a handler. */
const sessionOf = Effect.fnUntraced(function*(
  subscriptions: ReadonlyArray<string>,
  handler: (uri: string) => Effect.Effect<object, ErrorResponse.ErrorResponse>,
  isAway = false
) {
  const [peer] = yield* MemoryTransport.makePair()
  const caller = yield* Peer.make(peer)
  const record = { subscriptions }
  const asked: Array<string> = []
  const subscriber: restored.Subscriber = {
    record,
    update: (change) => void Object.assign(record, change),
    unwatch: () => {},
    peer: () => caller
  }
  const again = restored.restored(subscriber, ({ params }) => {
    const { uri } = Schema.decodeUnknownSync(Schema.Struct({ uri: Schema.String }))(params)
    asked.push(uri)
    return Effect.map(handler(uri), () => ({}))
  }, () => isAway)()
  return { again, asked, record }
})

const noScope = Effect.fail(McpError.insufficientScope(["a"]))

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
      const { again, asked, record } = yield* sessionOf(
        ["a:1", "a:2"],
        (uri) => uri === "a:1" ? refusal : Effect.succeed({})
      )
      yield* again
      assert.deepStrictEqual(record.subscriptions, isKept ? ["a:1", "a:2"] : ["a:2"])
      assert.deepStrictEqual(asked, ["a:1", "a:2"])
      yield* TestClock.adjust("1 second")
      yield* again
      assert.deepStrictEqual(asked, isKept ? ["a:1", "a:2", "a:1"] : ["a:1", "a:2"])
    }))

  it.effect.each<readonly [string, Effect.Effect<object, ErrorResponse.ErrorResponse>]>([
    ["is allowed", Effect.succeed({})],
    ["is refused", noScope],
    ["dies", Effect.die("no")]
  ])(
    "promise 25: what waits for the end of a connection runs once, behind a question that %s",
    ([, answer]) =>
      Effect.gen(function*() {
        const [near] = yield* MemoryTransport.makePair()
        const peer = yield* Peer.make(near)
        const ran: Array<string> = []
        const say = (word: string) => Effect.sync(() => void ran.push(word))
        let last: Call | undefined
        yield* restored.restored(
          {
            record: { subscriptions: ["a:1"] },
            update: () => {},
            unwatch: () => {},
            peer: () => peer
          },
          (call) => {
            last = call
            call.onClose(say("closed"))
            call.onClose(say("withdrawn"))()
            call.onClose(Effect.die("no"))
            call.afterReply(say("replied"), say("skipped"))
            return Effect.as(Effect.andThen(say("asked"), answer), {})
          },
          () => false
        )()
        last?.onClose(say("late"))
        yield* settled
        assert.deepStrictEqual(ran, ["asked", "closed", "skipped", "late"])
      }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("is kept or forgotten by whether all servers behind could be asked where no resource has the URI", () =>
    Effect.gen(function*() {
      for (const code of [McpError.ResourceNotFound, ErrorCode.MethodNotFound]) {
        for (const isAway of [true, false]) {
          const missing = Effect.fail(ErrorResponse.make(code, ""))
          const { again, record } = yield* sessionOf(["a:1"], () => missing, isAway)
          yield* again
          assert.deepStrictEqual(record.subscriptions, isAway ? ["a:1"] : [])
        }
      }
    }))

  it.effect("is asked for by the next request where the first one was interrupted", () =>
    Effect.gen(function*() {
      const uris = Array.from({ length: 20 }, (_, index) => `a:${index}`)
      let isStuck = true
      const { again, record } = yield* sessionOf(uris, () => isStuck ? Effect.never : noScope)
      const first = yield* Effect.forkChild(again, { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(record.subscriptions, uris)
      isStuck = false
      yield* again
      assert.deepStrictEqual(record.subscriptions, [])
    }))

  it.effect("holds a second request until it is answered for, too", () =>
    Effect.gen(function*() {
      const answer = yield* Deferred.make<void>()
      const { again, asked, record } = yield* sessionOf(["a:1"], () => Effect.andThen(Deferred.await(answer), noScope))
      const all = yield* Effect.forEach([1, 2], () => Effect.forkChild(again, { startImmediately: true }))
      yield* settled
      for (const one of all) assert.isUndefined(one.pollUnsafe())
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.joinAll(all)
      assert.deepStrictEqual(record.subscriptions, [])
      assert.deepStrictEqual(asked, ["a:1"])
    }))

  it.effect("is asked for once a second, however often its client comes back", () =>
    Effect.gen(function*() {
      const { again, asked } = yield* sessionOf(["a:1"], () => Effect.fail(McpError.upstreamFailed("s", "is away")))
      for (let time = 0; time < 100; time++) {
        yield* again
        yield* TestClock.adjust("50 millis")
      }
      assert.strictEqual(asked.length, 5)
    }))
})
