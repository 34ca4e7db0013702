/**
 * The messages that are published to one node. A subscription is replaced when it breaks, or when a published message does
 * not arrive. Messages in the meantime are lost; the nodes detect this.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Redis from "effect/persistence/Redis"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { Failure, patience, textOf } from "./Line.ts"

/** @internal */
export interface SubscriptionOptions {
  readonly redis: Redis.Redis["Service"]
  readonly channel: string
  /** Publishes an empty text to the channel, and gives how many hear it. */
  readonly pulse: Effect.Effect<number, Failure>
  /** Milliseconds in which a text has to come that was published. */
  readonly timeout: number
  readonly onText: (text: string) => void
}

/** Subscribes until the Scope closes. Fails where that is not possible now. @internal */
export const make = (options: SubscriptionOptions): Effect.Effect<void, Failure, Scope.Scope> =>
  Effect.gen(function*() {
    const { timeout } = options
    const first = Deferred.makeUnsafe<void, Failure>()
    const context = yield* Effect.context<Scope.Scope>()
    const life: Fiber.Fiber<unknown> = Effect.runForkWith(context)(
      Effect.repeat(
        Effect.catchCause(once(options, first), (cause) => {
          Deferred.doneUnsafe(first, Effect.fail(new Failure(`Redis has not subscribed us: ${textOf(cause)}`, false)))
          return Effect.void
        }),
        Schedule.jittered(Schedule.spaced(pause))
      )
    )
    // A connection that is being opened cannot be interrupted: it ends by itself.
    yield* Effect.addFinalizer(() => Effect.sync(() => life.interruptUnsafe()))
    const subscribed = Effect.timeoutOrElse(Deferred.await(first), {
      duration: timeout * patience,
      orElse: () => Effect.fail(new Failure(`Redis has not subscribed us for ${timeout * patience} ms`, false))
    })
    yield* Effect.onError(subscribed, () => Effect.sync(() => life.interruptUnsafe()))
  })

/** Subscribes once. */
const once = (
  { channel, onText, pulse, redis, timeout }: SubscriptionOptions,
  first: Deferred.Deferred<void, Failure>
): Effect.Effect<never, Failure | Redis.RedisError> =>
  Effect.scoped(Effect.flatMap(redis.subscribe(channel), (queue) => {
    /** How often nothing has come of a pulse. A client that reconnects by itself has its time. */
    let missed = 0
    const hear = Effect.forever(
      Effect.map(Queue.takeAll(queue), (messages) => {
        missed = 0
        for (const { message } of messages) if (message !== "") onText(message.slice(1))
      }),
      { disableYield: true }
    )
    const beat = Effect.suspend(() => {
      if (missed++ === mostMissed) return Effect.fail(unheard)
      // A message that was not published cannot arrive.
      const published = Effect.catch(pulse, () => Effect.sync(() => missed--))
      return Effect.andThen(published, Effect.sleep(timeout * beats))
    })
    const subscribed = Effect.flatMap(pulse, (listeners) => {
      if (listeners === 0) return Effect.fail(unheard)
      Deferred.doneUnsafe(first, Effect.void)
      return Effect.forever(beat)
    })
    return Effect.raceFirst(hear, subscribed)
  }))

const unheard = new Failure("Redis knows nobody who hears what is published to the node", false)

/** Milliseconds until a subscription is tried again. */
const pause = 1_000

/** How many times `timeout` are between two pulses. */
const beats = 2

const mostMissed = 2
