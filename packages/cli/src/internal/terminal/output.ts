/**
 * The two streams of the command: results on stdout, everything else on stderr.
 *
 * A closed reader (`parley call … | head -1`) is not a failure of the command.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { spinner } from "./Spinner.ts"
import * as style from "./style.ts"

/** Writes a line to stdout, and waits until it is written. */
export const print = (line: string): Effect.Effect<void> => writeLine(process.stdout, line)

/** Writes a text to stderr, and waits until it is written. What drives a terminal or is hidden is escaped. */
export const complain = (text: string): Effect.Effect<void> => writeLine(process.stderr, printable(text))

/** Writes to stderr why the command fails, behind its name, which is red on a terminal. */
export const fail = (message: string): Effect.Effect<void> =>
  writeLine(
    process.stderr,
    `${style.paint(style.styleOf(process.stderr).coloured, style.red, "parley:")} ${printable(message)}`
  )

/** Writes a line to either, and waits until it is written. */
export const writeLine = (stream: NodeJS.WriteStream, line: string): Effect.Effect<void> =>
  writeData(stream, `${line}\n`)

/** Writes to stdout as it is, and waits until it is written. */
export const write = (data: string | Uint8Array): Effect.Effect<void> => writeData(process.stdout, data)

/** Takes the errors of both streams, which would end the process otherwise. */
export const watch = Effect.sync(() => {
  process.stdout.on("error", ignore)
  process.stderr.on("error", ignore)
})

let failure: NodeJS.ErrnoException | undefined

/** Why stdout could not be written, such as a disk that is full. */
export const unwritten: Effect.Effect<Error | undefined> = Effect.sync(() =>
  failure?.code === "EPIPE" ? undefined : failure
)

/** Waits until a stream has nothing left to write. */
export const written = (stream: NodeJS.WriteStream): Effect.Effect<void> =>
  Effect.suspend(() => stream.writableLength > 0 ? writeData(stream, "") : Effect.void)

/** Waits until nobody reads stdout any more, as after `| head -1`: what would go on writing ends then. */
export const readerGone: Effect.Effect<undefined> = Effect.callback((resume) => {
  const done = () => resume(Effect.undefined)
  if (process.stdout.destroyed) return done()
  process.stdout.once("close", done)
  return Effect.sync(() => void process.stdout.off("close", done))
})

/** Waits until both streams have nothing left to write. */
export const flush = Effect.andThen(writeData(process.stdout, ""), writeData(process.stderr, ""))

/** A foreign text must not drive our terminal. */
export const printable = Excerpt.lines

/** Part of a line, such as a name: a foreign text with a line end would forge the next line. */
export const printableLine = (text: string): string => Excerpt.line(text, longestLine)

const longestLine = 4_096

/** A URL as a browser takes it, which drops line ends and writes other letters in ASCII: what is read is what is opened. */
export const printableUrl = (text: string): string =>
  Excerpt.line(URL.canParse(text) ? new URL(text).href : text, Infinity)

/** A foreign text of several lines, of which all but the first are indented, so that they pass for nothing of ours. */
export const printableParagraph = (text: string, indent: string): string =>
  text.trim().split("\n").map((line) => Excerpt.line(line.trimEnd(), Infinity)).join(`\n${indent}`)

const ignore = () => {}

function writeData(stream: NodeJS.WriteStream, data: string | Uint8Array): Effect.Effect<void> {
  return Effect.callback((resume) => {
    if (stream.destroyed) return resume(Effect.void)
    if (stream === process.stderr) spinner.makeWay(String(data))
    stream.write(data, (error) => {
      if (stream === process.stdout) failure ??= error ?? undefined
      resume(Effect.void)
    })
  })
}
