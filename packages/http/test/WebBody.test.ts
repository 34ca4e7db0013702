import { assert, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber } from "effect"
import { WebBody } from "../src/internal/WebBody.ts"

const KiB = 1024

/** Lets all go on that can. */
const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

it.effect("a body that has given its room to others gives nothing from behind the gap, and counts no more", () =>
  Effect.gen(function*() {
    const budget = Budget.make(200 * KiB)
    const share = budget.share()
    let give = (_: string) => {}
    const body = new WebBody(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          give = (text) => controller.enqueue(new TextEncoder().encode(text))
        }
      }),
      share
    )
    share.onEvict(body.evict)
    const free = yield* Deferred.make<void>()
    const taken: Array<string> = []
    const reading = yield* Effect.forkChild(
      Effect.flip(body.read((piece) => {
        taken.push(new TextDecoder().decode(piece))
        return Deferred.await(free)
      })),
      { startImmediately: true }
    )
    give("first")
    yield* settled
    // Others hold most of the budget, so the second piece costs the body its room.
    budget.share().take(150 * KiB)
    give("x".repeat(60 * KiB))
    give("third")
    yield* settled
    yield* Deferred.succeed(free, undefined)
    assert.deepInclude(yield* Fiber.join(reading), { _tag: "Disconnected", reason: { _tag: "Overrun" } })
    assert.deepStrictEqual(taken, ["first"])
    assert.strictEqual(share.taken(), 0)
  }))
