/**
 * A tap before the servers of a host's configuration.
 *
 * The words of the tap are put before those of the server, whose own text stays as it is written. `--wrapped` names the
 * members that this has changed, for `unwrap`.
 */
import * as Result from "effect/Result"
import type { Edit, Node } from "jsonc-parser"
import * as Mark from "./Mark.ts"
import * as Servers from "./Servers.ts"
import { type Edits, type Entry, inserting, type Member, membersOf, replacing, sourceOf, textsOf } from "./Servers.ts"

export interface Wrapping {
  readonly program: Mark.Program
  /** The file to which the messages of a server are added. */
  readonly recordingOf: (server: string) => string
}

/** Why a server has its tap already. */
export const already = "it has a tap already"

/** Puts a tap before these servers, or before all where none is named. Fails where the text is no configuration. */
export const wrap = (
  text: string,
  names: ReadonlyArray<string>,
  wrapping: Wrapping
): Result.Result<Servers.Outcome, string> => Servers.change(text, names, (entry) => wrapped(entry, wrapping))

/** The members of which a server has one, with the URL of it. */
const addresses = ["url", "serverUrl"] as const

const wrapped = (entry: Entry, wrapping: Wrapping): Edits => {
  const { members } = entry
  if (Mark.isIn(members)) return Result.fail(already)
  const command = members.get("command")
  const address = addresses.flatMap((name) => members.get(name) ?? [])
  if (address.length + (command === undefined ? 0 : 1) !== 1) {
    return Result.fail("it has neither a command alone nor a URL alone")
  }
  const args = members.get("args")
  if (args !== undefined && textsOf(args.value) === undefined) return Result.fail("its args are not a list of texts")
  return command === undefined ? wrappedUrl(entry, address[0]!, wrapping) : wrappedCommand(entry, command, wrapping)
}

/** The arguments of a tap, as members of an array without its brackets. `source` is what the tap is put before. */
const argsOf = (
  { path: [, name] }: Entry,
  { program, recordingOf }: Wrapping,
  changed: ReadonlyArray<string>,
  source: string,
  headers: Iterable<string> = []
): string => {
  const words = Mark.wordsOf(program, changed, recordingOf(name), headers)
  return [...words.map((word) => JSON.stringify(word)), source].join(", ")
}

const wrappedCommand = (entry: Entry, { property, value }: Member, wrapping: Wrapping): Edits => {
  const { members, text } = entry
  if (value.type !== "string") return Result.fail("its command is not a text")
  const args = members.get("args")?.value
  const mark = args === undefined ? ["command"] : ["command", "args"]
  const words = argsOf(entry, wrapping, mark, sourceOf(text, value))
  const command = JSON.stringify(wrapping.program.command)
  if (args === undefined) {
    return Result.succeed([replacing(value, `${command},${indentOf(text, property)}"args": [${words}]`)])
  }
  const [first] = args.children ?? []
  return Result.succeed([
    replacing(value, command),
    first === undefined ? inserting(args.offset + 1, words) : inserting(first.offset, `${words}, `)
  ])
}

/**
 * The user, the password and the query of a URL may be secrets, as `Endpoint.withoutSecrets` has it. So may a variable,
 * which the host would replace by its value.
 */
const secretPart = /^[^/]*\/\/[^/?]*@|[?$]/

/** Members by which a host signs in at a server, or finds its headers: it does not for a command. */
const signIns = ["oauth", "auth", "headersHelper"] as const

/** A value that a mark may have. */
const plain = /^"[\w.-]+"$/

const wrappedUrl = (entry: Entry, { key, property, value }: Member, wrapping: Wrapping): Edits => {
  const { members, text } = entry
  if (value.type !== "string" || !/^(?:https?:|\$\{)/i.test(value.value)) {
    return Result.fail("its URL is not one of http or https")
  }
  if (secretPart.test(value.value)) {
    return Result.fail("its URL has a user, a query or a variable: these may be secrets, and arguments are seen by all")
  }
  const signIn = signIns.find((name) => members.has(name))
  if (signIn !== undefined) return Result.fail(`it has ${signIn}, by which its host signs in, and would no longer`)
  if (members.has("args")) return Result.fail("it has args beside its URL")
  const headers = headersOf(entry)
  if (Result.isFailure(headers)) return Result.fail(headers.failure)
  const type = members.get("type")?.value
  const sources = [sourceOf(text, key), ...type === undefined ? [] : [sourceOf(text, type)]]
  if (!sources.every((source) => plain.test(source))) return Result.fail("its type or the name of its URL is unusual")
  const mark = [
    key.value,
    ...headers.success.edits.length > 0 ? ["headers"] : [],
    ...type === undefined ? [] : [`type=${type.value}`]
  ]
  const words = argsOf(entry, wrapping, mark, sourceOf(text, value), headers.success.names)
  const command = JSON.stringify(wrapping.program.command)
  return Result.succeed([
    replacing(key, `"command": ${command},${indentOf(text, property)}"args"`),
    replacing(value, `[${words}]`),
    ...type === undefined ? [] : [replacing(type, `"stdio"`)],
    ...headers.success.edits
  ])
}

/** The headers of a server as variables of its tap. Their values stay as they are written, and where. */
const headersOf = (
  { members, text }: Entry
): Result.Result<{ readonly names: ReadonlyArray<string>; readonly edits: ReadonlyArray<Edit> }, string> =>
  Result.gen(function*() {
    const headers = members.get("headers")
    if (headers === undefined) return { names: [], edits: [] }
    const all = yield* membersOf(headers.value)
    if (members.has("env")) {
      return all.size === 0 ? { names: [], edits: [] } : yield* Result.fail("it has env beside its URL")
    }
    const names: Array<string> = []
    const edits = [replacing(headers.key, `"env"`)]
    const variables = new Set<string>()
    for (const { key, value } of all.values()) {
      const variable = Mark.variableOf(key.value)
      if (
        value.type !== "string" || value.value === "" || !plain.test(sourceOf(text, key)) || variables.has(variable)
      ) {
        return yield* Result.fail(`its header ${JSON.stringify(key.value)} is unusual`)
      }
      variables.add(variable)
      names.push(key.value)
      edits.push(replacing(key, JSON.stringify(variable)))
    }
    return { names, edits }
  })

/** The white space before a member, which JSON has less of than comments. */
const indentOf = (text: string, { offset }: Node): string => {
  let start = offset
  while (/[ \t\r\n]/.test(text[start - 1] ?? "")) start--
  return text.slice(start, offset)
}
