/**
 * The servers of a host's configuration, as places in its text: a change edits these places, and nothing else.
 */
import * as Result from "effect/Result"
import { applyEdits, type Edit, type Node } from "jsonc-parser"
import * as jsonc from "../../files/jsonc.ts"

/** A changed configuration. */
export interface Outcome {
  readonly text: string
  readonly changed: ReadonlyArray<string>
  /** The servers that stay as they are, each with the reason. */
  readonly left: ReadonlyMap<string, string>
}

/** One server of a configuration. */
export interface Entry {
  readonly text: string
  /** The way to it from the root. */
  readonly path: readonly [list: string, name: string]
  readonly members: Members
}

export interface Member {
  readonly property: Node
  readonly key: Node
  readonly value: Node
}

export type Members = ReadonlyMap<string, Member>

export type Edits = Result.Result<ReadonlyArray<Edit>, string>

/** The member with the servers, by the kind of the host. */
const lists = ["mcpServers", "servers", "context_servers"] as const

/** Changes these servers, or all where none is named. Fails where the text is no configuration. */
export const change = (
  text: string,
  names: ReadonlyArray<string>,
  editsOf: (entry: Entry) => Edits
): Result.Result<Outcome, string> =>
  Result.gen(function*() {
    const edits: Array<Edit> = []
    const changed = new Set<string>()
    const { left, servers } = yield* serversOf(text)
    const unknown = names.find((name) => !servers.some((server) => server.path[1] === name))
    if (unknown !== undefined) {
      const all = new Set(servers.map(({ path: [, name] }) => name))
      return yield* Result.fail(`there is no server ${JSON.stringify(unknown)}, but ${[...all].join(", ") || "none"}`)
    }
    for (const { path, value } of servers) {
      const [, name] = path
      if (names.length > 0 && !names.includes(name)) continue
      const found = Result.flatMap(membersOf(value), (members) => editsOf({ text, path, members }))
      if (Result.isFailure(found)) {
        left.set(name, found.failure)
      } else {
        edits.push(...found.success)
        changed.add(name)
      }
    }
    return { text: applyEdits(text, edits), changed: [...changed], left }
  })

/** The servers of all lists, and the lists that have none to change, each with the reason. */
const serversOf = (text: string) =>
  Result.gen(function*() {
    const root = yield* membersOf(yield* jsonc.treeOf(text))
    const found = lists.flatMap((list) => {
      const member = root.get(list)
      return member === undefined ? [] : [[list, membersOf(member.value)] as const]
    })
    const [first] = found
    if (first === undefined) return yield* Result.fail(`it has no member ${lists.join(", ")}`)
    const left = new Map<string, string>()
    const servers: Array<Pick<Entry, "path"> & { readonly value: Node }> = []
    for (const [list, members] of found) {
      if (Result.isFailure(members)) {
        if (found.length === 1) return yield* Result.fail(`${list}: ${members.failure}`)
        left.set(list, members.failure)
      } else {
        for (const [name, { value }] of members.success) servers.push({ path: [list, name], value })
      }
    }
    return { servers, left }
  })

/** The members of an object by their names. Readers differ in which of two they take, so there may not be two. */
export const membersOf = ({ children = [], type }: Node): Result.Result<Members, string> => {
  const members = new Map<string, Member>()
  if (type !== "object") return Result.fail("it is not an object")
  for (const property of children) {
    // A property of a text without errors has both.
    const [key, value] = property.children as [Node, Node]
    if (members.has(key.value)) return Result.fail(`${JSON.stringify(key.value)} stands in it twice`)
    members.set(key.value, { property, key, value })
  }
  return Result.succeed(members)
}

export const endOf = ({ length, offset }: Node): number => offset + length

export const sourceOf = (text: string, node: Node): string => text.slice(node.offset, endOf(node))

export const replacing = ({ length, offset }: Node, content: string): Edit => ({ offset, length, content })

export const inserting = (offset: number, content: string): Edit => ({ offset, length: 0, content })

export const removing = (offset: number, end: number): Edit => ({ offset, length: end - offset, content: "" })

/** The texts of a list that has nothing else. */
export const textsOf = ({ children = [], type }: Node): ReadonlyArray<string> | undefined =>
  type === "array" && children.every(({ type }) => type === "string") ? children.map(({ value }) => value) : undefined
