import { assert, describe, it } from "@effect/vitest"
import { AnswerReader } from "@parley/http/shared/client"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber, Result } from "effect"

const head: AnswerReader.AnswerHead = { status: 200, contentType: "application/json", contentLength: undefined }

/** What is read of these chunks: the texts, and how it ended, in words. */
const read = (own: Partial<AnswerReader.AnswerHead>, ...chunks: ReadonlyArray<string>): ReadonlyArray<string> => {
  const reader = AnswerReader.make({ ...head, ...own }, 20)
  if (Result.isFailure(reader)) return [reader.failure.rule]
  const texts: Array<string> = []
  for (const [index, chunk] of chunks.entries()) {
    const whole = reader.success.push(new TextEncoder().encode(chunk))
    if (Result.isFailure(whole)) return [...texts, `${whole.failure.message} (chunk ${index})`]
    texts.push(...whole.success)
  }
  const { ending, text } = reader.success.end()
  return [
    ...texts,
    ...(text === undefined ? [] : [text]),
    Result.isSuccess(ending) ? ending.success : ending.failure.message
  ]
}

const event = { contentType: "text/event-stream" }
const refused = { status: 500, contentType: "text/html" }

describe("AnswerReader", () => {
  it("gives the text of a body at its end, and those of events as they come", () => {
    assert.deepStrictEqual(read({}, "{\"a\":", "1}"), ["{\"a\":1}", "answer"])
    assert.deepStrictEqual(read({}), ["answer"])
    assert.deepStrictEqual(read(event, "data: 1\n", "\ndata: 2\n\n"), ["1", "2", "stream"])
    assert.deepStrictEqual(read({ contentType: "text/html" }), ["answer"])
  })

  it("promise 5: a frame beyond its limit is never buffered: reading stops", () => {
    assert.deepStrictEqual(read({ contentLength: "21" }), ["the answer is larger than the limit `frame` of 20 bytes"])
    assert.deepStrictEqual(read({}, "x".repeat(20), "x", "more"), [
      `the answer is larger than the limit \`frame\` of 20 bytes; it begins ${"x".repeat(21)} (chunk 1)`
    ])
    assert.deepStrictEqual(read({ ...event, contentLength: "21" }, "data: 1\n\ndata: 2\n\ndata: 3\n\n"), [
      "1",
      "2",
      "3",
      "stream"
    ])
    const long = "x".repeat(1_000)
    assert.deepStrictEqual(read(refused, long, long, "more"), [`HTTP status 500: ${"x".repeat(1_024)} (chunk 1)`])
  })

  it("a status is a failure behind the text that came with it", () => {
    assert.deepStrictEqual(read({ status: 400 }, "{\"a\":1}"), ["{\"a\":1}", "HTTP status 400: {\"a\":1}"])
    assert.deepStrictEqual(read({ status: 400 }, "x".repeat(21)), [`HTTP status 400: ${"x".repeat(21)} (chunk 0)`])
    assert.deepStrictEqual(read({ status: 302 }), ["HTTP status 302"])
    assert.deepStrictEqual(read(refused, "<html>"), ["HTTP status 500: <html>"])
  })

  it("a status comes with the headers that say what to do about it", () => {
    const headers: Readonly<Record<string, string>> = {
      "www-authenticate": "Bearer realm=\"bank\"",
      "retry-after": "10",
      location: "https://ann:secret@example.org/new?token=secret#here",
      "set-cookie": "secret"
    }
    const told = (status: number, names: ReadonlyArray<string>) => {
      const header = (name: string) => names.includes(name) ? headers[name] : undefined
      const { ending } = Result.getOrThrow(AnswerReader.make({ ...refused, contentLength: "0", status, header }, 20))
        .end()
      return Result.isFailure(ending) && ending.failure._tag === "HttpStatusError" ? ending.failure : undefined
    }
    const all = told(401, Object.keys(headers))
    assert.deepStrictEqual(all?.headers, {
      "www-authenticate": "Bearer realm=\"bank\"",
      "retry-after": "10",
      location: "https://example.org/new"
    })
    assert.strictEqual(
      all?.message,
      "HTTP status 401 (www-authenticate: Bearer realm=\"bank\", retry-after: 10, location: https://example.org/new)"
    )
    assert.isFalse(Object.hasOwn(told(401, []) ?? {}, "headers"))
  })

  it("takes no bytes that it cannot read", () => {
    assert.deepStrictEqual(read({ contentEncoding: "gzip" }), [
      "the answer has the content encoding gzip, which was not asked for"
    ])
    assert.deepStrictEqual(read({ contentEncoding: "identity" }), ["answer"])
    assert.deepStrictEqual(read({ contentType: undefined }, "1"), [
      "the answer has no content type; it begins 1 (chunk 0)"
    ])
  })

  const MiB = 1024 * 1024
  const opened = (budget: Budget.Budget, own: Partial<AnswerReader.AnswerHead> = {}) =>
    Result.getOrThrow(AnswerReader.make({ ...head, ...own }, 4 * MiB, { budget }))
  const piece = new Uint8Array(MiB).fill(0x20)

  it.effect("answers that grow at the same time take turns, and all are read to their ends", () =>
    Effect.gen(function*() {
      const budget = Budget.make(10 * MiB)
      const [first, second, third] = [opened(budget), opened(budget, event), opened(budget)] as const
      for (const reader of [first, second, third]) reader.push(piece.subarray(0, 65_536))
      assert.deepStrictEqual([first, second, third].map((reader) => reader.room()), [undefined, undefined, undefined])
      assert.strictEqual(budget.taken(), 0)
      for (const reader of [first, second, third]) reader.push(piece.subarray(0, 1))
      assert.deepStrictEqual([first.room(), second.room()], [undefined, undefined])
      const waiting = yield* Effect.forkChild(third.room() ?? Effect.die("it may go on"), { startImmediately: true })
      for (let at = 0; at < 3; at++) {
        first.push(piece)
        assert.isUndefined(first.room())
      }
      yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      first.end()
      first.close()
      yield* Fiber.join(waiting)
      assert.isUndefined(third.room())
      assert.strictEqual(budget.taken(), 8 * MiB)
      // An event ended: what is kept is small again.
      second.push(new TextEncoder().encode("\n\n"))
      assert.isUndefined(second.room())
      assert.strictEqual(budget.taken(), 4 * MiB)
      third.close()
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("an answer takes what its head announces, and more where it is longer", () =>
    Effect.sync(() => {
      const budget = Budget.make(10 * MiB)
      const reader = opened(budget, { contentLength: `${2 * MiB}` })
      reader.push(piece)
      assert.isUndefined(reader.room())
      assert.strictEqual(budget.taken(), 2 * MiB)
      reader.push(piece)
      budget.take(8 * MiB)
      assert.isUndefined(reader.room())
      reader.push(piece)
      assert.isDefined(reader.room())
    }))

  it.effect("thousands that grow at the same time ask for room a few times each", () =>
    Effect.gen(function*() {
      let looks = 0
      // Four fit, and there is always room for half of another.
      const budget = Budget.make(18 * MiB)
      const share = budget.share.bind(budget)
      Object.assign(budget, {
        share: () => {
          const made = share()
          const fits = made.fits.bind(made)
          const counted = (weight: number) => {
            looks++
            return fits(weight)
          }
          return Object.assign(made, { fits: counted })
        }
      })
      const many = 2_000
      const part = piece.subarray(0, 65_537)
      yield* Effect.forEach(Array.from({ length: many }), () =>
        Effect.gen(function*() {
          const reader = opened(budget)
          reader.push(part)
          yield* reader.room() ?? Effect.void
          yield* Effect.yieldNow
          reader.close()
        }), { concurrency: "unbounded" })
      assert.isAtMost(looks, 4 * many)
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("one that is given up while it waits leaves the others their room", () =>
    Effect.gen(function*() {
      const budget = Budget.make(8 * MiB)
      const [first, second] = [opened(budget), opened(budget)] as const
      budget.take(8 * MiB)
      first.push(piece)
      second.push(piece)
      const gone = yield* Effect.forkChild(first.room() ?? Effect.void, { startImmediately: true })
      const waiting = yield* Effect.forkChild(second.room() ?? Effect.void, { startImmediately: true })
      yield* Fiber.interrupt(gone)
      budget.take(-4 * MiB)
      yield* Fiber.join(waiting)
      assert.strictEqual(budget.taken(), 8 * MiB)
    }))
})
