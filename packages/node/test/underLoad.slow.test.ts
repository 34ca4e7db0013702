/**
 * A server with the default limits under load and faults: a process of its own, a thousand connections over four wires,
 * and beside them those that do what they should not. `SOAK=600` gives it as many seconds of mixed traffic.
 */
import { assert, describe, it } from "@effect/vitest"
import { Caller, type Reconnecting } from "@parley/peer"
import { Limits } from "@parley/protocol"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import type * as net from "node:net"
import * as bad from "./soak/bad.ts"
import * as dial from "./soak/dial.ts"
import * as Ledger from "./soak/Ledger.ts"
import * as Served from "./soak/Served.ts"
import * as traffic from "./soak/traffic.ts"

const MiB = 1024 * 1024

const seconds = Number(process.env["SOAK"] || 6)

/** How often the bad ones come anew. Those that never read are found out after 30 seconds. */
const rounds = Math.ceil(seconds / 30)

/** Beside the traffic: starting, warming up, settling. */
const time = (seconds + 110) * 1_000

type Crowd = Readonly<Partial<Record<traffic.Wire, number>>>

const wiresOf = (crowd: Crowd) =>
  // The keys of a crowd are wires.
  Object.entries(crowd).flatMap(([wire, count]) => Array.from({ length: count }, () => wire as traffic.Wire))

/** Wires of connections that are made again when they are lost. */
const returningWires = (["tcp", "tcp", "unix", "webSocket"] as const).flatMap((wire) =>
  Array.from({ length: 50 }, () => wire)
)

/** `ulimit` is a word of the shell. */
const isMissing = spawnSync("sh", ["-c", "ulimit -n 64"]).status !== 0
const shell = isMissing ? " (needs sh and ulimit)" : ""
const assertMayBeMissing = () => assert.isUndefined(process.env["CI"], "sh or ulimit is missing")

const forkOptions = { startImmediately: true }

/** Asks again and again until it is so, but not for ever, and gives the last answer. */
const until = <A, E>(ask: Effect.Effect<A, E>, isSo: (answer: A) => boolean) =>
  Effect.repeat(ask, { until: isSo, times: 1_200, schedule: Schedule.spaced("50 millis") })

/** Waits until the server holds no more than before, and says what there is. */
const returnsTo = (served: Served.Served, before: Served.Stats) =>
  Effect.gen(function*() {
    const more = (now: Served.Stats) =>
      ([...Served.countsOf, "descriptors", "resources"] as const)
        .filter((name) => now[name] > before[name]).map((name) => `${name}: ${now[name]}, was ${before[name]}`)
    yield* until(served.stats, (now) => more(now).length === 0)
    const now = yield* served.settled
    assert.deepStrictEqual(more(now), [])
    return now
  })

/** As many clients as the crowd has, which run while the effect does; it begins when all have been answered. */
const beside = <A, E, R>(
  crowd: Crowd,
  plan: Omit<traffic.Plan, "isOver" | "onReady">,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const ready = yield* Deferred.make<void>()
    const wires = wiresOf(crowd)
    let over = false
    let count = 0
    const onReady = Effect.suspend(() =>
      ++count < wires.length ? Deferred.await(ready) : Effect.asVoid(Deferred.succeed(ready, undefined))
    )
    const clients = Effect.forEach(
      wires,
      (wire) => traffic.honest(wire, { ...plan, isOver: () => over, onReady }),
      { concurrency: "unbounded", discard: true }
    )
    const running = yield* Effect.forkChild(clients, forkOptions)
    yield* Deferred.await(ready)
    const result = yield* effect
    over = true
    yield* Fiber.join(running)
    return result
  })

describe("a server under load", () => {
  it.live(
    "1,000 connections and bad ones beside them: every call ends, nothing leaks, memory is bounded",
    () =>
      Effect.gen(function*() {
        const served = yield* Served.start()
        const sockets = yield* dial.watched
        const random = traffic.randomOf(1)
        const router = yield* traffic.answering
        let rest = 200
        const planOf = (ledger: Ledger.Ledger) => ({
          addresses: served.addresses,
          ledger,
          router,
          random,
          rest: () => rest
        })
        const crowd = { tcp: 500, unix: 150, webSocket: 250, http: 100 }
        const warmUp = Ledger.make()
        yield* beside(crowd, planOf(warmUp), Effect.sleep("1 second"))
        yield* served.mark
        const before = yield* returnsTo(served, yield* served.settled)

        const ledger = Ledger.make()
        const tally = new Map<string, number>()
        const ground = { addresses: served.addresses, ledger, tally }
        const broken = { count: 0 }
        const moved = sockets.bytes()
        const began = performance.now()
        const load = Effect.scoped(Effect.gen(function*() {
          const { tcp, unix, webSocket } = yield* served.counts
          const { http: _, ...lasting } = crowd
          assert.deepStrictEqual({ tcp, unix, webSocket }, { ...lasting, tcp: 1 + crowd.tcp })
          // Of HTTP an idle connection is closed after 5 seconds, and opened again for the next request.
          assert.isAtLeast((yield* served.stats).descriptors, tcp + unix + webSocket)
          yield* Effect.forkScoped(traffic.breaking(sockets, random, broken))
          // Node.js accepts one connection in a turn, and reads a few MiB of each: it takes short turns to begin with.
          rest = 2_000
          yield* Effect.scoped(bad.gigabyte(ground))
          const round = Effect.gen(function*() {
            rest = 2_000
            yield* bad.unleash(ground)
            rest = 0
            yield* Effect.sleep((seconds * 1_000) / rounds)
          })
          yield* Effect.repeat(Effect.scoped(round), { times: rounds - 1 })
          return { ...(yield* served.stats), elapsed: performance.now() - began }
        }))
        const underLoad = yield* beside(crowd, planOf(ledger), load)

        const after = yield* returnsTo(served, before)
        console.log(Ledger.block(`Under load for ${Math.round(underLoad.elapsed / 1_000)} s:`, {
          "connections at once": Object.values(crowd).reduce((sum, count) => sum + count, 0),
          "connections opened": ledger.opened,
          "connections broken within a frame": broken.count,
          "calls": ledger.begun,
          "notifications": ledger.notifications,
          "MB moved": (sockets.bytes() - moved) / 1e6,
          "calls that gave a result": ledger.ends.result,
          "calls that failed as they should": ledger.ends.RemoteError,
          "calls that timed out as they should": ledger.ends.RequestTimeout,
          "calls that were interrupted": ledger.ends.interruption,
          "calls that lost their connection": ledger.ends.Disconnected,
          "ms of the longest call with a result": ledger.longest,
          "ms of the longest turn of the server's event loop": underLoad.turn,
          ...Object.fromEntries(tally),
          "MiB of growth of the server's resident memory at its peak": after.growth / MiB,
          "KiB of growth of its memory in use, in the end": (after.used - before.used) / 1024
        }))
        assert.deepStrictEqual(ledger.wrong, [])
        assert.strictEqual(Ledger.ended(ledger), ledger.begun)
        assert.isAbove(broken.count, 0)
        assert.isAtMost(ledger.lost, broken.count)
        assert.strictEqual(after.trespasses, 0)
        assert.isBelow(after.growth, Limits.defaults.budget)
        assert.isBelow(after.used - before.used, 8 * MiB)
        assert.strictEqual(yield* served.end, 0)
      }),
    time
  )

  it.live("a server that is killed under load and started again gets its clients back", () =>
    Effect.gen(function*() {
      const first = yield* Served.start()
      const { addresses } = first
      const router = yield* traffic.answering
      const clients = yield* Effect.forEach(returningWires, (wire) => traffic.returning(wire, addresses, router))
      for (const client of clients) assert.strictEqual(yield* client.connected, 1)
      const begin = (
        call: (client: Reconnecting.Reconnecting) => Effect.Effect<unknown, Caller.CallError>
      ) => Effect.forEach(clients, (client) => Effect.forkChild(Effect.flip(call(client)), forkOptions))
      const hanging = yield* begin((client) => client.request("hang", undefined, { timeout: "10 minutes" }))
      const all = yield* until(first.counts, ({ hanging }) => hanging === clients.length)
      assert.strictEqual(all.hanging, clients.length)
      // It is busy when it is killed.
      let answered = 0
      const busy = yield* begin((client) =>
        Effect.forever(Effect.tap(client.request("sum", [1, 2]), () => Effect.sync(() => answered++)))
      )
      yield* until(Effect.sync(() => answered), (count) => count > 10 * clients.length)
      yield* first.kill

      for (const call of hanging) {
        const error = yield* Fiber.join(call)
        assert.instanceOf(error, Caller.Disconnected)
        assert.isTrue(error.sent)
      }
      for (const call of busy) assert.instanceOf(yield* Fiber.join(call), Caller.Disconnected)
      // These wait for the next connection.
      const waiting = yield* Effect.forEach(clients, (client) =>
        Effect.forkChild(client.request("sum", [1, 2]), forkOptions))
      const second = yield* Served.start({ again: addresses })
      assert.deepStrictEqual(second.addresses, addresses)
      for (const call of waiting) {
        assert.strictEqual(yield* Fiber.join(call), 3)
      }
      for (const client of clients) {
        assert.isAtLeast(yield* client.connected, 2)
      }
      for (const client of clients) {
        assert.strictEqual(yield* client.request("sum", [3, 4]), 7)
      }
      console.log(Ledger.block("Killed under load, and started again:", {
        "clients": clients.length,
        "calls that ended with Disconnected": hanging.length + busy.length,
        "calls that waited for the next connection": waiting.length
      }))
    }), time)

  it.live(
    `a server without descriptors serves who is in, and others when some have left${shell}`,
    () =>
      Effect.gen(function*() {
        if (isMissing) return assertMayBeMissing()
        const served = yield* Served.start({ descriptors: 64 })
        const crowd = Effect.forEach(Array.from({ length: 200 }), () => dial.dial(served.addresses.tcp), {
          concurrency: "unbounded"
        })
        /** How many of the clients get the right answer; the others are closed. */
        const answered = (clients: ReadonlyArray<net.Socket>) =>
          Effect.map(
            Effect.forEach(clients, (client, number) => dial.sum(client, number), { concurrency: "unbounded" }),
            (sums) => sums.filter((sum, number) => sum === number + 1).length
          )
        const inside = yield* Effect.scoped(Effect.gen(function*() {
          const clients = yield* crowd
          const inside = yield* answered(clients)
          assert.isAbove(inside, 10)
          assert.isBelow(inside, 64)
          // Nobody is left waiting, and who is in is served again.
          const open = clients.filter((client) => !client.readableEnded && !client.destroyed)
          assert.strictEqual(open.length, inside)
          assert.strictEqual(yield* answered(open), inside)
          assert.strictEqual((yield* served.counts).tcp, 1 + inside)
          return inside
        }))
        yield* until(served.counts, ({ tcp }) => tcp === 1)
        assert.strictEqual(yield* Effect.scoped(Effect.flatMap(crowd, answered)), inside)
        yield* until(served.counts, ({ tcp }) => tcp === 1)
        assert.strictEqual((yield* served.counts).tcp, 1)
        assert.strictEqual(yield* served.end, 0)
        console.log(Ledger.block("With 64 descriptors:", { "clients at once": 200, "of which are served": inside }))
      }),
    time
  )

  it.live(
    `a client without descriptors fails with Open, and connects when it has some again${shell}`,
    () =>
      Effect.gen(function*() {
        if (isMissing) return assertMayBeMissing()
        const served = yield* Served.start()
        const lines = yield* Served.lines("soakClient.ts", served.addresses, 64)
        assert.deepStrictEqual(lines.map((line) => JSON.parse(line)), [["Open", "Open", "Open", "Open"], [3, 3, 3, 3]])
      }),
    time
  )
})
