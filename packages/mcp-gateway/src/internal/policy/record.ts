/**
 * The records of an audit, each written when its call has ended.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Audit, AuditRecord } from "../../Audit.ts"

/** The facts about a call, beside its times. `arguments` are written where the audit asks for them. @internal */
export type Facts = Omit<AuditRecord, "time" | "milliseconds">

/** Makes a call, and writes the record of its end where `factsOf` gives one. @internal */
export const writing = <A, E, R>(
  audit: Audit,
  effect: Effect.Effect<A, E, R>,
  factsOf: (exit: Exit.Exit<A, E>) => Facts | undefined
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const time = clock.currentTimeMillisUnsafe()
    return Effect.onExit(effect, (exit) => {
      const facts = factsOf(exit)
      if (facts === undefined) return Effect.void
      const { arguments: args, client, code, principal, server, ...rest } = facts
      return audit.write({
        time,
        milliseconds: clock.currentTimeMillisUnsafe() - time,
        ...(principal !== undefined && { principal }),
        ...(client !== undefined && { client }),
        ...(server !== undefined && { server }),
        ...rest,
        ...(code !== undefined && { code }),
        ...(audit.withArguments === true && args !== undefined && { arguments: args })
      })
    })
  })
