/** Whether there is room: each row of the rules, as values. */
import { assert, describe, it } from "@effect/vitest"
import { Limits } from "@parley/protocol"
import { Budget } from "@parley/transport/shared"
import {
  bounded,
  type Bounds,
  type Counters,
  Room,
  Traffic,
  type Wait,
  type Way
} from "../../src/internal/room/Room.ts"

const limits = Limits.make({
  inFlight: 2,
  parked: 2,
  inbox: 3,
  batch: 3,
  inboxBytes: 100,
  outbox: 10,
  window: 2,
  windowBytes: 50
})

const stream: Partial<Bounds> = { calls: limits.outbox, replies: limits.outbox, mayWait: true, isStream: true }

/** What bears on room, as a row sets it. */
interface State {
  readonly bounds: Partial<Bounds>
  readonly awaited: number | undefined
  waiting: number
  streaming: number
  inbox: number
  size: number
  /** Whether the text brings a call, and whether that can be refused. */
  asks: "nothing" | "a request" | "a notification"
}

const open =
  (row: (state: State, room: Room, traffic: Traffic, budget: Budget.Budget) => void) => (over: Partial<State> = {}) => {
    const state: State = {
      bounds: stream,
      awaited: undefined,
      waiting: 0,
      streaming: 0,
      inbox: 0,
      size: 0,
      asks: "a notification",
      ...over
    }
    const counters: Counters = {
      waiting: {
        get size() {
          return state.waiting
        },
        get streaming() {
          return state.streaming
        }
      },
      inbox: {
        get count() {
          return state.inbox
        },
        get size() {
          return state.size
        }
      }
    }
    const budget = Budget.make(1_000_000)
    const room = new Room(limits, budget, counters)
    const traffic = new Traffic(bounded(state.bounds))
    row(state, room, traffic, budget)
    const answers = state.awaited === undefined ? undefined : { awaited: state.awaited }
    return { state, room, way: { traffic, answers } }
  }

const requests = ["1", "2", "3"].map((id) => ({ id, place: "none" as "none" | "held" | "parked" }))
const [first, second, third] = requests as [typeof requests[0], typeof requests[0], typeof requests[0]]
const told = (): typeof first => ({ id: undefined as unknown as string, place: "none" })
const fresh = () => requests.map(({ id }) => ({ id, place: "none" as "none" | "held" | "parked" }))

/** Starts so many requests. */
const running = (room: Room, traffic: Traffic, count: number) =>
  fresh().slice(0, count).forEach((call) => assert.isUndefined(room.mayStart(call, { traffic })))

const nothing = open(() => {})
const paused = open((_, room) => room.pause(true))
const full = open((state) => void (state.inbox = 3))
const long = open((state) => void (state.size = 100))
const spent = open((_, _room, _traffic, budget) => budget.take(1_000_000))
const spentAndBusy = open((_, room, traffic, budget) => {
  running(room, traffic, 2)
  budget.take(1_000_000)
})
const overfull = open((_, _room, traffic) => void (traffic.replies = 20))
const unread = open((state, _, traffic) => {
  traffic.isSending = true
  traffic.calls = 1
  state.inbox = 3
})

describe("whether there is room", () => {
  const taking: ReadonlyArray<
    readonly [what: string, to: ReturnType<typeof nothing>, weight: number, wait: Wait | undefined]
  > = [
    ["any text", nothing(), 10, undefined],
    ["any text, while somebody pauses", paused({ asks: "nothing" }), 10, "pause"],
    ["what may be a response, in a pause", paused({ waiting: 1 }), 10, undefined],
    [
      "what may be the response of a call with partial results, in a pause",
      paused({ waiting: 1, streaming: 1 }),
      10,
      "pause"
    ],
    ["a text of a post that brings no response, in a pause", paused({ waiting: 1, awaited: 0 }), 10, "pause"],
    ["a call, with a full inbox", full(), 10, "inbox"],
    ["a call, with long calls in the inbox", long(), 10, "inbox"],
    ["what is no call, with a full inbox", full({ asks: "nothing" }), 10, undefined],
    ["a call, with a full inbox, while a call of ours waits", full({ waiting: 1 }), 10, undefined],
    ["a call, with a full inbox, while the other side does not read", unread(), 10, undefined],
    ["a call by a lane that cannot wait", full({ bounds: { ...stream, mayWait: false } }), 10, undefined],
    ["a call, with a spent budget", spent(), 10, "budget"],
    ["a call that will never fit", spent(), 2_000_000, undefined],
    ["a notification, with a spent budget, while a call of ours waits", spent({ waiting: 1 }), 10, undefined],
    ["the same, while running handlers hold it up", spentAndBusy({ waiting: 1 }), 10, "budget"],
    ["a request, which can be refused, then", spentAndBusy({ waiting: 1, asks: "a request" }), 10, undefined],
    ["any text, while replies pile up", overfull({ asks: "nothing" }), 10, "replies"],
    [
      "any text, while replies pile up and a call of ours waits",
      overfull({ waiting: 1, asks: "nothing" }),
      10,
      undefined
    ]
  ]
  for (const [what, { room, state, way }, weight, wait] of taking) {
    it(`promise 17: beyond the limit the reading stops: ${what} waits for ${wait ?? "nothing"}`, () => {
      const asks = (_: object, __: Way, isRefusing: boolean) =>
        state.asks === "a notification" || (state.asks === "a request" && !isRefusing)
      assert.strictEqual(room.mayTake({ weight }, way, asks), wait)
    })
  }

  it("promise 13: notifications keep their order: what comes behind one that runs does not start", () => {
    const { room, way } = nothing()
    const notification = told()
    assert.isUndefined(room.mayStart(notification, way))
    assert.strictEqual(room.mayStart(first, way), "notification")
    assert.isUndefined(room.mayStart(first, way, true))
    assert.isTrue(room.park(notification))
    assert.isUndefined(room.mayStart(second, way))
    assert.strictEqual(room.mayStart(third, way), "inFlight")
    assert.isTrue(room.leave(first))
    assert.isFalse(room.leave(first))
    way.traffic.replies = 10
    assert.strictEqual(room.mayStart(third, way), "replies")
    way.traffic.replies = 9
    assert.isUndefined(room.mayStart(third, way))
  })

  it("promise 12: a handler that waits gives its place back, and what has parked is counted until it ends", () => {
    const { room, way } = nothing()
    const calls = fresh()
    for (const call of calls.slice(0, 2)) {
      assert.isUndefined(room.mayStart(call, way))
      assert.isFalse(room.isCrowded)
      assert.isTrue(room.park(call))
      assert.isFalse(room.park(call))
    }
    assert.isTrue(room.isCrowded)
    assert.isFalse(room.leave(calls[0]!))
    assert.isFalse(room.isCrowded)
  })

  it("promise 17: a call of ours is written when the window, its share and the budget have room", () => {
    const { room, way } = nothing()
    const calls = [{ size: 0 }, { size: 0 }, { size: 0 }]
    // One may always go, however long it is.
    assert.isUndefined(room.mayWrite(way, "windowed"))
    room.openWindow(calls[0]!, 50)
    assert.strictEqual(room.mayWrite(way, "windowed"), "window")
    assert.isUndefined(room.mayWrite(way, "free"))
    room.closeWindow(calls[0]!)
    room.closeWindow(calls[0]!)
    for (const call of calls.slice(0, 2)) room.openWindow(call, 1)
    assert.strictEqual(room.mayWrite(way, "windowed"), "window")
    room.closeWindow(calls[1]!)
    way.traffic.calls = 10
    for (const line of ["windowed", "free", "pushed"] as const) assert.strictEqual(room.mayWrite(way, line), "outbox")
    assert.strictEqual(room.mayWrite(way, "free"), "outbox")
    const { room: poor, way: here } = spent()
    assert.strictEqual(poor.mayWrite(here, "windowed"), "budget")
    assert.isUndefined(poor.mayWrite(here, "free"))
  })

  it("promise 17: no more is read ahead than a chunk, or 64 KiB", () => {
    const { room } = nothing()
    assert.isUndefined(room.mayReadAhead(1, 1e9))
    assert.isUndefined(room.mayReadAhead(5, 65_536))
    assert.strictEqual(room.mayReadAhead(2, 65_537), "ahead")
    assert.strictEqual(spent().room.mayReadAhead(1, 1), "budget")
  })
})
