/**
 * Promise 22 over whole conversations: each scenario is run in the simulation, which asks at rest whether something
 * waits that could move. Each scenario needs another event to be followed by a look at what can be done now. The
 * histories of `@parley/conformance` hold the scenarios that the simulation found by itself.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Simulation from "@parley/conformance/Simulation"
import { Effect } from "effect"

/** A link that holds one character, and one text of any length in parts. */
const narrow: Simulation.Links = { bytes: 1, texts: 1, delay: 0, chunk: 1, direct: true }

/** A link on which a text is under way for five milliseconds. */
const slow: Simulation.Links = { bytes: 1_000, texts: 10, delay: 5, chunk: 1_000, direct: false }

const one: Simulation.Bounds = { inFlight: 1, bytes: 100, waiting: 4 }

const scenarios: ReadonlyArray<readonly [string, Simulation.Scenario]> = [
  [
    "calls beyond the places of a peer start when others have ended",
    {
      kind: "peer",
      bounds: one,
      links: slow,
      actions: [{ _tag: "Call", at: 0, side: 0, times: 4, work: { wait: 5 } }]
    }
  ],
  [
    "notifications that have no room go on when the ones before them have ended",
    {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 69, waiting: 1 },
      links: { ...narrow, direct: false },
      actions: [{ _tag: "Notify", at: 0, side: 0, times: 2, work: { until: 1 }, ask: {} }]
    }
  ],
  [
    "a pause that ends while a peer looks lets it read",
    {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 111, waiting: 1 },
      links: narrow,
      actions: [
        { _tag: "Pause", at: 0, side: 1, for: 0 },
        { _tag: "Call", at: 0, side: 0, times: 1, work: { partial: 3 }, partial: true }
      ]
    }
  ],
  [
    "partial results that each hold up the reading come one after the other",
    {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 111, waiting: 1 },
      links: narrow,
      actions: [
        { _tag: "Call", at: 0, side: 1, times: 1, work: { partial: 1 }, partial: true, hold: 0 },
        { _tag: "Notify", at: 0, side: 0, times: 1, work: { notify: 3 } }
      ]
    }
  ],
  [
    "what gathers while a write is under way is written",
    {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 76, waiting: 2 },
      links: { ...narrow, delay: 1, direct: false },
      actions: [{ _tag: "Call", at: 0, side: 0, times: 2, work: { after: 1 } }]
    }
  ],
  [
    "a peer that paused reads again",
    {
      kind: "peer",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Pause", at: 0, side: 1, for: 20 },
        { _tag: "Call", at: 1, side: 0, times: 2, work: {} }
      ]
    }
  ],
  [
    "a peer reads behind a call that is given up",
    {
      kind: "peer",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 2, work: { hang: true }, giveUp: 30 },
        { _tag: "Call", at: 40, side: 0, times: 2, work: {} }
      ]
    }
  ],
  [
    "a session takes texts that waited for room",
    {
      kind: "session",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 4, work: { wait: 5, notify: 2 } },
        { _tag: "Notify", at: 0, side: 0, times: 4, work: { wait: 5 } }
      ]
    }
  ],
  [
    "a session that paused takes texts again",
    {
      kind: "session",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Pause", at: 0, side: 1, for: 20 },
        { _tag: "Call", at: 1, side: 0, times: 2, work: {} }
      ]
    }
  ],
  [
    "a caller over posts takes what it had no room for",
    {
      kind: "post",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 3, work: { back: { wait: 5 }, notify: 2 } },
        { _tag: "Call", at: 0, side: 0, times: 2, work: { back: {} } }
      ]
    }
  ],
  [
    "calls go out on the next connection",
    {
      kind: "reconnecting",
      bounds: one,
      links: slow,
      actions: [
        { _tag: "Lose", at: 20, for: 50 },
        { _tag: "Call", at: 30, side: 0, times: 3, work: { wait: 5 } }
      ]
    }
  ]
]

describe("a conversation at rest", () => {
  for (const [name, scenario] of scenarios) {
    it.effect(`promise 22: when nothing moves, nothing waits that could move: ${name}`, () =>
      Effect.gen(function*() {
        const { history, violations } = yield* Simulation.replay(scenario)
        assert.deepStrictEqual(violations, [], history.join("\n"))
      }))
  }
})
