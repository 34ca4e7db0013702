/** Processes that are started before a probe needs them. */
import { assert, describe, it } from "@effect/vitest"
import { Conform, type Target } from "@parley/conform"
import { MemoryTransport } from "@parley/transport"
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Ahead from "../../src/internal/run/Ahead.ts"
import { passing } from "../support/passing.ts"

/** A server that takes its time to start, and the processes of it that were started, asked and ended. */
const server = (start: Duration.Input) => {
  const count = { started: 0, asked: 0, ended: 0 }
  const target: Target.Duplex = {
    _tag: "Duplex",
    name: "slow",
    isProcess: true,
    connect: Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      count.started++
      yield* Effect.addFinalizer(() => Effect.sync(() => count.ended++))
      const serving = Effect.gen(function*() {
        yield* Effect.sleep(start)
        let isAsked = false
        while (true) {
          for (const text of yield* far.receive) {
            if (!isAsked) count.asked++
            isAsked = true
            const { id }: { readonly id?: unknown } = JSON.parse(String(text))
            yield* far.send([JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })])
          }
        }
      })
      yield* Effect.forkScoped(Effect.ignore(serving))
      return near
    })
  }
  return { target, count }
}

const run = (target: Target.Duplex) =>
  passing(Effect.scoped(Conform.run(target, {
    protocol: "jsonrpc",
    only: ["jsonrpc/one-response", "robustness/large-answered", "robustness/many"]
  })))

describe("a server that is slow to start", () => {
  it.effect("starts while other probes run", () =>
    Effect.gen(function*() {
      const { count, target } = server("3 seconds")
      const { results } = yield* run(target)
      assert.deepStrictEqual(
        results.map(({ id, milliseconds, verdict }) => [id, verdict, milliseconds < 3_000]),
        [
          ["jsonrpc/one-response", "pass", false],
          ["robustness/large-answered", "pass", true],
          ["robustness/many", "pass", true]
        ]
      )
      assert.deepStrictEqual([count.started - count.asked, count.started - count.ended], [2, 0])
    }))

  it.effect("and one that is not is started only where a probe needs it", () =>
    Effect.gen(function*() {
      const { count, target } = server(0)
      yield* run(target)
      assert.deepStrictEqual(count, { started: count.asked, asked: count.asked, ended: count.asked })
    }))

  it.effect("is started anew where a process has waited for long: it may be about to end by itself", () =>
    Effect.gen(function*() {
      const { count, target } = server(0)
      const ahead = yield* Ahead.make(target)
      yield* ahead.begin
      yield* TestClock.adjust(0)
      const { connect } = ahead.target._tag === "Http" ? target : ahead.target
      yield* Effect.scoped(Effect.asVoid(connect))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([count.started, count.ended], [3, 1])
      yield* TestClock.adjust("11 seconds")
      yield* connect
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([count.started, count.ended], [6, 3])
    }))
})
