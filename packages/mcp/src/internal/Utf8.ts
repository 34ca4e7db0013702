/** Bytes as text. */

/** The text that bytes are in UTF-8, with its byte order mark; `undefined` where they are none. @internal */
export const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
