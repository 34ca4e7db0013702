/**
 * Shows what passes on a stream: a line for each entry, for a person at a terminal, or as JSON for a pipe.
 *
 * Traffic waits while what shows it is not read. One frame at a time becomes lines, which are as large as it is: not even
 * one whose connection has ended in the meantime leaves its lines to the next.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as json from "../terminal/json.ts"
import { writeLine, written } from "../terminal/output.ts"
import { usualColumns } from "../terminal/style.ts"
import type { Filter } from "./Filter.ts"
import * as lines from "./lines.ts"
import { type Entry, type Seen, Story } from "./Story.ts"

/** The traffic that a display shows, and where it stands. */
export interface Options {
  readonly stream: NodeJS.WriteStream
  readonly dialect?: Dialect.Dialect | undefined
  readonly filter: Filter
  /** Whether something else may stand in the line of the terminal, such as the progress of a call. It is taken away. */
  readonly isShared?: boolean | undefined
  /** Whether secrets are shown as they are. */
  readonly secrets: boolean
  /** Leaves the secrets of a text out, which something else may have done already. */
  readonly redact?: ((text: string) => string) | undefined
}

/** Takes away what stands in the line of a terminal. */
const clear = "\r\u001b[K"

/** Shows frames, one by one. */
export const make = (
  { dialect = Dialect.jsonRpc, filter, isShared = false, redact = Redaction.text, secrets, stream }: Options
): (seen: Seen) => Effect.Effect<void> => {
  const story = new Story(undefined, dialect)
  const { coloured, pretty } = json.styleOf(stream)
  const turn = Semaphore.makeUnsafe(1)
  let several = false
  const lineOf = (entry: Entry) => {
    const shown = secrets ? entry : redacted(entry, redact)
    if (!pretty) return lines.forPipe(shown)
    const width = stream.columns || usualColumns
    const line = lines.forPerson(shown, { width, coloured, several })
    return isShared ? clear + line : line
  }
  return (seen) =>
    turn.withPermit(Effect.flatMap(written(stream), () => {
      several ||= seen.connection > 1
      const entries = story.tell(seen).filter(filter)
      return Effect.forEach(entries, (entry) => writeLine(stream, lineOf(entry)), { discard: true })
    }))
}

/** The entry without secrets. Its size is that of the text that passed. */
const redacted = (
  { error, id, method, problem, text, ...entry }: Entry,
  redact: (text: string) => string
): Entry => ({
  ...entry,
  ...(method !== undefined && { method: redact(method) }),
  ...(id !== undefined && { id: typeof id === "string" ? redact(id) : id }),
  ...(error !== undefined && { error: { ...error, message: redact(error.message) } }),
  ...(problem !== undefined && { problem: redact(problem) }),
  text: redact(text)
})
