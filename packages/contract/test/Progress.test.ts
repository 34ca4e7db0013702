/** Promise 11: progress as a stream beside the result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Contract, Method } from "../src/index.ts"
import { calling, failure, notification, pair, parsed, quietly, request, settle, started, success } from "./wire.ts"

const Work = Contract.make("Work", {
  work: Method.make({ params: { steps: Schema.Int }, result: Schema.String }),
  idle: Method.make({ result: Schema.String })
})

const live = Work.toLayer({
  work: ({ steps }, call) =>
    Effect.as(
      Effect.orDie(Effect.forEach(Array.from({ length: steps }, (_, done) => done), (done) => call.progress({ done }))),
      "done"
    ),
  idle: (_, call) => Effect.as(Effect.orDie(call.progress({ done: 0 })), "idle")
})

const report = (done: number, token = "progress-1") => notification("$/progress", { token, done })

const doneOf = (reports: ReadonlyArray<unknown>) => reports.map((params) => Object(params).done)

describe("progress", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: its progress, as a stream that ends", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live)
      const work = Work.client(peer)
      const running = yield* Contract.progress((onProgress) => work.work({ steps: 3 }, { onProgress }))
      assert.deepStrictEqual(doneOf(yield* Stream.runCollect(running.progress)), [0, 1, 2])
      assert.strictEqual(yield* running.result, "done")
      const idle = yield* Contract.progress((onProgress) => work.idle(undefined, { onProgress }))
      assert.strictEqual(yield* idle.result, "idle")
      assert.deepStrictEqual(doneOf(yield* Stream.runCollect(idle.progress)), [0])
    }))

  it.effect("comes while the call is under way, and ends with its failure", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const running = yield* Contract.progress((onProgress) => Work.client(peer).work({ steps: 1 }, { onProgress }))
      assert.deepStrictEqual(yield* wire.take(1), [
        parsed(request(1, "work", { steps: 1, workDoneToken: "progress-1" }))
      ])
      const seen: Array<unknown> = []
      const consumer = yield* started(
        Stream.runForEach(running.progress, (params) => Effect.sync(() => seen.push(params)))
      )
      yield* wire.send(report(1), report(2))
      yield* settle
      assert.deepStrictEqual(doneOf(seen), [1, 2])
      yield* wire.send(report(3), failure(1, 5, "no"), report(4))
      yield* Fiber.join(consumer)
      assert.deepStrictEqual(doneOf(seen), [1, 2, 3])
      assert.deepInclude(yield* Effect.flip(running.result), { _tag: "RemoteError", code: 5 })
      assert.deepInclude(yield* Effect.flip(running.result), { _tag: "RemoteError", code: 5 })
    }))

  it.effect("of many reports keeps the latest, or says how many are missed", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live)
      const reports = (options?: Parameters<typeof Contract.progress>[1]) =>
        Effect.gen(function*() {
          const running = yield* Contract.progress(
            (onProgress) => Work.client(peer).work({ steps: 100 }, { onProgress }),
            options
          )
          yield* running.result
          const seen: Array<unknown> = []
          const consume = Stream.runForEach(running.progress, (params) => Effect.sync(() => seen.push(params)))
          const end = yield* Effect.match(consume, { onSuccess: () => "end", onFailure: ({ missed }) => missed })
          return [...doneOf(seen), end]
        })
      const latest = (yield* reports()).slice()
      assert.deepStrictEqual([latest.length, latest[0], latest[63]], [65, 36, 99])
      assert.deepStrictEqual(yield* reports({ capacity: 2 }), [98, 99, "end"])
      assert.deepStrictEqual(yield* reports({ capacity: 2, strategy: "dropping" }), [0, 1, "end"])
      assert.deepStrictEqual(yield* reports({ capacity: 2, strategy: "fail" }), [0, 1, 98])
    }))

  it.effect("is shared by those who read it at once, and ends for each", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const running = yield* Contract.progress((onProgress) => Work.client(peer).work({ steps: 1 }, { onProgress }))
      const [one, other] = [
        yield* started(Stream.runCollect(running.progress)),
        yield* started(Stream.runCollect(running.progress))
      ]
      yield* wire.send(report(1))
      yield* settle
      yield* wire.send(report(2), success(1, "done"))
      const seen = [...yield* Fiber.join(one), ...yield* Fiber.join(other)]
      assert.deepStrictEqual(doneOf(seen).toSorted(), [1, 2])
      assert.deepStrictEqual(yield* Stream.runCollect(running.progress), [])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: its Scope closes, or time is over", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const work = Work.client(peer)
      const scope = yield* Scope.make()
      const running = yield* Scope.provide(
        Contract.progress((onProgress) => work.work({ steps: 1 }, { onProgress })),
        scope
      )
      const collected = yield* started(Stream.runCollect(running.progress))
      yield* wire.send(report(1))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(doneOf(yield* Fiber.join(collected)), [1])
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(running.result)))
      assert.deepStrictEqual((yield* wire.take(2))[1], parsed(notification("$/cancelRequest", { id: 1 })))
      const late = yield* Contract.progress((onProgress) => work.work({ steps: 1 }, { onProgress, timeout: 10 }))
      yield* TestClock.adjust(20)
      assert.deepStrictEqual(yield* Stream.runCollect(late.progress), [])
      assert.strictEqual((yield* Effect.flip(late.result))._tag, "RequestTimeout")
    }))

  it.effect("goes on when the call is made again", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const running = yield* Contract.progress((onProgress) =>
        Effect.retry(Work.client(peer).work({ steps: 1 }, { onProgress }), Schedule.recurs(1))
      )
      const collected = yield* started(Stream.runCollect(running.progress))
      yield* wire.send(report(1), failure(1, 5, "no"))
      yield* wire.take(2)
      yield* wire.send(report(2, "progress-2"), success(2, "done"))
      assert.deepStrictEqual(doneOf(yield* Fiber.join(collected)), [1, 2])
      assert.strictEqual(yield* running.result, "done")
    }))

  it.effect("ends when what makes the call throws", () =>
    Effect.gen(function*() {
      const running = yield* Contract.progress((onProgress) => {
        onProgress({ done: 0 })
        return Effect.die("no")
      })
      assert.deepStrictEqual(yield* Stream.runCollect(running.progress), [{ done: 0 }])
      assert.isTrue(Exit.hasDies(yield* Effect.exit(running.result)))
    }).pipe(quietly))
})
