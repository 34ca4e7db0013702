/**
 * What a bridge does, in plain words on stderr: one line each. Over stdio, stdout is the wire.
 */
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import * as json from "../../terminal/json.ts"
import { printableLine } from "../../terminal/output.ts"

/** Says who speaks before each line. */
export interface Narrator {
  /** Says what we do. */
  readonly say: (sentence: string) => Effect.Effect<void>
  /** Shows a line that the server behind has written to stderr, or drops it while too many wait to be written. */
  readonly show: (line: string) => void
  /** Shows a line that it has written to stdout and that is no message, and says once what is wrong with that. */
  readonly stray: (line: string) => void
}

/** Characters that may wait to be written before the lines of a server are dropped: a host need not read our stderr. */
const mostWaiting = 256 * 1024

/** A narrator with a name for us and one for the server, which are coloured on a terminal. */
export const make = (us: string, server: string, stream: NodeJS.WriteStream = process.stderr): Narrator => {
  const { coloured } = json.styleOf(stream)
  const write = (colour: number, name: string, text: string) => {
    const prefix = coloured ? `\u001b[${colour}m${name}\u001b[39m` : name
    stream.write(`${prefix} ${printableLine(text)}\n`)
  }
  let dropped = 0
  const tellDropped = () => {
    if (dropped === 0) return
    write(cyan, us, `${dropped} ${dropped === 1 ? "line" : "lines"} of the server dropped: stderr is read too slowly`)
    dropped = 0
  }
  const show = (line: string) => {
    if (stream.writableLength > mostWaiting) {
      dropped++
      return
    }
    tellDropped()
    write(yellow, server, line)
  }
  let hasStrayed = false
  return {
    say: (sentence) =>
      Effect.sync(() => {
        tellDropped()
        write(cyan, us, sentence)
      }),
    show,
    stray: (line) => {
      if (!hasStrayed) write(cyan, us, "the server writes to stdout what is no message, which belongs on stderr:")
      hasStrayed = true
      show(Redaction.text(line))
    }
  }
}

const cyan = 36
const yellow = 33
