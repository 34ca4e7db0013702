/** The laws of callers for a Peer over TCP, its faults included. */
import { assert, describe, it } from "@effect/vitest"
import * as Faulty from "@parley/conformance/Faulty"
import * as Laws from "@parley/conformance/Laws"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as Peer from "@parley/peer/Peer"
import { Effect, References } from "effect"
import { check } from "./support/check.ts"
import { connected, portOf } from "./support/pairs.ts"

const tcp = connected(
  NodeTcp.makeListener({ port: 0 }),
  (address) => NodeTcp.makeTransport({ port: portOf(address) })
)

describe("the laws of callers", () => {
  // The laws send what a peer warns about.
  const quietly = Effect.provideService(References.MinimumLogLevel, "None")
  check(Laws.ofCaller(
    { name: "Peer over TCP", call: (transport) => quietly(Peer.make(transport)), line: tcp },
    { runs: 10 }
  ))
})

describe("a bad line over TCP", () => {
  const texts = Array.from({ length: 200 }, (_, index) => JSON.stringify([index, "some text"]))
  const options = { delay: 0.2, garble: 0.2, reorder: 0.2 }

  /** What is done to texts that are sent and come back, by direction: the two run at their own speeds. */
  const faultsOf = (seed: number) =>
    Effect.scoped(Effect.gen(function*() {
      const [near, far] = yield* tcp
      const { faults, transport } = yield* Faulty.make(near, { ...options, seed })
      const back = Effect.forEach(texts, (text) => far.send([text]), { discard: true })
      let count = 0
      const reading = Effect.gen(function*() {
        while (count < texts.length) count += (yield* transport.receive).length
      })
      yield* Effect.all([
        Effect.forEach(texts, (text) => transport.send([text]), { discard: true }),
        Effect.andThen(back, far.close),
        reading
      ], { concurrency: "unbounded" })
      return Object.groupBy(yield* faults, ({ direction }) => direction)
    }))

  it.live("does the same by the same seed, whatever the timing", () =>
    Effect.gen(function*() {
      for (let seed = 0; seed < 20; seed++) {
        const [one, again] = yield* Effect.all([faultsOf(seed), faultsOf(seed)], { concurrency: 2 })
        assert.deepStrictEqual(one, again, `seed ${seed}`)
        assert.isAbove(one.received?.length ?? 0, 20)
      }
      assert.notDeepEqual(yield* faultsOf(1), yield* faultsOf(2))
    }))
})
