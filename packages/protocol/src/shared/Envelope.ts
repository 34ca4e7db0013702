/**
 * The kind and the id of a message, read from its text without parsing it.
 *
 * A reader that has no room for the values of a text can still answer it. `Framing` reads the same from the bytes of a
 * frame that it skips.
 *
 * ```ts run
 * import { Envelope } from "@parley/protocol/shared"
 *
 * const { id, kind } = Envelope.ofText(`{"jsonrpc":"2.0","id":7,"method":"add","params":[1,2]}`)
 *
 * console.log(kind, id) // => request 7
 * ```
 *
 * @since 0.1.0
 */
import { envelopeOfText } from "../internal/framing/envelope.ts"
import type { BadFrame } from "../internal/framing/frame.ts"

/**
 * The kind and the id of a message, as `BadFrame` has them. Both are absent where the text is not a single message; of a
 * batch there is the kind of its first member. The text need not be JSON, so this is a claim of its sender.
 *
 * @category models
 * @since 0.1.0
 */
export type Envelope = Pick<BadFrame, "kind" | "firstKind" | "id">

/**
 * Reads the envelope of a text, in time that is linear in its length.
 *
 * @category decoding
 * @since 0.1.0
 */
export const ofText: (text: string) => Envelope = envelopeOfText
