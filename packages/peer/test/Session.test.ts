/** What a session keeps, whichever lane brings what. */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { Context, Deferred, Effect, Fiber, Option, Schema } from "effect"
import * as Router from "../src/Router.ts"
import * as Session from "../src/Session.ts"
import { ask, asking, echo, makeLane, open, parsed, question, result } from "./lanes.ts"
import { failure, notification, request, settle, success } from "./wire.ts"

describe("a session", () => {
  it.effect("answers a text by itself, as a router does", () =>
    Effect.gen(function*() {
      const session = yield* open({ echo })
      assert.deepStrictEqual(parsed(yield* session.answer(request(1, "echo", [1]))), result(1, [1]))
      assert.deepStrictEqual(parsed(yield* session.answer(`[${request(1, "echo", [1])},${request("a", "none")}]`)), [
        result(1, [1]),
        failure("a", -32601, "Method not found", "none")
      ])
      assert.deepStrictEqual(parsed(yield* session.answer("{")), failure(null, -32700, "Parse error"))
    }))

  it.effect("takes what was read already, by the same rules", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "x", batches: "refuse" })
      const session = yield* open({ echo }, { dialect })
      const decode = Session.decoder({ dialect })
      assert.strictEqual(decode("[1]").size, 3)
      assert.deepStrictEqual(parsed(yield* session.answer(decode(request(1, "echo", [1])))), result(1, [1]))
      const batch = `[${request(1, "echo", [1])}]`
      assert.deepStrictEqual(parsed(yield* session.answer(decode(batch))), parsed(yield* session.answer(batch)))
    }))

  it.effect("promise 7: each call is from what its own text was given with, whatever its id is and whenever it runs", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const session = yield* open({
        hold: () => Deferred.await(gate),
        from: (call) => Effect.andThen(Deferred.await(gate), Effect.sync(() => String(call.from)))
      })
      const answers = yield* Effect.forEach(["a", "b", undefined], (from) =>
        Effect.forkChild(
          Effect.map(session.answer(`[${notification("hold")},${request(1, "from")}]`, undefined, from), parsed),
          { startImmediately: true }
        ))
      yield* Deferred.succeed(gate, undefined)
      const expected = ["a", "b", "undefined"].map((from) => [{ jsonrpc: "2.0", id: 1, result: from }])
      assert.deepStrictEqual<unknown>(yield* Fiber.joinAll(answers), expected)
    }))

  it.effect("obeys a dialect that changes while it is open", () =>
    Effect.gen(function*() {
      const agreed: { batches: Dialect.Dialect["batches"]; unreadableId: Dialect.Dialect["unreadableId"] } = {
        batches: "accept",
        unreadableId: "null"
      }
      const dialect: Dialect.Dialect = {
        ...Dialect.jsonRpc,
        get batches() {
          return agreed.batches
        },
        get unreadableId() {
          return agreed.unreadableId
        }
      }
      const decode = Session.decoder({ dialect })
      const router = yield* Router.make({ dialect })
      yield* router.add("echo", echo)
      const session = yield* Session.make({ router, dialect })
      const batch = `[${request(1, "echo", [1])}]`
      for (const answer of [router.answer, session.answer, (text: string) => session.answer(decode(text))]) {
        agreed.batches = "accept"
        agreed.unreadableId = "null"
        assert.deepStrictEqual(parsed(yield* answer(batch)), [result(1, [1])])
        agreed.batches = "refuse"
        assert.deepStrictEqual(parsed(yield* answer(batch)), failure(null, -32600, "Invalid Request"))
        agreed.unreadableId = "silent"
        assert.isTrue(Option.isNone(yield* answer(batch)))
        assert.isTrue(Option.isNone(yield* answer("{")))
      }
    }))

  it.effect("gives all its calls one connection, and each the services of its text", () =>
    Effect.gen(function*() {
      const Who = Context.Reference("test/Who", { defaultValue: () => "nobody" })
      const connections = new Set<unknown>()
      const session = yield* open({
        who: (call) => {
          connections.add(call.connection)
          return Effect.andThen(Effect.yieldNow, Effect.service(Who))
        }
      })
      const who = (name: string, lane?: Session.Lane) =>
        Effect.provideService(session.answer(request(1, "who"), lane), Who, name)
      assert.deepStrictEqual(parsed(yield* who("Ada")), result(1, "Ada"))
      assert.deepStrictEqual(parsed(yield* who("Grace", makeLane().lane)), result(1, "Grace"))
      assert.strictEqual(connections.size, 1)
      assert.isFalse(connections.has(undefined))
    }))

  it.effect("runs what is left behind a reply when the reply is there, and interrupts it when it closes", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const session = yield* open({
        leave: (call) => {
          call.afterReply(Effect.onInterrupt(
            Effect.andThen(Effect.sync(() => seen.push("after")), Effect.never),
            () => Effect.sync(() => void seen.push("interrupted"))
          ))
          return Effect.as(Effect.yieldNow, null)
        }
      })
      assert.deepStrictEqual(parsed(yield* session.answer(request(1, "leave"))), result(1, null))
      // Who answers has the reply first.
      assert.deepStrictEqual(seen, [])
      yield* settle
      assert.deepStrictEqual(seen, ["after"])
      yield* session.close
      assert.deepStrictEqual(seen, ["after", "interrupted"])
    }))

  it.effect("without a lane nobody can be asked or told", () =>
    Effect.gen(function*() {
      const session = yield* open({
        ask,
        tell: (call) =>
          Effect.orDie(Effect.gen(function*() {
            yield* call.progress({ percentage: 1 })
            assert.isUndefined(call.partialResult)
            return (yield* Effect.flip(call.peer.notify("n")))._tag
          }))
      })
      assert.deepStrictEqual(parsed(yield* session.answer(request(1, "ask"))), result(1, "Disconnected NoPeer false"))
      const tokens = { workDoneToken: 1, partialResultToken: 2 }
      assert.deepStrictEqual(parsed(yield* session.answer(request(2, "tell", tokens))), result(2, "Disconnected"))
    }))

  it.effect("what has no response returns when the lane has taken it, also a batch of it", () =>
    Effect.gen(function*() {
      const session = yield* open({})
      const took = yield* Deferred.make<void>()
      const caller = session.caller({ send: () => Deferred.await(took) })
      const note = yield* Effect.forkChild(caller.notify("n"), { startImmediately: true })
      const batch = yield* Effect.forkChild(caller.batch([{ method: "n", notification: true }]), {
        startImmediately: true
      })
      yield* settle
      assert.deepStrictEqual([note.pollUnsafe(), batch.pollUnsafe()], [undefined, undefined])
      yield* Deferred.succeed(took, undefined)
      yield* Fiber.join(note)
      assert.deepStrictEqual(yield* Fiber.join(batch), [undefined])
    }))

  it.effect("sends by a lane of its own what belongs to no request", () =>
    Effect.gen(function*() {
      const session = yield* open({})
      const { lane, sent } = makeLane()
      const caller = session.caller(lane)
      yield* caller.notify("changed", [1])
      const call = yield* Effect.forkChild(caller.request("question"), { startImmediately: true })
      const both = yield* Effect.forkChild(
        caller.batch([{ method: "one" }, { method: "two", notification: true }]),
        { startImmediately: true }
      )
      assert.deepStrictEqual(sent, [
        { jsonrpc: "2.0", method: "changed", params: [1] },
        question(1),
        [{ jsonrpc: "2.0", id: 2, method: "one" }, { jsonrpc: "2.0", method: "two" }]
      ])
      yield* session.answer(notification("unrelated"))
      assert.deepStrictEqual([session.running(), session.waiting()], [0, 2])
      yield* session.answer(`[${success(2, "two")},${success(1, "one")}]`)
      assert.strictEqual(yield* Fiber.join(call), "one")
      assert.deepInclude((yield* Fiber.join(both))[0], { _tag: "Success", success: "two" })
      assert.strictEqual(session.waiting(), 0)
    }))

  it.effect("hears notifications before they queue, whichever text brings them", () =>
    Effect.gen(function*() {
      const session = yield* open({ heard: () => Effect.die("nobody listened") })
      const heard: Array<unknown> = []
      const ended: Array<string> = []
      yield* session.caller(makeLane().lane).listen("heard", {
        take: (params) => heard.push(params) > 0,
        end: (error) => void ended.push(error.reason._tag)
      })
      yield* session.answer(notification("heard", [1]))
      yield* session.answer(notification("heard", [2]), makeLane().lane)
      assert.deepStrictEqual(heard, [[1], [2]])
      yield* session.close
      assert.deepStrictEqual(ended, ["Closed"])
    }))

  it.effect("a pause holds what comes, unless a call waits for nothing but its response", () =>
    Effect.gen(function*() {
      const session = yield* open({ echo })
      const { lane } = makeLane()
      const caller = session.caller(lane)
      const resume = caller.pause()
      const held = yield* asking(session, request(1, "echo", [1]))
      yield* settle
      assert.isUndefined(held.pollUnsafe())
      const call = yield* Effect.forkChild(caller.request("question"), { startImmediately: true })
      yield* session.answer(success(1, "ok"))
      assert.strictEqual(yield* Fiber.join(call), "ok")
      assert.deepStrictEqual(yield* Fiber.join(held), result(1, [1]))
      const again = yield* asking(session, request(2, "echo", [2]))
      yield* settle
      assert.isUndefined(again.pollUnsafe())
      resume()
      assert.deepStrictEqual(yield* Fiber.join(again), result(2, [2]))
    }))
})

const shuffled = <A>(all: ReadonlyArray<A>, keys: ReadonlyArray<number>): ReadonlyArray<A> =>
  all.map((value, index) => ({ value, key: keys[index % keys.length] ?? 0, index }))
    .toSorted((a, b) => a.key - b.key || b.index - a.index)
    .map(({ value }) => value)

describe("promise 7: a call ends exactly once", () => {
  it.effect.prop(
    "whichever lanes it and its responses take, in any order",
    {
      lanes: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(30)
      ),
      order: Schema.Array(Schema.Int).check(Schema.isMinLength(1), Schema.isMaxLength(7)),
      ends: Schema.Array(Schema.Literals(["result", "error", "malformed", "twice", "batch"])).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(5)
      )
    },
    ({ ends, lanes, order }) =>
      Effect.gen(function*() {
        const session = yield* open({ ask })
        const ways = [makeLane(), makeLane(), makeLane(), makeLane()]
        const outcomes: Array<ReadonlyArray<unknown>> = []
        const asked = yield* Effect.forEach(lanes, (lane, index) =>
          Effect.forkChild(
            Effect.tap(
              session.answer(request(index, "ask", [index]), ways[lane]?.lane),
              (reply) => Effect.sync(() => void outcomes.push([index, Object(parsed(reply)).result]))
            ),
            { startImmediately: true }
          ))
        const questions = ways.flatMap(({ sent }) => sent).map((sent) => Object(sent))
        assert.sameMembers(questions.map(({ id }) => id), lanes.map((_, index) => index + 1))
        const responses = shuffled(questions, order).map(({ id, params }, index) => {
          const [which] = Array.isArray(params) ? params : []
          const right = success(Number(id), `answer ${which}`)
          switch (ends[index % ends.length]) {
            case "error":
              return [JSON.stringify(failure(id, 1, "no")), which, "RemoteError"] as const
            case "malformed":
              return [`{"jsonrpc":"2.0","id":${id},"error":1}`, which, "InvalidResponse"] as const
            case "twice":
              return [`[${right},${success(Number(id), "again")}]`, which, `answer ${which}`] as const
            case "batch":
              return [`[${right}]`, which, `answer ${which}`] as const
            default:
              return [right, which, `answer ${which}`] as const
          }
        })
        for (const [index, [text]] of responses.entries()) {
          const reply = yield* session.answer(text, ways[index % ways.length]?.lane)
          assert.isTrue(Option.isNone(reply))
          yield* session.answer(text)
        }
        yield* Effect.forEach(asked, Fiber.join)
        assert.sameDeepMembers(outcomes.map((outcome) => [...outcome]), responses.map(([, which, end]) => [which, end]))
        assert.deepStrictEqual([session.running(), session.waiting()], [0, 0])
      })
  )
})
