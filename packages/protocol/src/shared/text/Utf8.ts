/**
 * Texts in UTF-8, the encoding of every wire: their size, and what bytes say.
 *
 * ```ts run
 * import { Utf8 } from "@parley/protocol/shared"
 *
 * console.log(Utf8.byteLength("naïve"), Utf8.byteLength("🦜")) // => 6 4
 * console.log(Utf8.textOf(Uint8Array.of(0x68, 0x69)), Utf8.textOf(Uint8Array.of(0xff))) // => hi undefined
 * ```
 *
 * @since 0.1.0
 */
import { decode } from "../../internal/utf8.ts"

/**
 * How many bytes a text has in UTF-8, without encoding it. A lone surrogate is written as U+FFFD: 3 bytes.
 *
 * @category measuring
 * @since 0.1.0
 */
export const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x800) bytes += 2
    else if (unit >= 0x80) bytes += 1
    // The two units of a pair have four bytes together.
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) bytes -= 2
  }
  return bytes
}

/**
 * The text that bytes are in UTF-8, with its byte order mark; `undefined` where they are none.
 *
 * @category decoding
 * @since 0.1.0
 */
export const textOf = (bytes: Uint8Array): string | undefined => decode(bytes)
