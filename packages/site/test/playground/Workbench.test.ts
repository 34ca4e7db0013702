/** The engine of the playground: calls over a line with faults, and what the page shows of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Line from "../../src/playground/bench/Line.ts"
import { examples, foreignTexts, type Name, offers } from "../../src/playground/bench/Offer.ts"
import * as Traffic from "../../src/playground/bench/Traffic.ts"
import * as Workbench from "../../src/playground/bench/Workbench.ts"

/** A workbench, with faults to be switched on and the rows of what has passed. */
const started = (agrees: boolean = true) =>
  Effect.gen(function*() {
    const state = { faults: Line.none, rows: [] as ReadonlyArray<Traffic.Row>, told: [] as Array<string> }
    const bench = yield* Workbench.make({
      faults: () => state.faults,
      see: (seen) => {
        state.rows = Traffic.add(state.rows, seen)
      },
      confirm: () => Effect.succeed(agrees)
    })
    const run = (
      name: Name,
      params: Schema.Json,
      options: { readonly method?: string | undefined; readonly timeout?: number | undefined } = {}
    ) =>
      offers[name].run(bench, params, {
        method: options.method ?? "",
        timeout: options.timeout,
        tell: (what) => state.told.push(what)
      })
    const shown = () =>
      state.rows.map(({ arrived, from, id, kind, method, sent }) =>
        [from, kind, method, id, sent === undefined ? "made" : arrived === undefined ? "lost" : undefined]
          .filter((part) => part !== undefined).join(" ")
      )
    return { bench, run, shown, state }
  })

/** Lets time pass until an effect has ended. */
const passing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    for (let step = 0; step < 400 && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust("50 millis")
    return yield* Fiber.join(fiber)
  })

const failing = <A, E>(effect: Effect.Effect<A, E>) => passing(Effect.flip(effect))

describe("the workbench", () => {
  it.effect("shows a call and its answer, as both sides see them", () =>
    Effect.gen(function*() {
      const { run, shown, state } = yield* started()
      assert.strictEqual(yield* passing(run("deposit", { amount: 50 })), 1_050)
      assert.deepStrictEqual(shown(), ["client request deposit 1", "server result deposit 1"])
      assert.strictEqual(state.rows[1]?.text, `{"jsonrpc":"2.0","id":1,"result":1050}`)
    }))

  it.effect("asks the customer back, and takes no for an answer", () =>
    Effect.gen(function*() {
      const { run, shown } = yield* started(false)
      assert.strictEqual((yield* failing(run("withdraw", { amount: 200 })))._tag, "Declined")
      assert.deepStrictEqual(shown(), [
        "client request withdraw 1",
        "server request confirm 1",
        "client result confirm 1",
        "server error withdraw 1"
      ])
    }))

  it.effect("cancels a call that is interrupted", () =>
    Effect.gen(function*() {
      const { run, shown } = yield* started()
      const fiber = yield* Effect.forkChild(run("audit", { years: 4 }), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interrupt(fiber)
      yield* passing(Effect.sleep("200 millis"))
      assert.deepStrictEqual(shown(), [
        "client request audit 1",
        "client notification $/cancelRequest",
        "server error audit 1"
      ])
    }))

  it.effect("passes the text of a foreign peer as it stands", () =>
    Effect.gen(function*() {
      const { bench, state } = yield* started()
      for (const { text } of foreignTexts) yield* passing(bench.sendForeign(text))
      yield* TestClock.adjust("2 seconds")
      const answers = state.rows.filter(({ from, kind }) => from === "server" && kind !== "notification")
      assert.deepStrictEqual(answers.map(({ text }) => text).sort(), [
        `[{"jsonrpc":"2.0","id":1,"result":1026},`
        + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]`,
        `{"jsonrpc":"2.0","id":"mine","result":1025}`,
        `{"jsonrpc":"2.0","id":1.0,"result":"2 years are in order"}`,
        `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
      ])
    }))

  const ends: Readonly<Record<string, string>> = {
    "A plain call": "1050",
    "A typed error": "Insufficient",
    "A call back": "800",
    "Progress": "4 years are in order",
    "A timeout": "RequestTimeout",
    "A stream": "the stream has ended",
    "A batch": "1010,Insufficient: there are only 1010",
    "Arguments that do not fit": "InvalidArguments",
    "The same, unchecked": "RemoteError",
    "An unknown method": "RemoteError"
  }

  for (const { method, offer, params, timeout, title } of examples) {
    it.effect(`the example "${title}" ends as it should`, () =>
      Effect.gen(function*() {
        const { run } = yield* started()
        const end = yield* passing(Effect.match(run(offer, params, { method, timeout }), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: String
        }))
        assert.strictEqual(end, ends[title])
      }))
  }
})

describe("a line with faults", () => {
  const deposited = (faults: Partial<Line.Faults>) =>
    Effect.gen(function*() {
      const { run, shown, state } = yield* started()
      state.faults = { ...Line.none, ...faults }
      const end = yield* passing(Effect.match(run("deposit", { amount: 1 }), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: String
      }))
      return { end, shown: shown().slice(1, 3), state }
    })

  const ends: Readonly<Record<Line.Faults["answers"], readonly [string, ReadonlyArray<string>]>> = {
    right: ["1001", ["server result deposit 1"]],
    twice: ["1001", ["server result deposit 1", "server result deposit 1 made"]],
    "cut short": ["InvalidResponse", ["server result deposit 1 lost", "server invalid made"]],
    "unknown id": ["RequestTimeout", ["server result deposit 1 lost", `server result "of nobody" made`]],
    "result and error": ["InvalidResponse", ["server result deposit 1 lost", "server invalid made"]],
    "wrong type": ["InvalidResult", ["server result deposit 1 lost", "server result deposit 1 made"]]
  }

  for (const answers of Line.answers) {
    it.effect(`with answers that are ${answers}, a call ends with ${ends[answers][0]}`, () =>
      Effect.gen(function*() {
        const { end, shown } = yield* deposited({ answers })
        assert.deepStrictEqual([end, shown], ends[answers])
      }))
  }

  it.effect("makes each text late by the latency, and not by that of the text before", () =>
    Effect.gen(function*() {
      const { run, state } = yield* started()
      state.faults = { ...Line.none, latency: 1_000 }
      yield* passing(Effect.all([run("deposit", { amount: 1 }), run("deposit", { amount: 2 })], { concurrency: 2 }))
      for (const { arrived = 0, sent = 0 } of state.rows) assert.strictEqual(arrived - sent, 1_000)
      assert.strictEqual(state.rows[1]?.sent, state.rows[0]?.sent)
    }))

  it.effect("loses notifications, and with them the items of a stream", () =>
    Effect.gen(function*() {
      const { run, state } = yield* started()
      yield* passing(run("statement", { entries: 3 }))
      assert.strictEqual(state.told.length, 3)
      state.faults = { ...Line.none, dropsNotifications: true }
      yield* passing(run("statement", { entries: 3 }))
      assert.strictEqual(state.told.length, 3)
    }))

  it.effect("makes the sender wait where it is narrow", () =>
    Effect.gen(function*() {
      const { run, state } = yield* started()
      state.faults = { ...Line.none, rate: 300 }
      yield* passing(run("statement", { entries: 30 }))
      assert.strictEqual(state.told.filter((what) => what === "item").length, 30)
      assert.strictEqual(state.told.filter((what) => what === "progress").length, 6)
      const sent = state.rows.filter(({ kind }) => kind === "notification")
      const times = sent.map(({ sent = 0 }) => sent)
      assert.isAbove(new Set(times).size, 5)
      // An item is written when at most so many texts before it are still on their way.
      const under = times.map((time) =>
        sent.filter((row) => (row.sent ?? 0) <= time && (row.arrived ?? 0) > time).length
      )
      assert.isBelow(Math.max(...under), 20)
    }))

  it.effect("ends calls with Disconnected when it is cut, and the next call has a new connection", () =>
    Effect.gen(function*() {
      const { bench, run, shown, state } = yield* started()
      const fiber = yield* Effect.forkChild(Effect.flip(run("audit", { years: 4 })), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* bench.cut
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "Disconnected")
      assert.include(error.message, "the line was cut")
      assert.deepStrictEqual(shown().slice(1), ["server end made", "client end made"])
      assert.strictEqual(yield* passing(run("deposit", { amount: 1 })), 1_001)
      assert.deepStrictEqual(new Set(state.rows.map(({ connection }) => connection)), new Set([1, 2]))
    }))
})
