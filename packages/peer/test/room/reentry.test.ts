/**
 * Two peers whose handlers do everything in their first, synchronous step: they call back, notify, cancel, pause and end
 * pauses, over a transport that delivers within the write. All of it comes back into the conversation that is at work.
 */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { MemoryTransport } from "@parley/transport"
import { Duration, Effect, Exit, Fiber, Schema } from "effect"
import { type Handler, Peer, Router } from "../../src/index.ts"
import { settle } from "../wire.ts"

/** What a handler does, one after the other; what it sends has the other side do `then`. */
interface Act {
  readonly does: "call" | "notify" | "cancel" | "pause" | "resume"
  readonly then: ReadonlyArray<Act>
}

const Act: Schema.Codec<Act> = Schema.Struct({
  does: Schema.Literals(["call", "call", "notify", "cancel", "pause", "resume"]),
  then: Schema.Array(Schema.suspend(() => Act))
})

const dialect = Dialect.make({ name: "cancels", cancellation: Dialect.cancelRequest })
const limits = { inFlight: 2, inbox: 3, batch: 3, window: 3 }

/** Acts by a peer, and keeps what was sent and what was served. */
class Story {
  readonly calls: Array<Fiber.Fiber<unknown, unknown>> = []
  sent = 0
  served = 0
  cancelled = 0
  pauses: Array<() => void> = []

  readonly handler: Handler.Handler = ({ params, peer }) =>
    Effect.suspend(() => {
      this.served++
      return Effect.as(this.act(peer, Schema.decodeUnknownSync(Schema.Array(Act))(params)), null)
    })

  act(peer: Pick<Handler.Call["peer"], "notify" | "pause" | "request">, acts: ReadonlyArray<Act>): Effect.Effect<void> {
    return Effect.forEach(acts, ({ does, then }) => {
      switch (does) {
        case "call":
          this.sent++
          return Effect.map(
            Effect.forkDetach(peer.request("run", then as unknown as Schema.JsonArray), { startImmediately: true }),
            (fiber) => void this.calls.push(fiber)
          )
        case "notify":
          this.sent++
          return Effect.ignore(peer.notify("run", then as unknown as Schema.JsonArray))
        case "cancel":
          return Effect.sync(() => {
            const running = this.calls.find((fiber) => fiber.pollUnsafe() === undefined)
            if (running !== undefined) this.cancelled++
            running?.interruptUnsafe()
          })
        case "pause":
          return Effect.sync(() => void this.pauses.push(peer.pause()))
        case "resume":
          return Effect.sync(() => this.pauses.shift()?.())
      }
    }, { discard: true })
  }
}

describe("what comes back into a conversation that is at work", () => {
  it.effect.prop(
    "promise 22: when nothing moves, nothing waits that could move: nothing is lost, and nothing runs twice",
    { acts: Schema.Array(Act) },
    ({ acts }) =>
      Effect.gen(function*() {
        const story = new Story()
        const [near, far] = yield* MemoryTransport.makePair()
        const made = Effect.fnUntraced(function*(transport: typeof near) {
          const router = yield* Router.make()
          yield* router.add("run", story.handler)
          return yield* Peer.make(transport, { router, limits, dialect, timeout: Duration.infinity })
        })
        const [here, there] = [yield* made(near), yield* made(far)]
        yield* story.act(here, acts)
        yield* settle
        while (story.pauses.length > 0) {
          story.pauses.shift()?.()
          yield* settle
        }
        const exits = story.calls.map((fiber) => fiber.pollUnsafe())
        assert.isFalse(exits.includes(undefined), "a call never ends")
        const interrupted = exits.filter((exit) => exit !== undefined && Exit.isFailure(exit)).length
        assert.isAtMost(interrupted, story.cancelled)
        assert.isAtMost(story.served, story.sent)
        assert.isAtLeast(story.served, story.sent - story.cancelled)
        const none = { reading: undefined, starting: undefined, writing: undefined }
        for (const peer of [here, there]) assert.deepStrictEqual(yield* peer.waits, none)
      }),
    { arbitrary: { runs: 80, size: 12 } }
  )
})
