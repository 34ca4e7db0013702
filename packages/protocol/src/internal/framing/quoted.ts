/**
 * JSON strings in a stream of bytes.
 */

/**
 * Skips bytes that are certainly within a string: up to the quote that ends it, or past the first quote that is escaped.
 * The result is beyond the end of the chunk where its last byte escapes the next one.
 */
export const skipQuoted = (chunk: Uint8Array, start: number, end: number): number => {
  const found = chunk.indexOf(0x22, start)
  const until = found < 0 || found > end ? end : found
  let slashes = until
  while (slashes > start && chunk[slashes - 1] === 0x5c) slashes--
  return (until - slashes) % 2 === 0 ? until : until + 1
}
