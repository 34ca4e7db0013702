/** Promise 11: what handlers of subscriptions give, as the other side hears it. */
import { assert, describe, it } from "@effect/vitest"
import { ErrorResponse, Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect, Layer, Queue, Schema, Stream } from "effect"
import { Contract, Subscription } from "../../src/index.ts"
import {
  failure,
  logging,
  notification,
  parsed,
  quietly,
  request,
  routerOf,
  serving,
  settle,
  success
} from "../wire.ts"
import { counting, dates, type Given, giving, Gone, heard, iso, partial, read, watch, watched } from "./publisher.ts"

describe("a subscription by notifications", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response, or after: the id, the items, the end", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.fromIterable(dates(1, 2, 3))))
      yield* wire.send(watch(1))
      assert.deepStrictEqual(yield* heard(wire), [
        parsed(success(1, "0x1")),
        ...[1, 2, 3].map((time) => watched("0x1", { result: iso(time) })),
        watched("0x1", { end: true })
      ])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, or after: items when a batch is answered", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.fromIterable(dates(1))))
      yield* wire.send(`[${watch(1)},${request(2, "ping")}]`)
      assert.deepStrictEqual(yield* wire.take(3), [
        [parsed(success(1, "0x1")), parsed(success(2, "pong"))],
        watched("0x1", { result: iso(1) }),
        watched("0x1", { end: true })
      ])
    }))

  it.effect("is closed by its id, once, and then sends nothing more", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const queue = yield* Queue.unbounded<Date>()
      const items = Stream.unwrap(Effect.as(acquire, Stream.fromQueue(queue)))
      const { wire } = yield* serving(giving(() => items))
      yield* wire.send(watch(1))
      yield* Queue.offer(queue, new Date(1))
      yield* wire.take(2)
      assert.deepStrictEqual(counts, { acquired: 1, released: 0 })
      yield* wire.send(request(2, "unwatch", ["0x1"]), request(3, "unwatch", ["0x1"]), request(4, "unwatch", ["0x2"]))
      yield* settle
      yield* Queue.offer(queue, new Date(2))
      assert.deepStrictEqual((yield* heard(wire)).slice(2), [
        parsed(success(2, true)),
        parsed(success(3, false)),
        parsed(success(4, false))
      ])
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
    }))

  it.effect("is closed even behind a slow notification", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const slow = Layer.effectDiscard(
        Effect.flatMap(Router.Router, (router) => router.add("slow", () => Effect.never))
      )
      const { wire } = yield* serving(
        Layer.mergeAll(giving(() => Stream.unwrap(Effect.as(acquire, Stream.never))), slow)
      )
      yield* wire.send(watch(1))
      yield* settle
      yield* wire.send(notification("slow"), request(2, "unwatch", ["0x1"]))
      assert.deepStrictEqual((yield* heard(wire))[1], parsed(success(2, true)))
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
    }))

  it.effect("is closed by nothing else than a string", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.never))
      for (const params of [undefined, [], [1], { id: "0x1" }]) yield* wire.send(request(1, "unwatch", params))
      const refused = yield* wire.take(4)
      assert.deepStrictEqual(refused.map((reply) => Object(reply).error.code), [-32602, -32602, -32602, -32602])
    }))

  it.effect("promise 9: closing ends every call with Disconnected, and the streams of what is subscribed", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const { peer, wire } = yield* serving(giving(() => Stream.unwrap(Effect.as(acquire, Stream.never))))
      yield* wire.send(watch(1), watch(2))
      yield* wire.take(2)
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 2, released: 0 })
      yield* wire.transport.close
      yield* peer.closed
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 2, released: 2 })
    }))

  it.effect("has an id that no other subscription of the connection has, not even of another contract", () =>
    Effect.gen(function*() {
      const Other = Contract.make("Other", {
        other: Subscription.make({
          item: Schema.Date,
          carrier: Subscription.notifications({ notification: "watched", close: "unwatchOther" })
        })
      })
      const both = Layer.mergeAll(giving(() => Stream.never), Other.toLayer({ other: () => Stream.never }))
      const router = yield* routerOf(both)
      const ids = Effect.gen(function*() {
        const { wire } = yield* serving(Layer.empty, { router })
        yield* wire.send(watch(1), request(2, "other"), watch(3), request(4, "unwatchOther", ["0x1"]))
        return (yield* wire.take(4)).map((reply) => Object(reply).result)
      })
      assert.deepStrictEqual(yield* ids, ["0x1", "0x2", "0x3", false])
      // Another connection has its own.
      assert.deepStrictEqual(yield* ids, ["0x1", "0x2", "0x3", false])
    }))

  it.effect("that has ended is not open", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.empty))
      yield* wire.send(watch(1))
      yield* settle
      yield* wire.send(request(2, "unwatch", ["0x1"]))
      assert.deepStrictEqual((yield* heard(wire))[2], parsed(success(2, false)))
    }))

  it.effect("is one of a bounded number", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.never))
      for (let from = 0; from < 4_096; from += 512) {
        yield* wire.send(`[${Array.from({ length: 512 }, (_, index) => watch(from + index)).join(",")}]`)
        yield* settle
      }
      yield* wire.send(watch(5000))
      const refused = parsed(failure(5000, -32000, "Too many subscriptions"))
      assert.deepStrictEqual((yield* heard(wire)).slice(8), [refused])
      yield* wire.send(request(5001, "unwatch", ["0x1"]), request(5002, "unwatch", ["0x1"]))
      yield* settle
      yield* wire.send(watch(5003), watch(5004))
      assert.deepStrictEqual((yield* heard(wire)).slice(9).map((reply) => Object(reply).result), [
        true,
        false,
        "0x1001",
        undefined
      ])
    }))

  it.effect("is one of a bounded number within one batch, too", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.never))
      const batch = (from: number, count: number) =>
        wire.send(`[${Array.from({ length: count }, (_, index) => watch(from + index)).join(",")}]`)
      for (let from = 0; from < 3_584; from += 512) {
        yield* batch(from, 512)
        yield* settle
      }
      yield* batch(5_000, 600)
      const replies: ReadonlyArray<object> = Object((yield* heard(wire))[7])
      assert.strictEqual(replies.length, 600)
      assert.strictEqual(replies.filter((reply) => Object.hasOwn(reply, "result")).length, 512)
    }))

  it.effect("tells of a failure, and of no more than the contract says", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const failures: ReadonlyArray<readonly [Stream.Stream<Date, Gone | ErrorResponse.ErrorResponse>, object]> = [
          [Stream.fail(new Gone({ since: 1 })), { code: 410, message: "Gone", data: { since: 1 } }],
          [Stream.fail(ErrorResponse.make(5, "mine", [1])), { code: 5, message: "mine", data: [1] }],
          [Stream.die("secret"), { code: -32603, message: "Internal error" }],
          [Stream.fromEffect(Effect.interrupt), { code: -32603, message: "Internal error" }],
          [Stream.fail(ErrorResponse.internalError("secret")), { code: -32603, message: "Internal error" }],
          // What a handler without types may give.
          [Stream.make("tomorrow" as unknown as Date), { code: -32603, message: "Internal error" }]
        ]
        for (const [stream, error] of failures) {
          const { wire } = yield* serving(giving(() => Stream.concat(Stream.fromIterable(dates(1)), stream)))
          yield* wire.send(watch(1))
          assert.deepStrictEqual((yield* heard(wire)).slice(1), [
            watched("0x1", { result: iso(1) }),
            watched("0x1", { error })
          ])
        }
        // What a contract declares is no news.
        assert.deepStrictEqual(
          lines,
          Array.from({ length: 4 }, () => "the subscription 0x1 of watch failed in a way it did not declare")
        )
      })
    ))

  it.effect("tells of an end where it cannot tell of a failure, or of neither", () =>
    Effect.gen(function*() {
      const told = (members: Partial<Subscription.Notifications>) =>
        Effect.gen(function*() {
          const Quiet = Contract.make("Quiet", {
            watch: Subscription.make({
              item: Schema.Date,
              errors: { 410: Gone },
              carrier: Subscription.notifications({ notification: "watched", close: "unwatch", ...members })
            })
          })
          const { wire } = yield* serving(Quiet.toLayer({ watch: () => Stream.fail(new Gone({ since: 1 })) }))
          yield* wire.send(request(1, "watch"))
          return (yield* heard(wire)).slice(1)
        })
      assert.deepStrictEqual(yield* told({ error: undefined }), [watched("0x1", { end: true })])
      assert.deepStrictEqual(yield* told({ error: undefined, end: undefined }), [])
    }))

  it.effect("is refused by its handler, or by its params, and then sends nothing", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const handlers = [
        () => Effect.fail(new Gone({ since: 1 })),
        () => Effect.andThen(acquire, Effect.fail(new Gone({ since: 1 })))
      ]
      for (const handler of handlers) {
        const { wire } = yield* serving(giving(handler))
        yield* wire.send(watch(1), request(2, "watch", {}))
        const [gone, invalid] = yield* heard(wire)
        assert.deepStrictEqual(gone, parsed(failure(1, 410, "Gone", { since: 1 })))
        assert.strictEqual(Object(invalid).error.code, -32602)
        assert.strictEqual(wire.received.length, 2)
      }
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
    }))

  it.effect("promise 15: a defect answers -32603 without data, also of what should give a stream", () =>
    Effect.gen(function*() {
      const wrongs: ReadonlyArray<() => Given> = [
        () => Effect.die("secret"),
        () => {
          throw new Error("secret")
        },
        // What a handler without types may give.
        () => undefined as unknown as Given,
        () => Effect.succeed(5) as unknown as Given
      ]
      for (const wrong of wrongs) {
        const { wire } = yield* serving(giving(wrong))
        yield* wire.send(watch(1), read(2), read(3, "t"))
        for (const reply of yield* heard(wire)) {
          assert.deepStrictEqual(Object(reply).error, { code: -32603, message: "Internal error" })
        }
        assert.strictEqual(wire.received.length, 3)
      }
    }).pipe(quietly))

  it.effect("that comes as a notification opens nothing", () =>
    Effect.gen(function*() {
      let opened = 0
      const { wire } = yield* serving(giving(() => Stream.fromEffect(Effect.sync(() => new Date(++opened)))))
      yield* wire.send(notification("watch", { of: "a" }), notification("read", { of: "a" }))
      yield* wire.send(notification("read", { of: "a", partialResultToken: "t" }))
      assert.deepStrictEqual(yield* heard(wire), [])
      assert.strictEqual(opened, 0)
    }))

  it.effect("needs a connection", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(giving(() => Stream.fromIterable(dates(1))))
      const answer = yield* router.answer(watch(1))
      assert.strictEqual(answer.valueOrUndefined, failure(1, -32000, "Subscriptions need a connection"))
      assert.strictEqual((yield* router.answer(request(1, "unwatch", ["0x1"]))).valueOrUndefined, success(1, false))
    }))

  it.effect("promise 18: callers suspend on a full outbox, and so do streams that nobody reads", () =>
    Effect.gen(function*() {
      let made = 0
      const endless = Stream.fromEffectRepeat(Effect.sync(() => new Date(++made)))
      for (const open of [watch(1), read(1, "t")]) {
        made = 0
        const router = yield* routerOf(giving(() => endless))
        const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: 500 })
        const peer = yield* Peer.make(ours, { router, limits: { drain: 0, outbox: 500 } })
        yield* Effect.orDie(theirs.send([open]))
        yield* settle
        const before = made
        assert.isAbove(before, 0)
        yield* settle
        assert.strictEqual(made, before, "nobody reads, and the stream goes on")
        yield* theirs.close
        yield* peer.closed
      }
    }))
})

describe("a subscription by partial results", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: its items, in their order", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(
        giving(() => Stream.concat(Stream.fromIterable(dates(1, 2)), Stream.make(new Date(3))))
      )
      yield* wire.send(read(1, "t"))
      assert.deepStrictEqual(yield* heard(wire), [partial(1, 2), partial(3), parsed(success(1, []))])
    }))

  it.effect("has all its items in the response for who asks for no others, as many as fit", () =>
    Effect.gen(function*() {
      const { wire } = yield* serving(giving(() => Stream.fromIterable(dates(1, 2))))
      yield* wire.send(read(1))
      assert.deepStrictEqual(yield* heard(wire), [parsed(success(1, [iso(1), iso(2)]))])
      const Large = Contract.make("Large", {
        numbers: Subscription.make({ params: { to: Schema.Int }, item: Schema.Int })
      })
      const large = yield* serving(Large.toLayer({ numbers: ({ to }) => Stream.range(1, to) }))
      const endless = Number.MAX_SAFE_INTEGER
      yield* large.wire.send(request(1, "numbers", { to: 65_536 }), request(2, "numbers", { to: endless }))
      const [all, tooMany] = yield* large.wire.take(2)
      assert.strictEqual(Object(all).result.length, 65_536)
      assert.strictEqual(Object(tooMany).error.code, -32000)
    }))

  it.effect("sends what a stream gives at once in parts", () =>
    Effect.gen(function*() {
      const times = Array.from({ length: 600 }, (_, time) => time)
      const { wire } = yield* serving(giving(() => Stream.fromIterable(dates(...times))))
      yield* wire.send(read(1, "t"))
      assert.deepStrictEqual(yield* heard(wire), [
        partial(...times.slice(0, 256)),
        partial(...times.slice(256, 512)),
        partial(...times.slice(512)),
        parsed(success(1, []))
      ])
    }))

  it.effect("fails after its items, as its contract says", () =>
    Effect.gen(function*() {
      const ends: ReadonlyArray<readonly [Stream.Stream<Date, Gone>, object]> = [
        [Stream.fail(new Gone({ since: 1 })), { code: 410, message: "Gone", data: { since: 1 } }],
        [Stream.die("secret"), { code: -32603, message: "Internal error" }],
        // What a handler without types may give, in the midst of others.
        [Stream.make(new Date(2), "3" as unknown as Date, new Date(4)), { code: -32603, message: "Internal error" }]
      ]
      for (const [end, error] of ends) {
        const { wire } = yield* serving(giving(() => Stream.concat(Stream.fromIterable(dates(1)), end)))
        yield* wire.send(read(1, "t"), read(2))
        const replies = (yield* heard(wire)).filter((message) => Object(message).error !== undefined)
        assert.deepStrictEqual(replies, [{ jsonrpc: "2.0", id: 1, error }, { jsonrpc: "2.0", id: 2, error }])
        const items = wire.received.filter((message) => Object(message).method !== undefined)
        assert.deepStrictEqual(items, error === ends[2]?.[1] ? [partial(1), partial(2)] : [partial(1)])
      }
    }).pipe(quietly))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: a cancelled one ends its stream", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const { wire } = yield* serving(giving(() => Effect.as(acquire, Stream.unwrap(Effect.as(acquire, Stream.never)))))
      yield* wire.send(read(1, "t"), read(2))
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 4, released: 0 })
      yield* wire.send(notification("$/cancelRequest", { id: 1 }), notification("$/cancelRequest", { id: 2 }))
      assert.deepStrictEqual((yield* heard(wire)).map((reply) => Object(reply).error.code), [-32800, -32800])
      assert.deepStrictEqual(counts, { acquired: 4, released: 4 })
    }))
})
