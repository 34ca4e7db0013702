/** Streams that are run again on the next connection. */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { Cause, Effect, Exit, Fiber, Queue, Schedule, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Caller, Reconnecting } from "../src/index.ts"
import { connecting, latest, second, type Service, started, station } from "./reconnections.ts"
import { notification, settle } from "./wire.ts"

describe("a stream that is resumed", () => {
  /** The notifications of one connection, as a stream that fails with it. */
  const news = (caller: Caller.Caller) =>
    Stream.callback<unknown, Caller.Disconnected>((queue) =>
      caller.listen("news", {
        take: (params) => Queue.offerUnsafe(queue, params),
        end: (error) => Queue.failCauseUnsafe(queue, Cause.fail(error))
      })
    )

  const resuming = (caller: Service, stream: Stream.Stream<unknown, unknown>) =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const consume = Stream.runForEach(
        Reconnecting.resume(caller)(stream),
        (item) => Effect.sync(() => seen.push(item))
      )
      yield* started(Effect.match(consume, {
        onFailure: (error) => seen.push(error instanceof Caller.Disconnected ? error.reason._tag : error),
        onSuccess: () => seen.push("end")
      }))
      yield* settle
      return seen
    })

  it.effect("has a Gap where a connection was lost, and goes on with the next one", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(connecting(at, { schedule: second }), scope)
      const seen = yield* resuming(caller, news(caller))
      const gap = (connection: number) => new Reconnecting.Gap({ connection, reason: { _tag: "EndOfInput" } })
      for (const connection of [1, 2, 3]) {
        yield* TestClock.adjust("1 second")
        yield* latest(at).send(notification("news", [connection]))
        yield* settle
        yield* latest(at).cut
      }
      assert.deepStrictEqual(seen, [[1], gap(2), [2], gap(3), [3]])
      assert.deepStrictEqual(seen.map(Reconnecting.isGap), [false, true, false, true, false])
      yield* Scope.close(scope, Exit.void)
      yield* settle
      assert.deepStrictEqual(seen.slice(5), ["EndOfInput"])
    }))

  it.effect.each([Dialect.jsonRpc, Dialect.make({ name: "own", shutDownCode: -31_100 })])(
    "goes on after the end that a server announces by the code of the dialect, and by no other: $name",
    (dialect) =>
      Effect.gen(function*() {
        const caller = yield* connecting(station(), { dialect, schedule: second })
        yield* caller.connected
        const ending = (code: number) =>
          new Caller.RemoteError({ method: "m", code, text: "Shutting down", data: { started: true } })
        let runs = 0
        const seen = yield* resuming(
          caller,
          Stream.suspend(() => ++runs === 1 ? Stream.fail(ending(dialect.shutDownCode)) : Stream.make(runs))
        )
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(seen.map((item) => Reconnecting.isGap(item) ? "gap" : item).slice(0, 2), ["gap", 2])
        const other = ending(dialect.shutDownCode - 1)
        assert.deepStrictEqual(yield* resuming(caller, Stream.fail(other)), [other])
      })
  )

  it.effect("goes on after a server that shut down in order, and not before its connection has ended", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      const foreign = new Caller.RemoteError({ method: "m", code: -32000, text: "Shutting down" })
      const shuttingDown = new Caller.RemoteError({ ...foreign, data: { started: true } })
      let runs = 0
      const seen = yield* resuming(
        caller,
        Stream.unwrap(
          Effect.as(
            caller.connected,
            Stream.suspend(() => Stream.concat(Stream.make(++runs), Stream.fail(shuttingDown)))
          )
        )
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [1])
      yield* latest(at).cut
      yield* TestClock.adjust("1 second")
      const gap = new Reconnecting.Gap({ connection: 2, reason: { _tag: "EndOfInput" } })
      assert.deepStrictEqual(seen, [1, gap, 2])
      // A third party that says so without the mark has ended this stream, and not its connection.
      assert.deepStrictEqual(yield* resuming(caller, Stream.fail(foreign)), [foreign])
    }))

  it.effect("ends, and fails with what is no Disconnected, as it is", () =>
    Effect.gen(function*() {
      const caller = yield* connecting(station())
      assert.deepStrictEqual(yield* resuming(caller, Stream.make(1, 2)), [1, 2, "end"])
      assert.deepStrictEqual(yield* resuming(caller, Stream.concat(Stream.make(1), Stream.fail("broken"))), [
        1,
        "broken"
      ])
    }))

  it.effect("is not run again where its connection is still there", () =>
    Effect.gen(function*() {
      const caller = yield* connecting(station())
      const other = new Caller.Disconnected({ reason: { _tag: "NoPeer" }, sent: false })
      assert.deepStrictEqual(yield* resuming(caller, Stream.fail(other)), ["NoPeer"])
    }))

  it.effect("goes on where the schedule takes its time to decide", () =>
    Effect.gen(function*() {
      const at = station()
      const slow = Schedule.modifyDelay(second, ({ duration }) => Effect.as(Effect.sleep("1 second"), duration))
      const caller = yield* connecting(at, { schedule: slow })
      const seen = yield* resuming(caller, news(caller))
      yield* latest(at).cut
      yield* TestClock.adjust("2 seconds")
      yield* latest(at).send(notification("news", [2]))
      yield* settle
      const gap = new Reconnecting.Gap({ connection: 2, reason: { _tag: "EndOfInput" } })
      assert.deepStrictEqual(seen, [gap, [2]])
    }))

  it.effect("releases each run before the next one, and the last one when it is left", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at, { schedule: second })
      const events: Array<string> = []
      const log = (event: string) => Effect.sync(() => void events.push(event))
      const stream = Stream.unwrap(Effect.as(Effect.acquireRelease(log("begin"), () => log("end")), news(caller)))
      const consumer = yield* started(Stream.runDrain(Reconnecting.resume(caller)(stream)))
      yield* settle
      yield* latest(at).cut
      assert.deepStrictEqual(events, ["begin", "end"])
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(consumer)
      assert.deepStrictEqual(events, ["begin", "end", "begin", "end"])
    }))
})
