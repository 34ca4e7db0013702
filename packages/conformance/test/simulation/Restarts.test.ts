/** Simulated sides that shut down in order, with streams that are open and calls that may be made twice. */
import { assert, describe, it } from "@effect/vitest"
import { Simulation } from "@parley/conformance"
import type { Transport } from "@parley/transport"
import { Effect, Exit } from "effect"
import { retry } from "../support/retry.ts"

const bounds = { inFlight: 8, bytes: 2_000, waiting: 100 }
const links = { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: false }

const watching = (carrier: Simulation.Watch["carrier"], others: Partial<Simulation.Watch> = {}): Simulation.Watch => ({
  _tag: "Watch",
  at: 0,
  side: 0,
  times: 2,
  carrier,
  items: 3,
  every: 10,
  ...others
})

const calling = (others: Partial<Simulation.Call>): Simulation.Call => ({
  _tag: "Call",
  at: 0,
  side: 0,
  times: 2,
  work: { wait: 100 },
  ...others
})

const scenario = (kind: Simulation.Kind, ...actions: ReadonlyArray<Simulation.Action>): Simulation.Scenario => ({
  kind,
  bounds,
  links,
  actions
})

const rulesOf = ({ violations }: Simulation.Outcome) => violations.map(({ rule }) => rule)

/** The line of a history that has these words, from the end where there are several. */
const lineOf = ({ history }: Simulation.Outcome, words: string) => history.findLastIndex((line) => line.includes(words))

describe("a simulated side that shuts down", () => {
  for (const kind of ["peer", "post"] as const) {
    const carriers = kind === "peer" ? (["partial", "notifications"] as const) : (["partial"] as const)
    it.effect(`promise 19: end of input drains: streams end first, and calls that run have their results, for ${kind}`, () =>
      Effect.gen(function*() {
        const outcome = yield* Simulation.replay(scenario(
          kind,
          ...carriers.map((carrier) => watching(carrier)),
          calling({ at: 10 }),
          { _tag: "End", at: 50, side: 1 },
          calling({ at: 60, side: 0, times: 1 })
        ))
        assert.deepStrictEqual(rulesOf(outcome), [])
        const ended = outcome.calls.filter(({ method }) => method === "stream")
        assert.strictEqual(ended.length, 2 * carriers.length)
        for (const { n } of ended) assert.isAbove(lineOf(outcome, `has ${n}: RemoteError -32000 Shutting down`), 0)
        assert.isBelow(lineOf(outcome, "RemoteError -32000 Shutting down"), lineOf(outcome, ": result"))
        const late = outcome.calls.at(-1)?.n ?? 0
        assert.isAbove(lineOf(outcome, `has ${late}: Disconnected ShuttingDown`), 0)
      }))
  }

  it.effect("costs a reconnecting caller no call that may be made twice, and its streams go on behind a gap", () =>
    Effect.gen(function*() {
      const outcome = yield* Simulation.replay(
        scenario(
          "reconnecting",
          watching("partial"),
          watching("notifications"),
          ...[20, 40, 60, 90, 120, 150, 190].map((at) => calling({ at, work: { wait: 30 }, idempotent: true })),
          { _tag: "End", at: 50, side: 1, for: 40 },
          { _tag: "Lose", at: 130, for: 10 }
        ),
        { retry }
      )
      assert.deepStrictEqual(rulesOf(outcome), [])
      const calls = outcome.calls.filter(({ method }) => method === "work")
      assert.strictEqual(calls.length, 14)
      for (const { exit } of calls) assert.isTrue(exit !== undefined && Exit.isSuccess(exit))
      // Each of the four was opened on three connections.
      assert.strictEqual(outcome.calls.filter(({ method }) => method === "stream").length, 12)
    }))
})

describe("a broken transport between sides of which one shuts down", () => {
  /** Changes what is sent. `undefined` drops it. */
  const sending = (change: (text: string) => string | undefined): Transport.Wrapping => (inner) =>
    Effect.succeed({
      ...inner,
      send: (texts) => {
        const [first, ...rest] = texts.flatMap((text) => change(text) ?? [])
        return first === undefined ? Effect.void : inner.send([first, ...rest])
      }
    })

  const restart = scenario(
    "reconnecting",
    watching("notifications"),
    calling({ at: 10, work: { wait: 200 } }),
    { _tag: "End", at: 50, side: 1, for: 10 },
    calling({ at: 52, times: 1, idempotent: true }),
    calling({ at: 52, times: 1 })
  )

  /** A call that runs on keeps the connection. */
  const held = scenario(
    "peer",
    watching("notifications"),
    calling({ at: 10, work: { hang: true } }),
    { _tag: "End", at: 50, side: 1 }
  )

  const breaks: ReadonlyArray<
    readonly [string, Simulation.Rule, Simulation.Scenario, (text: string) => string | undefined]
  > = [
    ["that loses the end of a stream is found", "forgotten", held, (text) => text.includes("error") ? undefined : text],
    ["that loses an item is found", "order", restart, (text) => text.includes(`"i":1`) ? undefined : text],
    [
      "that says of a refused call that it ran is found",
      "outcome",
      restart,
      (text) => text.replace(`"started":false`, `"started":true`)
    ]
  ]

  for (const [name, rule, scenario, change] of breaks) {
    it.effect(name, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(rulesOf(yield* Simulation.replay(scenario, { retry })), [])
        assert.include(rulesOf(yield* Simulation.replay(scenario, { retry, wrapping: sending(change) })), rule)
      }))
  }

  it.effect("that unmarks what a side refuses costs a call that may be made twice, which is found", () =>
    Effect.gen(function*() {
      const wrapping = sending((text) => text.replace(/,"data":\{"started":false\}/, ""))
      const found = yield* Simulation.replay(restart, { retry, wrapping })
      assert.notDeepEqual(rulesOf(found), [])
    }))
})
