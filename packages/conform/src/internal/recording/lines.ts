/** Reads recordings line by line, and holds no more of them than its reader does. */
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { type Recorded } from "@parley/traffic/Recorder"
import * as Recorder from "@parley/traffic/Recorder"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** A line that says nothing, and why. */
export interface Problem {
  readonly _tag: "Problem"
  /** From 1; blank lines do not count. */
  readonly line: number
  readonly why: string
}

/** Something recorded, and its line. */
export interface Line {
  readonly _tag: "Line"
  readonly line: number
  readonly recorded: Recorded
}

/** A text of the largest frame, each of whose characters is escaped twice. */
const longest = 4 * Limits.defaults.frame

/** The lines of a file. */
export const linesOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Line | Problem, E, R> =>
  Stream.suspend(() => {
    const splitter = Framing.line.splitter({ ...Limits.defaults, frame: longest })
    const reader = new Reader()
    return Stream.concat(
      Stream.flatMap(bytes, (chunk) => Stream.fromIterable(reader.read(splitter.push(chunk)))),
      Stream.unwrap(Effect.sync(() => Stream.fromIterable(reader.read(splitter.end()))))
    )
  })

/** The lines of a text. */
export const linesIn = (text: string): ReadonlyArray<Line | Problem> =>
  new Reader().read(text.split("\n").filter((line) => line.trim() !== ""))

class Reader {
  #line = 0

  read(frames: ReadonlyArray<Framing.Frame>): ReadonlyArray<Line | Problem> {
    return frames.map((frame) => {
      const line = ++this.#line
      const problem = (why: string): Problem => ({ _tag: "Problem", line, why })
      if (typeof frame !== "string") {
        return problem(frame._tag === "BadFrame" ? `it is not readable (${frame.reason})` : frame.detail)
      }
      const read = Recorder.fromLine(frame)
      if (Result.isFailure(read)) return problem(`it is no line of a recording: ${describeCause(read.failure)}`)
      const recorded = read.success
      return recorded._tag === "Begun" && recorded.version > Recorder.version
        ? problem(`it was written in version ${recorded.version} of the format, and this reads ${Recorder.version}`)
        : { _tag: "Line", line, recorded }
    })
  }
}
