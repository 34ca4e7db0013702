/** The memory of a client that is not ours; `packages/node` tests all fetchers beside each other. */
import { assert, describe, it } from "@effect/vitest"
import { HttpFetcher } from "@parley/http/shared/client"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Cookies, FetchHttpClient, Headers, HttpClient, type HttpClientResponse } from "effect/http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const KiB = 1024
const MiB = 1024 * KiB

/** A body whose pieces are counted as they are asked for: the first has ones, the second twos. */
const bodyOf = (count: number, bytes: number) => {
  const seen = { pulled: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (seen.pulled === count) return controller.close()
      controller.enqueue(new Uint8Array(bytes).fill(++seen.pulled))
    },
    cancel: () => {
      seen.isCancelled = true
    }
  }, { highWaterMark: 0 })
  return { seen, body }
}

/** Fetches the bodies, one after the other. */
const fetching = (budget: number, bodies: ReadonlyArray<ReadableStream<Uint8Array>>) =>
  Effect.gen(function*() {
    const rest = bodies.map((body) => new Response(body))
    const fetcher = yield* HttpFetcher.make({ limits: { budget } })
    const one = Effect.provideService(
      fetcher.fetch({ method: "GET", url: "http://localhost/" }),
      FetchHttpClient.Fetch,
      () => Promise.resolve(rest.shift() ?? Response.error())
    )
    return yield* Effect.all(bodies.map(() => one))
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Lets all go on that can. */
const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("HttpFetcher.make", () => {
  it.effect("promise 18: callers suspend on a full outbox: an answer is read a mebibyte ahead of its taker, in its order, and no further", () =>
    Effect.gen(function*() {
      const { body, seen } = bodyOf(100, 64 * KiB)
      const [response] = yield* fetching(16 * MiB, [body])
      const free = yield* Deferred.make<void>()
      let taken = ""
      const reading = yield* Effect.forkChild(
        response?.read((chunk) => {
          for (let at = 0; at < chunk.length; at += 64 * KiB) taken += `${chunk[at]} `
          return Deferred.await(free)
        }) ?? Effect.die("no answer")
      )
      yield* settled
      // One mebibyte is taken, and another one waits.
      assert.isAtMost(seen.pulled, 33)
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(reading)
      assert.strictEqual(taken, Array.from({ length: 100 }, (_, index) => `${index + 1} `).join(""))
    }))

  it.effect("promise 18: callers suspend on a full outbox: what came while a taker was busy comes next", () =>
    Effect.gen(function*() {
      let give = (_: number) => {}
      let close = () => {}
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          give = (byte) => controller.enqueue(Uint8Array.of(byte))
          close = () => controller.close()
        }
      })
      const [response] = yield* fetching(16 * MiB, [body])
      const free = yield* Deferred.make<void>()
      const taken: Array<number> = []
      const reading = yield* Effect.forkChild(
        response?.read((chunk) => {
          taken.push(...chunk)
          return Deferred.await(free)
        }) ?? Effect.die("no answer")
      )
      for (const byte of [1, 2, 3]) {
        give(byte)
        yield* settled
      }
      assert.deepStrictEqual(taken, [1])
      yield* Deferred.succeed(free, undefined)
      yield* settled
      give(4)
      close()
      yield* Fiber.join(reading)
      assert.deepStrictEqual(taken, [1, 2, 3, 4])
    }))

  it.effect("promise 18: callers suspend on a full outbox: answers that are not read, of which the client keeps much, are no more than fit", () =>
    Effect.gen(function*() {
      const bodies = Array.from({ length: 3 }, () => bodyOf(20, 64 * KiB))
      const responses = yield* fetching(20 * MiB, bodies.map(({ body }) => body))
      yield* settled
      assert.strictEqual(bodies.filter(({ seen }) => seen.isCancelled).length, 1)
      const ends = yield* Effect.forEach(responses, (response) => Effect.exit(response.read(() => undefined)))
      assert.deepStrictEqual(ends.map(Exit.isFailure), bodies.map(({ seen }) => seen.isCancelled))
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: of answers that grow beyond the budget, the heaviest ends", () =>
    Effect.gen(function*() {
      const [large, small] = [bodyOf(12, 256 * KiB), bodyOf(6, 256 * KiB)]
      const stuck = large.body.pipeThrough(new TransformStream({ flush: () => new Promise(() => {}) }))
      const [first, second] = yield* fetching(4 * MiB, [stuck, small.body])
      const text = (response: HttpFetcher.Response | undefined) =>
        response === undefined ? Effect.die("no answer") : HttpFetcher.text(response, 4 * MiB)
      const ended = yield* Effect.forkChild(Effect.flip(text(first)))
      yield* settled
      assert.lengthOf(yield* text(second), 1.5 * MiB)
      assert.deepInclude(yield* Fiber.join(ended), { _tag: "Disconnected", reason: { _tag: "Overrun" } })
    }))

  it.effect("leaves nothing of an answer that was read to whole collections, which are rare and dear", () =>
    Effect.gen(function*() {
      const fetcher = yield* HttpFetcher.make()
      const one = Effect.scoped(Effect.flatMap(
        fetcher.fetch({ method: "GET", url: "http://localhost/" }),
        (response) => HttpFetcher.text(response, KiB)
      ))
      yield* one
      const before = youngest()
      for (let count = 0; count < 500; count++) yield* one
      assert.isBelow(youngest() - before, 2 * MiB)
    }).pipe(Effect.provideService(HttpClient.HttpClient, HttpClient.make(() => Effect.succeed(heavy())))))
})

/** An answer of 16 KiB that a collection of what is young can free, as a client has it that is not `fetch`. */
const heavy = () =>
  ({
    status: 200,
    headers: Headers.fromInput({ "content-length": "2" }),
    cookies: Cookies.empty,
    arrayBuffer: Effect.sync(() => new ArrayBuffer(2)),
    ballast: new Array(2 * KiB).fill(0)
  }) as unknown as HttpClientResponse.HttpClientResponse

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" }) => void = runInNewContext("gc")

/** The bytes in use when what is young and free has been collected. */
const youngest = () => {
  // A value that survives the first collection is old after the second.
  for (let times = 0; times < 2; times++) collect({ type: "minor" })
  return process.memoryUsage().heapUsed
}
