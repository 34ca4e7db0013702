/** One notification to many connections. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Arbitrary, Effect, Exit, Fiber, Option, Schema, Scope, Stream } from "effect"
import { Broadcast, Peer, Router } from "../../src/index.ts"
import { connect, notification, request, settle } from "../wire.ts"
import { ahead, blocked, gated, quick } from "./gated.ts"

const exact = ({ delivered, dropped, offered, waiting }: Broadcast.Counts) =>
  assert.strictEqual(offered, delivered + dropped + waiting)

describe("a broadcast", () => {
  it.effect("tells those who have joined, alone, in groups and all together, in order", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>()
      const ada = yield* connect()
      const bob = yield* connect()
      const one = yield* everyone.join(ada.peer, "ada")
      yield* everyone.join(bob.peer, "bob")
      yield* one.enter("lobby")
      yield* one.enter("lobby")
      yield* everyone.notify("all", [1])
      yield* everyone.in("lobby").notify("lobby", [2])
      yield* everyone.in("cellar").notify("cellar", [3])
      yield* one.notify("you")
      yield* one.exit("lobby")
      yield* everyone.in("lobby").notify("lobby", [4])
      yield* settle
      assert.deepStrictEqual(yield* ada.wire.take(3), [
        JSON.parse(notification("all", [1])),
        JSON.parse(notification("lobby", [2])),
        JSON.parse(notification("you"))
      ])
      assert.deepStrictEqual(bob.wire.received, [JSON.parse(notification("all", [1]))])
      assert.deepStrictEqual(yield* everyone.counts, { offered: 4, delivered: 4, dropped: 0, waiting: 0 })
    }))

  it.effect("promise 26: nobody waits for a recipient that does not read", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>({ slow: "sliding", limits: { messages: 4 } })
      const slow = yield* blocked(everyone, "slow")
      const quick = yield* connect()
      yield* everyone.join(quick.peer, "quick")
      for (let number = 1; number <= 1000; number++) {
        const told = yield* Effect.forkChild(everyone.notify("n", [number]), { startImmediately: true })
        // It waits for a turn at most.
        yield* Effect.yieldNow
        assert.isDefined(told.pollUnsafe())
        if (number % 100 === 0) {
          yield* settle
          assert.lengthOf(quick.wire.received, number)
        }
      }
      assert.deepStrictEqual(yield* slow.recipient.counts, { offered: 1001, delivered: 1, dropped: 996, waiting: 4 })
      yield* slow.open
      yield* settle
      assert.deepStrictEqual(slow.numbers(), [-1, 997, 998, 999, 1000])
      assert.deepStrictEqual(yield* slow.recipient.counts, { offered: 1001, delivered: 5, dropped: 996, waiting: 0 })
    }))

  for (const [slow, kept] of [["sliding", [3, 4]], ["dropping", [1, 2]]] as const) {
    it.effect(`promise 27: nothing is dropped but by policy: ${slow}, by count and by size`, () =>
      Effect.gen(function*() {
        for (const limits of [{ messages: 2 }, { bytes: 2 * notification("n", [1]).length }]) {
          const everyone = yield* Broadcast.make<string>({ slow, limits })
          const member = yield* blocked(everyone, "x")
          for (const number of [1, 2, 3, 4]) yield* everyone.notify("n", [number])
          exact(yield* everyone.counts)
          yield* member.open
          yield* settle
          assert.deepStrictEqual(member.numbers(), [-1, ...kept])
          exact(yield* everyone.counts)
        }
      }))
  }

  it.effect("leaves nothing of a recipient at its connection when it leaves", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>()
      const member = yield* blocked(everyone, "x")
      yield* everyone.notify("n", [1])
      assert.strictEqual((yield* member.peer.waits).writing, "outbox")
      yield* member.recipient.leave
      assert.isUndefined((yield* member.peer.waits).writing)
    }))

  it.effect("promise 27: nothing is dropped but by policy: one text is kept, however long it is", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>({ slow: "sliding", limits: { bytes: 10 } })
      const member = yield* blocked(everyone, "x")
      yield* everyone.notify("n", [1, ahead])
      yield* everyone.notify("n", [2, ahead])
      yield* member.open
      yield* settle
      assert.deepStrictEqual(member.numbers(), [-1, 2])
    }))

  it.effect("promise 27: nothing is dropped but by policy: disconnect ends the connection, and says why", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>({ limits: { messages: 2 } })
      const slow = yield* blocked(everyone, "slow")
      const other = yield* connect()
      yield* everyone.join(other.peer, "other")
      for (const number of [1, 2, 3]) yield* everyone.notify("n", [number])
      assert.deepStrictEqual((yield* everyone.recipients).map(({ value }) => value), ["other"])
      assert.deepStrictEqual(yield* slow.peer.disconnected, { _tag: "Lagged" })
      yield* settle
      assert.isTrue(slow.isAborted())
      assert.lengthOf(other.wire.received, 3)
      assert.deepStrictEqual(yield* slow.recipient.counts, { offered: 4, delivered: 1, dropped: 3, waiting: 0 })
      const error = yield* Effect.flip(slow.recipient.notify("n"))
      assert.deepInclude(error, { _tag: "Disconnected", reason: { _tag: "Lagged" }, method: "n", sent: false })
    }))

  it.effect("shares a connection with its other calls, and holds up none", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>({ slow: "sliding", limits: { messages: 2 } })
      const wire = yield* blocked(everyone, "x")
      for (const number of [1, 2, 3]) yield* everyone.notify("n", [number])
      // The outbox has room for calls, which do not wait for what is pushed.
      assert.isDefined((yield* Effect.forkChild(wire.peer.notify("n", [10]), { startImmediately: true })).pollUnsafe())
      yield* wire.open
      yield* settle
      assert.deepStrictEqual(wire.numbers(), [-1, 10, 2, 3])
    }))

  it.effect("writes a text once for all, and once for each form of a dialect", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const old = Dialect.make({ name: "old", version: "omit" })
      const named = Dialect.make({ name: "named", params: "array" })
      const wires = yield* Effect.forEach([{}, {}, { dialect: old }, { dialect: old }, { dialect: named }], (options) =>
        connect({}, options))
      for (const { peer } of wires) {
        yield* everyone.join(peer)
      }
      let written = 0
      const params = { toJSON: () => ({ written: ++written }) }
      yield* everyone.notify("n", params as never)
      yield* settle
      const told = wires.map(({ wire }) =>
        wire.received
      )
      assert.deepStrictEqual(told, [
        [JSON.parse(notification("n", { written: 1 }))],
        [JSON.parse(notification("n", { written: 1 }))],
        [{ method: "n", params: { written: 2 } }],
        [{ method: "n", params: { written: 2 } }],
        // It has no params by name.
        []
      ])
    }))

  it.effect("refuses what cannot be written, with or without recipients", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const error = yield* Effect.flip(everyone.notify("n", [1n] as never))
      assert.include(error.message, "the arguments of n cannot be sent")
      const large = yield* Effect.flip(everyone.notify("n", ["x".repeat(16 * 1024 * 1024)]))
      assert.include(large.message, "a frame at most 16777216 bytes")
    }))

  it.effect("writes nothing to a connection that is larger than its frames, and drops it there alone", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const small = yield* connect({}, { limits: { frame: 1_000 } })
      const other = yield* connect()
      const recipient = yield* everyone.join(small.peer)
      yield* everyone.join(other.peer)
      const params = ["x".repeat(2_000)]
      yield* everyone.notify("n", params)
      assert.include((yield* Effect.flip(recipient.notify("n", params))).message, "the arguments of n cannot be sent")
      yield* everyone.notify("n", [1])
      yield* settle
      assert.deepStrictEqual(small.wire.received, [JSON.parse(notification("n", [1]))])
      assert.lengthOf(other.wire.received, 2)
      assert.deepStrictEqual(yield* recipient.counts, { offered: 2, delivered: 1, dropped: 1, waiting: 0 })
    }))

  it.effect("lets one recipient be in a bounded number of groups", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make({ limits: { groups: 2 } })
      const { peer } = yield* connect()
      const one = yield* everyone.join(peer)
      for (const group of ["a", "b", "a"]) yield* one.enter(group)
      assert.deepInclude(yield* Effect.flip(one.enter("c")), { code: -32000, message: "Too many groups" })
      assert.strictEqual(yield* everyone.in("c").size, 0)
      yield* one.exit("a")
      yield* one.enter("c")
      assert.strictEqual(yield* everyone.in("c").size, 1)
    }))

  it.effect("tells who is there, and who comes and goes, and why", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>()
      const [ada, bob, eve] = yield* Effect.all([connect(), connect(), connect()])
      yield* Effect.flatMap(everyone.join(ada.peer, "ada"), ({ enter }) => enter("lobby"))
      const heard: Array<string> = []
      const watch = (changes: Broadcast.Group<string>["changes"]) =>
        Effect.forkChild(
          Stream.runForEach(changes, (change) =>
            Effect.sync(() =>
              void heard.push(
                change._tag === "Joined" ? `+${change.recipient.value}` : `-${change.recipient.value} ${change.reason}`
              )
            )),
          { startImmediately: true }
        )
      const all = yield* watch(everyone.changes)
      const other = yield* everyone.join(bob.peer, "bob")
      yield* everyone.join(eve.peer, "eve")
      yield* everyone.join(bob.peer, "bob again")
      yield* bob.peer.shutdown
      yield* Effect.flatMap(Effect.fromOption(everyone.recipientOf(eve.peer)), ({ leave }) => leave)
      yield* other.leave
      yield* settle
      assert.deepStrictEqual(heard.splice(0), [
        "+ada",
        "+bob",
        "+eve",
        "-bob left",
        "+bob again",
        "-bob again ended",
        "-eve left"
      ])
      assert.isTrue(Option.isNone(everyone.recipientOf(bob.peer)))
      yield* Fiber.interrupt(all)
      const lobby = yield* watch(everyone.in("lobby").changes)
      yield* ada.peer.shutdown
      yield* settle
      assert.deepStrictEqual(heard, ["+ada", "-ada ended"])
      assert.strictEqual(yield* everyone.size, 0)
      yield* Fiber.interrupt(lobby)
    }))

  it.effect("ends with its scope: nobody is told any more, and connections stay", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const everyone = yield* Scope.provide(Broadcast.make(), scope)
      const { peer, wire } = yield* connect()
      const recipient = yield* everyone.join(peer)
      const watching = yield* Effect.forkChild(Stream.runCollect(everyone.changes), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual((yield* Fiber.join(watching)).map(({ _tag }) => _tag), ["Joined", "Left"])
      const late = yield* Effect.forkChild(Stream.runCollect(everyone.in("lobby").changes), { startImmediately: true })
      yield* settle
      assert.deepStrictEqual(late.pollUnsafe(), Exit.succeed([]))
      yield* everyone.notify("n")
      assert.deepInclude(yield* Effect.flip(recipient.notify("n")), { _tag: "Disconnected" })
      assert.deepInclude(yield* Effect.flip(everyone.join(peer)), { reason: { _tag: "Closed" } })
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      assert.strictEqual(yield* peer.state, "open")
    }))

  it.effect("has no place for a call without a connection, nor for one that has ended", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make()
      const reasons: Array<unknown> = []
      const router = yield* Router.make()
      yield* router.add("join", (call) =>
        Effect.sync(() => 1).pipe(
          Effect.andThen(Effect.flip(everyone.join(call))),
          Effect.map(({ reason }) => void reasons.push(reason._tag)),
          Effect.orDie
        ))
      yield* router.answer(request(1, "join"))
      const { peer } = yield* connect()
      yield* peer.shutdown
      reasons.push((yield* Effect.flip(everyone.join(peer))).reason._tag)
      assert.deepStrictEqual(reasons, ["NoPeer", "Closed"])
    }))

  it.effect("keeps nothing of those who have left, nor of groups in which nobody is", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<number>()
      const { peer } = yield* connect()
      for (let number = 0; number < 10_000; number++) {
        const recipient = yield* everyone.join(peer, number)
        yield* recipient.enter(`group ${number}`)
      }
      assert.strictEqual(yield* everyone.size, 1)
      assert.strictEqual(yield* everyone.in("group 1").size, 0)
      assert.strictEqual(yield* everyone.in("group 9999").size, 1)
    }))

  const Step = Schema.Union([
    Schema.TaggedStruct("Publish", {
      group: Schema.Literals(["all", "even", "none"]),
      size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
    }),
    Schema.TaggedStruct("Direct", { to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })) }),
    Schema.TaggedStruct("Gate", {
      of: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      isOpen: Schema.Boolean
    }),
    Schema.TaggedStruct("Turn", {})
  ])

  for (const slow of ["sliding", "dropping", "disconnect"] as const) {
    it.effect.prop(
      `promise 27: nothing is dropped but by policy: in any order of what happens, ${slow}`,
      { steps: Arbitrary.array(Arbitrary.schema(Step), { maxLength: 60 }) },
      ({ steps }) =>
        Effect.scoped(Effect.gen(function*() {
          const everyone = yield* Broadcast.make<number>({ slow, limits: { messages: 3 } })
          const wires = yield* Effect.forEach([0, 1, 2, 3], (index) =>
            Effect.gen(function*() {
              const wire = gated()
              const peer = yield* Peer.make(wire.transport, quick)
              yield* Effect.addFinalizer(() => wire.open)
              const recipient = yield* everyone.join(peer, index)
              if (index % 2 === 0) yield* recipient.enter("even")
              return { ...wire, peer, recipient, offered: new Array<number>() }
            }))
          let number = 0
          for (const step of steps) {
            number++
            if (step._tag === "Turn") yield* settle
            else if (step._tag === "Gate") yield* (step.isOpen ? wires[step.of]!.open : wires[step.of]!.shut)
            else {
              const params = [number, step._tag === "Publish" && step.size === 3 ? ahead : ""]
              const to = wires.filter(({ recipient: { value } }) =>
                step._tag === "Direct"
                  ? value === step.to
                  : step.group === "all" || (step.group === "even" && value % 2 === 0)
              )
              const there = new Set((yield* everyone.recipients).map(({ value }) => value))
              for (const wire of to) if (there.has(wire.recipient.value)) wire.offered.push(number)
              if (step._tag === "Direct") yield* Effect.ignore(wires[step.to]!.recipient.notify("n", params))
              else yield* (step.group === "all" ? everyone : everyone.in(step.group)).notify("n", params)
            }
            exact(yield* everyone.counts)
          }
          for (const { open } of wires) yield* open
          yield* settle
          let sum = 0
          for (const { numbers, offered, peer, recipient } of wires) {
            const counts = yield* recipient.counts
            const isEnded = (yield* peer.state) === "closed"
            exact(counts)
            sum += counts.offered
            assert.strictEqual(counts.offered, offered.length)
            assert.strictEqual(counts.waiting, 0)
            // What came is what was offered, in order, but for what was dropped.
            const came = numbers()
            assert.deepStrictEqual(came, offered.filter((number) => came.includes(number)))
            if (!isEnded) assert.strictEqual(came.length, counts.delivered)
            if (slow === "disconnect" && !isEnded) assert.strictEqual(counts.dropped, 0)
            if (slow !== "disconnect") assert.isFalse(isEnded)
            // The newest is never dropped by the one, the oldest never by the other.
            if (slow === "sliding" && offered.length > 0) assert.strictEqual(came.at(-1), offered.at(-1))
            if (slow === "dropping" && offered.length > 0) assert.strictEqual(came[0], offered[0])
          }
          assert.strictEqual((yield* everyone.counts).offered, sum)
        })),
      { arbitrary: { runs: 60 } }
    )
  }
})
