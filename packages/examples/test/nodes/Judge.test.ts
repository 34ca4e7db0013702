/** The judge of the proof finds what breaks a promise, and nothing where none is broken. */
import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../src/nodes/cluster/Ledger.ts"
import type { Fault } from "../../src/nodes/Faults.ts"
import * as Judge from "../../src/nodes/Judge.ts"
import type { Call } from "../../src/nodes/Load.ts"
import type { Trial } from "../../src/nodes/Trial.ts"

const ran = (call: number, tool = "tell"): Entry => ({ _tag: "Ran", call, tool, at: 0 })
const claimed = (epoch: number, at: number): Entry => ({ _tag: "Claimed", key: "mcp/nodes/session/s", epoch, at })
const appended = (position: number, epoch: number): Entry => ({ _tag: "Appended", key: "k", position, epoch })

const call = (changes: Partial<Call> = {}): Call => ({
  id: 1,
  guest: "guest-0",
  tool: "tell",
  from: 10_000,
  to: 10_100,
  error: undefined,
  progress: [],
  ...changes
})

const killed: Fault = { kind: "kill", node: "b", from: 10_050, to: 14_000 }

/** One session, which the node `b` has, and whose requests have passed through `a`. */
const trial = (changes: Partial<Trial> = {}): Trial => ({
  guests: 1,
  rate: 1,
  calls: [call()],
  faults: [],
  passages: [{ guest: "guest-0", session: "s", node: "a", from: 9_000, to: 20_000 }],
  notices: [],
  ledgers: new Map([["a", []], ["b", [claimed(1, 0), ran(1), appended(1, 1)]]]),
  answered: 1,
  heap: 1,
  ...changes
})

const broken = (changes: Partial<Trial>) => Judge.judge(trial(changes)).broken

describe("the judge of nodes under faults", () => {
  it("finds nothing where each call was answered once, and counts what a fault has cost", () => {
    assert.deepStrictEqual(broken({}), [])
    const calls = [call({ error: "ProtocolError -31002", to: 13_000 }), call({ id: 2, error: "HttpStatusError 502" })]
    const notices = [{ node: "b", at: 11_000 }]
    const verdict = Judge.judge(trial({ calls, notices, faults: [killed] }))
    assert.deepStrictEqual(verdict.broken, [])
    assert.deepInclude(verdict.costs[0], { lost: 1, refused: 1, told: 2_000 })
  })

  it("finds a call that was lost without a fault, or by a fault of another node", () => {
    const calls = [call({ error: "HttpStatusError 502" })]
    assert.match(broken({ calls })[0] ?? "", /nothing had befallen a,b/)
    assert.match(broken({ calls, faults: [{ ...killed, node: "c" }] })[0] ?? "", /nothing had befallen a,b/)
  })

  it("takes a call that no node has seen for one on its way to any node", () => {
    const calls = [call({ error: "Disconnected" })]
    const passages = [{ guest: "guest-0", session: "s", node: "a", from: 9_000, to: 9_500 }]
    const ledgers = new Map([["a", []], ["b", [claimed(1, 0)]], ["c", []]])
    assert.deepStrictEqual(broken({ calls, passages, ledgers, faults: [{ ...killed, node: "c" }] }), [])
    assert.match(broken({ calls, passages, ledgers })[0] ?? "", /nothing had befallen a,b,c/)
  })

  it("finds a call that had begun, and was cut by the planned end of its node", () => {
    const calls = [call({ error: "HttpStatusError 503" })]
    const faults: ReadonlyArray<Fault> = [{ ...killed, kind: "end" }]
    assert.match(broken({ calls, faults })[0] ?? "", /had begun, and was cut with HttpStatusError 503/)
    assert.deepStrictEqual(broken({ calls, faults, ledgers: new Map([["b", [claimed(1, 0)]]]) }), [])
  })

  it("finds a client that was told late, or never", () => {
    const notices = [{ node: "b", at: 11_000 }]
    const late = [call({ error: "ProtocolError -31002", to: 16_500 })]
    const faults = [{ ...killed, to: 40_000 }]
    assert.match(
      broken({ calls: late, notices, faults })[0] ?? "",
      /was told ProtocolError -31002 5500 ms after a kill/
    )
    assert.match(broken({ calls: [call({ error: "RequestTimeout" })], faults })[0] ?? "", /was told RequestTimeout/)
  })

  it("finds a call that ran twice, unless its tool may be repeated", () => {
    const twice = (tool: string) => new Map([["a", [ran(1, tool)]], ["b", [claimed(1, 0), ran(1, tool)]]])
    assert.deepStrictEqual(broken({ ledgers: twice("tell") }), ["call 1 (tell) ran 2 times"])
    assert.deepStrictEqual(broken({ ledgers: twice("repeat") }), [])
  })

  it("finds a stream that has a hole, or something twice", () => {
    for (const progress of [[1, 2, 4, 5], [1, 2, 2, 3, 4, 5], []]) {
      assert.match(broken({ calls: [call({ tool: "count", progress })] })[0] ?? "", /its client heard of the steps/)
    }
    assert.deepStrictEqual(broken({ calls: [call({ tool: "count", progress: [1, 2, 3, 4, 5] })] }), [])
  })

  it("finds a write of an older owner, a position that was given twice, and an epoch of two owners", () => {
    const ledgers = (a: ReadonlyArray<Entry>, b: ReadonlyArray<Entry>) => new Map([["a", a], ["b", b]])
    assert.match(broken({ ledgers: ledgers([appended(2, 1)], [appended(1, 2)]) })[0] ?? "", /of the epoch 1 at 2/)
    assert.match(broken({ ledgers: ledgers([appended(1, 1)], [appended(1, 1)]) })[0] ?? "", /two texts at 1/)
    assert.match(broken({ ledgers: ledgers([claimed(1, 0)], [claimed(1, 5)]) })[0] ?? "", /a and b own/)
    assert.deepStrictEqual(broken({ ledgers: ledgers([appended(1, 1)], [appended(2, 2), claimed(1, 0)]) }), [])
  })

  it("finds a session that is not answered any more", () => {
    assert.deepStrictEqual(broken({ answered: 0 }), ["1 sessions are not answered any more"])
  })
})
