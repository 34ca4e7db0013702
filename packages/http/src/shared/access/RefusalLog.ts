/**
 * Lines in a server's log about clients that it turned away.
 *
 * A refused client is a warning, with the option that would have let it in. Clients
 * choose what stands in such a line and how often it comes: their texts are cut and
 * escaped, and `BoundedLog` bounds the lines.
 *
 * ```ts run
 * import { RefusalLog } from "@parley/http/shared"
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
import { Excerpt } from "@parley/protocol/shared"
import { type Head, hostOf, pathOf } from "@parley/transport/Handshake"
import { BoundedLog } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import type * as Access from "./Access.ts"

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

/**
 * The log of one server. `what` is what clients are refused: "a request", "a WebSocket".
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (what: string): RefusalLog => {
  const line = BoundedLog.make()
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
export const accessReason = (refusal: Access.AccessRefusal, head: Pick<Head, "header" | "url">): string => {
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
