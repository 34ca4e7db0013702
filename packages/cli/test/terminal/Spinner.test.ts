import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Spinner } from "../../src/internal/terminal/Spinner.ts"

/** A terminal, and what was written to it. */
const terminal = (isTTY: boolean, columns = 80) => {
  const written: Array<string> = []
  return { written, stream: { isTTY, columns, write: (text: string) => written.push(text) } }
}

/** Waits with a spinner for what never comes, for so long. */
const wait = (spinner: Spinner, during: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<void>()
    const waiting = spinner.around("starting node a\u001b[2J.js")(
      Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    )
    const fiber = yield* Effect.forkChild(waiting)
    yield* Deferred.await(started)
    yield* during
    yield* Fiber.interrupt(fiber)
  })

const taken = "\r\u001b[K"

describe("a spinner", () => {
  it.effect("says what is waited for after a second, and goes away", () =>
    Effect.gen(function*() {
      const { stream, written } = terminal(true)
      yield* wait(new Spinner(stream, false), TestClock.adjust("900 millis"))
      assert.deepStrictEqual(written, [])
      yield* wait(new Spinner(stream, false), TestClock.adjust("1100 millis"))
      assert.deepStrictEqual(written, [
        "⠋ starting node a\\u001b[2J.js …",
        taken,
        "⠙ starting node a\\u001b[2J.js …",
        taken
      ])
    }))

  it.effect("makes room for other lines, and waits for the end of those", () =>
    Effect.gen(function*() {
      const { stream, written } = terminal(true)
      const spinner = new Spinner(stream, false)
      yield* wait(
        spinner,
        Effect.gen(function*() {
          yield* TestClock.adjust("1 second")
          spinner.stream.write("half of ")
          yield* TestClock.adjust("5 seconds")
          spinner.stream.write("a line\n")
          yield* TestClock.adjust("900 millis")
          assert.deepStrictEqual(written.slice(1), [taken, "half of ", "a line\n"])
          yield* TestClock.adjust("100 millis")
        })
      )
      assert.deepStrictEqual(written.slice(-2), ["⠋ starting node a\\u001b[2J.js …", taken])
    }))

  it.effect("is one line of the terminal, and nothing in a pipe", () =>
    Effect.gen(function*() {
      const narrow = terminal(true, 12)
      yield* wait(new Spinner(narrow.stream, true), TestClock.adjust("1 second"))
      assert.strictEqual(narrow.written[0], "\u001b[2m⠋ starting \u001b[0m")
      const pipe = terminal(false)
      yield* wait(new Spinner(pipe.stream, true), TestClock.adjust("1 minute"))
      assert.deepStrictEqual(pipe.written, [])
    }))
})
