import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { Broadcast, Feed } from "../../src/index.ts"

it.effect.each([Number.NaN, -1, 0, 1.5, Infinity])(
  "a broadcast and a feed refuse the bound %s by its name",
  (value) =>
    Effect.gen(function*() {
      const limits = { messages: value }
      const made = [() => Effect.asVoid(Broadcast.make({ limits })), () => Effect.asVoid(Feed.make<number>({ limits }))]
      for (const make of made) {
        const exit = yield* Effect.exit(Effect.scoped(Effect.suspend(make)))
        assert.match(
          String(Exit.isFailure(exit) && Cause.squash(exit.cause)),
          new RegExp(`the limit \`messages\` is ${value},`)
        )
      }
    })
)
