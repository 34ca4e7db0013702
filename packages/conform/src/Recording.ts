/**
 * Reads what `Recorder` of `@parley/traffic` has written, such as the files of `parley record` and `parley tap --record`:
 * whole conversations, for `Replay` and `Mock`, or call by call.
 *
 * A line that cannot be read, such as a last one that was cut off, is told as a problem and hides no other.
 *
 * ```ts run
 * import { Recording } from "@parley/conform"
 *
 * const recording = Recording.fromText(`{"recording":1,"time":"2026-01-31T12:34:56.000Z"}
 * {"time":"2026-01-31T12:34:57.000Z","connection":1,"direction":"sent","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"add\\"}"}
 * {"time":"2026-01-31T12:34:57.050Z","connection":1,"direction":"received","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":3}"}
 * {"time":"2026-01-31T12:34`)
 *
 * for (const { method, milliseconds, response } of Recording.callsOf(recording)) console.log(method, milliseconds, response)
 * // => add 50 { jsonrpc: '2.0', id: 1, result: 3 }
 * console.log(recording.problems.map(({ line }) => line)) // => [ 4 ]
 * ```
 *
 * @since 0.1.0
 */
import type { Recorded } from "@parley/traffic/Recorder"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Calls } from "./internal/recording/Calls.ts"
import * as lines from "./internal/recording/lines.ts"
import { Builder, joined, type Script } from "./internal/recording/Script.ts"

export type { Call } from "./internal/recording/Calls.ts"

/** A line of a recording that says nothing, and why. @category models @since 0.1.0 */
export type Problem = lines.Problem

/** A line of a recording. @category models @since 0.1.0 */
export type Line = lines.Line

/**
 * One recorded conversation: that of a connection, of a session over HTTP, or of all requests over HTTP that have no
 * session.
 *
 * @category models
 * @since 0.1.0
 */
export type Conversation = Script

/**
 * The conversations of a recording, and the lines that could not be read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Recording {
  readonly conversations: ReadonlyArray<Conversation>
  readonly problems: ReadonlyArray<Problem>
}

/**
 * A recording is larger than a program wanted to hold.
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingTooLarge extends Schema.TaggedError<RecordingTooLarge>()("RecordingTooLarge", {
  /** Characters of its texts that may be held. */
  limit: Schema.Int
}) {
  override get message(): string {
    return `the recording has more than ${this.limit} characters of texts`
  }
}

/**
 * How much of a recording may be held.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadOptions {
  /** Characters of its texts. 128 Mi by default. */
  readonly limit?: number | undefined
}

const usual = 128 * 1024 * 1024

/**
 * The lines of a file, one after the other. Nothing of it is held.
 *
 * @category reading
 * @since 0.1.0
 */
export const lineStream: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<Line | Problem, E, R> =
  lines.linesOf

/**
 * The calls of a recording in the order of their ends: each with its response, where that was recorded. Only calls that
 * wait for one are held, as many as `Limits.waiting`.
 *
 * @category reading
 * @since 0.1.0
 */
export const callStream = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Stream.suspend(() => {
    const calls = new Calls()
    return Stream.concat(
      Stream.flatMap(lines.linesOf(bytes), (line) =>
        Stream.fromIterable(line._tag === "Line" ? calls.add(line.recorded) : [])),
      Stream.suspend(() =>
        Stream.fromIterable(calls.rest())
      )
    )
  })

/**
 * Reads a whole recording.
 *
 * @category reading
 * @since 0.1.0
 */
export const read = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  { limit = usual }: ReadOptions = {}
): Effect.Effect<Recording, E | RecordingTooLarge, R> =>
  Effect.suspend(() => {
    const reading = new Reading()
    return Effect.map(
      Stream.runForEach(lines.linesOf(bytes), (line) => {
        reading.add(line)
        return reading.size > limit ? Effect.fail(new RecordingTooLarge({ limit })) : Effect.void
      }),
      () => reading.recording()
    )
  })

/**
 * Reads a recording that is a text.
 *
 * @category reading
 * @since 0.1.0
 */
export const fromText = (text: string): Recording => {
  const reading = new Reading()
  for (const line of lines.linesIn(text)) reading.add(line)
  return reading.recording()
}

/**
 * The calls and notifications of a recording, in both directions, as `callStream` gives them.
 *
 * @category accessors
 * @since 0.1.0
 */
export const callsOf = ({ conversations }: Recording) =>
  conversations.flatMap((conversation) => {
    const calls = new Calls()
    return [...conversation.steps.flatMap((step) => calls.step(conversation.connection, step)), ...calls.rest()]
  })

/** The part of a recording that has been read. */
class Reading {
  readonly #problems: Array<Problem> = []
  readonly #scripts: Array<Script> = []
  #builders = new Map<number, Builder>()
  size = 0

  add(line: Line | Problem): void {
    if (line._tag === "Problem") {
      if (this.#problems.length < mostProblems) this.#problems.push(line)
      return
    }
    const { recorded } = line
    if (recorded._tag === "Begun") return this.#end()
    this.size += sizeOf(recorded)
    const { connection } = recorded
    let builder = this.#builders.get(connection)
    if (builder === undefined) {
      builder = new Builder(connection)
      this.#builders.set(connection, builder)
    }
    builder.add(recorded)
  }

  /** Connections are numbered anew behind each beginning. */
  #end(): void {
    const scripts = Array.from(this.#builders.values(), (builder) => builder.script())
    this.#scripts.push(...joined(scripts.filter(({ steps }) => steps.length > 0)))
    this.#builders = new Map()
  }

  recording(): Recording {
    this.#end()
    return { conversations: this.#scripts, problems: this.#problems }
  }
}

/** A file that is no recording has as many problems as lines. */
const mostProblems = 100

const sizeOf = (recorded: Recorded): number => 64 + ("text" in recorded ? recorded.text.length : 0)
