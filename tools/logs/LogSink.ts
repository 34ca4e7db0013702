/**
 * Sees each line that is logged in this process, whatever loggers its program has, and finds the characters in it that
 * `Excerpt` would have escaped: what the other side wrote was logged as it came.
 *
 * It looks at what a program would write: the lines of the level that it logs, their annotations, and causes and errors as
 * they are printed.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { inspect } from "node:util"

/** Files of tests share a process, and each of them loads this one. */
interface Shared {
  parleyLogOffences?: Array<string>
}

// What stands on the global object is only ours by its name.
const shared = globalThis as Shared

const offences = shared.parleyLogOffences ??= []

/** Where such a character stood, and the escaped text, since the last time that this was asked. */
export const drain = (): ReadonlyArray<string> => offences.splice(0)

/** Offences that are kept, and characters of each. */
const most = 10
const longest = 2_000

const compare = (where: string, text: string, escaped: string): void => {
  if (text !== escaped && offences.length < most) offences.push(`${where}: ${escaped.slice(0, longest)}`)
}

/** A text is a part of one line. An error or another object is printed over several, by an inspector. */
const examine = (where: string, part: unknown): void => {
  if (typeof part === "string") return compare(where, part, Excerpt.line(part, Infinity))
  const text = inspect(part, { depth: 8 })
  compare(where, text, Excerpt.lines(text))
}

const sink = Logger.make<unknown, void>(({ cause, fiber, message }) => {
  for (const part of Array.isArray(message) ? message : [message]) examine("the message", part)
  if (cause.reasons.length > 0) {
    const text = Cause.pretty(cause)
    compare("the cause", text, Excerpt.lines(text))
  }
  for (const [key, value] of Object.entries(fiber.getRef(References.CurrentLogAnnotations))) {
    examine("the name of an annotation", key)
    examine(`the annotation ${key}`, value)
  }
})

type Loggers = ReadonlySet<Logger.Logger<unknown, unknown>>

const made = new WeakMap<Loggers, Loggers>()

const withSink = (loggers: Loggers): Loggers => {
  const known = made.get(loggers)
  if (known !== undefined) return known
  const both = new Set([...loggers, sink])
  made.set(loggers, both)
  return both
}

/** The class of fibers. */
interface Watched {
  getRef: (ref: unknown) => unknown
  isWatched?: boolean
}

/** Puts the sink where each line asks for its loggers: tests replace those of their programs. */
export const install = (): void => {
  const prototype: Watched = Object.getPrototypeOf(Effect.runFork(Effect.void))
  if (prototype.isWatched === true) return
  const { getRef } = prototype
  prototype.isWatched = true
  prototype.getRef = function(this: unknown, ref) {
    const found = getRef.call(this, ref)
    // The reference to the loggers has loggers.
    return Object.is(ref, Logger.CurrentLoggers) ? withSink(found as Loggers) : found
  }
}
