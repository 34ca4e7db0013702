import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Peer } from "@parley/peer"
import { Tap } from "@parley/traffic"
import { MessagePortTransport, type Transport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { reasonOf } from "./support/wire.ts"

type Side = Transport.Transport

/** A port whose other side is in the hands of the test. */
const withPort = (options: MessagePortTransport.MessagePortOptions = {}) =>
  Effect.gen(function*() {
    const { port1, port2 } = yield* Effect.acquireRelease(
      Effect.sync(() => new MessageChannel()),
      ({ port1, port2 }) =>
        Effect.sync(() => {
          port1.close()
          port2.close()
        })
    )
    const posted: Array<unknown> = []
    port2.addEventListener("message", ({ data }) => posted.push(data))
    port2.start()
    const side = yield* MessagePortTransport.make(port1, options)
    /** Waits until so many values were posted. */
    const until = (count: number) =>
      Effect.gen(function*() {
        while (posted.length < count) yield* Effect.yieldNow
        return posted
      })
    return { side, other: port2, posted, until, near: port1 }
  })

const pair = (
  options?: MessagePortTransport.MessagePortOptions
): Effect.Effect<readonly [Side, Side], never, Scope.Scope> =>
  Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([MessagePortTransport.make(port1, options), MessagePortTransport.make(port2, options)])
  })

/** What comes until there are so many. */
const take = (side: Side, count: number) =>
  Effect.gen(function*() {
    const got: Array<Transport.Received> = []
    while (got.length < count) got.push(...yield* side.receive)
    return got
  })

/** Turns of the event loop in which whatever was posted arrives. */
const turns = Effect.gen(function*() {
  for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
})

const block = "x".repeat(64 * 1024)

describe("MessagePortTransport", () => {
  const objects = Laws.ofTransport({
    name: "message port with objects",
    open: pair({ wire: "object" }),
    backPressure: "none"
  })
  // White space between tokens does not travel in a value: the test of values below stands for that law.
  const spaced = "texts of any content arrive as they are"
  const port: Laws.Pair = { name: "message port", open: pair() }
  for (
    const law of [
      ...Laws.ofTransport(port),
      ...Laws.ofTransport(Laws.wrapped(port, "tapped", Tap.make(() => Effect.yieldNow)), { runs: 10 }),
      ...objects.filter(({ name }) => !name.endsWith(spaced))
    ]
  ) it.live(law.name, () => law.check)

  it.effect("is a Layer, and two peers speak over two of them", () =>
    Effect.gen(function*() {
      const { port1, port2 } = new MessageChannel()
      const server = yield* MessagePortTransport.make(port2)
      yield* Effect.forkChild(Effect.gen(function*() {
        while (true) {
          yield* server.send(
            yield* Effect.map(server.receive, () => ["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}"] as const)
          )
        }
      }))
      const answer = yield* Effect.flatMap(Peer.Peer, (peer) => peer.request("five")).pipe(
        Effect.provide(Peer.layer()),
        Effect.provide(MessagePortTransport.layer(port1))
      )
      assert.strictEqual(answer, 5)
    }))

  describe("of texts", () => {
    it.live("says that it counts what it reads, posts strings, and says that it closes", () =>
      Effect.gen(function*() {
        const { side, until } = yield* withPort()
        yield* side.send(["{}", "[1]"])
        yield* side.close
        assert.deepStrictEqual(yield* until(4), [0, "{}", "[1]", null])
      }))

    it.live("promise 14: one bad message costs one error reply: what is no string is a BadFrame, and texts after it come", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort()
        for (const value of [{}, 1.5, -1, true, new Date(0), 10n, "{}"]) other.postMessage(value)
        assert.deepStrictEqual(yield* take(side, 7), [
          { _tag: "BadFrame", reason: "NotText", excerpt: "[object Object]" },
          { _tag: "BadFrame", reason: "NotText", excerpt: "number 1.5" },
          { _tag: "BadFrame", reason: "NotText", excerpt: "number -1" },
          { _tag: "BadFrame", reason: "NotText", excerpt: "boolean true" },
          { _tag: "BadFrame", reason: "NotText", excerpt: "[object Date]" },
          { _tag: "BadFrame", reason: "NotText", excerpt: "bigint" },
          "{}"
        ])
      }))

    it.live("promise 5: a frame beyond its limit is never buffered: it is a BadFrame with its beginning", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort({ limits: { frame: 8 } })
        other.postMessage("12345678")
        other.postMessage("ñ".repeat(1000))
        assert.deepStrictEqual(yield* take(side, 2), [
          "12345678",
          { _tag: "BadFrame", reason: "TooLarge", excerpt: "\\xc3\\xb1".repeat(32) }
        ])
      }))

    it.live("promise 18: callers suspend on a full outbox: a send waits for the credits of the other side", () =>
      Effect.gen(function*() {
        const { other, posted, side } = yield* withPort()
        other.postMessage(0)
        const sending = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 20 }), () => side.send([block])))
        yield* turns
        // The one that went beyond the window, and the two hellos.
        const before = posted.filter((value) => value === block).length
        assert.strictEqual(before, 16)
        other.postMessage(2 * block.length)
        yield* turns
        assert.strictEqual(posted.filter((value) => value === block).length, 18)
        assert.isUndefined(sending.pollUnsafe())
        other.postMessage(100 * block.length)
        yield* Fiber.join(sending)
      }))

    it.live("promise 18: callers suspend on a full outbox: also within one send of many texts", () =>
      Effect.gen(function*() {
        const { other, posted, side } = yield* withPort()
        other.postMessage(0)
        const [first, ...rest] = Array.from({ length: 40 }, () => block)
        const sending = yield* Effect.forkChild(side.send([first ?? "", ...rest]))
        yield* turns
        assert.strictEqual(posted.filter((value) => value === block).length, 16)
        yield* Fiber.interrupt(sending)
        other.postMessage(100 * block.length)
        yield* side.send(["[1]"])
        yield* turns
        assert.strictEqual(posted.at(-1), "[1]")
        assert.strictEqual(posted.filter((value) => value === block).length, 16)
      }))

    it.live("who knows no credits is not waited for, once that shows by its first text", () =>
      Effect.gen(function*() {
        const { other, side, until } = yield* withPort()
        const sending = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 40 }), () => side.send([block])))
        yield* turns
        assert.isUndefined(sending.pollUnsafe())
        other.postMessage("{}")
        yield* Fiber.join(sending)
        assert.strictEqual((yield* until(41)).length, 41)
      }))

    it.effect("who says nothing is not waited for, once the handshake is over", () =>
      Effect.gen(function*() {
        const { side } = yield* withPort({ limits: { handshake: 500 } })
        const sending = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 40 }), () => side.send([block])))
        yield* turns
        yield* TestClock.adjust(499)
        assert.isUndefined(sending.pollUnsafe())
        yield* TestClock.adjust(1)
        yield* Fiber.join(sending)
      }))

    it.live("a hello that came too early is said again", () =>
      Effect.gen(function*() {
        const { other, posted, until } = yield* withPort()
        yield* until(1)
        other.postMessage(0)
        yield* until(2)
        other.postMessage(0)
        yield* turns
        assert.deepStrictEqual(posted, [0, 0])
      }))

    it.live("promise 18: callers suspend on a full outbox: what knows no credits and floods is Unread", () =>
      Effect.gen(function*() {
        const { other, side, until } = yield* withPort({ limits: { frame: 128 * 1024 } })
        for (let index = 0; index < 20; index++) other.postMessage(block)
        assert.deepStrictEqual(yield* until(2), [0, null])
        const got = yield* take(side, 18)
        assert.isTrue(got.every((text) => text === block))
        const reason = yield* reasonOf(side.receive)
        assert.deepStrictEqual(reason, { _tag: "Unread", bytes: 18 * (block.length + 64) })
        assert.deepStrictEqual(yield* reasonOf(side.send(["{}"])), reason)
      }))

    it.live("a flood of empty texts is Unread, too", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort({ limits: { frame: 1 } })
        for (let index = 0; index < 16_386; index++) other.postMessage("")
        yield* turns
        yield* take(side, 16_386)
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "Unread")
      }))

    it.live("what lies unread counts against the budget, and is given back", () =>
      Effect.gen(function*() {
        const budget = Budget.make(1_000_000)
        const { other, side } = yield* Effect.provideService(withPort(), Budget.Budget, budget)
        other.postMessage(block)
        other.postMessage(block)
        yield* turns
        assert.strictEqual(budget.taken(), 2 * (block.length + 64))
        yield* side.receive
        assert.strictEqual(budget.taken(), 0)
        other.postMessage(block)
        yield* turns
        yield* side.close
        assert.strictEqual(budget.taken(), 0)
      }))

    it.live("a spent budget ends who holds most, and not who needs a little more", () =>
      Effect.gen(function*() {
        const budget = Budget.make(1_000)
        const inShare = Effect.suspend(() => Effect.provideService(withPort(), Budget.Budget, budget.share()))
        const [heavy, light] = yield* Effect.all([inShare, inShare])
        heavy.other.postMessage("x".repeat(700))
        yield* turns
        light.other.postMessage("y".repeat(200))
        yield* turns
        assert.deepStrictEqual([...(yield* light.side.receive)], ["y".repeat(200)])
        yield* take(heavy.side, 1)
        assert.strictEqual((yield* reasonOf(heavy.side.receive))._tag, "BudgetSpent")
        assert.strictEqual((yield* reasonOf(heavy.side.send(["{}"])))._tag, "BudgetSpent")
        yield* light.side.send(["{}"])
      }))

    it.live("the end of the other side is EndOfInput, and Lost for who sends or waits to send", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort()
        other.postMessage(0)
        const sending = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 40 }), () => side.send([block])))
        yield* turns
        other.postMessage("{}")
        other.postMessage(null)
        assert.deepStrictEqual([...(yield* side.receive)], ["{}"])
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
        assert.strictEqual((yield* reasonOf(Fiber.join(sending)))._tag, "Lost")
        assert.strictEqual((yield* reasonOf(side.send(["{}"])))._tag, "Lost")
      }))

    it.live("a port that is closed without a word is EndOfInput, after what was posted", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort()
        other.postMessage("{}")
        other.close()
        assert.deepStrictEqual([...(yield* side.receive)], ["{}"])
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
        assert.strictEqual((yield* reasonOf(side.send(["{}"])))._tag, "Lost")
      }))

    it.live("a port that cannot post is Lost", () =>
      Effect.gen(function*() {
        const broken: MessagePortTransport.Port = {
          postMessage: () => {
            throw new Error("disconnected")
          },
          addEventListener: () => undefined,
          removeEventListener: () => undefined
        }
        const side = yield* MessagePortTransport.make(broken)
        const reason = yield* reasonOf(side.receive)
        assert(reason._tag === "Lost" && reason.cause instanceof Error)
        assert.strictEqual(reason.cause.message, "disconnected")
        assert.strictEqual((yield* reasonOf(side.send(["{}"])))._tag, "Lost")
      }))

    it.live("an error event is Lost with its error, a message that cannot be read is a BadFrame", () =>
      Effect.gen(function*() {
        const worker = Object.assign(new EventTarget(), { postMessage: () => undefined })
        const side = yield* MessagePortTransport.make(worker)
        worker.dispatchEvent(new Event("messageerror"))
        assert.deepStrictEqual([...(yield* side.receive)], [
          { _tag: "BadFrame", reason: "NotText", excerpt: "(not readable)" }
        ])
        worker.dispatchEvent(Object.assign(new Event("error"), { message: "script not found" }))
        const reason = yield* reasonOf(side.receive)
        assert(reason._tag === "Lost" && reason.cause instanceof Error)
        assert.strictEqual(reason.cause.message, "script not found")
      }))

    it.live("without credits it posts texts alone", () =>
      Effect.gen(function*() {
        const { other, side, until } = yield* withPort({ flow: "none" })
        other.postMessage(0)
        assert.deepStrictEqual([...(yield* side.receive)], [
          { _tag: "BadFrame", reason: "NotText", excerpt: "number 0" }
        ])
        for (let index = 0; index < 40; index++) yield* side.send([block])
        yield* side.send(["[]"])
        yield* side.close
        const posted = yield* until(41)
        yield* turns
        assert.strictEqual(posted.length, 41)
        assert.strictEqual(posted.at(-1), "[]")
      }))
  })

  describe("of objects", () => {
    it.live("posts and takes the values of texts", () =>
      Effect.gen(function*() {
        const { other, side, until } = yield* withPort({ wire: "object" })
        yield* side.send(["{\"id\":1}", "null", "[1,\"é\"]"])
        assert.deepStrictEqual(yield* until(3), [{ id: 1 }, null, [1, "é"]])
        other.postMessage({ id: 1, method: "m", params: undefined, more: [null, true, 0.5, { a: {} }] })
        other.postMessage(null)
        other.postMessage(3)
        assert.deepStrictEqual(yield* take(side, 3), [
          "{\"id\":1,\"method\":\"m\",\"more\":[null,true,0.5,{\"a\":{}}]}",
          "null",
          "3"
        ])
      }))

    it.live("promise 14: one bad message costs one error reply: what is no JSON is a BadFrame, whatever it is", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort({ wire: "object", limits: { frame: 10_000 } })
        const cycle: Record<string, unknown> = {}
        cycle["self"] = cycle
        let doubled: unknown = []
        for (let level = 0; level < 40; level++) doubled = [doubled, doubled]
        let deep: unknown = 0
        for (let level = 0; level < 1_000; level++) deep = [deep]
        const bad = [{ at: new Date(0) }, new Map(), [Number.NaN], 1n, [undefined], new Uint8Array(2), cycle]
        // Members that are left out are looked at, in each of the places where their object stands.
        const leftOut = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}`, undefined]))
        const large = [doubled, new Array(1_000_000_000), "x".repeat(10_000), new Array(1_000).fill(leftOut)]
        for (const value of [...bad, ...large, "fine", deep]) other.postMessage(value)
        const got = yield* take(side, bad.length + large.length + 2)
        const reasons = got.map((received) => typeof received === "string" ? received : received.reason)
        assert.deepStrictEqual(reasons.slice(0, bad.length - 1), bad.slice(1).map(() => "NotText"))
        // A cycle is either too deep or too large, whichever shows first.
        assert.isTrue(["NotText", "TooLarge"].includes(reasons[bad.length - 1] ?? ""))
        assert.deepStrictEqual(reasons.slice(bad.length, -2), large.map(() => "TooLarge"))
        assert.deepStrictEqual(reasons.slice(-2), ["\"fine\"", "[".repeat(1_000) + "0" + "]".repeat(1_000)])
      }))

    it.live("a text that is no JSON cannot be sent", () =>
      Effect.gen(function*() {
        const { side } = yield* withPort({ wire: "object" })
        assert.strictEqual((yield* reasonOf(side.send(["{"])))._tag, "Lost")
      }))

    it.live("a port that is closed is EndOfInput", () =>
      Effect.gen(function*() {
        const { other, side } = yield* withPort({ wire: "object" })
        other.close()
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
      }))
  })
})
