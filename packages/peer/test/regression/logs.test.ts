/** A client wrote lines of its own into the log of a server, and drove the terminal that showed it, by names of methods. */
import { assert, it } from "@effect/vitest"
import * as Limits from "@parley/protocol/Limits"
import { Cause, Effect, Layer, Logger, References } from "effect"
import { Logging } from "../../src/index.ts"
import { Host } from "../../src/internal/runtime/Host.ts"
import { connect, notification, request, settle, success } from "../wire.ts"

const hostile = `\u001b[2J\u001b]0;pwned\u0007\nlevel=ERROR \u202eforged\u2069 \u009b1m\u2028${"x".repeat(5_000)}`

const dangerous = /[\p{Cc}\u2028\u202e\u2066-\u2069]/u

/** Runs an effect with a logger that keeps its messages and annotations as text. */
const logged = <A, E, R>(run: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    const annotations = Object.values(fiber.getRef(References.CurrentLogAnnotations))
    lines.push(...[message, annotations].flat().map(String))
  })
  return Effect.provide(
    run(lines),
    Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))
  )
}

it.effect("a line of a log is quoted and cut, whoever makes it", () =>
  logged((lines) =>
    Effect.gen(function*() {
      const host = new Host(yield* Effect.context<never>(), Limits.defaults)
      host.log(hostile, Cause.die("broken"))
      host.log(hostile, Cause.empty)
      yield* settle
      assert.strictEqual(lines.length, 2)
      for (const line of lines) {
        assert.notMatch(line, dangerous)
        assert.isBelow(line.length, 2_000)
      }
    })
  ))

it.effect("no line of a log has what a client sent as it is, or in its whole length", () =>
  logged((lines) =>
    Effect.gen(function*() {
      const log = Logging.handler()
      const { wire } = yield* connect({
        [hostile]: log(() => Effect.die("broken")),
        unwritable: () => Effect.succeed(1n as never) // What an untyped handler may give.
      })
      yield* wire.send(
        request(1, hostile),
        request(hostile, hostile),
        notification(hostile),
        notification(`${hostile}none`),
        request(2, "unwritable"),
        success(hostile, 1),
        `{"jsonrpc":"2.0","id":${hostile}}`,
        hostile
      )
      yield* settle
      assert.isAbove(lines.length, 6)
      assert.include(lines.join(), "pwned")
      for (const line of lines) {
        assert.notMatch(line, dangerous)
        assert.isBelow(line.length, 2_000)
      }
    })
  ))
