/**
 * The log of the command, on stderr: a line for each message, and below it the lines of its cause, indented. Whatever
 * others have written, also in a stack trace, drives no terminal and begins no line.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { spinner } from "./Spinner.ts"

/** The text of an entry of the log. */
export const format = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const now = date.getTime()
  const spans = fiber.getRef(References.CurrentLogSpans).map(([label, start]) => `${label}=${now - start}ms`)
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(([key, value]) =>
    `${key}=${textOf(value)}`
  )
  const said = [...(Array.isArray(message) ? message.map(textOf) : [textOf(message)]), ...annotations].join(" ")
  const head = [`[${timeOf(date)}]`, logLevel.toUpperCase(), `(#${fiber.id})`, ...spans].join(" ")
  const below = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n").map((line) => `    ${line.trim()}`)
  return [`${head}: ${said}`, ...below].map((line) => Excerpt.line(line, Infinity)).join("\n")
})

/** Writes each entry to stderr: stdout carries results, or the wire. */
export const logger = Logger.map(format, (text) => void spinner.stream.write(`${text}\n`))

const textOf = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? `${part.name}: ${part.message}` : Formatter.format(part)

const timeOf = (date: Date): string =>
  date.toTimeString().slice(0, 8) + `.${`${date.getMilliseconds()}`.padStart(3, "0")}`
