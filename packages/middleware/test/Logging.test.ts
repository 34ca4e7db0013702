import { assert, describe, it } from "@effect/vitest"
import { Caller, ErrorResponse } from "@parley/peer"
import { Cause, Effect, Exit, Fiber, Logger, type LogLevel, References, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { connect, notification, pair, request, settle } from "../../peer/test/wire.ts"
import { Logging } from "../src/index.ts"
import { callerOf, callOf, scripted, scriptedBatch } from "./callers.ts"

interface Line {
  readonly level: LogLevel.LogLevel
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
  readonly defects: ReadonlyArray<unknown>
}

/** Runs an effect with a logger that keeps its lines. */
const logged = <A, E, R>(
  run: (lines: ReadonlyArray<Line>) => Effect.Effect<A, E, R>,
  minimum: LogLevel.LogLevel = "All"
): Effect.Effect<A, E, R> => {
  const lines: Array<Line> = []
  const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    if ("outcome" in annotations) {
      lines.push({
        level: logLevel,
        message: Array.isArray(message) ? message[0] : message,
        annotations,
        defects: cause.reasons.map((reason) => Cause.isDieReason(reason) ? reason.defect : reason)
      })
    }
  })
  return Effect.provide(run(lines), Logger.layer([logger])).pipe(
    Effect.provideService(References.MinimumLogLevel, minimum)
  )
}

const insufficient = ErrorResponse.make(1001, "Insufficient funds", { balance: 5, token: "secret" })

const all: Logging.Redact = (json) => json

describe("the log of a handler", () => {
  it.effect("has a line per call, which says how it ended", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const log = Logging.handler()
        const { wire } = yield* connect({
          add: log(() => Effect.succeed(3)),
          refused: log(() => Effect.fail(insufficient)),
          broken: log(() => Effect.die("broken")),
          slow: log(() => Effect.sleep("20 millis")),
          hanging: log(() => Effect.never)
        })
        yield* wire.send(
          request(1, "add", { a: 1 }),
          notification("add"),
          request("r", "refused"),
          request(2, "broken")
        )
        yield* wire.send(request(3, "slow"), request(4, "hanging"), notification("$/cancelRequest", { id: 4 }))
        yield* settle
        yield* TestClock.adjust("20 millis")
        assert.deepStrictEqual(lines, [
          line("Debug", { method: "add", id: 1, milliseconds: 0, outcome: "success" }),
          line("Debug", { method: "add", milliseconds: 0, outcome: "success" }),
          line("Warn", { method: "refused", id: "r", milliseconds: 0, outcome: "failure", code: 1001 }),
          line("Error", { method: "broken", id: 2, milliseconds: 0, outcome: "defect" }, ["broken"]),
          line("Debug", { method: "hanging", id: 4, milliseconds: 0, outcome: "interrupted" }),
          line("Debug", { method: "slow", id: 3, milliseconds: 20, outcome: "success" })
        ])
      })
    ))

  it.effect("has ids as they came", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { wire } = yield* connect({ m: Logging.handler()(() => Effect.void) })
        yield* wire.send(`{"jsonrpc":"2.0","id":null,"method":"m"}`)
        yield* wire.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}`)
        yield* wire.take(2)
        assert.deepStrictEqual(lines.map(({ annotations }) => annotations["id"]), [null, "9007199254740993"])
      })
    ))

  it.effect("has nothing of what a call carries", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const call = callOf({ params: { password: "secret" } })
        const log = Logging.handler()
        yield* log(() => Effect.succeed("secret"))(call)
        yield* Effect.exit(log(() => Effect.fail(insufficient))(call))
        assert.strictEqual(lines.length, 2)
        assert.notInclude(JSON.stringify(lines), "secret")
        assert.notInclude(JSON.stringify(lines), "Insufficient")
      })
    ))

  it.effect("has what a call carries when it is asked for, redacted", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const log = Logging.handler({ redact: Logging.redactMembers(["password", "Token"]) })
        const call = callOf({ params: { user: "ada", deep: [{ PASSWORD: { a: 1 } }], password: null } })
        yield* log(() => Effect.succeed([{ token: 1, other: 2 }]))(call)
        yield* Effect.exit(log(() => Effect.fail(insufficient))(callOf({ params: ["token"] })))
        yield* log(() => Effect.void)(callOf())
        yield* log(() => Effect.succeed(null))(callOf())
        assert.deepStrictEqual(lines.map(({ annotations: { data, params, result } }) => ({ params, result, data })), [
          {
            params: { user: "ada", deep: [{ PASSWORD: "[redacted]" }], password: "[redacted]" },
            result: [{ token: "[redacted]", other: 2 }],
            data: undefined
          },
          { params: ["token"], result: undefined, data: { balance: 5, token: "[redacted]" } },
          { params: undefined, result: undefined, data: undefined },
          { params: undefined, result: undefined, data: undefined }
        ])
      })
    ))

  it.effect("leaves out what its redaction leaves out, and what it cannot redact", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const redact: Logging.Redact = (json, where) => {
          if (where === "result") throw new Error("broken")
          return where === "params" ? json : undefined
        }
        const log = Logging.handler({ redact })
        assert.strictEqual(yield* log(() => Effect.succeed("secret"))(callOf({ params: [1] })), "secret")
        yield* Effect.exit(log(() => Effect.fail(insufficient))(callOf()))
        assert.deepStrictEqual(lines.map(({ annotations: { data, params, result } }) => [params, result, data]), [
          [[1], "[redaction failed]", undefined],
          [undefined, undefined, undefined]
        ])
      })
    ))

  it.effect("has the levels that are chosen, and no line at `None`", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const log = Logging.handler({ levels: { success: "Info", failure: "None", defect: "Fatal" } })
        yield* log(() => Effect.void)(callOf())
        yield* Effect.exit(log(() => Effect.fail(insufficient))(callOf()))
        yield* Effect.exit(log(() => Effect.die("broken"))(callOf()))
        yield* Effect.exit(log(() => Effect.interrupt)(callOf()))
        assert.deepStrictEqual(lines.map(({ level }) => level), ["Info", "Fatal", "Debug"])
      })
    ))

  it.effect("builds no line below the level that is logged", () =>
    logged((lines) =>
      Effect.gen(function*() {
        let redacted = 0
        const log = Logging.handler({ redact: (json) => (redacted++, json) })
        yield* log(() => Effect.succeed(1))(callOf({ params: [1] }))
        assert.deepStrictEqual([lines.length, redacted], [0, 0])
        yield* Effect.exit(log(() => Effect.fail(ErrorResponse.make(1, "no")))(callOf({ params: [1] })))
        assert.deepStrictEqual([lines.length, redacted], [1, 1])
      }), "Warn"))

  it.effect("changes nothing when its logger throws", () =>
    Effect.gen(function*() {
      const log = Logging.handler({ levels: { success: "Info" } })
      const broken = Logger.make(() => {
        throw new Error("broken")
      })
      const exit = yield* Effect.exit(log(() => Effect.succeed(1))(callOf())).pipe(
        Effect.provide(Logger.layer([broken]))
      )
      assert.deepStrictEqual(exit, Exit.succeed(1))
    }))
})

describe("the log of a caller", () => {
  it.effect("has a line per request", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { caller } = scripted(
          Exit.succeed({ token: 1 }),
          Exit.fail(new Caller.RemoteError({ method: "m", code: 7, text: "no", data: { token: 1 } })),
          Exit.fail(new Caller.Overloaded({ limit: 1 }))
        )
        const { request } = Logging.caller({ redact: all })(caller)
        for (let count = 0; count < 3; count++) yield* Effect.exit(request("m", [count]))
        assert.deepStrictEqual(lines.map(({ annotations, level, message }) => [level, message, annotations]), [
          ["Debug", "made a call", {
            method: "m",
            milliseconds: 0,
            outcome: "success",
            params: [0],
            result: { token: 1 }
          }],
          ["Warn", "made a call", {
            method: "m",
            milliseconds: 0,
            outcome: "failure",
            code: 7,
            params: [1],
            data: { token: 1 }
          }],
          ["Warn", "made a call", {
            method: "m",
            milliseconds: 0,
            outcome: "failure",
            error: "Overloaded",
            params: [2]
          }]
        ])
      })
    ))

  it.effect("has a line per request of a batch", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const { caller } = scriptedBatch(
          Exit.succeed([
            Result.succeed(1),
            undefined,
            Result.fail(new Caller.RemoteError({ method: "m", code: 7, text: "no", data: [1] }))
          ]),
          Exit.fail(new Caller.Disconnected({ reason: { _tag: "Closed" }, sent: false }))
        )
        const { batch } = Logging.caller({ redact: all })(caller)
        const members = [{ method: "a", params: [1] }, { method: "told", notification: true }, { method: "b" }]
        yield* batch(members)
        yield* Effect.exit(batch(members))
        assert.deepStrictEqual(lines.map(({ annotations }) => annotations), [
          { method: "a", milliseconds: 0, outcome: "success", params: [1], result: 1 },
          { method: "b", milliseconds: 0, outcome: "failure", code: 7, data: [1] },
          { method: "a", milliseconds: 0, outcome: "failure", error: "Disconnected", params: [1] },
          { method: "b", milliseconds: 0, outcome: "failure", error: "Disconnected" }
        ])
      })
    ))

  it.effect("has a line for what is interrupted", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Logging.caller()(callerOf({})).request("m"), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(call)
        assert.deepStrictEqual(lines.map(({ annotations }) => annotations), [
          { method: "m", milliseconds: 1000, outcome: "interrupted" }
        ])
      })
    ))

  it.effect("and of a handler go together", () =>
    logged((lines) =>
      Effect.gen(function*() {
        const [peer] = yield* pair({ m: Logging.handler()(() => Effect.void) })
        yield* Logging.caller()(peer).request("m")
        assert.deepStrictEqual(lines.map(({ message }) => message), ["served a call", "made a call"])
      })
    ))
})

describe("the redaction of members", () => {
  const redact = Logging.redactMembers(["secret"])

  it.effect.prop("leaves everything else as it is", { value: Schema.Json }, ({ value }) =>
    Effect.sync(() => {
      assert.deepStrictEqual(redact(value, "params"), value)
      const around = JSON.parse(`{"__proto__":{"Secret":1},"SECRET":1,"kept":[{"secret":{"kept":1}}]}`)
      assert.strictEqual(
        JSON.stringify(redact({ ...around, value }, "params")),
        JSON.stringify({
          ...JSON.parse(
            `{"__proto__":{"Secret":"[redacted]"},"SECRET":"[redacted]","kept":[{"secret":"[redacted]"}]}`
          ),
          value
        })
      )
    }))
})

const line = (
  level: LogLevel.LogLevel,
  annotations: Readonly<Record<string, unknown>>,
  defects: ReadonlyArray<unknown> = []
): Line => ({ level, message: "served a call", annotations, defects })
