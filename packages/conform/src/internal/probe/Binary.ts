/** Bytes as a text that has a character for each of them, U+0000 to U+00FF, so that a probe can cut and spoil them. */

/** The text of bytes. Not by arguments of one call, of which an engine takes only so many. */
export const fromBytes = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

/** The bytes of such a text. */
export const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))
