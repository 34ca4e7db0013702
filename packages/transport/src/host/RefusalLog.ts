/**
 * Lines in a server's log about clients that it turned away.
 *
 * A refused client is a warning, with the option that would have let it in. Clients
 * choose what stands in such a line and how often it comes: their texts are cut and
 * escaped, and of more than `perMinute` lines in a minute only the number is told.
 *
 * ```ts run
 * import { RefusalLog } from "@parley/transport"
 * import { Effect, Logger } from "effect"
 *
 * const log = RefusalLog.make("a WebSocket")
 * const head = {
 *   method: "GET",
 *   url: "/rpc",
 *   address: "127.0.0.1",
 *   header: (name: string) => name === "origin" ? "https://evil.example" : undefined
 * }
 * const print = Logger.make(({ message }) => console.log(String(message).replace("; ", "\n")))
 *
 * Effect.runSync(
 *   log(head, 403, RefusalLog.accessReason("Origin", head)).pipe(Effect.provide(Logger.layer([print])))
 * )
 * // => Refused a WebSocket from 127.0.0.1 to "/rpc" with 403: pages of "https://evil.example" may not call
 * // => `access.origins: ["https://evil.example"]` would let them
 * ```
 *
 * @since 0.1.0
 */
import * as Excerpt from "@parley/protocol/text/Excerpt"
import * as Effect from "effect/Effect"
import type * as Access from "./Access.ts"
import { type Head, hostOf, pathOf } from "./Handshake.ts"

/**
 * Writes that a client was refused with a status, and why. Without a reason there is nothing to write.
 *
 * @category models
 * @since 0.1.0
 */
export type RefusalLog = (
  head: Pick<Head, "address" | "url">,
  status: number,
  reason: string | undefined
) => Effect.Effect<void>

/** How many lines a log has in a minute at most. @category bounds @since 0.1.0 */
export const perMinute = 10

/**
 * A bound on the lines that others can cause: it writes a line, and in its stead counts those beyond `perMinute` in a
 * minute. A line that is written ends with what `say` says of those that were not.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bounded = (
  say: (untold: number) => string = (untold) => `; ${untold} more were refused since the last line`
): (write: (others: string) => Effect.Effect<void>) => Effect.Effect<void> => {
  let minute = 0
  let lines = 0
  let untold = 0
  return (write) =>
    Effect.clockWith((clock) => {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
      if (now !== minute) {
        minute = now
        lines = 0
      }
      if (lines >= perMinute) return Effect.sync(() => void untold++)
      lines++
      const others = untold === 0 ? "" : say(untold)
      untold = 0
      return write(others)
    })
}

/**
 * The log of one server. `what` is what clients are refused: "a request", "a WebSocket".
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (what: string): RefusalLog => {
  const line = bounded()
  return ({ address, url }, status, reason) =>
    reason === undefined ? Effect.void : line((others) =>
      Effect.logWarning(
        // escaped: `others` and the status are ours
        `Refused ${Excerpt.line(what)} from ${Excerpt.line(address ?? "an unknown address")} to ${
          Excerpt.quoted(pathOf({ url }))
        } with ${status}: ${Excerpt.line(reason, 1_024)}${others}`
      )
    )
}

/**
 * Why `Access` refused a client, and the option that lets it in, where there is one that admits no others.
 *
 * @category texts
 * @since 0.1.0
 */
export const accessReason = (refusal: Access.Refusal, head: Pick<Head, "header" | "url">): string => {
  if (refusal === "Origin") {
    const named = head.header("origin") ?? ""
    const origin = Excerpt.quoted(named)
    if (!names.test(named)) return `the origin ${origin} names no page: any sandboxed frame has it`
    return `pages of ${origin} may not call; \`access.origins: [${origin}]\` would let them`
  }
  const named = (hostOf(head) ?? "").replace(/:\d*$/, "")
  const host = Excerpt.quoted(named)
  if (!names.test(named)) return `the request names no single host: ${host}`
  return `it does not answer to the host ${host}; \`access.hosts: [${host}]\` would let it`
}

/** A host, or an origin of one. */
const names = /^(?!null$)[^\s,]+$/
