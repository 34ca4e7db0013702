/**
 * Scenarios that the simulation found and shrunk, as data. None of them may break a rule again.
 */
import type { Simulation } from "@parley/conformance"

/** A link that holds one character, and one text of any length in parts. */
const narrow: Simulation.Links = { bytes: 1, texts: 1, delay: 0, chunk: 1, direct: true }

export const histories: ReadonlyArray<{ readonly name: string; readonly scenario: Simulation.Scenario }> = [
  {
    name: "two peers whose replies pile up do not block each other",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 2, bytes: 90, waiting: 3 },
      links: narrow,
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 3, work: { size: 20, until: 25 } },
        { _tag: "Call", at: 0, side: 1, times: 3, work: { size: 20, until: 25 } }
      ]
    }
  },
  {
    name: "a reader whose replies are written while it reads goes on",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 178, waiting: 4 },
      links: { bytes: 220, texts: 4, delay: 0, chunk: 217, direct: true },
      actions: [{ _tag: "Call", at: 0, side: 0, times: 4, work: { back: {}, size: 70 } }]
    }
  },
  {
    name: "a reader whose handlers end together goes on",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 2, bytes: 85, waiting: 3 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 1, work: { until: 6 } },
        { _tag: "Call", at: 0, side: 1, times: 3, work: { size: 7, until: 6 } }
      ]
    }
  },
  {
    name: "a call lets a stream of a session go on that a pause holds",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 80, waiting: 1 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 1, side: 0, times: 1, work: {}, aside: true },
        { _tag: "Pause", at: 0, side: 0 },
        { _tag: "Notify", at: 0, side: 1, times: 1, work: {} }
      ]
    }
  },
  {
    name: "notifications each way that are answered by notifications do not block each other",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 80, waiting: 1 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Notify", at: 0, side: 0, times: 5, work: { notify: 1, until: 1 } },
        { _tag: "Notify", at: 0, side: 1, times: 7, work: { notify: 1 } }
      ]
    }
  },
  {
    name: "notifications each way over posts do not block each other",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 70, waiting: 1 },
      links: { ...narrow, delay: 1 },
      actions: [
        { _tag: "Notify", at: 0, side: 1, times: 1, work: { notify: 1 } },
        { _tag: "Notify", at: 0, side: 0, times: 1, work: { notify: 3 } }
      ]
    }
  },
  {
    name: "cancellations and replies that nobody waits for do not block each other",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 197, waiting: 30 },
      links: { bytes: 90, texts: 1, delay: 3, chunk: 1, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 1, work: { notify: 1 }, giveUp: 10 },
        { _tag: "Call", at: 0, side: 0, times: 6, work: {} },
        { _tag: "Call", at: 0, side: 1, times: 9, work: {}, timeout: 26 }
      ]
    }
  },
  {
    name: "calls beyond the places of the other side wait and are not refused",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 76, waiting: 3 },
      links: narrow,
      actions: [{ _tag: "Call", at: 0, side: 0, times: 3, work: { until: 1 } }]
    }
  },
  {
    name: "notifications from handlers do not overrun a peer that calls",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 77, waiting: 3 },
      links: { ...narrow, delay: 1 },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 2, work: { notify: 1 } },
        { _tag: "Call", at: 0, side: 1, times: 3, work: { notify: 1 } }
      ]
    }
  },
  {
    name: "notifications from handlers do not overrun a session",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 78, waiting: 2 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 1, work: { hang: true } },
        { _tag: "Call", at: 0, side: 0, times: 1, work: {} },
        { _tag: "Notify", at: 0, side: 0, times: 1, work: {} },
        { _tag: "Call", at: 0, side: 1, times: 1, work: { notify: 1 } }
      ]
    }
  },
  {
    name: "a text that waits for room is taken also where its post has had its response by another way",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 300, waiting: 6 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 5, work: { back: { wait: 19 } } },
        { _tag: "Notify", at: 0, side: 1, times: 23, work: { wait: 42 } },
        { _tag: "Call", at: 0, side: 0, times: 1, work: { notify: 1 }, partial: true, aside: true }
      ]
    }
  },
  {
    name: "a stream that is lost twice at once is opened once",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 80, waiting: 1 },
      links: narrow,
      actions: [
        { _tag: "Die", at: 0, side: 0 },
        { _tag: "Lose", at: 0, for: 0 },
        { _tag: "Lose", at: 0, for: 1 },
        { _tag: "Notify", at: 1, side: 1, times: 1, work: {} }
      ]
    }
  },
  {
    name: "a batch whose time ran out before there was a connection is not written",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 2, bytes: 80, waiting: 1 },
      links: { ...narrow, delay: 10 },
      actions: [{ _tag: "Call", at: 0, side: 0, times: 1, work: { hang: true }, batch: true, timeout: 6 }]
    }
  },
  {
    name: "texts that wait for the budget do not wait for each other",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 1, waiting: 2, budget: 1 },
      links: narrow,
      actions: [{ _tag: "Call", at: 0, side: 0, times: 2, work: { wait: 0 } }]
    }
  },
  {
    name: "two sides that cannot write read on, however little room they have",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 1, waiting: 2, budget: 1 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 2, work: { until: 1 }, partial: true },
        { _tag: "Notify", at: 0, side: 0, times: 1, work: {} },
        { _tag: "Call", at: 0, side: 1, times: 1, work: {}, partial: true }
      ]
    }
  },
  {
    name: "partial results are read while replies pile up on both sides",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 1, bytes: 1, waiting: 1, budget: 1 },
      links: { ...narrow, delay: 1, direct: false },
      actions: [
        { _tag: "Call", at: 1, side: 1, times: 1, work: { size: 0, partial: 1 }, size: 896, partial: true },
        { _tag: "Call", at: 0, side: 0, times: 1, work: { partial: 1 }, size: 961, partial: true }
      ]
    }
  },
  {
    name: "long partial results are read while replies have spent the budget of both sides",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 1, bytes: 1, waiting: 1, budget: 1 },
      links: { ...narrow, delay: 1, direct: false },
      actions: [
        { _tag: "Call", at: 1, side: 1, times: 1, work: { size: 973, partial: 1 }, size: 875, partial: true },
        { _tag: "Call", at: 0, side: 0, times: 1, work: { size: 973, partial: 1 }, size: 875, partial: true }
      ]
    }
  },
  {
    name: "a call over posts that has no time at all ends",
    scenario: {
      kind: "post",
      bounds: { inFlight: 1, bytes: 67, waiting: 1 },
      links: narrow,
      actions: [{ _tag: "Call", at: 0, side: 0, times: 1, work: {}, timeout: 0 }]
    }
  },
  {
    name: "the budget ends a connection after another that it has ended",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 2, bytes: 960, waiting: 128, budget: 1000 },
      links: { bytes: 400, texts: 4, delay: 0, chunk: 200, direct: false },
      actions: [
        { _tag: "Pause", at: 0, side: 0 },
        { _tag: "Notify", at: 0, side: 0, times: 8, work: { back: {} }, size: 800 }
      ]
    }
  },
  {
    name: "what is written for a side that reads no more is given up where the budget is spent",
    scenario: {
      kind: "peer",
      bounds: { inFlight: 1, bytes: 1_745, waiting: 4, budget: 500 },
      links: { bytes: 800, texts: 1_000, delay: 1, chunk: 1_600, direct: false },
      actions: [
        { _tag: "Die", at: 0, side: 1 },
        { _tag: "Notify", at: 0, side: 0, times: 2, work: {}, size: 1_600 }
      ]
    }
  },
  {
    name: "a caller over posts that ends for its budget does not blame a response that it did not read",
    scenario: {
      kind: "session",
      bounds: { inFlight: 1, bytes: 1, waiting: 2, budget: 1 },
      links: { ...narrow, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 1, work: { partial: 4 }, partial: true, hold: 0 },
        { _tag: "Notify", at: 0, side: 1, times: 2, work: { back: {} } }
      ]
    }
  },
  {
    name: "a caller opens its stream again where its own handler goes on for a server that has shut down",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 2, bytes: 1, waiting: 1 },
      links: narrow,
      actions: [
        { _tag: "Watch", at: 0, side: 0, times: 1, carrier: "partial", items: 0, every: 0 },
        { _tag: "Pause", at: 0, side: 0, for: 0 },
        { _tag: "Watch", at: 0, side: 1, times: 1, carrier: "partial", items: 0, every: 0 },
        { _tag: "End", at: 0, side: 1, for: 0 }
      ]
    }
  },
  {
    name: "a pause that ends while a left connection drains lets its response through",
    scenario: {
      kind: "reconnecting",
      bounds: { inFlight: 4, bytes: 497, waiting: 12 },
      links: { bytes: 99, texts: 1, delay: 1, chunk: 1, direct: false },
      actions: [
        { _tag: "Call", at: 0, side: 0, times: 2, work: { size: 381, partial: 5 }, partial: true, hold: 0 },
        { _tag: "Call", at: 0, side: 0, times: 10, work: {} },
        { _tag: "End", at: 4, side: 1, for: 0 }
      ]
    }
  }
]
