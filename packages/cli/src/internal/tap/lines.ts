/**
 * An entry as a line: for a person at a terminal, or as JSON for a pipe.
 */
import { RequestId } from "@parley/protocol/shared"
import * as DateTime from "effect/DateTime"
import { printable } from "../terminal/output.ts"
import type { Entry } from "./Story.ts"

/** The terminal that shows a line to a person. */
export interface Screen {
  /** Columns of the terminal. */
  readonly width: number
  readonly coloured: boolean
  /** Whether connections have to be told apart. */
  readonly several: boolean
}

/** `12:34:56.789 → #2 subtract 7 41 B {"jsonrpc":…`, cut to the width. Local time is not known to others; it is UTC. */
export const forPerson = (entry: Entry, { coloured, several, width }: Screen): string => {
  const paint = (code: string, text: string): Piece => ({ text, code: coloured ? code : undefined })
  const { connection, direction, error, id, member, method, milliseconds, problem } = entry
  const isSent = direction === "sent"
  const { status = 0 } = entry
  const isMessage = entry.kind !== "end" && entry.kind !== "http"
  return cut([
    paint(grey, timeOf(entry).slice(11, 23)),
    paint(isSent ? cyan : green, isSent ? "→" : "←"),
    ...several ? [paint(grey, `#${connection}`)] : [],
    ...member === undefined ? [] : [paint(grey, `[${member}]`)],
    ...method === undefined ? [] : [paint(bold, method)],
    ...id === undefined ? [] : [paint(yellow, RequestId.toText(id))],
    ...milliseconds === undefined ? [] : [paint(magenta, `${milliseconds} ms`)],
    ...error === undefined ? [] : [paint(red, `error ${error.code}: ${error.message}`)],
    ...problem === undefined ? [] : [paint(red, `(${problem})`)],
    ...entry.kind === "http" ? [paint(status < 400 ? grey : red, entry.text)] : [],
    ...isMessage ? [paint(grey, `${entry.bytes} B`), paint(grey, entry.text)] : []
  ], width)
}

/** One object per line: the same facts, and the whole text. */
export const forPipe = (entry: Entry): string => {
  const { connection, direction, error, id, kind, member, method, milliseconds, problem } = entry
  return JSON.stringify({
    time: timeOf(entry),
    connection,
    direction,
    kind,
    member,
    method,
    id,
    milliseconds,
    error,
    problem,
    status: entry.status,
    bytes: entry.bytes,
    text: entry.text
  })
}

const timeOf = ({ time }: Entry): string => DateTime.formatIso(DateTime.makeUnsafe(time))

interface Piece {
  readonly text: string
  readonly code: string | undefined
}

/** The pieces with a blank between two, as far as there is room; an ellipsis stands for the rest. */
const cut = (pieces: ReadonlyArray<Piece>, width: number): string => {
  let line = ""
  let room = width
  for (const { code, text } of pieces) {
    if (line !== "") {
      if (room < 2) break
      line += " "
      room--
    }
    const shown = shorten(text, room)
    line += code === undefined ? shown : `\u001b[${code}m${shown}\u001b[0m`
    room -= shown.length
  }
  return line
}

/** One line of at most so many characters, in which nothing drives a terminal. A character may become six. */
const shorten = (text: string, room: number): string => {
  const flat = printable(text.slice(0, room + 1).replace(/\s+/g, " "))
  return flat.length <= room && text.length <= room ? flat : `${wholeTo(flat, Math.max(room - 1, 0))}…`
}

/** The first characters, and no half of one. */
const wholeTo = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "")

const bold = "1"
const grey = "2"
const red = "31"
const green = "32"
const yellow = "33"
const magenta = "35"
const cyan = "36"
