/**
 * A frame as a line: `2026-01-31T12:34:56.789Z → {"jsonrpc":"2.0",…}`, with `→` for what we send.
 */
import type { Frame } from "@parley/traffic/Tap"
import * as DateTime from "effect/DateTime"

export const lineOf = (frame: Frame): string => {
  const arrow = frame._tag === "Sent" || frame._tag === "Unsent" ? "→" : "←"
  return `${DateTime.formatIso(DateTime.makeUnsafe(frame.time))} ${arrow} ${contentOf(frame)}`
}

const contentOf = (frame: Frame): string => {
  switch (frame._tag) {
    case "Sent":
    case "Received":
      return frame.text
    case "Bad":
      return `(${frame.frame.reason}) ${frame.frame.excerpt}`
    case "Unsent":
    case "Ended":
      return `(${frame.error.message})`
  }
}
