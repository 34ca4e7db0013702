/**
 * Writes the traffic of transports to a file that can be read back.
 *
 * The file is JSON Lines. Each program that writes to it begins with a line that says the version of the format; then there
 * is one object for each connection and for each frame, with the exact text in it:
 *
 * ```
 * {"recording":1,"time":"2026-01-31T12:34:56.000Z"}
 * {"time":"…","connection":1,"opened":{"wire":"stdio","framing":"line","endpoint":"stdio:node server.js"}}
 * {"time":"…","connection":1,"direction":"sent","text":"{\"jsonrpc\":\"2.0\"}"}
 * {"time":"…","connection":1,"direction":"received","bad":{"reason":"TooLarge","excerpt":"{\"jsonrpc\""}}
 * {"time":"…","connection":1,"direction":"sent","unsent":{"count":1,"reason":{"_tag":"Closed"}}}
 * {"time":"…","connection":1,"direction":"received","ended":{"_tag":"EndOfInput"}}
 * {"time":"…","connection":1,"direction":"sent","closed":true}
 * ```
 *
 * Over HTTP, the lines of one request and its answer have the number of their exchange:
 *
 * ```
 * {"time":"…","connection":1,"exchange":1,"direction":"sent","http":{"method":"POST","path":"/mcp","headers":{…}}}
 * {"time":"…","connection":1,"exchange":1,"direction":"sent","text":"…"}
 * {"time":"…","connection":1,"exchange":1,"direction":"received","http":{"status":200,"headers":{…}}}
 * {"time":"…","connection":1,"exchange":1,"direction":"received","event":"7","text":"…"}
 * {"time":"…","connection":1,"exchange":1,"direction":"received","http":{"event":"message","id":"8","data":""}}
 * {"time":"…","connection":1,"exchange":1,"direction":"received","http":{"isWhole":true}}
 * ```
 *
 * It owns the lines and the writing; `Tap` owns what is shown and when. The traffic
 * waits while more than 1 MiB of lines is unwritten. When writing fails, the
 * recording ends and the traffic goes on.
 *
 * ```ts run
 * import { Recorder } from "@parley/traffic"
 * import { Result } from "effect"
 *
 * const line = Recorder.toLine({ _tag: "Sent", time: 0, connection: 1, text: `{"jsonrpc":"2.0","method":"hi"}` })
 *
 * console.log(line)
 * // => {"time":"1970-01-01T00:00:00.000Z","connection":1,"direction":"sent","text":"{\"jsonrpc\":\"2.0\",\"method\":\"hi\"}"}
 * console.log(Result.getOrThrow(Recorder.fromLine(line))._tag) // => Sent
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import type { Wrapping } from "@parley/transport/Transport"
import * as Transport from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { identity } from "effect/Function"
import * as Latch from "effect/Latch"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as lines from "./internal/recording/lines.ts"
import type { Observed, Recorded, Side } from "./internal/recording/Recorded.ts"
import * as Tap from "./Tap.ts"

export type {
  At,
  Begun,
  Exchanged,
  HttpEnd,
  HttpEvent,
  HttpRequest,
  HttpResponse,
  InExchange,
  Observed,
  Opened,
  Recorded,
  Side
} from "./internal/recording/Recorded.ts"

/**
 * The version of the format that is written.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/** UTF-16 units of lines that are not written yet, before the traffic waits. A few milliseconds of a disk's work. */
const unwritten = 1024 * 1024

/** Texts may hold secrets, so only the owner may read the file. */
const ownerOnly = 0o600

/**
 * The options of a recording.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecorderOptions extends Side {
  /**
   * Changes each text before it is written, and the line of a frame that has none: `Redaction.text` leaves out the secrets.
   * By default the lines have the exact texts.
   */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * A wrapping that appends each frame to the file at `path`. When the Scope closes, all of them are written.
 *
 * A file that it makes can be read by its owner only. A failure to open it is a `PlatformError`. A failure to write is
 * logged as a warning, once: the recording ends there, and the traffic goes on. Frames after the Scope has closed are
 * not recorded.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  path: string,
  options?: RecorderOptions
): Effect.Effect<Wrapping, PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.map(makeObserver(path, options), Tap.makeWithClose)

/**
 * As `make`, for frames that do not come from a transport, or that are shown as well.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeObserver = Effect.fnUntraced(function*(
  path: string,
  { endpoint, framing, redact = identity, wire }: RecorderOptions = {}
): Effect.fn.Return<
  (one: Observed) => Effect.Effect<void>,
  PlatformError,
  FileSystem.FileSystem | Scope.Scope
> {
  const { open } = yield* FileSystem.FileSystem
  const file = yield* open(path, { flag: "a", mode: ownerOnly })
  const encoder = new TextEncoder()
  let waiting: Array<string> = []
  /** Units of `waiting` and of what is being written. */
  let size = 0
  let isOver = false
  const opened = new Numbers()
  const work = Latch.makeUnsafe(false)
  const room = Latch.makeUnsafe(true)

  const write = Effect.suspend(() => {
    const text = waiting.join("")
    waiting = []
    return Effect.map(file.writeAll(encoder.encode(text)), () => {
      size -= text.length
      if (size <= unwritten) room.openUnsafe()
    })
  })

  const writeAll = Effect.gen(function*() {
    while (true) {
      if (waiting.length > 0) yield* write
      else if (isOver) return
      else {
        work.closeUnsafe()
        yield* work.await
      }
    }
  })

  const giveUp = (cause: Cause.Cause<PlatformError>) => {
    isOver = true
    waiting = []
    room.openUnsafe()
    const error = Cause.squash(cause)
    const why = Transport.describeCause(error instanceof Error ? error.cause ?? error : error)
    // escaped: a description is an excerpt
    return Effect.logWarning(`The recording ${Excerpt.line(path)} is incomplete, and ends here: ${why}`)
  }

  const writer = yield* Effect.forkScoped(Effect.catchCause(writeAll, giveUp))
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isOver = true
      work.openUnsafe()
      return Fiber.await(writer)
    })
  )

  const add = (one: Recorded): void => {
    const line = `${redacted(one, redact)}\n`
    waiting.push(line)
    size += line.length
    if (size > unwritten) room.closeUnsafe()
    work.openUnsafe()
  }
  add({ _tag: "Begun", version, time: yield* Clock.currentTimeMillis })

  const see = (one: Observed): Effect.Effect<void> => {
    if (isOver) return Exit.void
    if (size > unwritten) return Effect.flatMap(room.await, () => see(one))
    const { connection, time } = one
    if (opened.add(connection)) add({ _tag: "Opened", time, connection, wire, framing, endpoint })
    add(one)
    return Exit.void
  }
  return see
})

/** The line without secrets. The text within it stays JSON, where it is. */
const redacted = (one: Recorded, redact: (text: string) => string): string => {
  if ("text" in one) return lines.toLine({ ...one, text: redact(one.text) })
  if (one._tag === "HttpEvent") return lines.toLine({ ...one, data: redact(one.data) })
  if (one._tag !== "Bad" || one.base64 === undefined) return redact(lines.toLine(one))
  // Nobody finds the secrets of a recording in base64 but its readers.
  const bytes = Result.getOrElse(Base64.decode(one.base64), () => new Uint8Array())
  const shown = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  return lines.toLine(redact(shown) === shown ? one : { ...one, base64: undefined })
}

/** Connections that have begun. They are numbered from 1 on, so that a few places say which. */
class Numbers {
  #all = 0
  readonly #beyond = new Set<number>()

  /** Adds a number, and tells whether it is a new one. */
  add(number: number): boolean {
    if (number <= this.#all || this.#beyond.has(number)) return false
    this.#beyond.add(number)
    while (this.#beyond.delete(this.#all + 1)) this.#all++
    return true
  }
}

/**
 * The line of something that has happened, without a line break.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toLine: (one: Recorded) => string = lines.toLine

/**
 * What a line says. The cause of an error becomes an `Error` with the same name and message, or JSON.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromLine: (line: string) => Result.Result<Recorded, Schema.SchemaError> = lines.fromLine
