/**
 * The headers that the command line names. A value may be a secret, so it may come from a file or a variable, which other
 * users of a machine do not see among its processes, and no message shows a value.
 */
import * as Effect from "effect/Effect"
import { type Reason, stdin } from "../arguments/grammar/ArgumentError.ts"
import * as sources from "../arguments/grammar/sources.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"

/** The flags, each of which may be repeated. */
export interface Input {
  /** `NAME: VALUE`. */
  readonly typed: ReadonlyArray<string>
  /** `NAME=FILE`, or `NAME: PREFIX=FILE`. */
  readonly file: ReadonlyArray<string>
  /** `NAME=VARIABLE`, or `NAME: PREFIX=VARIABLE`. */
  readonly env: ReadonlyArray<string>
}

/** Whether a flag names a header. */
export const isNamed = ({ env, file, typed }: Input): boolean => typed.length + file.length + env.length > 0

/** The headers, by their names in lower case. */
export const fromInput = (
  { env, file, typed }: Input
): Effect.Effect<Readonly<Record<string, string>>, CommandError> =>
  Effect.flatMap(
    Effect.all([
      Effect.forEach(typed, headerOf),
      Effect.forEach(file, (text) => pointed("--header-file", text, "FILE", fileOf)),
      Effect.forEach(env, (text) => pointed("--header-env", text, "VARIABLE", variableOf))
    ]),
    (headers) => joined(headers.flat())
  )

/** A character that HTTP cannot carry in a value (RFC 9110, 5.5): only those of ISO 8859-1 are one byte. */
const strange = /[^\t\x20-\x7e\xa0-\xff]/

/** Refuses a value that HTTP cannot carry, without showing it. */
const carried = (name: string, value: string): Effect.Effect<string, CommandError> =>
  strange.test(value)
    ? Effect.fail(
      usage(
        `the value of the header ${name} has a character that HTTP cannot carry`,
        "write it in ASCII, encoded as the server expects it"
      )
    )
    : Effect.succeed(value)

type Header = readonly [name: string, value: string]

const headerOf = (text: string): Effect.Effect<Header, CommandError> => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\p{Cc}]*)$/u.exec(text) ?? []
  // Its value may be a secret, so the message does not show it.
  return name === undefined || value === undefined
    ? Effect.fail(
      usage("a --header is not of the form 'NAME: VALUE'", "for example --header 'Authorization: Bearer …'")
    )
    : Effect.map(carried(name, value.trimEnd()), (value) => [name.toLowerCase(), value])
}

/** A header whose value, or the end of it, is elsewhere. */
const pointed = Effect.fnUntraced(function*(
  flag: string,
  text: string,
  what: string,
  read: (place: string, name: string) => Effect.Effect<string, CommandError>
): Effect.fn.Return<Header, CommandError> {
  const [, name, prefix = "", place] = /^([\w!#$%&'*+.^`|~-]+)(?::[ \t]*([^=\p{Cc}]*))?=([^]+)$/u.exec(text) ?? []
  if (name === undefined || place === undefined) {
    // It may be a header itself, with its secret.
    return yield* usage(`a ${flag} is not of the form NAME=${what}`, `for example ${flag} ${examples[what]}`)
  }
  const secret = (yield* read(place, name)).trim()
  if (secret === "" || /\p{Cc}/u.test(secret)) {
    return yield* usage(
      `${flag} ${name}: ${printableLine(place)} ${secret === "" ? "is empty" : "has more than one line"}`,
      "it must hold the value of the header, or what follows its prefix"
    )
  }
  return [name.toLowerCase(), yield* carried(name, prefix === "" ? secret : `${prefix.trimEnd()} ${secret}`)]
})

const examples: Readonly<Record<string, string>> = {
  FILE: "'Authorization: Bearer=token.txt'",
  VARIABLE: "'Authorization: Bearer=API_TOKEN'"
}

const fileOf = (file: string, name: string): Effect.Effect<string, CommandError> =>
  Effect.mapError(sources.textOf(file), ({ message, reason }) =>
    usage(
      // Where the value stands in place of its file, that is the secret.
      file === stdin
        ? `--header-file: ${message}`
        : `--header-file ${name}: the file behind the = ${faultOf(reason)}`,
      "it names a file that holds the value of the header"
    ))

/** The fault of a file, without its path, which the system says in its message. */
const faultOf = (reason: Reason): string => {
  if (reason._tag !== "Unread") return reason._tag === "NotUtf8" ? "is not text in UTF-8" : "is too large"
  const { cause } = reason
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return `cannot be read${typeof code === "string" ? `: ${code}` : ""}`
}

const variableOf = (variable: string, name: string): Effect.Effect<string, CommandError> => {
  const value = process.env[variable]
  // Where a shell has put the value in place of the variable's name, that is the secret.
  return value === undefined
    ? Effect.fail(
      usage(
        `--header-env ${name}: there is no environment variable of the name behind the =`,
        "write the name of a variable, without a $"
      )
    )
    : Effect.succeed(value)
}

/** Headers whose value is no list, and of which a request has one (RFC 9110, 5.3). */
const single = ["authorization", "proxy-authorization", "content-type", "host", "origin", "referer", "user-agent"]

/** Values of one name are one, as RFC 9110, 5.3 has it. */
const joined = (
  headers: ReadonlyArray<Header>
): Effect.Effect<Readonly<Record<string, string>>, CommandError> => {
  const values = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = values.get(name)
    if (before !== undefined && single.includes(name)) {
      return Effect.fail(usage(`the header ${name} is given twice`, "a request has one; leave out one of the flags"))
    }
    values.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Effect.succeed(Object.fromEntries(values))
}
