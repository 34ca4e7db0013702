/**
 * The texts that arguments take from files and from stdin.
 */
import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import { ArgumentError, type Reason, stdin } from "./ArgumentError.ts"

/** How many bytes a file may have: all of it is held, several times. */
export const mostBytes = 64 * 1024 * 1024

/** The text of a file, or of stdin, which is read to its end: another flag may have read it before. */
export const textOf = Effect.fnUntraced(function*(file: string): Effect.fn.Return<string, ArgumentError> {
  if (file === stdin && process.stdin.readableDidRead) return yield* failure({ _tag: "StdinTwice" })
  const bytes = yield* Effect.tryPromise({
    try: (signal) => read(file === stdin ? process.stdin : createReadStream(file, { signal })),
    catch: (cause) => failure({ _tag: "Unread", file, cause })
  })
  if (bytes === undefined) return yield* failure({ _tag: "TooLarge", file, bytes: mostBytes })
  return yield* Effect.try({
    // The mark of the byte order is part of a text; JSON has none.
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => failure({ _tag: "NotUtf8", file })
  })
})

const failure = (reason: Reason) => new ArgumentError({ reason })

/** Nothing where there is more than we hold: a device has no end. */
const read = async (stream: Readable): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  // It has no encoding, so it gives bytes.
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
