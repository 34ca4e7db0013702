import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { Dialect } from "@parley/protocol"
import { Weight } from "@parley/protocol/shared"
import { Relay } from "@parley/traffic"
import { MemoryTransport, Transport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber, Latch, Queue } from "effect"
import { TestClock } from "effect/testing"
import { reasonOf } from "./reasonOf.ts"

type Side = Transport.Transport

/** Two sides with a relay between them, and how that ends. */
const related = (options: MemoryTransport.MemoryTransportOptions = {}) =>
  Effect.gen(function*() {
    const [left, near] = yield* MemoryTransport.makePair(options)
    const [far, right] = yield* MemoryTransport.makePair(options)
    const ended = yield* Effect.forkScoped(Relay.join(near, far), { startImmediately: true })
    return { left, right, near, far, ended: Fiber.join(ended) }
  })

/** The same, and `left` can end its input alone. */
const halfOpen = (drain?: number) =>
  Effect.gen(function*() {
    const [left, near] = yield* MemoryTransport.makePair()
    const [far, right] = yield* MemoryTransport.makePair()
    const over = yield* Deferred.make<never, Transport.TransportError>()
    const receive = Effect.raceFirst(near.receive, Deferred.await(over))
    const options = drain === undefined ? {} : { limits: { drain } }
    const ended = yield* Effect.forkScoped(Relay.join({ ...near, receive }, far, options), { startImmediately: true })
    const end = Deferred.fail(over, Transport.transportError({ _tag: "EndOfInput" }))
    return { left, right, end, ended: Fiber.join(ended) }
  })

/** Parts of a budget whose guarantee is 100 for each share. */
const part = (of: number) => "x".repeat(Math.floor(of * limit))
const limit = 8_192 * 100

/** The two sides of a relay with a share of a budget. Nothing is buffered. */
const sharing = (budget: Budget.Budget) =>
  Effect.gen(function*() {
    const [left, near] = yield* MemoryTransport.makePair({ capacity: 0 })
    const [far, right] = yield* MemoryTransport.makePair({ capacity: 0 })
    const share = budget.share()
    const ended = yield* Effect.forkScoped(
      Effect.provideService(Relay.join(near, far), Budget.Budget, share),
      { startImmediately: true }
    )
    /** Sends a text to the relay, without waiting until it is read. */
    const sent = (side: Side, text: string) =>
      Effect.andThen(Effect.forkScoped(Effect.exit(side.send([text])), { startImmediately: true }), settle)
    return { left, right, share, sent, ended: Fiber.join(ended), isOver: () => ended.pollUnsafe() !== undefined }
  })

const settle = Effect.replicateEffect(Effect.yieldNow, 10, { discard: true })

const sides = Effect.map(related(), ({ left, right }): readonly [Side, Side] => [left, right])

const asks = `{"jsonrpc":"2.0","id":1,"method":"m"}`
const answers = `{"jsonrpc":"2.0","id":1,"result":2}`

describe("Relay", () => {
  for (
    const law of [
      ...Laws.ofTransport({ name: "relay", open: sides }),
      ...Laws.ofTransport({
        name: "relay without room",
        open: Effect.map(related({ capacity: 0 }), ({ left, right }): readonly [Side, Side] => [left, right])
      })
    ]
  ) it.effect(law.name, () => law.check)

  it.effect("the dialect chooses the framing of both sides", () =>
    Effect.gen(function*() {
      const [left, near] = yield* MemoryTransport.makePair()
      const [far] = yield* MemoryTransport.makePair()
      const chosen: Array<string> = []
      const framing: Side["framing"] = { name: "line", choose: (name) => (chosen.push(name), name) }
      yield* left.close
      yield* Relay.join({ ...near, framing }, { ...far, framing }, { dialect: Dialect.lsp })
      assert.deepStrictEqual(chosen, ["contentLength", "contentLength"])
    }))

  it.effect("a text passes as it is", () =>
    Effect.gen(function*() {
      const { left, right } = yield* related()
      const text = ` {"id":12345678901234567890 , "jsonrpc":"2.0","x":1e400,"method":"m","params":[0.10],"x":2}`
      yield* left.send([text, "no JSON"])
      assert.deepStrictEqual([...(yield* right.receive)], [text, "no JSON"])
    }))

  it.effect("calls go both ways, and a handler calls back", () =>
    Effect.gen(function*() {
      const { left, right } = yield* related()
      const router = yield* Router.make()
      yield* router.add("back", ({ peer }) => Effect.orDie(peer.request("name")))
      const names = yield* Router.make()
      yield* names.add("name", () => Effect.succeed("left"))
      const caller = yield* Peer.make(left, { router: names })
      yield* Peer.make(right, { router })
      assert.strictEqual(yield* caller.request("back"), "left")
    }))

  it.effect("promise 19: end of input drains: a side that has ended its input gets what it asked for, and then the end", () =>
    Effect.gen(function*() {
      const { end, ended, left, right } = yield* halfOpen()
      const gate = yield* Latch.make()
      const asked = yield* Deferred.make<void>()
      const router = yield* Router.make()
      yield* router.add("m", () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.as(gate.await, 2)))
      const far = yield* Peer.make(right, { router })
      yield* left.send([asks])
      yield* Deferred.await(asked)
      yield* end
      yield* Effect.yieldNow
      assert.strictEqual(yield* far.state, "open")
      yield* gate.open
      assert.deepStrictEqual([...(yield* left.receive)], [answers])
      const { error, side } = yield* ended
      assert.deepStrictEqual([side, error.reason._tag], ["near", "EndOfInput"])
      assert.strictEqual((yield* far.closed)._tag, "EndOfInput")
    }))

  it.effect("promise 19: end of input drains: answers that never come are waited for until the deadline", () =>
    Effect.gen(function*() {
      const { end, ended, left, right } = yield* halfOpen(5_000)
      yield* left.send([asks])
      yield* right.receive
      yield* end
      yield* TestClock.adjust(4_999)
      yield* right.send(["still"])
      assert.deepStrictEqual([...(yield* left.receive)], ["still"])
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* ended).side, "near")
      assert.strictEqual((yield* reasonOf(right.receive))._tag, "EndOfInput")
    }))

  it.effect("an answer ends the waiting for one request of its id, and not for two", () =>
    Effect.gen(function*() {
      const { end, ended, left, right } = yield* halfOpen(1_000)
      yield* left.send([asks, `[${asks}]`])
      yield* right.receive
      yield* end
      yield* right.send([answers])
      const waiting = yield* Effect.forkChild(ended)
      yield* TestClock.adjust(999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(waiting)
    }))

  it.effect("promise 18: callers suspend on a full outbox: a side that takes nothing is lost, and the other one is let go", () =>
    Effect.gen(function*() {
      const { ended, left } = yield* related({ capacity: 0 })
      yield* Effect.forkChild(left.send([asks]), { startImmediately: true })
      yield* Effect.yieldNow
      // Nobody hears of this while the other side takes nothing.
      yield* left.close
      const waiting = yield* Effect.forkChild(ended)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const { error, side } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([side, error.reason._tag], ["far", "Lost"])
    }))

  it.effect("what ended first is told, also where the other side ends while it waits for its answers", () =>
    Effect.gen(function*() {
      const { end, ended, left, right } = yield* halfOpen()
      yield* left.send([asks])
      yield* right.receive
      yield* end
      yield* Effect.yieldNow
      yield* right.close
      const { error, side } = yield* ended
      assert.deepStrictEqual([side, error.reason._tag], ["near", "EndOfInput"])
    }))

  it.effect("a request whose id is too long to be kept is passed on, and not waited for", () =>
    Effect.gen(function*() {
      const { end, ended, left, right } = yield* halfOpen()
      const text = JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(1_000), method: "m" })
      yield* left.send([text])
      assert.deepStrictEqual([...(yield* right.receive)], [text])
      yield* end
      assert.strictEqual((yield* ended).side, "near")
    }))

  it.effect("when one side is lost, the other is closed at once", () =>
    Effect.gen(function*() {
      const { ended, far, left, right } = yield* related()
      yield* left.send([asks])
      yield* right.receive
      yield* far.close
      const { error, side } = yield* ended
      assert.deepStrictEqual([side, error.reason._tag], ["far", "Closed"])
      assert.strictEqual((yield* reasonOf(left.receive))._tag, "EndOfInput")
    }))

  it.effect("promise 14: one bad message costs one error reply: a bad frame is answered where it came from", () =>
    Effect.gen(function*() {
      const [left, near] = yield* MemoryTransport.makePair()
      const [far, right] = yield* MemoryTransport.makePair()
      const bad: Transport.Received = { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "?" }
      let isFirst = true
      const receive: Side["receive"] = Effect.suspend(() => {
        const received = isFirst ? Effect.succeed([bad] as const) : near.receive
        isFirst = false
        return received
      })
      yield* Effect.forkScoped(Relay.join({ ...near, receive }, far), { startImmediately: true })
      yield* left.send([asks])
      assert.deepStrictEqual([...(yield* right.receive)], [asks])
      assert.deepStrictEqual([...(yield* left.receive)], [
        `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
      ])
    }))

  it.effect.each(["near", "far"] as const)(
    "promise 14: one bad message costs one error reply: the limit `badFrames` ends a side that sends no others: %s",
    (side) =>
      Effect.gen(function*() {
        const [left, near] = yield* MemoryTransport.makePair()
        const [far, right] = yield* MemoryTransport.makePair()
        const bad: Transport.Received = { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "?", kind: "response" }
        const chunks = yield* Queue.unbounded<readonly [Transport.Received, ...ReadonlyArray<Transport.Received>]>()
        const broken = { receive: Queue.take(chunks) }
        const [from, to] = side === "near" ? [left, right] : [right, left]
        const ended = yield* Effect.forkScoped(
          Relay.join(
            side === "near" ? { ...near, ...broken } : near,
            side === "far" ? { ...far, ...broken } : far,
            { limits: { badFrames: 3 } }
          ),
          { startImmediately: true }
        )
        // A text between them ends the row.
        yield* Queue.offerAll(chunks, [[bad, bad, asks, bad], [bad], [asks]])
        for (let text = 0; text < 2; text++) assert.deepStrictEqual([...(yield* to.receive)], [asks])
        yield* settle
        assert.isUndefined(ended.pollUnsafe())
        // What came before the last of them is passed on.
        yield* Queue.offerAll(chunks, [[bad], [bad, answers, bad, bad, bad, asks]])
        assert.deepStrictEqual([...(yield* to.receive)], [answers])
        const end = yield* Fiber.join(ended)
        assert.deepStrictEqual([end.side, end.error.reason._tag], [side, "Lost"])
        assert.include(end.error.message, "3 bad frames in a row, as many as the limit `badFrames` allows")
        for (const each of [from, to]) assert.strictEqual((yield* reasonOf(each.receive))._tag, "EndOfInput")
      })
  )

  it.effect("promise 18: callers suspend on a full outbox: a text under way counts twice, until it was sent", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const { left, right, sent } = yield* sharing(budget)
      yield* sent(right, part(0.1))
      assert.strictEqual(budget.taken(), 2 * Weight.ofWaiting(part(0.1)))
      assert.deepStrictEqual([...(yield* left.receive)], [part(0.1)])
      yield* settle
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("promise 18: callers suspend on a full outbox: a spent budget ends the relay whose side has taken nothing for five seconds, and no other", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const old = yield* sharing(budget)
      yield* old.sent(old.right, part(0.3))
      yield* TestClock.adjust("4 seconds")
      const young = yield* sharing(budget)
      yield* young.sent(young.right, part(0.21))
      yield* TestClock.adjust("999 millis")
      assert.isFalse(old.isOver())
      yield* TestClock.adjust("1 millis")
      const { error, side } = yield* old.ended
      assert.deepStrictEqual([side, error.reason._tag], ["near", "BudgetSpent"])
      assert.strictEqual(old.share.taken(), 0)
      yield* TestClock.adjust("4 seconds")
      assert.isFalse(young.isOver())
    }))

  it.effect("promise 18: callers suspend on a full outbox: who reads nothing is ended, whatever it goes on to write", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const { ended, left, right, sent } = yield* sharing(budget)
      yield* sent(right, part(0.3))
      yield* TestClock.adjust("5 seconds")
      yield* sent(left, asks)
      yield* right.receive
      yield* settle
      const other = yield* sharing(budget)
      yield* other.sent(other.right, part(0.21))
      assert.strictEqual((yield* ended).error.reason._tag, "BudgetSpent")
      assert.isFalse(other.isOver())
    }))

  it.effect("promise 18: callers suspend on a full outbox: a large text is passed to a slow reader, where the budget has room", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const { left, right, sent } = yield* sharing(budget)
      yield* sent(right, part(0.49))
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual([...(yield* left.receive)], [part(0.49)])
    }))

  it.effect("promise 18: callers suspend on a full outbox: the reply to a bad frame does not shorten the time of a text", () =>
    Effect.gen(function*() {
      const [left, near] = yield* MemoryTransport.makePair({ capacity: 0 })
      const [far, right] = yield* MemoryTransport.makePair({ capacity: 0 })
      const bad: Transport.Received = { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "?" }
      const came = yield* Deferred.make<readonly [Transport.Received]>()
      let isFirst = true
      const receive: Side["receive"] = Effect.suspend(() => {
        if (!isFirst) return Effect.never
        isFirst = false
        return Deferred.await(came)
      })
      const ended = yield* Effect.forkScoped(Relay.join({ ...near, receive }, far), { startImmediately: true })
      yield* Effect.forkScoped(Effect.exit(right.send([answers])), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(came, [bad])
      yield* TestClock.adjust("28 seconds")
      assert.isUndefined(ended.pollUnsafe())
      assert.deepStrictEqual((yield* left.receive)[0], answers)
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: a relay reads again when a spent budget has room", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const { left, right, sent, share } = yield* sharing(budget)
      let hearing = 0
      const onRoom = share.onRoom.bind(share)
      Object.assign(share, {
        onRoom: (wake: () => void) => {
          const stop = onRoom(wake)
          hearing++
          return () => {
            hearing--
            stop()
          }
        }
      })
      yield* sent(right, part(0.1))
      budget.take(limit)
      share.take(101)
      yield* left.receive
      yield* sent(right, "next")
      const received = yield* Effect.forkScoped(left.receive, { startImmediately: true })
      yield* settle
      assert.isUndefined(received.pollUnsafe())
      assert.strictEqual(hearing, 1)
      budget.take(-limit)
      assert.deepStrictEqual([...(yield* Fiber.join(received))], ["next"])
      share.take(-101)
      assert.strictEqual(hearing, 0)
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: a side that serves one request after the other, while others spend the budget", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      budget.take(limit)
      const { isOver, left, right } = yield* sharing(budget)
      let answered = 0
      const answer = right.send([`${answers}${" ".repeat(200)}`])
      yield* Effect.forkScoped(
        Effect.ignore(Effect.forever(Effect.flatMap(right.receive, (texts) => Effect.forEach(texts, () => answer))))
      )
      yield* Effect.forkScoped(
        Effect.ignore(Effect.forever(Effect.map(left.receive, ({ length }) => answered += length)))
      )
      const long = `${asks}${" ".repeat(200)}`
      const asking = Effect.replicateEffect(left.send([long, long, long]), 4, { discard: true })
      yield* Effect.forkScoped(Effect.ignore(asking))
      yield* Effect.replicateEffect(settle, 5)
      assert.strictEqual(answered, 12)
      yield* TestClock.adjust("6 seconds")
      assert.isFalse(isOver())
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: a side that reads only what comes behind its own text", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const { left, right, sent, share } = yield* sharing(budget)
      budget.take(limit)
      // As an unfinished frame would.
      share.take(101)
      yield* Effect.forkScoped(Effect.ignore(Effect.forever(left.receive)))
      const reading = yield* Effect.forkScoped(
        Effect.andThen(Effect.replicateEffect(right.send([answers]), 2), right.receive)
      )
      yield* settle
      yield* sent(left, asks)
      yield* Effect.replicateEffect(settle, 5)
      assert.isDefined(reading.pollUnsafe())
    }))
})
