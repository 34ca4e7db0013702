/**
 * How long a session lasts: a connection that keeps what was agreed on. A request of the modern era over HTTP belongs to
 * none.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Of from "./attributes.ts"
import { sessions } from "./Durations.ts"
import type { Place } from "./operation.ts"

/** A session begins. Gives what is to be called at its end; nothing where durations are not recorded. @internal */
export const begin = (
  kind: "client" | "server",
  place: Place,
  context: Context.Context<never>
): (() => void) | undefined => {
  if (!place.isTimed) return undefined
  const clock = Context.get(context, Clock.Clock)
  const start = clock.monotonicTimeNanosUnsafe()
  return () => {
    const attributes = { ...Of.ofNetwork(place.network), ...Of.ofRevision(place.revision()) }
    sessions[kind].record(attributes, Number(clock.monotonicTimeNanosUnsafe() - start), context)
  }
}
