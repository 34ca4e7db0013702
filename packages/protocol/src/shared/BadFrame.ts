/**
 * The bad frames of wires that bring whole messages, and the text that stands for one.
 *
 * A framing makes its own bad frames. A wire that has messages of its own, such as a WebSocket, a message port or a
 * request of HTTP, makes them here, so that each of them tells its kind and its id in the same way. `ErrorReply` says
 * how one is answered.
 *
 * ```ts run
 * import { BadFrame, ErrorReply } from "@parley/protocol/shared"
 * import { Dialect } from "@parley/protocol"
 *
 * const bad = BadFrame.ofText("TooLarge", `{"jsonrpc":"2.0","id":7,"method":"write","params":["…"]}`)
 *
 * console.log(bad.kind, bad.id) // => request 7
 * console.log(ErrorReply.toBadFrame(bad, Dialect.jsonRpc))
 * // => {"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Request too large"}}
 * ```
 *
 * @since 0.1.0
 */
import * as bad from "../internal/bad.ts"
import type { BadFrame } from "../internal/framing/frame.ts"
import type { Envelope } from "./Envelope.ts"

/**
 * A bad frame from all of its bytes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofBytes: (reason: BadFrame["reason"], bytes: Uint8Array) => BadFrame = bad.ofBytes

/**
 * A bad frame from its text, in time that is linear in its length.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofText: (reason: BadFrame["reason"], text: string) => BadFrame = bad.ofText

/**
 * A bad frame that is neither bytes nor text, such as a posted value: `what` stands in the log in place of an excerpt.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofValue = (reason: BadFrame["reason"], what: string, envelope: Envelope): BadFrame =>
  bad.make(reason, bad.ofText(reason, what).excerpt, envelope)

/**
 * A text that stands for a bad frame where only texts are handed on, as in hosts of HTTP: it is no JSON, and has the
 * kind and the id of the frame, so that it is answered as the frame is.
 *
 * Not for a frame that is too large, which has an answer of its own.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toText = ({ firstKind, id, kind, reason }: BadFrame): string => {
  if (kind === "notification") return `{"method":${reason}}`
  // Some dialects take it for a notification.
  if (kind === "request" && id === "null") return `{"id":null,"method":${reason}}`
  const response = `{${id === undefined ? "" : `"id":${id},`}"result":${reason}}`
  if (kind === "response") return response
  return firstKind === "response" ? `[${response}]` : reason
}
