/**
 * A transport that tells what passes: one line per frame, with its time and direction.
 */
import type { Received, Wrapping } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

/** Gives each line to `tell`: `2026-01-31T12:34:56.789Z → {"jsonrpc":"2.0",…}`, `→` for what we send. */
export const traceWith = (tell: (line: string) => void): Wrapping => (inner) =>
  Effect.map(Clock.Clock, (clock) => {
    const frame = (arrow: "→" | "←", text: string) => {
      tell(`${DateTime.formatIso(DateTime.makeUnsafe(clock.currentTimeMillisUnsafe()))} ${arrow} ${text}`)
    }
    return {
      receive: inner.receive.pipe(
        Effect.tap((received) => Effect.sync(() => received.forEach((each) => frame("←", textOf(each))))),
        Effect.tapError((error) => Effect.sync(() => frame("←", `(${error.message})`)))
      ),
      send: (texts) =>
        Effect.suspend(() => {
          texts.forEach((text) => frame("→", text))
          return inner.send(texts)
        }),
      close: inner.close
    }
  })

const textOf = (received: Received): string =>
  typeof received === "string" ? received : `(${received.reason}) ${received.excerpt}`
