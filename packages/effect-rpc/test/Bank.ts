/** The group of the tests, and its handlers. */
import { Subscription } from "@parley/contract"
import { type Cause, Deferred, Effect, Queue, Schema, Stream } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { EffectRpc } from "../src/index.ts"

export class Insufficient extends Schema.TaggedError<Insufficient>()(
  "Insufficient",
  { balance: Schema.Finite },
  EffectRpc.code(1001)
) {}

export class Frozen extends Schema.TaggedError<Frozen>()(
  "Frozen",
  { since: Schema.Date },
  { description: "The account is frozen", ...EffectRpc.code(1002) }
) {}

/** As of a library: it cannot be annotated. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {}

export const Entry = Schema.Struct({ at: Schema.Date, amount: Schema.Finite })

export class Bank extends RpcGroup.make(
  Rpc.make("withdraw", {
    payload: { amount: Schema.Finite, at: Schema.optionalKey(Schema.Date) },
    success: Schema.Finite,
    error: Schema.Union([Insufficient, Frozen])
  }),
  Rpc.make("ping"),
  Rpc.make("find", { payload: { name: Schema.String }, success: Schema.Date, error: NotFound })
    .annotate(EffectRpc.ErrorCodes, { NotFound: 404 }),
  Rpc.make("length", { payload: Schema.String, success: Schema.Int }),
  Rpc.make("subtract", { payload: Schema.Tuple([Schema.Finite, Schema.Finite]), success: Schema.Finite }),
  Rpc.make("later", { success: Schema.String }),
  Rpc.make("breaks", { success: Schema.String }),
  Rpc.make("entries", { payload: { count: Schema.Int }, success: Entry, error: Insufficient, stream: true }),
  Rpc.make("queued", { success: Schema.Int, stream: true }),
  Rpc.make("watch", { payload: { name: Schema.String }, success: Schema.Finite, error: Frozen, stream: true })
    .annotate(EffectRpc.Carrier, Subscription.notifications({ notification: "watched", close: "unwatch" }))
) {}

export const entry = (amount: number) => ({ at: new Date(amount * 1000), amount })

export const handlers = Bank.of({
  withdraw: ({ amount }) => {
    if (amount > 100) return Effect.fail(new Frozen({ since: new Date(0) }))
    return amount > 5 ? Effect.fail(new Insufficient({ balance: 5 })) : Effect.succeed(5 - amount)
  },
  ping: () => Effect.void,
  find: ({ name }) => name === "Ada" ? Effect.succeed(new Date(0)) : Effect.fail(new NotFound()),
  length: (text) => Effect.succeed(text.length),
  subtract: ([minuend, subtrahend]) => Effect.succeed(minuend - subtrahend),
  later: () =>
    Effect.gen(function*() {
      const result = yield* Deferred.make<string>()
      yield* Effect.forkChild(Deferred.succeed(result, "at last"))
      return result
    }),
  breaks: () => Effect.die(new Error("a secret")),
  entries: ({ count }) =>
    Stream.concat(
      Stream.fromIterable(Array.from({ length: Math.min(count, 3) }, (_, index) => entry(index + 1))),
      count > 3 ? Stream.fail(new Insufficient({ balance: 3 })) : Stream.empty
    ),
  queued: () =>
    Effect.gen(function*() {
      const queue = yield* Effect.acquireRelease(Queue.make<number, Cause.Done>(), Queue.shutdown)
      yield* Queue.offerAll(queue, [1, 2, 3])
      yield* Queue.end(queue)
      return queue
    }),
  watch: ({ name }) =>
    name === "frozen"
      ? Stream.concat(Stream.make(1), Stream.fail(new Frozen({ since: new Date(0) })))
      : Stream.make(1, 2)
})
