/**
 * Two peers whose handlers do everything in their first, synchronous step: they call back, alone and in batches, notify,
 * cancel, pause, end pauses and close, over a transport that delivers within the write. All of it comes back into the
 * conversation that is at work.
 */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Duration, Effect, Exit, type Fiber, Option, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Handler, Peer, Router } from "../../src/index.ts"
import { settle } from "../wire.ts"

/** What a handler does, one after the other; what it sends has the other side do `then`. */
interface Act {
  readonly does: "call" | "batch" | "notify" | "cancel" | "pause" | "resume" | "close"
  readonly then: ReadonlyArray<Act>
}

/** Calls twice as often as anything else. */
const lasting = ["call", "call", "batch", "notify", "cancel", "pause", "resume"] as const

const actsOf = (kinds: ReadonlyArray<Act["does"]>): Schema.Codec<ReadonlyArray<Act>> => {
  const Act: Schema.Codec<Act> = Schema.Struct({
    does: Schema.Literals(kinds),
    then: Schema.Array(Schema.suspend(() => Act))
  })
  return Schema.Array(Act)
}

const Acts = actsOf(lasting)
const ActsAndEnd = actsOf([...lasting, "close"])

const dialect = Dialect.make({ name: "cancels", cancellation: Dialect.cancelRequest })
const limits = { inFlight: 2, inbox: 3, batch: 3, window: 3 }

/** Acts by a peer, and keeps what was sent and what was served. */
class Story {
  readonly calls: Array<Fiber.Fiber<unknown, unknown>> = []
  sent = 0
  served = 0
  cancelled = 0
  isClosing = false
  pauses: Array<() => void> = []

  handler(close: Effect.Effect<void>): Handler.Handler {
    return ({ params, peer }) =>
      Effect.suspend(() => {
        this.served++
        return Effect.as(this.act(peer, Schema.decodeUnknownSync(ActsAndEnd)(params), close), null)
      })
  }

  act(
    peer: Pick<Handler.Call["peer"], "batch" | "notify" | "pause" | "request">,
    acts: ReadonlyArray<Act>,
    close: Effect.Effect<void>
  ): Effect.Effect<void> {
    const begin = <A, E>(call: Effect.Effect<A, E>) =>
      Effect.map(Effect.forkDetach(call, { startImmediately: true }), (fiber) => void this.calls.push(fiber))
    return Effect.forEach(acts, ({ does, then }) => {
      const params = then as unknown as Schema.JsonArray
      const run = { method: "run", params } as const
      switch (does) {
        case "call":
          this.sent++
          return begin(peer.request("run", params))
        case "batch":
          this.sent += 3
          return begin(peer.batch([run, { ...run, notification: true }, run]))
        case "notify":
          this.sent++
          return Effect.ignore(peer.notify("run", params))
        case "cancel":
          return Effect.sync(() => {
            const running = this.calls.find((fiber) => fiber.pollUnsafe() === undefined)
            // Of a batch it takes all calls.
            if (running !== undefined) this.cancelled += 3
            running?.interruptUnsafe()
          })
        case "pause":
          return Effect.sync(() => void this.pauses.push(peer.pause()))
        case "resume":
          return Effect.sync(() => this.pauses.shift()?.())
        case "close":
          this.isClosing = true
          return Effect.asVoid(Effect.forkDetach(close, { startImmediately: true }))
      }
    }, { discard: true })
  }

  /** Lets everything happen, and ends the pauses one by one. */
  readonly settled = Effect.gen({ self: this }, function*() {
    yield* settle
    while (this.pauses.length > 0) {
      this.pauses.shift()?.()
      yield* settle
    }
  })

  /** How the calls have ended, all of them. */
  exits(): ReadonlyArray<Exit.Exit<unknown, unknown>> {
    return this.calls.map((fiber) => {
      const exit = fiber.pollUnsafe()
      assert.isDefined(exit, "a call never ends")
      return exit
    })
  }
}

const ending: Act = { does: "call", then: [{ does: "close", then: [] }] }

/** Two peers tell a story that begins with these acts of the first, until it is settled. */
const told = Effect.fnUntraced(function*(acts: ReadonlyArray<Act>) {
  const story = new Story()
  const made = Effect.fnUntraced(function*(transport: Transport.Transport) {
    const scope = yield* Effect.scope
    const own = yield* Scope.fork(scope)
    const close = Scope.close(own, Exit.void)
    const router = yield* Router.make()
    yield* router.add("run", story.handler(close))
    const options = { router, limits, dialect, timeout: Duration.infinity }
    return { peer: yield* Scope.provide(Peer.make(transport, options), own), close }
  })
  const [near, far] = yield* MemoryTransport.makePair()
  const [here, there] = [yield* made(near), yield* made(far)]
  yield* story.act(here.peer, acts, here.close)
  yield* story.settled
  return { story, peers: [here.peer, there.peer] }
})

describe("what comes back into a conversation that is at work", () => {
  it.effect.prop(
    "promise 22: when nothing moves, nothing waits that could move: nothing is lost, and nothing runs twice",
    { acts: Acts },
    ({ acts }) =>
      Effect.gen(function*() {
        const { peers, story } = yield* told(acts)
        const interrupted = story.exits().filter(Exit.isFailure).length
        assert.isAtMost(interrupted, story.cancelled)
        assert.isAtMost(story.served, story.sent)
        assert.isAtLeast(story.served, story.sent - story.cancelled)
        const none = { reading: undefined, starting: undefined, writing: undefined }
        for (const peer of peers) assert.deepStrictEqual(yield* peer.waits, none)
      }),
    { arbitrary: { runs: 80, size: 12 } }
  )

  it.effect.prop(
    "promise 9: closing ends every call with Disconnected: also in the first step of a handler",
    { acts: ActsAndEnd },
    ({ acts }) =>
      Effect.gen(function*() {
        const { peers, story } = yield* told([...acts, ending])
        yield* TestClock.adjust("1 minute")
        yield* story.settled
        for (const exit of story.exits()) {
          if (Exit.isSuccess(exit) || Exit.hasInterrupts(exit)) continue
          assert.propertyVal(Option.getOrUndefined(Exit.findErrorOption(exit)), "_tag", "Disconnected")
        }
        assert.isAtMost(story.served, story.sent)
        // Another act may have cancelled the last call.
        const state = story.isClosing ? "closed" : "open"
        for (const peer of peers) assert.strictEqual(yield* peer.state, state)
      }),
    { arbitrary: { runs: 80, size: 12 } }
  )
})
