/** The suite `leaks`: errors tell a client nothing of the inside of the server. It looks at all errors of the run. */
import * as Redaction from "@parley/traffic/Redaction"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Suite from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Run } from "../../protocol/Protocol.ts"

/** The text of an error, of a response or of a tool that has failed. */
const errorOf = (text: string): string | undefined => {
  const message = Json.objectOf(text)
  if (message?.["error"] !== undefined) return strings(message["error"])
  const result = message?.["result"]
  return typeof result === "object" && result !== null && "isError" in result && result["isError"] === true
    ? strings(result)
    : undefined
}

/** All strings of a value, each on lines of its own. */
const strings = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" && value !== null
    ? Object.values(value).map(strings).filter((text) => text !== "").join("\n")
    : ""

interface Leak {
  readonly text: string
  readonly shown: string
}

/** The first error in which something is found, and what. */
const leaks = (run: Run, find: (error: string) => string | undefined): ReadonlyArray<Suite.Finding> => {
  const found = run.seen().flatMap((text): ReadonlyArray<Leak> => {
    const error = errorOf(text)
    const shown = error === undefined ? undefined : find(error)
    return shown === undefined ? [] : [{ text, shown }]
  })
  const [first] = found
  return first === undefined ? [] : [{
    expected: "an error that says what the client did wrong, and no more",
    received: found.length === 1 ? first.shown : `${first.shown} (and in ${found.length - 1} other errors)`,
    // A report goes further than the connection: what is secret in the error stays out of it.
    exchange: [{ direction: "received", text: Redaction.text(first.text) }]
  }]
}

/** Frames of JavaScript, Python, Java and .NET, Go, Rust and PHP. */
const frames = [
  /^\s{0,8}at .{0,200}[\w>)]:\d+(:\d+)?\)?$/m,
  /Traceback \(most recent call last\)/,
  /^\s{0,8}File ".{1,200}", line \d+/m,
  /^\s{0,8}at [\w.$<>]{3,200}\(.{0,200}\)/m,
  /^goroutine \d+ \[/m,
  /thread '.{0,60}' \(?.{0,20}\)? ?panicked at/,
  /^#\d+ .{1,200}\.php\(\d+\)/m
]

const first = (patterns: ReadonlyArray<RegExp>, text: string): string | undefined => {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return match[0].trim()
  }
  return undefined
}

/** Files of source code, wherever they are installed: a path that the client has sent names no such file. */
const sources = [
  /(?:\/[\w.@+-]{1,100}){2,20}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|php|cs)\b/,
  /[A-Za-z]:\\(?:[\w.@+ -]{1,100}\\){1,20}[\w.@+ -]{1,100}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|php|cs)\b/,
  /\/node_modules\/[\w.@+-]{1,100}/,
  /\/site-packages\/[\w.@+-]{1,100}/
]

/** The parts of an error that stand behind the name of a secret. */
const secretsIn = (error: string): ReadonlyArray<string> => {
  const [start = "", ...others] = Redaction.text(error).split(Redaction.mark)
  let at = start.length
  return others.map((kept) => {
    const end = kept === "" ? error.length : error.indexOf(kept, at)
    const secret = error.slice(at, end)
    at = end + kept.length
    return secret
  })
}

/** Whether somebody has drawn it: behind the name of a secret, an error also says "missing" or "required". */
const isDrawn = (secret: string): boolean => /\d/.test(secret)

const rules: ReadonlyArray<Suite.Rule<Run>> = [
  {
    id: "leaks/stack-trace",
    title: "No error has a stack trace",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/209.html",
    check: (run) => Effect.sync(() => leaks(run, (error) => first(frames, error)))
  },
  {
    id: "leaks/source-path",
    title: "No error names a file of the server's code",
    level: "should",
    section: "https://cwe.mitre.org/data/definitions/209.html",
    check: (run) => Effect.sync(() => leaks(run, (error) => first(sources, error)))
  },
  {
    id: "leaks/secret",
    title: "No error has a secret",
    level: "must",
    section: "https://cwe.mitre.org/data/definitions/209.html",
    check: (run) =>
      Effect.sync(() =>
        leaks(run, (error) => secretsIn(error).some(isDrawn) ? Redaction.text(error).trim().slice(0, 400) : undefined)
      )
  }
]

export const leaksSuite: Suite.Suite<Run> = Suite.make({
  name: "leaks",
  title: "Errors tell nothing of the inside of the server",
  prepare: (run: Run) =>
    Effect.gen(function*() {
      const ask = (text: string) => Effect.flatMap(run.shared, (line) => line.ask(text, Json.hasResponse))
      // Errors that any server has to give, so that the rules find some where they run alone.
      const asked = yield* Effect.result(ask(`{"jsonrpc":"2.0","id":"leaks","method":"parley.conform.leaks"}`))
      // A server that is gone has said something before.
      if (Result.isFailure(asked)) return run.seen().length > 0 ? run : yield* Effect.fail(asked.failure)
      yield* Effect.ignore(ask(`{"jsonrpc":`))
      const operations = yield* Effect.orElseSucceed(run.spoken.operations, () => [])
      const reading = operations.filter(({ input, isReadOnly }) => isReadOnly && Object.keys(input).length > 0)
      for (const { call } of reading.slice(0, 5)) {
        yield* Effect.ignore(Effect.flatMap(run.shared, (line) => call(line, { parley: [1, null, { a: "b" }] })))
      }
      // Params of the wrong kind, for which a server was not written, for methods that it has.
      for (const { method } of run.spoken.harmless) {
        for (const params of [{ parley: [1, null, { a: "b" }] }, { cursor: { a: 1 }, name: 7, uri: 7, arguments: 7 }]) {
          yield* Effect.ignore(ask(JSON.stringify({ jsonrpc: "2.0", id: `leaks-${method}`, method, params })))
        }
      }
      return run
    }),
  rules
})
