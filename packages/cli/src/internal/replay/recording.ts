/** Reads the file of a recording. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as Recording from "@parley/conform/Recording"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { complain, printableLine } from "../terminal/output.ts"

/** The recording of a file. Lines that say nothing are told on stderr. */
export const read = (file: string): Effect.Effect<Recording.Recording, CommandError> =>
  Effect.gen(function*() {
    const { stream } = yield* FileSystem.FileSystem
    const recording = yield* Recording.read(stream(file))
    if (recording.conversations.length === 0) {
      const [problem] = recording.problems
      const why = problem === undefined
        ? "has no messages"
        : `is no recording: line ${problem.line}: ${problem.why}`
      return yield* usage(`${printableLine(file)} ${why}`, "parley record and tap --record write a recording")
    }
    for (const { line, why } of recording.problems.slice(0, mostTold)) {
      yield* complain(printableLine(`${file}: line ${line} is left out: ${why}`))
    }
    return recording
  }).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.catchTags({
      PlatformError: (error) =>
        Effect.fail(usage(
          `${printableLine(file)} cannot be read: ${describeCause(error.cause ?? error)}`,
          "FILE is a recording of parley record, or of tap --record"
        )),
      RecordingTooLarge: ({ message }) =>
        Effect.fail(usage(`${printableLine(file)}: ${message}`, "record less, or cut the file into several"))
    })
  )

const mostTold = 10

/** The framing of a recorded stream, as the flags name it. */
export const framingOf = (
  { conversations }: Recording.Recording
): "line" | "content-length" | "concatenated" | undefined => {
  switch (conversations.find(({ framing }) => framing !== undefined)?.framing) {
    case "line":
      return "line"
    case "contentLength":
      return "content-length"
    case "concatenated":
      return "concatenated"
    default:
      return undefined
  }
}
