/**
 * Writes the traffic of transports to a file that can be read back.
 *
 * The file is JSON Lines, one object per frame, with the exact text in it:
 *
 * ```
 * {"time":"2026-01-31T12:34:56.789Z","connection":1,"direction":"sent","text":"{\"jsonrpc\":\"2.0\"}"}
 * {"time":"…","connection":1,"direction":"received","bad":{"reason":"TooLarge","excerpt":"{\"jsonrpc\""}}
 * {"time":"…","connection":1,"direction":"sent","unsent":{"count":1,"reason":{"_tag":"Closed"}}}
 * {"time":"…","connection":1,"direction":"received","ended":{"_tag":"EndOfInput"}}
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
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { identity } from "effect/Function"
import * as Latch from "effect/Latch"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Tap from "./Tap.ts"

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
export interface RecorderOptions {
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
  Effect.map(makeObserver(path, options), Tap.make)

/**
 * As `make`, for frames that do not come from a transport, or that are shown as well.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeObserver = Effect.fnUntraced(function*(
  path: string,
  { redact = identity }: RecorderOptions = {}
): Effect.fn.Return<
  (frame: Tap.Frame) => Effect.Effect<void>,
  PlatformError,
  FileSystem.FileSystem | Scope.Scope
> {
  const { open } = yield* FileSystem.FileSystem
  const file = yield* open(path, { flag: "a", mode: ownerOnly })
  const encoder = new TextEncoder()
  let lines: Array<string> = []
  /** Units of `lines` and of what is being written. */
  let size = 0
  let isOver = false
  const work = Latch.makeUnsafe(false)
  const room = Latch.makeUnsafe(true)

  const write = Effect.suspend(() => {
    const text = lines.join("")
    lines = []
    return Effect.map(file.writeAll(encoder.encode(text)), () => {
      size -= text.length
      if (size <= unwritten) room.openUnsafe()
    })
  })

  const writeAll = Effect.gen(function*() {
    while (true) {
      if (lines.length > 0) yield* write
      else if (isOver) return
      else {
        work.closeUnsafe()
        yield* work.await
      }
    }
  })

  const giveUp = (cause: Cause.Cause<PlatformError>) => {
    isOver = true
    lines = []
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

  const see = (frame: Tap.Frame): Effect.Effect<void> => {
    if (isOver) return Exit.void
    if (size > unwritten) return Effect.flatMap(room.await, () => see(frame))
    const line = `${"text" in frame ? toLine({ ...frame, text: redact(frame.text) }) : redact(toLine(frame))}\n`
    lines.push(line)
    size += line.length
    if (size > unwritten) room.closeUnsafe()
    work.openUnsafe()
    return Exit.void
  }
  return see
})

/**
 * The line of a frame, without a line break.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toLine = (frame: Tap.Frame): string => {
  const head = { time: DateTime.formatIso(DateTime.makeUnsafe(frame.time)), connection: frame.connection }
  switch (frame._tag) {
    case "Sent":
      return JSON.stringify({ ...head, direction: "sent", text: frame.text })
    case "Received":
      return JSON.stringify({ ...head, direction: "received", text: frame.text })
    case "Bad": {
      const { _tag, ...bad } = frame.frame
      return JSON.stringify({ ...head, direction: "received", bad })
    }
    case "Unsent":
      return JSON.stringify({
        ...head,
        direction: "sent",
        unsent: { count: frame.count, reason: reasonOf(frame.error) }
      })
    case "Ended":
      return JSON.stringify({ ...head, direction: "received", ended: reasonOf(frame.error) })
  }
}

/**
 * The frame of a line. The cause of an error becomes an `Error` with the same name and message, or JSON.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromLine = (line: string): Result.Result<Tap.Frame, Schema.SchemaError> =>
  Result.map(decode(line), (read) => {
    const head = { time: DateTime.toEpochMillis(read.time), connection: read.connection }
    if ("text" in read) return { ...head, _tag: read.direction === "sent" ? "Sent" : "Received", text: read.text }
    if ("bad" in read) return { ...head, _tag: "Bad", frame: { _tag: "BadFrame", ...read.bad } }
    if ("ended" in read) return { ...head, _tag: "Ended", error: Transport.transportError(read.ended) }
    const { count, reason } = read.unsent
    return { ...head, _tag: "Unsent", count, error: Transport.transportError(reason) }
  })

const members = { time: Schema.DateTimeUtcFromString, connection: Schema.Int }

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Union([
  Schema.Struct({ ...members, direction: Schema.Literals(["sent", "received"]), text: Schema.String }),
  Schema.Struct({
    ...members,
    direction: Schema.Literal("received"),
    bad: Schema.Struct({
      reason: Schema.Literals(["TooLarge", "InvalidUtf8", "NotText", "OtherFraming"]),
      excerpt: Schema.String,
      kind: Schema.optionalKey(Schema.Literals(["request", "notification", "response"])),
      id: Schema.optionalKey(Schema.String)
    })
  }),
  Schema.Struct({
    ...members,
    direction: Schema.Literal("sent"),
    unsent: Schema.Struct({ count: Schema.Int, reason: Transport.TransportReason })
  }),
  Schema.Struct({ ...members, direction: Schema.Literal("received"), ended: Transport.TransportReason })
])))

const encodeReason = Schema.encodeResult(Transport.TransportReason)

/** A cause may be any value. If it cannot be encoded, the message of the error stands for it. */
const reasonOf = ({ message, reason }: Transport.TransportError) =>
  Result.getOrElse(encodeReason(reason), () => ({ _tag: "Lost", cause: { message } }))
