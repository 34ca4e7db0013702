/** A text that is published goes to many transports of framed bytes, which all write the same. */
import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import { FramedTransport, MemoryTransport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { type TransportError, transportError } from "@parley/transport/Transport"
import { Deferred, Effect, Exit, Scope } from "effect"
import { Broadcast, type Handler, Peer } from "../../src/index.ts"
import { notification, routerOf, settle } from "../wire.ts"
import { ahead } from "./gated.ts"

/** A framing that counts how often texts are joined. */
const counting = (framing: Framing.Framing) => {
  const counted = {
    joins: 0,
    framing: {
      ...framing,
      join: (texts: ReadonlyArray<string>) => {
        counted.joins++
        return framing.join(texts)
      }
    }
  }
  return counted
}

const decoder = new TextDecoder()

type Write = () => Effect.Effect<void, TransportError>

/** A peer over bytes that are written one write after the other, each as `write` says. */
const writing = (framing: Framing.Framing, write: Write = () => Effect.void) =>
  Effect.gen(function*() {
    const writes: Array<string> = []
    const transport = yield* FramedTransport.fromBytes({
      pull: Effect.never,
      write: (bytes) => {
        writes.push(decoder.decode(bytes))
        return write()
      },
      close: Effect.void
    }, { framing })
    return { peer: yield* Peer.make(transport), writes }
  })

const line = (method: string): string => `${notification(method)}\n`

describe("what is published", () => {
  it.effect("promise 28: what is published is encoded once: for all that frame alike", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const lines = counting(Framing.line)
      const headers = counting(Framing.contentLength)
      const near = yield* Effect.all([1, 2, 3].map(() => writing(lines.framing)))
      const far = yield* Effect.all([1, 2].map(() => writing(headers.framing)))
      for (const { peer } of [...near, ...far]) yield* everyone.join(peer)
      for (let told = 1; told <= 2; told++) {
        yield* everyone.notify("n")
        yield* settle
        assert.deepStrictEqual([lines.joins, headers.joins], [told, told])
      }
      for (const { writes } of near) assert.deepStrictEqual(writes, [line("n"), line("n")])
      const framed = decoder.decode(Framing.contentLength.join([notification("n")]))
      for (const { writes } of far) assert.deepStrictEqual(writes, [framed, framed])
    }))

  it.effect("goes out at once where it is first, else in one write with what else is written in its turn, in order", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const { peer, writes } = yield* writing(Framing.line)
      yield* everyone.join(peer)
      yield* everyone.notify("a")
      assert.deepStrictEqual(writes, [line("a")])
      yield* everyone.notify("b")
      yield* peer.notify("c")
      yield* everyone.notify("d")
      yield* settle
      assert.deepStrictEqual(writes.slice(1), [line("b") + line("c") + line("d")])
      yield* peer.notify("e")
      yield* everyone.notify("f")
      yield* settle
      assert.deepStrictEqual(writes.slice(2), [line("e") + line("f")])
    }))

  it.effect("is told only to those who had joined by then, though one joins again at each write", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      let join: Effect.Effect<unknown, unknown> = Effect.void
      const { peer, writes } = yield* writing(Framing.line, () => {
        if (writes.length < 5) Effect.runSync(Effect.orDie(join))
        return Effect.void
      })
      yield* everyone.join(peer)
      join = everyone.join(peer)
      yield* everyone.notify("n")
      assert.deepStrictEqual(writes, [line("n")])
      assert.strictEqual(yield* everyone.size, 1)
    }))

  it.effect("is written before its connection ends in order, which ends at once then", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const scope = yield* Scope.make()
      const { peer, writes } = yield* Scope.provide(writing(Framing.line), scope)
      yield* everyone.join(peer)
      yield* everyone.notify("first")
      yield* everyone.notify("n")
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* settle
      assert.deepStrictEqual(writes, [line("first"), line("n")])
      assert.isDefined(closing.pollUnsafe())
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: behind a long text of the same turn", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const { peer, writes } = yield* writing(Framing.line)
      yield* everyone.join(peer)
      yield* everyone.notify("first")
      yield* everyone.notify("long", ["x".repeat(65_536)])
      yield* everyone.notify("short")
      yield* settle
      assert.strictEqual(writes.length, 3)
      assert.strictEqual(writes[2], line("short"))
      assert.strictEqual((yield* everyone.counts).waiting, 0)
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: what the told client asks for at once", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const [near, far] = yield* MemoryTransport.makePair()
      const server = yield* Peer.make(near, { router: yield* routerOf({ get: () => Effect.succeed(1) }) })
      const got: Array<unknown> = []
      const told = ({ peer }: Handler.Call) =>
        Effect.map(Effect.orDie(peer.request("get")), (one) => void got.push(one))
      yield* Peer.make(far, { router: yield* routerOf({ told }) })
      yield* everyone.join(server)
      yield* settle
      yield* everyone.notify("told")
      yield* settle
      assert.deepStrictEqual(got, [1])
    }))

  it.effect("goes out in one write with what else has waited for room", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const open = yield* Deferred.make<void>()
      const { peer, writes } = yield* writing(
        Framing.line,
        () => Deferred.isDoneUnsafe(open) ? Exit.void : Deferred.await(open)
      )
      yield* everyone.join(peer)
      yield* everyone.notify("ahead", [ahead])
      yield* settle
      for (let number = 0; number < 100; number++) {
        yield* everyone.notify("n", [number])
        yield* settle
      }
      yield* Deferred.succeed(open, undefined)
      yield* settle
      assert.lengthOf(writes, 2)
    }))

  const lost = Exit.fail(transportError({ _tag: "Closed" }))
  const ends: Readonly<Record<string, (everyone: Broadcast.Broadcast<void>) => ReturnType<Write>>> = {
    "ends its connection": () => lost,
    "lets it leave": (everyone) =>
      Effect.runSyncExit(Effect.flatMap(everyone.recipients, ([first]) => first?.leave ?? Effect.void))
  }
  for (const [what, end] of Object.entries(ends)) {
    it.effect(`counts once: also where a write to another lets it out of its queue, and its own ${what}`, () =>
      Effect.gen(function*() {
        const everyone = yield* Broadcast.make()
        const open = yield* Deferred.make<void>()
        const slow = yield* writing(
          Framing.line,
          () => Deferred.isDoneUnsafe(open) ? end(everyone) : Deferred.await(open)
        )
        const recipient = yield* everyone.join(slow.peer)
        yield* recipient.notify("ahead", [ahead])
        yield* settle
        const quick = yield* writing(Framing.line, () => Effect.asVoid(Deferred.succeed(open, undefined)))
        yield* everyone.join(quick.peer)
        yield* everyone.notify("n")
        yield* settle
        assert.lengthOf(slow.writes, 2)
        assert.deepStrictEqual(yield* recipient.counts, { offered: 2, delivered: 2, dropped: 0, waiting: 0 })
        assert.strictEqual((yield* everyone.counts).waiting, 0)
      }))
  }

  it.effect("weighs while it waits to be written, and no longer", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000_000)
      const open = yield* Deferred.make<void>()
      const everyone = yield* Broadcast.make()
      const { peer } = yield* Effect.provideService(
        writing(Framing.line, () => Deferred.await(open)),
        Budget.Budget,
        budget
      )
      yield* everyone.join(peer)
      const before = budget.taken()
      yield* everyone.notify("n", ["x".repeat(10_000)])
      yield* settle
      assert.isAtLeast(budget.taken(), before + 10_000)
      yield* Deferred.succeed(open, undefined)
      yield* settle
      assert.strictEqual(budget.taken(), before)
    }))
})
