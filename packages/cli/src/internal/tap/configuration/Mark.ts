/**
 * The words of a tap before those of a server, which are its mark: what `wrap` writes, and what `unwrap` recognizes.
 *
 * ```text
 * PROGRAM… tap --wrapped MEMBERS --listen stdio: --record FILE [--header-env NAME=VARIABLE]… -- stdio: COMMAND ARGUMENT…
 *                                                                                            -- URL
 * ```
 */
import * as Result from "effect/Result"
import type { Node } from "jsonc-parser"
import { type Members, textsOf } from "./Servers.ts"

/** The program that taps: its command, and the arguments before the name of the subcommand. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** The program of this package, where npx runs it. */
export const npx: Program = { command: "npx", args: ["-y", "@parley/cli"] }

/** The flag by which a tap takes a header from a variable: others see the arguments of a process, and not its variables. */
const headerFlag = "--header-env"

/** The variable of a header. */
export const variableOf = (header: string): string => `PARLEY_HEADER_${header.toUpperCase().replaceAll(/\W/g, "_")}`

/** The words before the server. */
export const wordsOf = (
  program: Program,
  changed: ReadonlyArray<string>,
  recording: string,
  headers: Iterable<string>
): ReadonlyArray<string> => [
  ...program.args,
  ...["tap", "--wrapped", changed.join(","), "--listen", "stdio:", "--record", recording],
  ...Array.from(headers, (name) => [headerFlag, `${name}=${variableOf(name)}`]).flat(),
  "--",
  ...changed[0] === "command" ? ["stdio:"] : []
]

/** The tap before a server, as its arguments tell of it. */
export interface Mark {
  /** The names of the members that `wrap` has changed, `type` with its value. */
  readonly changed: ReadonlyArray<string>
  /** All arguments. */
  readonly words: ReadonlyArray<Node>
  /** The place of the word with the command or the URL of the server. */
  readonly server: number
  /** The file to which the messages are added. */
  readonly recording: string
  /** The headers by their variables. */
  readonly headers: ReadonlyMap<string, string>
}

/** The place of `--wrapped`, or -1. */
const placeIn = (texts: ReadonlyArray<string>): number =>
  texts.findIndex((text, index) => text === "--wrapped" && texts[index - 1] === "tap")

const textsIn = (members: Members): ReadonlyArray<string> => {
  const args = members.get("args")?.value
  return (args && textsOf(args)) ?? []
}

/** Whether a server has a tap, as `wrap` has written it or changed since. */
export const isIn = (members: Members): boolean => placeIn(textsIn(members)) >= 0

/** The members that may be changed. */
const changes = /^(?:command(?:,args)?|(?:url|serverUrl)(?:,headers)?(?:,type=[\w.-]+)?)$/

/** The mark of a server that has one. Fails where a word is not what `wrap` writes there. */
export const fromMembers = (members: Members): Result.Result<Mark, string> => {
  const texts = textsIn(members)
  const unexpected = (index: number, expected: string) =>
    Result.fail(`word ${index + 1} of its args is not ${expected}, as --wrap has written it`)
  const place = placeIn(texts)
  if (place !== 2 && texts.slice(0, place - 1).join(" ") !== npx.args.join(" ")) {
    return unexpected(1, "\"tap\" behind the path of parley")
  }
  const change = texts[place + 1] ?? ""
  if (!changes.test(change)) return unexpected(place + 1, "the names of changed members")
  const changed = change.split(",")
  const headers = new Map<string, string>()
  // The recording, behind its flag, may be any file.
  let next = place + 6
  while (texts[next] === headerFlag) {
    const [name = "", variable] = texts[next + 1]?.split("=") ?? []
    if (variable !== variableOf(name)) return unexpected(next + 1, "a header and its variable")
    headers.set(variable, name)
    next += 2
  }
  const recording = texts[place + 5] ?? ""
  const written = wordsOf({ ...npx, args: texts.slice(0, place - 1) }, changed, recording, headers.values())
  const other = written.findIndex((word, index) => word !== texts[index])
  if (other >= 0) return unexpected(other, JSON.stringify(written[other]))
  const server = written.length
  if (texts[server] === undefined) return unexpected(server, "the command or the URL of the server")
  if (!changed.includes("args") && texts.length > server + 1) {
    return Result.fail(`its args go on behind word ${server + 1}, which was the last one of --wrap`)
  }
  return Result.succeed({ changed, words: members.get("args")?.value.children ?? [], server, recording, headers })
}
