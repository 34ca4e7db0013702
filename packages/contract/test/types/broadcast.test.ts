/** The types of telling many. The compiler checks this file; running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Broadcast, Caller, Feed } from "@parley/peer"
import { Effect, Schema, type Scope } from "effect"
import { Contract, Method, Notification, Subscription } from "../../src/index.ts"

class Bank extends Contract.make("Bank", {
  ping: Method.make(),
  note: Notification.make({ params: [Schema.String] }),
  bye: Notification.make(),
  ticks: Subscription.make({ params: { every: Schema.Finite }, item: Schema.Date })
}) {}

type Ticks = Contract.Handlers<typeof Bank.members>["ticks"]

describe("a contract for many", () => {
  it("sends its notifications by anything that notifies, and no other members", () => {
    const notifier = Bank.notifier({ notify: (): Effect.Effect<void, "full"> => Effect.fail("full") })
    expectTypeOf<keyof typeof notifier>().toEqualTypeOf<"note" | "bye">()
    expectTypeOf(notifier.note).toEqualTypeOf<
      (params: readonly [string]) => Effect.Effect<void, "full" | Caller.InvalidArguments>
    >()
    expectTypeOf<Broadcast.Group<string>>().toExtend<Contract.Notifier<Caller.InvalidArguments>>()
    expectTypeOf<Broadcast.Recipient<string>>().toExtend<
      Contract.Notifier<Caller.InvalidArguments | Caller.Disconnected>
    >()
  })

  it("gives a subscription the items of a feed as they were published", () => {
    const feed = Subscription.feed<typeof Bank.members.ticks, string>(Bank.members.ticks)
    type Made = Feed.Feed<Date, string, Caller.InvalidArguments>
    expectTypeOf(feed).toEqualTypeOf<Effect.Effect<Made, never, Scope.Scope>>()
    expectTypeOf<ReturnType<Made["stream"]>>().toExtend<ReturnType<Ticks>>()
    expectTypeOf<Made["stream"]>().parameters.toEqualTypeOf<[value: string]>()
    expectTypeOf<Feed.Feed<Date>["stream"]>().toBeCallableWith()
  })
})
