/** Vitest loads this before each file of tests: a test fails where a line of the log has a character that drives or hides. */
import { afterEach, beforeEach } from "vitest"
import * as LogSink from "./LogSink.ts"

LogSink.install()

beforeEach(() => void LogSink.drain())

afterEach(() => {
  const [first] = LogSink.drain()
  if (first !== undefined) throw new Error(`the log has a character that Excerpt escapes, in ${first}`)
})
