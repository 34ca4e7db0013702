/** A client wrote lines of its own into the log of a server, and drove the terminal that showed it, by names of methods. */
import { assert, it } from "@effect/vitest"
import { Logging } from "@parley/middleware"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Peer from "@parley/peer/Peer"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { Cause, Effect, Layer, Logger, References } from "effect"
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

it.effect("a cause is printed without what drives a terminal, and with its own name and places", () =>
  Effect.gen(function*() {
    const causes: Array<string> = []
    const logger = Logger.make(({ cause }) => void causes.push(Cause.pretty(cause)))
    const host = new Host(
      yield* Effect.provide(Effect.context<never>(), Logger.layer([logger])),
      Limits.defaults
    )
    host.log("a", Cause.die(ErrorResponse.make(1, "a\u001b[2J\u202eb\nlevel=ERROR forged")))
    host.log("a", Cause.die(new TypeError("a b")))
    yield* settle
    assert.strictEqual(causes.length, 2)
    assert.match(causes[0] ?? "", /^ErrorResponse: a\\u001b\[2J\\u202eb\n.*\n {4}at /)
    assert.match(causes[1] ?? "", /^TypeError: a b\n {4}at /)
  }))

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

it.effect("a text that is answered with an error that says little leaves a line for debugging, with its rule and its beginning", () =>
  logged((lines) =>
    Effect.gen(function*() {
      const { wire } = yield* connect({ work: () => Effect.succeed(null) }, { limits: { frame: 200, depth: 8 } })
      const texts = [
        `{"jsonrpc":"2.0","id":7,"method":"work","params":[1e999]}`,
        `{"jsonrpc":"2.0","id":1e999,"method":5}`,
        `[{"jsonrpc":"1.0","id":"a","method":"work"}]`,
        `{"jsonrpc":"2.0","id":"${"x".repeat(120)}","method":"work"}`,
        "[]",
        "{"
      ]
      for (const text of texts) {
        yield* wire.send(text)
        yield* settle
      }
      const [range, id, version, long, empty] = texts
      assert.deepStrictEqual(lines.slice(0, -1), [
        `refused a text: the call with id 7 is no message: a number in \`params\` is beyond the range of a double; it began ${range}`,
        `refused a text: the call with id 1e999 is no message: \`method\` must be a string; it began ${id}`,
        `refused a text: the call with id "a" is no message: \`jsonrpc\` must be "2.0"; it began ${version}`,
        `refused a text: the call with id null is no message: the id is larger than half a frame; it began ${long}`,
        `refused a text: the call with id null is no message: a batch must have a member; it began ${empty}`
      ])
      assert.match(
        lines.at(-1) ?? "",
        /^refused a text: the text cannot be read as JSON: SyntaxError: .+; it began \{$/
      )
      assert.lengthOf(wire.received, texts.length)
    })
  ))

it.effect("so does a frame that is too large, or no text", () =>
  logged((lines) =>
    Effect.gen(function*() {
      const frames: Array<readonly [BadFrame, BadFrame]> = [[
        { _tag: "BadFrame", reason: "TooLarge", excerpt: `{"id":7,`, kind: "request", id: "7" },
        { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "{..." }
      ]]
      yield* Peer.make({
        receive: Effect.suspend(() => {
          const next = frames.shift()
          return next === undefined ? Effect.never : Effect.succeed(next)
        }),
        send: () => Effect.void,
        close: Effect.void
      }, { limits: { frame: 200, drain: 0 } })
      yield* settle
      assert.deepStrictEqual(lines, [
        `refused a text: the frame is larger than the limit \`frame\` of 200 bytes; it began {"id":7,`,
        "refused a text: the text cannot be read as JSON: InvalidUtf8; it began {..."
      ])
    })
  ))
