import { assert, describe, it } from "@effect/vitest"
import { Simulation } from "@parley/conformance"
import { type Handler, Router } from "@parley/peer"
import { type Transport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Cause, Effect, Exit, Predicate } from "effect"
import { retry } from "./support/retry.ts"

const rulesOf = ({ violations }: Simulation.Outcome) => violations.map(({ rule }) => rule)

/** A counter that is served to a client, as a middleware changes it. */
const counter = (middleware: Handler.Middleware = (handler) => handler): Simulation.Service => ({
  call: (draw) => draw.chance(0.5) ? { method: "add", params: [draw.int(1, 9)] } : { method: "slow" },
  make: Effect.gen(function*() {
    let sum = 0
    const router = yield* Router.make()
    yield* router.addAll({
      add: middleware((call) => Effect.sync(() => sum += Number(Object.values(call.params ?? [0])[0]))),
      slow: middleware(() => Effect.as(Effect.sleep(20), "slept"))
    })
    const invariant = ({ calls }: Simulation.Outcome) => {
      const added = calls.filter(({ exit, method }) => method === "add" && exit !== undefined && Exit.isSuccess(exit))
      const least = added.reduce((total, { params }) => total + Number(Object.values(params ?? [0])[0]), 0)
      return sum < least ? `the sum is ${sum} after ${least} were added` : undefined
    }
    return { router, invariant }
  })
})

/** The findings of a law with the first seeds. */
const findings = (service: Simulation.Service, seeds = 100) =>
  Effect.map(
    Effect.flip(Simulation.law("a broken service", { kind: "post", seeds, service }).check),
    ({ reason }) => reason
  )

describe("a run", () => {
  for (const kind of Simulation.kinds) {
    it.effect(`of kind ${kind} is a pure function of its seed`, () =>
      Effect.gen(function*() {
        for (let seed = 0; seed < 20; seed++) {
          const first = yield* Simulation.replay(Simulation.generate(seed, kind))
          const second = yield* Simulation.replay(Simulation.generate(seed, kind))
          assert.deepStrictEqual(second.history, first.history)
          assert.deepStrictEqual(second.violations, first.violations)
          assert.notStrictEqual(first.history.length, 0)
        }
      }))

    it.effect(`of kind ${kind} makes calls that have results`, () =>
      Effect.gen(function*() {
        const outcome = yield* Simulation.replay({
          kind,
          bounds: { inFlight: 8, bytes: 1_000, waiting: 100 },
          links: { bytes: 100, texts: 10, delay: 5, chunk: 50, direct: false },
          actions: [
            { _tag: "Notify", at: 0, side: 0, times: 3, work: { notify: 1, size: 200 }, ask: { wait: 10 } },
            { _tag: "Call", at: 0, side: 0, times: 3, work: { progress: 2, size: 500, wait: 0 }, progress: true },
            { _tag: "Call", at: 0, side: 0, times: 2, work: { fail: 7 }, batch: true },
            { _tag: "Call", at: 50, side: 0, times: 1, work: { partial: 3, after: 1 }, partial: true, hold: 20 },
            { _tag: "Call", at: 0, side: 0, times: 1, work: { hang: true }, giveUp: 200 }
          ]
        })
        assert.deepStrictEqual(outcome.violations, [])
        assert.strictEqual(outcome.calls.filter(({ exit }) => exit !== undefined && Exit.isSuccess(exit)).length, 5)
      }))
  }

  it.effect("survives its scenario as JSON", () =>
    Effect.gen(function*() {
      const scenario = Simulation.generate(11, "reconnecting")
      const { history } = yield* Simulation.replay(scenario)
      const pasted: Simulation.Scenario = JSON.parse(JSON.stringify(scenario))
      assert.deepStrictEqual((yield* Simulation.replay(pasted)).history, history)
    }))

  it.effect("opens the stream of a session once where it is lost twice at once", () =>
    Effect.gen(function*() {
      const { violations } = yield* Simulation.replay({
        kind: "session",
        bounds: { inFlight: 1, bytes: 80, waiting: 1 },
        links: { bytes: 1, texts: 1, delay: 0, chunk: 1, direct: true },
        actions: [
          { _tag: "Die", at: 0, side: 0 },
          { _tag: "Lose", at: 0, for: 1 },
          { _tag: "Lose", at: 0, for: 2 },
          { _tag: "Notify", at: 2, side: 1, times: 1, work: {} }
        ]
      })
      assert.deepStrictEqual(violations, [])
    }))

  it.effect("ends calls with Disconnected where the connection is lost", () =>
    Effect.gen(function*() {
      const { calls, violations } = yield* Simulation.replay({
        kind: "peer",
        bounds: { inFlight: 4, bytes: 1_000, waiting: 100 },
        links: { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: true },
        actions: [
          { _tag: "Call", at: 0, side: 0, times: 2, work: { wait: 50 } },
          { _tag: "Lose", at: 20, for: 0 }
        ]
      })
      assert.deepStrictEqual(violations, [])
      assert.deepStrictEqual(calls.map(({ exit }) => exit !== undefined && Exit.isFailure(exit)), [true, true])
    }))

  it.effect("refuses calls that have not started where a side shuts down, and interrupts the one that runs", () =>
    Effect.gen(function*() {
      const { calls, violations } = yield* Simulation.replay({
        kind: "peer",
        bounds: { inFlight: 1, bytes: 1_000, waiting: 100 },
        links: { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: false },
        actions: [
          { _tag: "Call", at: 0, side: 0, times: 2, work: { hang: true } },
          { _tag: "End", at: 20, side: 1 }
        ]
      })
      assert.deepStrictEqual(violations, [])
      const errors = calls.map(({ exit }) => exit !== undefined && Exit.isFailure(exit) && Cause.squash(exit.cause))
      assert.deepStrictEqual(errors.map((error) => Predicate.hasProperty(error, "_tag") && error._tag), [
        "RemoteError",
        "Disconnected"
      ])
    }))
})

describe("a service of one's own", () => {
  it.effect("keeps the rules", () => Simulation.law("a counter", { kind: "post", seeds: 50, service: counter() }).check)

  it.effect("that forgets each seventh call is found, and the scenario is shrunk to seven calls", () =>
    Effect.gen(function*() {
      let count = 0
      const forgetful: Handler.Middleware = (handler) => (call) => ++count % 7 === 0 ? Effect.never : handler(call)
      const service = counter(forgetful)
      const fresh = {
        ...service,
        make: Effect.suspend(() => {
          count = 0
          return service.make
        })
      }
      const reason = yield* findings(fresh)
      assert.match(reason, /^seed \d+ breaks forgotten: at rest wait call 7 of 0/)
      const shortest: Simulation.Scenario = JSON.parse(/Simulation\.replay\((.*)\)/.exec(reason)?.[1] ?? "")
      const calls = shortest.actions.filter((action) => action._tag === "Call")
      assert.strictEqual(calls.length, shortest.actions.length)
      assert.strictEqual(calls.reduce((sum, { times }) => sum + times, 0), 7)
      assert.deepStrictEqual(rulesOf(yield* Simulation.replay(shortest, { service: fresh })), ["forgotten"])
    }))

  it.effect("whose invariant does not hold is found", () =>
    Effect.gen(function*() {
      const service = counter()
      const doubting: Simulation.Service = {
        ...service,
        make: Effect.map(service.make, (served) => ({
          ...served,
          invariant: ({ calls }) => calls.length > 3 ? "there were more than three calls" : undefined
        }))
      }
      assert.match(yield* findings(doubting), /breaks invariant: there were more than three calls/)
    }))

  it.effect("whose handlers go on for ever is found", () =>
    Effect.gen(function*() {
      const stubborn: Handler.Middleware = (handler) => (call) =>
        Effect.andThen(Effect.uninterruptible(Effect.callback<void>(() => {})), handler(call))
      const outcome = yield* Simulation.replay(Simulation.generate(1, "peer", { service: counter(stubborn) }), {
        service: counter(stubborn)
      })
      assert.include(rulesOf(outcome), "leak")
    }))
})

describe("a broken transport", () => {
  /** Changes what is sent, text by text. */
  const sending = (change: (text: string, index: number) => ReadonlyArray<string>): Transport.Wrapping => (inner) =>
    Effect.sync(() => {
      let count = 0
      const send: Transport.Transport["send"] = (texts) => {
        const [first, ...rest] = texts.flatMap((text) => change(text, count++))
        return first === undefined ? Effect.void : inner.send([first, ...rest])
      }
      return { ...inner, send }
    })

  const isNote = (text: string) => text.includes(`"note"`)

  let late: string | undefined
  const swapped = (text: string) => {
    const behind = late === undefined ? [] : [late]
    late = isNote(text) && late === undefined ? text : undefined
    return late === undefined ? [text, ...behind] : []
  }

  const scenario: Simulation.Scenario = {
    kind: "peer",
    bounds: { inFlight: 4, bytes: 1_000, waiting: 16 },
    links: { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: false },
    actions: [
      { _tag: "Notify", at: 0, side: 0, times: 4, work: {}, ask: {} },
      { _tag: "Call", at: 20, side: 0, times: 1, work: { progress: 2, wait: 1 }, progress: true },
      { _tag: "Call", at: 30, side: 0, times: 1, work: { hang: true }, giveUp: 10 }
    ]
  }

  const breaks: ReadonlyArray<
    readonly [string, Simulation.Rule, (text: string, index: number) => ReadonlyArray<string>]
  > = [
    ["that loses responses is found", "forgotten", (text) => text.includes(`"result"`) ? [] : [text]],
    ["that loses notifications is found", "forgotten", (text) => isNote(text) ? [] : [text]],
    ["that loses cancellations is found", "uncancelled", (text) => text.includes("cancel") ? [] : [text]],
    ["that loses progress is found", "lost", (text) => text.includes("$/progress") ? [] : [text]],
    ["that doubles notifications is found", "once", (text) => isNote(text) ? [text, text] : [text]],
    [
      "that doubles requests is found",
      "once",
      (text) => text.includes(`"work"`) && text.includes(`"id"`) ? [text, text] : [text]
    ],
    ["that swaps notifications is found", "order", swapped],
    ["that changes results is found", "outcome", (text) => [text.replace(`"result":{"n"`, `"result":{"m"`)]],
    [
      "that refuses calls which ran is found",
      "outcome",
      (text) => [
        text.replace(/"result":\{"n".*/, `"error":{"code":-32000,"message":"Shutting down","data":{"started":false}}}`)
      ]
    ],
    [
      "that ends the connection is found",
      "ended",
      (text) => isNote(text) ? Array.from({ length: 100 }, () => "no JSON") : [text]
    ]
  ]

  it.effect("that gives back weight which it did not take is found", () =>
    Effect.gen(function*() {
      const wrapping: Transport.Wrapping = (inner) =>
        Effect.map(Budget.Budget, (budget) => ({
          ...inner,
          receive: Effect.tap(inner.receive, () => Effect.sync(() => budget?.take(-1_000)))
        }))
      assert.include(rulesOf(yield* Simulation.replay(scenario, { wrapping })), "uncounted")
    }))

  for (const [name, rule, change] of breaks) {
    it.effect(name, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* Simulation.replay(scenario)).violations, [])
        const wrapping = sending(change)
        assert.include(rulesOf(yield* Simulation.replay(scenario, { wrapping })), rule)
      }))
  }
})

describe("shrinking", () => {
  it.effect("keeps the rule that is broken, and leaves out what it does not need", () =>
    Effect.gen(function*() {
      const lazy = counter((handler) => (call) => call.method === "slow" ? Effect.never : handler(call))
      const call = (method: string): Simulation.Call => ({
        _tag: "Call",
        at: 30,
        side: 0,
        times: 5,
        work: {},
        own: { method }
      })
      const scenario: Simulation.Scenario = {
        kind: "peer",
        bounds: { inFlight: 8, bytes: 10_000, waiting: 100 },
        links: { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: true },
        actions: [call("add"), { _tag: "Stall", at: 3, side: 1, for: 10 }, call("slow"), call("add")]
      }
      const shortest = yield* Simulation.shrink(scenario, "forgotten", { service: lazy })
      assert.deepStrictEqual(shortest.actions, [{ ...call("slow"), at: 0, times: 1 }])
      assert.deepStrictEqual(rulesOf(yield* Simulation.replay(shortest, { service: lazy })), ["forgotten"])
    }))
})

describe("the parts of a scenario", () => {
  it("are drawn by the seed alone", () => {
    assert.deepStrictEqual(Simulation.generate(5, "session"), Simulation.generate(5, "session"))
    assert.notDeepEqual(Simulation.generate(5, "session"), Simulation.generate(6, "session"))
  })
})

describe("the first seeds", () => {
  for (const kind of Simulation.kinds) {
    const law = Simulation.law(`break no rule between sides of kind ${kind}`, { kind, seeds: 150, retry })
    it.effect(law.name, () => law.check)
  }
})
