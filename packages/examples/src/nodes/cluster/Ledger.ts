/**
 * The record of a node, which it appends to and nobody changes: the calls that its handlers have begun, the keys that it has
 * claimed, and the texts that its journal has accepted. A line is with the kernel when `write` returns, so that it is there
 * after the process was killed.
 */
import type { Journal } from "@parley/mesh/Journal"
import type { Mesh } from "@parley/mesh/Mesh"
import { Effect } from "effect"
import * as fs from "node:fs"

/** A handler has begun a call. */
export interface Ran {
  readonly _tag: "Ran"
  readonly call: number
  readonly tool: string
  readonly at: number
}

/** The node owns a key. */
export interface Claimed {
  readonly _tag: "Claimed"
  readonly key: string
  readonly epoch: number
  readonly at: number
}

/** The journal has accepted a text. */
export interface Appended {
  readonly _tag: "Appended"
  readonly key: string
  readonly position: number
  readonly epoch: number
}

export type Entry = Ran | Claimed | Appended

export interface Ledger {
  readonly write: (entry: Entry) => void
}

/** Opens the ledger of a file, for as long as the process lives. */
export const open = (file: string): Ledger => {
  const descriptor = fs.openSync(file, "a")
  return { write: (entry) => void fs.writeSync(descriptor, `${JSON.stringify(entry)}\n`) }
}

/** The entries of a ledger. The file is ours, so its lines are entries; a node that was killed may have cut the last. */
export const read = (file: string): ReadonlyArray<Entry> =>
  fs.readFileSync(file, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line) as Entry)

/** A mesh that writes down what it claims. */
export const claiming = (mesh: Mesh, { write }: Ledger): Mesh => ({
  node: mesh.node,
  owner: mesh.owner,
  serve: (...served) => mesh.serve(...served),
  call: (...sent) => mesh.call(...sent),
  send: (...sent) => mesh.send(...sent),
  claim: (key) =>
    Effect.tap(
      mesh.claim(key),
      ({ epoch }) => Effect.sync(() => write({ _tag: "Claimed", key, epoch, at: Date.now() }))
    )
})

/** A journal that writes down what it accepts. */
export const appending = (journal: Journal, { write }: Ledger): Journal => ({
  fence: (...fenced) => journal.fence(...fenced),
  read: (...asked) => journal.read(...asked),
  last: (...asked) => journal.last(...asked),
  follow: (...asked) => journal.follow(...asked),
  drop: (...dropped) => journal.drop(...dropped),
  append: (key, text, epoch, keep) =>
    Effect.tap(
      journal.append(key, text, epoch, keep),
      (position) => Effect.sync(() => write({ _tag: "Appended", key, position, epoch }))
    )
})
