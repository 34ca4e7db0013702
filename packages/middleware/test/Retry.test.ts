/** The second half of promise 9, and what else `Retry` says. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, ErrorResponse, type Handler } from "@parley/peer"
import { Cause, Context, Effect, Exit, Fiber, Result, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { connect, pair, settle } from "../../peer/test/wire.ts"
import { Retry } from "../src/index.ts"
import { type BatchExit, callerOf, lines, scripted, scriptedBatch } from "./callers.ts"

const lost = (sent: boolean) => new Caller.Disconnected({ reason: { _tag: "EndOfInput" }, sent })
const overloaded = new Caller.Overloaded({ limit: 1 })
const late = new Caller.RequestTimeout({ method: "m", id: 1, milliseconds: 1 })
const remote = (code: number) => new Caller.RemoteError({ method: "m", code, text: "no" })

const schedule = Schedule.spaced("1 second")

class ErrorLog extends Context.Service<ErrorLog, (tag: string) => Effect.Effect<void>>()("ErrorLog") {}

const marks = [
  "",
  `{"started":false}`,
  `{"started":true}`,
  `{"started":false,"job":7}`,
  `"started"`,
  `[false]`
]

interface Answered {
  readonly code: number
  readonly text: string
  readonly data: string
  readonly isIdempotent: boolean
}

/** A call that gets this error is made again where it may be, and only there. */
const answered = ({ code, data, isIdempotent, text }: Answered) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* connect()
    const caller = Retry.caller({ schedule: Schedule.recurs(1) })(peer)
    const call = caller.request("m", [], { idempotent: isIdempotent, timeout: "1 second" })
    const ended = yield* Effect.forkChild(Effect.exit(call), { startImmediately: true })
    const mark = data === "" ? {} : { data: JSON.parse(data) }
    yield* wire.send(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: text, ...mark } }))
    yield* settle
    const isUnstarted = code === -32_000 && data === `{"started":false}`
    // Only a call that may run twice is made again by the mark alone.
    const again = isUnstarted || (isIdempotent && data === `{"started":true}`)
    assert.strictEqual(wire.received.length, again ? 2 : 1, JSON.stringify({ code, data, isIdempotent, text }))
    yield* TestClock.adjust("1 second")
    assert.isTrue(Exit.isFailure(yield* Fiber.join(ended)))
  })

describe("a caller that retries", () => {
  it.effect("promise 9: closing ends every call with Disconnected: and one that was not sent is made again", () =>
    Effect.gen(function*() {
      let runs = 0
      const line = yield* lines({ m: () => Effect.sync(() => ++runs) })
      const caller = Retry.caller({ schedule })(line.caller)
      yield* line.lose
      yield* settle
      const call = yield* Effect.forkChild(caller.request("m"), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* line.connect
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(call), runs], [1, 1])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: and one that was sent is not made again", () =>
    Effect.gen(function*() {
      let runs = 0
      const line = yield* lines({ m: () => Effect.suspend(() => ++runs === 1 ? Effect.never : Effect.succeed(runs)) })
      const caller = Retry.caller({ schedule })(line.caller)
      const call = yield* Effect.forkChild(Effect.flip(caller.request("m", [], { idempotent: false })), {
        startImmediately: true
      })
      yield* settle
      yield* line.lose
      yield* line.connect
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(call)
      assert.deepStrictEqual([error._tag, error._tag === "Disconnected" && error.sent, runs], ["Disconnected", true, 1])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: and one that was sent is made again if it is idempotent", () =>
    Effect.gen(function*() {
      let runs = 0
      const line = yield* lines({ m: () => Effect.suspend(() => ++runs === 1 ? Effect.never : Effect.succeed(runs)) })
      const caller = Retry.caller({ schedule })(line.caller)
      const call = yield* Effect.forkChild(caller.request("m", [], { idempotent: true }), { startImmediately: true })
      yield* settle
      yield* line.lose
      yield* line.connect
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(call), 2)
    }))

  const rule: ReadonlyArray<readonly [string, Caller.CallError, boolean, boolean]> = [
    ["Disconnected, not sent", lost(false), true, true],
    ["Disconnected, sent", lost(true), false, true],
    ["Overloaded", overloaded, true, true],
    ["RequestTimeout", late, false, true],
    ["a RemoteError with an overload code", remote(-32000), false, true],
    ["a RemoteError with another code", remote(-32001), false, false],
    ["InvalidResponse", new Caller.InvalidResponse({ method: "m", rule: "no" }), false, false],
    ["InvalidArguments", new Caller.InvalidArguments({ method: "m", cause: "no" }), false, false],
    ["NoPeer", new Caller.Disconnected({ reason: { _tag: "NoPeer" }, sent: false }), false, false]
  ]
  for (const [name, error, plain, idempotent] of rule) {
    for (const [options, again] of [[undefined, plain], [{ idempotent: true }, idempotent]] as const) {
      const mark = options === undefined ? "" : " of an idempotent call"
      it.effect(`promise 9: closing ends every call with Disconnected: ${name}${mark} ${again ? "is" : "is not"} tried again`, () =>
        Effect.gen(function*() {
          const { caller, tries } = scripted(Exit.fail(error), Exit.succeed("done"))
          const retrying = Retry.caller({ schedule: Schedule.forever, overloadCodes: [-32000] })(caller)
          const outcome = yield* Effect.result(retrying.request("m", [], options))
          assert.deepStrictEqual(outcome, again ? Result.succeed("done") : Result.fail(error))
          assert.strictEqual(tries(), again ? 2 : 1)
        }))
    }
  }

  it.effect(
    "promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent",
    () =>
      Effect.gen(function*() {
        for (const code of [-32_000, -31_100]) {
          for (const text of ["Shutting down", "Busy"]) {
            for (const data of marks) {
              for (const isIdempotent of [false, true]) yield* answered({ code, data, isIdempotent, text })
            }
          }
        }
      })
  )

  it.effect.prop(
    "tries as often as its schedule says, and gives the last failure",
    { failures: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 })), times: Schema.Literals([0, 1, 2, 5]) },
    ({ failures, times }) =>
      Effect.gen(function*() {
        const errors = Array.from({ length: failures }, (_, limit) => new Caller.Overloaded({ limit }))
        const { caller, tries } = scripted(...errors.map((error) => Exit.fail(error)), Exit.succeed(null))
        const outcome = yield* Effect.result(Retry.caller({ schedule: Schedule.recurs(times) })(caller).request("m"))
        assert.strictEqual(tries(), Math.min(failures, times) + 1)
        assert.deepStrictEqual(outcome, failures > times ? Result.fail(errors[times]!) : Result.succeed(null))
      })
  )

  it.effect("begins its schedule anew with each call", () =>
    Effect.gen(function*() {
      const { caller, tries } = scripted(Exit.fail(overloaded), Exit.succeed(1), Exit.fail(overloaded), Exit.succeed(2))
      const { request } = Retry.caller({ schedule: Schedule.recurs(1) })(caller)
      assert.deepStrictEqual([yield* request("m"), yield* request("m"), tries()], [1, 2, 4])
    }))

  it.effect("tries nothing again that `while` refuses, and no more than the rule allows", () =>
    Effect.gen(function*() {
      const one = scripted(Exit.fail(lost(false)))
      const refusing = Retry.caller({ schedule, while: ({ _tag }) => _tag === "Overloaded" })(one.caller)
      assert.deepStrictEqual(yield* Effect.flip(refusing.request("m")), lost(false))
      const other = scripted(Exit.fail(lost(true)))
      const wishing = Retry.caller({ schedule, while: () => true })(other.caller)
      assert.deepStrictEqual(yield* Effect.flip(wishing.request("m")), lost(true))
      assert.deepStrictEqual([one.tries(), other.tries()], [1, 1])
    }))

  it.effect("lets a defect and an interruption pass", () =>
    Effect.gen(function*() {
      const { caller, tries } = scripted(Exit.die("broken"), Exit.failCause(Cause.interrupt()))
      const { request } = Retry.caller({ schedule: Schedule.forever })(caller)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(request("m", [], { idempotent: true }))))
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(request("m", [], { idempotent: true }))))
      assert.strictEqual(tries(), 2)
    }))

  it.effect("stops waiting when it is interrupted", () =>
    Effect.gen(function*() {
      const { caller, tries } = scripted(Exit.fail(overloaded))
      const call = yield* Effect.forkChild(Retry.caller({ schedule })(caller).request("m"), { startImmediately: true })
      yield* Fiber.interrupt(call)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(tries(), 1)
    }))

  it.effect("fails as its schedule fails", () =>
    Effect.gen(function*() {
      const { caller } = scripted(Exit.fail(overloaded))
      const failing = Schedule.while(schedule, () => Effect.fail(remote(7)))
      assert.deepStrictEqual(yield* Effect.flip(Retry.caller({ schedule: failing })(caller).request("m")), remote(7))
    }))

  it.effect("does not make a request again that has had a partial result", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      let tries = 0
      const caller = callerOf({
        request: (_method, _params, options) =>
          Effect.suspend(() => {
            if (tries++ > 0) options?.onPartialResult?.([tries])
            return Effect.fail(lost(true))
          })
      })
      const onPartialResult = (value: unknown) => void seen.push(value)
      const options = { idempotent: true, onPartialResult }
      const request = Retry.caller({ schedule: Schedule.forever })(caller).request("m", {}, options)
      assert.strictEqual((yield* Effect.flip(request))._tag, "Disconnected")
      assert.deepStrictEqual([seen, tries], [[[2]], 2])
    }))

  describe("sends a batch", () => {
    const members = [{ method: "a" }, { method: "b" }]
    const unsent = Exit.succeed([Result.fail(lost(false)), Result.fail(overloaded)])
    const done = Exit.succeed([Result.succeed(1), Result.succeed(2)])

    const cases: ReadonlyArray<readonly [string, BatchExit, boolean]> = [
      ["of which all members were not sent: again", unsent, true],
      ["that failed as a whole and was not sent: again", Exit.fail(lost(false)), true],
      ["that failed as a whole and was sent: once", Exit.fail(lost(true)), false],
      ["of which a member was sent: once", Exit.succeed([Result.fail(lost(false)), Result.fail(lost(true))]), false],
      ["of which a member was answered: once", Exit.succeed([Result.fail(overloaded), Result.succeed(1)]), false]
    ]
    for (const [name, first, again] of cases) {
      it.effect(name, () =>
        Effect.gen(function*() {
          const { caller, tries } = scriptedBatch(first, done)
          const outcome = yield* Effect.exit(Retry.caller({ schedule: Schedule.forever })(caller).batch(members))
          assert.deepStrictEqual(outcome, again ? done : first)
          assert.strictEqual(tries(), again ? 2 : 1)
        }))
    }

    it.effect("with a notification: once", () =>
      Effect.gen(function*() {
        const { caller, tries } = scriptedBatch(unsent, done)
        const { batch } = Retry.caller({ schedule: Schedule.forever })(caller)
        yield* batch([...members, { method: "c", notification: true }])
        assert.strictEqual(tries(), 1)
      }))

    it.effect("and gives the last outcomes when the schedule ends", () =>
      Effect.gen(function*() {
        const { caller, tries } = scriptedBatch(Exit.fail(lost(false)), unsent)
        const outcome = yield* Effect.exit(Retry.caller({ schedule: Schedule.recurs(1) })(caller).batch(members))
        assert.deepStrictEqual([outcome, tries()], [unsent, 2])
      }))
  })

  it.effect("takes what its schedule requires when it is made", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { caller } = scripted(Exit.fail(overloaded), Exit.succeed(1))
      const schedule = Schedule.recurs(1).pipe(
        Schedule.setInputType<Caller.CallError>(),
        Schedule.tap(({ input }) => ErrorLog.use((log) => log(input._tag)))
      )
      const retrying = yield* Effect.provideService(
        Retry.makeCaller({ schedule })(caller),
        ErrorLog,
        (tag: string) => Effect.sync(() => void seen.push(tag))
      )
      assert.deepStrictEqual([yield* retrying.request("m"), seen], [1, ["Overloaded"]])
    }))
})

describe("a handler that is run again", () => {
  const busy = ErrorResponse.make(-32000, "busy")

  it.effect("is so for the failures that may pass, as often as the schedule says", () =>
    Effect.gen(function*() {
      let runs = 0
      const again = Retry.handler({ schedule: Schedule.recurs(2), while: ({ code }) => code === -32000 })
      const [peer] = yield* pair({
        passing: again(() => Effect.suspend(() => ++runs < 3 ? Effect.fail(busy) : Effect.succeed(runs))),
        lasting: again(() => Effect.suspend(() => (runs++, Effect.fail(busy)))),
        other: again(() => Effect.suspend(() => (runs++, Effect.fail(ErrorResponse.make(1, "no"))))),
        broken: again(() => Effect.suspend(() => (runs++, Effect.die("broken")))),
        at_once: again(() => (runs++, Exit.succeed("at once")))
      })
      assert.strictEqual(yield* peer.request("passing"), 3)
      runs = 0
      assert.deepInclude(yield* Effect.flip(peer.request("lasting")), { code: -32000, text: "busy" })
      assert.strictEqual(runs, 3)
      for (const [method, code] of [["other", 1], ["broken", -32603]] as const) {
        runs = 0
        assert.deepInclude(yield* Effect.flip(peer.request(method)), { code })
        assert.strictEqual(runs, 1)
      }
      assert.strictEqual(yield* peer.request("at_once"), "at once")
    }))

  it.effect("is called again, so that it may fail before it gives an effect", () =>
    Effect.gen(function*() {
      let runs = 0
      const handler = Retry.handler({ schedule, while: () => true })(() =>
        ++runs === 1 ? Exit.fail(busy) : Exit.succeed(runs)
      )
      const [peer] = yield* pair({ m: handler })
      const call = yield* Effect.forkChild(peer.request("m"), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(call), 2)
    }))

  it.effect("leaves to run after its reply what the last try has left", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      let runs = 0
      const left = (call: Handler.Call) => {
        const run = ++runs
        call.afterReply(
          Effect.sync(() => void seen.push(`after ${run}`)),
          Effect.sync(() => void seen.push(`instead of ${run}`))
        )
        return run % 2 === 1 ? Exit.fail(busy) : Exit.succeed(run)
      }
      const again = Retry.handler({ schedule: Schedule.recurs(2), while: () => true })
      const [peer] = yield* pair({ now: again(left), later: again((call) => Effect.suspend(() => left(call))) })
      yield* peer.request("now")
      yield* peer.request("later")
      yield* settle
      assert.deepStrictEqual(seen, ["instead of 1", "after 2", "instead of 3", "after 4"])
    }))
})
