import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Caller, ErrorResponse, type Handler, Peer } from "@parley/peer"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, Exit, Fiber, Metric, Result, Scheduler, Schema } from "effect"
import { TestClock } from "effect/testing"
import { pair, request, routerOf, settle } from "../../peer/test/wire.ts"
import { Metrics } from "../src/index.ts"
import { callerOf, callOf, scripted, scriptedBatch } from "./callers.ts"

/** Everything that has been measured so far: its name, the attributes that tell it apart, and its state. */
const measured = Effect.map(Metric.snapshot, (all) =>
  all.map(({ attributes, id, state }) => {
    const { "error.type": error, "network.io.direction": direction, "rpc.method": method } = attributes ?? {}
    return [[id, method, error ?? direction].filter((part) => part !== undefined).join(" "), state] as const
  }))

/** The numbers among it: counters and gauges, and the counts of histograms. */
const numbers = Effect.map(
  measured,
  (all) =>
    Object.fromEntries(
      all.map(([name, state]) => [name, "value" in state ? state.value : "count" in state ? state.count : 0])
    )
)

/** A registry of its own, so that tests do not count what others do. */
const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets the fiber yield before one of its steps, and interrupts it there. */
class InterruptingScheduler extends Scheduler.MixedScheduler {
  private readonly at: number
  private steps = 0

  constructor(at: number) {
    super()
    this.at = at
  }

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>) {
    if (++this.steps !== this.at) return false
    queueMicrotask(() => fiber.interruptUnsafe())
    return true
  }
}

describe("the metrics of a handler", () => {
  const metered = Metrics.handler()

  it.effect("count calls, failures and how long both take", () =>
    alone(Effect.gen(function*() {
      const [peer] = yield* pair({
        add: metered(() => Effect.succeed(3)),
        slow: metered(() => Effect.as(Effect.sleep("20 millis"), "done")),
        refused: metered(() => Effect.fail(ErrorResponse.make(1001, "no"))),
        broken: metered(() => Effect.die("broken")),
        throwing: metered(() => {
          throw new Error("broken")
        })
      })
      yield* peer.request("add")
      yield* peer.notify("add")
      const slow = yield* started(peer.request("slow"))
      yield* settle
      assert.deepInclude(yield* numbers, { "rpc.server.active slow": 1, "rpc.server.calls slow": 1 })
      yield* TestClock.adjust("20 millis")
      yield* Fiber.join(slow)
      for (const method of ["refused", "broken", "throwing"]) yield* Effect.flip(peer.request(method))
      assert.deepStrictEqual(yield* numbers, {
        "rpc.server.calls add": 2,
        "rpc.server.active add": 0,
        "rpc.server.call.duration add": 2,
        "rpc.server.calls slow": 1,
        "rpc.server.active slow": 0,
        "rpc.server.call.duration slow": 1,
        "rpc.server.calls refused": 1,
        "rpc.server.active refused": 0,
        "rpc.server.call.duration refused": 1,
        "rpc.server.failures refused 1001": 1,
        "rpc.server.calls broken": 1,
        "rpc.server.active broken": 0,
        "rpc.server.call.duration broken": 1,
        "rpc.server.failures broken defect": 1,
        "rpc.server.calls throwing": 1,
        "rpc.server.active throwing": 0,
        "rpc.server.call.duration throwing": 1,
        "rpc.server.failures throwing defect": 1
      })
      const duration = new Map(yield* measured).get("rpc.server.call.duration slow")
      assert.deepInclude(duration, { sum: 0.02, min: 0.02, max: 0.02 })
      const buckets = duration !== undefined && "buckets" in duration ? duration.buckets : []
      assert.deepStrictEqual(
        buckets.filter(([bound]) => bound === 0.01 || bound === 0.025).map(([, count]) => count),
        [0, 1]
      )
    })))

  it.effect("take a call that is interrupted out of those in flight", () =>
    alone(Effect.gen(function*() {
      const [peer] = yield* pair({ hanging: metered(() => Effect.never) })
      const calls = yield* Effect.forEach([1, 2], () => started(peer.request("hanging")))
      yield* settle
      assert.deepInclude(yield* numbers, { "rpc.server.active hanging": 2 })
      yield* Fiber.interrupt(calls[0]!)
      yield* settle
      assert.deepInclude(yield* numbers, {
        "rpc.server.active hanging": 1,
        "rpc.server.failures hanging interrupted": 1
      })
    })))

  for (const at of Array.from({ length: 24 }, (_, index) => index + 1)) {
    it.effect(`are up and down exactly when the interruption comes at step ${at}`, () =>
      alone(Effect.gen(function*() {
        const serve: Handler.Handler = () => Effect.andThen(Effect.yieldNow, Effect.void)
        const fiber = yield* Effect.forkChild(
          Effect.provideService(metered(serve)(callOf()), Scheduler.Scheduler, new InterruptingScheduler(at))
        )
        yield* Fiber.await(fiber)
        const all = yield* numbers
        assert.strictEqual(all["rpc.server.active m"] ?? 0, 0)
        assert.strictEqual(all["rpc.server.call.duration m"], all["rpc.server.calls m"])
      })))
  }

  it.effect("tell 256 methods apart, and no more", () =>
    alone(Effect.gen(function*() {
      const handler = Metrics.handler()(() => Effect.void)
      for (let index = 0; index < 300; index++) yield* handler(callOf({ method: `m${index}` }))
      yield* handler(callOf({ method: "m255" }))
      const all = yield* numbers
      assert.deepInclude(all, {
        "rpc.server.calls m255": 2,
        "rpc.server.calls _OTHER": 44,
        "rpc.server.active _OTHER": 0
      })
      assert.strictEqual(Object.keys(all).filter((name) => name.startsWith("rpc.server.calls ")).length, 257)
    })))

  it.effect("tell those methods apart that are named", () =>
    alone(Effect.gen(function*() {
      const handler = Metrics.handler({ methods: ["known"] })(() => Effect.void)
      for (const method of ["x", "known", "y"]) yield* handler(callOf({ method }))
      assert.deepInclude(yield* numbers, { "rpc.server.calls known": 1, "rpc.server.calls _OTHER": 2 })
    })))

  it.effect("have the names and units of OpenTelemetry", () =>
    alone(Effect.gen(function*() {
      yield* Metrics.handler()(() => Effect.void)(callOf())
      const attributes = new Map((yield* Metric.snapshot).map((metric) => [metric.id, metric.attributes]))
      assert.deepStrictEqual(attributes.get("rpc.server.call.duration"), {
        "rpc.system.name": "jsonrpc",
        "rpc.method": "m",
        unit: "s"
      })
    })))
})

describe("the metrics of a caller", () => {
  it.effect("count requests by how they end", () =>
    alone(Effect.gen(function*() {
      const { caller } = scripted(
        Exit.succeed(1),
        Exit.fail(new Caller.RemoteError({ method: "m", code: -32000, text: "no" })),
        Exit.fail(new Caller.Overloaded({ limit: 1 }))
      )
      const { request } = Metrics.caller()(caller)
      for (let count = 0; count < 3; count++) yield* Effect.exit(request("m"))
      assert.deepStrictEqual(yield* numbers, {
        "rpc.client.calls m": 3,
        "rpc.client.active m": 0,
        "rpc.client.call.duration m": 3,
        "rpc.client.failures m -32000": 1,
        "rpc.client.failures m Overloaded": 1
      })
    })))

  it.effect("tell 32 errors of a method apart, and no more", () =>
    alone(Effect.gen(function*() {
      const codes = Array.from({ length: 40 }, (_, code) => code)
      const { caller } = scripted(
        ...codes.map((code) => Exit.fail(new Caller.RemoteError({ method: "m", code, text: "no" }))),
        Exit.fail(new Caller.RemoteError({ method: "m", code: 31, text: "no" }))
      )
      const { request } = Metrics.caller()(caller)
      for (let count = 0; count <= codes.length; count++) yield* Effect.exit(request("m"))
      const all = yield* numbers
      assert.deepInclude(all, { "rpc.client.failures m 31": 2, "rpc.client.failures m _OTHER": 8 })
      assert.strictEqual(Object.keys(all).filter((name) => name.startsWith("rpc.client.failures")).length, 33)
    })))

  it.effect("count each request of a batch", () =>
    alone(Effect.gen(function*() {
      const { caller } = scriptedBatch(
        Exit.succeed([Result.succeed(1), undefined, Result.fail(new Caller.Overloaded({ limit: 1 }))]),
        Exit.fail(new Caller.Disconnected({ reason: { _tag: "Closed" }, sent: false }))
      )
      const { batch } = Metrics.caller()(caller)
      const members = [{ method: "a" }, { method: "told", notification: true }, { method: "b" }]
      yield* batch(members)
      yield* Effect.exit(batch(members))
      assert.deepStrictEqual(yield* numbers, {
        "rpc.client.calls a": 2,
        "rpc.client.active a": 0,
        "rpc.client.call.duration a": 2,
        "rpc.client.failures a Disconnected": 1,
        "rpc.client.calls b": 2,
        "rpc.client.active b": 0,
        "rpc.client.call.duration b": 2,
        "rpc.client.failures b Overloaded": 1,
        "rpc.client.failures b Disconnected": 1
      })
    })))

  it.effect("take a request that is interrupted out of those in flight", () =>
    alone(Effect.gen(function*() {
      const caller = Metrics.caller()(callerOf({}))
      const one = yield* started(caller.request("m"))
      const batch = yield* started(caller.batch([{ method: "m" }, { method: "m" }]))
      assert.deepInclude(yield* numbers, { "rpc.client.active m": 3 })
      yield* Fiber.interruptAll([one, batch])
      assert.deepInclude(yield* numbers, { "rpc.client.active m": 0, "rpc.client.failures m interrupted": 3 })
    })))
})

describe("the metrics of a transport", () => {
  it.effect("count the bytes of texts in both directions", () =>
    alone(Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const counted = yield* Metrics.transport(near)
      yield* counted.send(["abc", "é"])
      yield* far.send(["€", "😀"])
      assert.deepStrictEqual([yield* counted.receive, yield* far.receive], [["€", "😀"], ["abc", "é"]])
      assert.deepStrictEqual(yield* numbers, { "rpc.transport.io transmit": 5, "rpc.transport.io receive": 7 })
      yield* counted.close
      assert.strictEqual((yield* Effect.flip(counted.send(["abc"]))).reason._tag, "Closed")
    })))

  for (const law of [Laws.ofWrapping("the metrics of a transport", Metrics.transport)]) {
    it.effect(law.name, () => law.check)
  }

  it.effect("count nothing for a frame that could not become a text", () =>
    alone(Effect.gen(function*() {
      const counted = yield* Metrics.transport({
        receive: Effect.succeed(["ab", { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "..." }]),
        send: () => Effect.void,
        close: Effect.void
      })
      yield* counted.receive
      assert.deepStrictEqual(yield* numbers, { "rpc.transport.io receive": 2 })
    })))

  it.effect("go with a peer", () =>
    alone(Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const router = yield* routerOf({ m: () => Effect.void })
      yield* Peer.make(yield* Metrics.transport(near), { router, limits: { drain: 0 } })
      const text = request(1, "m")
      yield* far.send([text])
      const [reply] = yield* far.receive
      assert.deepStrictEqual(yield* numbers, {
        "rpc.transport.io receive": text.length,
        "rpc.transport.io transmit": String(reply).length
      })
    })))

  const encoder = new TextEncoder()

  const bytesOf = (text: string) =>
    alone(Effect.gen(function*() {
      const counted = yield* Metrics.transport({
        receive: Effect.never,
        send: () => Effect.void,
        close: Effect.void
      })
      yield* counted.send([text])
      return (yield* numbers)["rpc.transport.io transmit"]
    }))

  it.effect.prop("count as many bytes as UTF-8 has", { text: Schema.String }, ({ text }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* bytesOf(text), encoder.encode(text).length)
    }))

  it.effect("count lone surrogates as what is written for them", () =>
    Effect.gen(function*() {
      for (const text of ["\ud800", "a\udc00b", "\ud800\ud800\udc00", "\udc00\ud800", "\ud83d\ude00\ud83d"]) {
        assert.strictEqual(yield* bytesOf(text), encoder.encode(text).length)
      }
    }))
})
