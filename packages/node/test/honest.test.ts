/** Two honest peers with the default limits never refuse, block or end each other, whatever they ask at once. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect } from "effect"
import { compileCacheEnv } from "../../../tools/compileCache.ts"
import { isFull } from "./support/check.ts"
import * as honest from "./support/honest.ts"
import { fixture, portOf } from "./support/pairs.ts"

const memory = honest.paired(MemoryTransport.makePair())

const tcp = (options?: honest.Options) =>
  honest.listening(
    NodeTcp.makeListener({ port: 0 }),
    (address) => NodeTcp.makeTransport({ port: portOf(address) }),
    options
  )

const webSocket = (options?: honest.Options) =>
  honest.listening(
    NodeWebSocket.makeListener({ port: 0 }),
    (address) => NodeWebSocket.makeTransport({ url: address }),
    options
  )

const stdio = honest.spawned(
  NodeChildProcess.makeTransport({ command: process.execPath, args: [fixture("honest.ts")], env: compileCacheEnv })
)

// The slow tests do all of it on all transports.
const sides = isFull ? { memory, TCP: tcp(), WebSocket: webSocket(), stdio } : { memory, TCP: tcp() }
const sizes = isFull ? honest.full : honest.short

/** Everything is answered as it should be. */
const allOf = (work: honest.Work, of: honest.Sizes): honest.Tally => {
  const ok = honest.sizeOf(of, work)
  return work === "notifications" ? { ok, pongs: ok } : { ok }
}

for (const [name, open] of Object.entries(sides)) {
  describe(`two honest peers over ${name}`, () => {
    for (const work of honest.works) {
      const count = honest.sizeOf(sizes, work)
      it.live(`promise 18: callers suspend on a full outbox, but nothing blocks: ${count} ${work} each way`, () =>
        Effect.gen(function*() {
          const [ours, theirs] = yield* open
          const tallies = yield* Effect.all([ours(work, count), theirs(work, count)], { concurrency: 2 })
          assert.deepStrictEqual(tallies, [allOf(work, sizes), allOf(work, sizes)])
        }))
    }
    it.live("promise 18: callers suspend on a full outbox, but nothing blocks: all of it at once", () =>
      Effect.gen(function*() {
        const each = (yield* open).flatMap((side) => honest.works.map((work) => ({ side, work })))
        const tallies = yield* Effect.forEach(each, ({ side, work }) => side(work, honest.sizeOf(honest.short, work)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(tallies, each.map(({ work }) => allOf(work, honest.short)))
      }))
  })
}

if (isFull) {
  // What handlers make at the same time is held until it is written, and counts on the budget.
  const few = { limits: { inFlight: 64 } }
  for (const [name, open] of Object.entries({ TCP: tcp(few), WebSocket: webSocket(few) })) {
    it.live(`two honest peers over ${name} that run a few calls at a time answer with more than the budget holds`, () =>
      Effect.gen(function*() {
        const [ours, theirs] = yield* open
        const tallies = yield* Effect.all([ours("large", 300), theirs("large", 300)], { concurrency: 2 })
        assert.deepStrictEqual(tallies, [{ ok: 300 }, { ok: 300 }])
      }))
  }
}
