/** The end of the credentials of a request, beyond which no stream tells its client of changes. */
import { ExpiresAt } from "@parley/oauth/AccessToken"
import type { Handshake } from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Runs an effect, and forks another when the credentials of its request are over. @internal */
export const during = <A, E, R>(
  { principal }: Handshake,
  effect: Effect.Effect<A, E, R>,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>,
  onOver: Effect.Effect<void>
): Effect.Effect<A, E, R> => {
  const until = Context.get(principal, ExpiresAt)
  if (until === undefined) return effect
  return Effect.acquireUseRelease(
    Effect.sync(() => fork(Effect.andThen(sleepUntil(until), onOver))),
    () => effect,
    (timer) => Effect.sync(() => timer.interruptUnsafe())
  )
}

const sleepUntil = (until: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    until <= now
      ? Effect.void
      : Effect.andThen(Effect.sleep(Math.min(until - now, longest)), Effect.suspend(() => sleepUntil(until))))

/** Milliseconds that a timer may have. */
const longest = 2_147_483_647
