/**
 * The processes of a server behind a bridge: what is heard of their starts and their ends.
 */
import { describe } from "@parley/peer/Caller"
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import type * as Endpoint from "../../Endpoint.ts"
import * as connect from "../../wire/connect.ts"
import type { Wire } from "../../wire/Wire.ts"
import type * as reach from "../reach.ts"

export interface Options extends connect.ProcessOptions {
  /** Runs when a process has been started. */
  readonly onStart: Effect.Effect<void>
  /** Hears why a process has ended, without secrets, unless we have ended it. */
  readonly onEnd: (why: string) => Effect.Effect<void>
  /** Hears a line of stdout that is no message, as of a server that logs there. */
  readonly onStray: (line: string) => void
}

/** Starts the command of an endpoint. */
export const starting =
  (wire: Wire, { onEnd, onStart, onStray, ...options }: Options) => (endpoint: Endpoint.Command): reach.Start =>
    Effect.gen(function*() {
      const transport = yield* connect.transport({ ...wire, endpoint }, {}, { ...connect.hosted, ...options })
      yield* onStart
      let hasEnded = false
      return {
        ...transport,
        receive: transport.receive.pipe(
          Effect.tap((all) => {
            for (const one of all) if (typeof one === "string" && isStray(one)) onStray(one)
            return Effect.void
          }),
          Effect.tapError(({ reason }) => {
            if (hasEnded || reason._tag === "Closed") return Effect.void
            hasEnded = true
            return onEnd(Redaction.text(describe(reason)))
          })
        )
      }
    })

/** A message is an object, or an array of them. */
const isStray = (text: string): boolean => !/^\s*[[{]/.test(text)
