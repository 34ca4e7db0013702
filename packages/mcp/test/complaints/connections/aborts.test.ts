import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../client/scripted.ts"

const eras = [["legacy", Scripted.legacy], ["modern", Scripted.modern]] as const

describe("complaint 6: a call that is aborted fails as if it had timed out", () => {
  for (const [era, serve] of eras) {
    it.effect(`in the ${era} era an abort is an interruption, a timeout a RequestTimeout, and each call ends as it did`, () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({ "tools/call": () => Effect.never }))
        const started = (name: string) => Effect.forkChild(client.callTool(name))
        const [aborted, late] = [yield* started("aborted"), yield* started("late")]
        const controller = new AbortController()
        const promise = Effect.runPromiseExit(client.callTool("by a signal"), { signal: controller.signal })
        yield* Scripted.settle
        yield* Fiber.interrupt(aborted)
        controller.abort()
        for (const exit of [yield* Fiber.await(aborted), yield* Effect.promise(() => promise)]) {
          assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        }
        yield* TestClock.adjust("30010 millis")
        const failed = yield* Effect.flip(Fiber.join(late))
        assert.deepInclude(failed, { _tag: "RequestTimeout", milliseconds: 30_000 })
        yield* Scripted.settle
        const ids = Scripted.of(written, "tools/call").map(({ id }) => id)
        const cancelled = Scripted.of(written, "notifications/cancelled").map(({ params }) => params?.["requestId"])
        assert.sameMembers(cancelled, ids)
      }))
  }
})
