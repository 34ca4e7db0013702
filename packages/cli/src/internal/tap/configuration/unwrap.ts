/**
 * The removal of a tap, which gives every character of the configuration back: comments, layout and escapes. A server that
 * somebody has changed in the meantime stays as it is where its own members can no longer be told from those of the tap.
 */
import * as Result from "effect/Result"
import { type Edit, modify } from "jsonc-parser"
import * as Mark from "./Mark.ts"
import * as Servers from "./Servers.ts"
import { endOf, type Entry, type Member, type Members, removing, replacing, sourceOf } from "./Servers.ts"

/** Why a server has no tap that could be taken away. */
export const untapped = "it has no tap of --wrap"

/** A configuration without taps. */
export interface Unwrapped extends Servers.Outcome {
  /** The files of the taps that were taken away, by their servers. They stay. */
  readonly recordings: ReadonlyMap<string, string>
}

/** Takes the tap of these servers away, or of all where none is named. */
export const unwrap = (text: string, names: ReadonlyArray<string>): Result.Result<Unwrapped, string> => {
  const recordings = new Map<string, string>()
  const outcome = Servers.change(text, names, (entry) =>
    Result.map(unwrapped(entry), ({ edits, recording }) => {
      recordings.set(entry.path[1], recording)
      return edits
    }))
  return Result.map(outcome, (outcome) => ({ ...outcome, recordings }))
}

interface Removal {
  readonly edits: ReadonlyArray<Edit>
  readonly recording: string
}

const unwrapped = (entry: Entry): Result.Result<Removal, string> => {
  const { members } = entry
  if (!Mark.isIn(members)) return Result.fail(untapped)
  const command = members.get("command")
  if (command === undefined) return Result.fail("it has no command any more, as --wrap has written one")
  return Result.flatMap(Mark.fromMembers(members), (mark) => {
    const { recording } = mark
    if (mark.changed[0] === "command") {
      return Result.succeed({ edits: unwrappedCommand(entry, command, mark), recording })
    }
    const changed = changedSince(members, mark)
    return changed === undefined
      ? Result.succeed({ edits: unwrappedUrl(entry, command, mark), recording })
      : Result.fail(changed)
  })
}

/** How the members of a server at a URL differ from those that `wrap` has written. */
const changedSince = (members: Members, { changed, headers, server, words }: Mark.Mark): string | undefined => {
  const [address = ""] = changed
  if (!/^(?:https?:|\$\{)/i.test(words[server]?.value)) return `word ${server + 1} of its args is not its URL`
  const twice = [address, ...changed.includes("headers") ? ["headers"] : []].find((name) => members.has(name))
  if (twice !== undefined) return `it has ${twice} already, which --wrap has put elsewhere`
  const kind = changed.some((name) => name.startsWith("type=")) ? "stdio" : undefined
  if (members.get("type")?.value.value !== kind) {
    return `its type is not ${kind ?? "absent"}, as --wrap has left it`
  }
  if (!changed.includes("headers")) return undefined
  const env = members.get("env")?.value
  if (env?.type !== "object") return "its env is not there, in which --wrap has put the headers"
  const variables = (env.children ?? []).map(({ children: [key] = [] }): string => key?.value)
  const differing = [
    ...variables.filter((name) => !headers.has(name)),
    ...[...headers.keys()].filter((name) => !variables.includes(name))
  ]
  return differing.length === 0
    ? undefined
    : `its env is not that of its headers any more, because of ${differing.join(", ")}`
}

const unwrappedCommand = ({ path, text }: Entry, { value }: Member, mark: Mark.Mark): ReadonlyArray<Edit> => {
  const { changed, server, words } = mark
  // A mark has its first word and that of the server.
  const [first, own] = [words[0]!, words[server]!]
  const restored = replacing(value, sourceOf(text, own))
  if (!changed.includes("args")) return [restored, ...modify(text, [...path, "args"], undefined, {})]
  return [restored, removing(first.offset, words[server + 1]?.offset ?? endOf(own))]
}

const unwrappedUrl = ({ members, path, text }: Entry, command: Member, mark: Mark.Mark): ReadonlyArray<Edit> => {
  const { changed: [name, ...changed], server, words } = mark
  // The words of a mark stand in `args`.
  const args = members.get("args")!
  const siblings = args.property.parent?.children ?? []
  const next = siblings[siblings.indexOf(command.property) + 1]
  const kind = changed.find((member) => member.startsWith("type="))?.slice("type=".length)
  const type = members.get("type")
  return [
    ...next === undefined
      ? modify(text, [...path, "command"], undefined, {})
      : [removing(command.property.offset, next.offset)],
    replacing(args.key, JSON.stringify(name)),
    replacing(args.value, sourceOf(text, words[server]!)),
    ...kind === undefined || type === undefined ? [] : [replacing(type.value, JSON.stringify(kind))],
    ...changed.includes("headers") ? unwrappedHeaders(members.get("env"), mark) : []
  ]
}

const unwrappedHeaders = (env: Member | undefined, { headers }: Mark.Mark): ReadonlyArray<Edit> => {
  if (env === undefined) return []
  const keys = (env.value.children ?? []).flatMap(({ children: [key] = [] }) => key ?? [])
  return [
    replacing(env.key, `"headers"`),
    ...keys.map((key) => replacing(key, JSON.stringify(headers.get(key.value))))
  ]
}
