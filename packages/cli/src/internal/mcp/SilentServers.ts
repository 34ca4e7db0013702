/**
 * The commands whose servers were silent to the first message of a newer client, so that it waits for none of them twice.
 *
 * A file in the folder of state has a digest for each. It is a hint and no more: one that is corrupt has none, and one that
 * cannot be written says nothing.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type * as Endpoint from "../Endpoint.ts"
import { stateFolder } from "../files/stateFolder.ts"

/** The newest stay. */
const most = 256

/** Characters of a file that is read: as long as the digests of all could be, and spaces between them. */
const longest = 64 * 1024

const pathOf = () => join(stateFolder(), "silent-servers.json")

/** The server of a command: as it is started in a folder. */
export const keyOf = (
  { args, command }: Pick<Endpoint.Command, "args" | "command">,
  folder = process.cwd()
): string => createHash("sha256").update(JSON.stringify([folder, command, args])).digest("base64url")

/** Whether the server was silent. */
export const has = (key: string): Effect.Effect<boolean> => Effect.map(read, (keys) => keys.includes(key))

export const add = (key: string): Effect.Effect<void> =>
  change((keys) => [...keys.filter((other) => other !== key), key].slice(-most))

export const remove = (key: string): Effect.Effect<void> => change((keys) => keys.filter((other) => other !== key))

const read: Effect.Effect<ReadonlyArray<string>> = Effect.promise(async () => {
  try {
    const text = await readFile(pathOf(), "utf8")
    const keys: unknown = text.length > longest ? [] : JSON.parse(text)
    return Array.isArray(keys) ? keys.filter((key) => typeof key === "string").slice(-most) : []
  } catch {
    return []
  }
})

/** Replaces the file as a whole. Of two processes that do so at once, the later one counts. */
const change = (by: (keys: ReadonlyArray<string>) => ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(read, (before) => {
    const after = by(before)
    if (after.length === before.length && after.every((key, index) => key === before[index])) return Effect.void
    const path = pathOf()
    const whole = `${path}.${crypto.randomUUID()}`
    return Effect.promise(() =>
      mkdir(dirname(path), { recursive: true, mode: 0o700 })
        .then(() => writeFile(whole, JSON.stringify(after), { mode: 0o600, flag: "wx" }))
        .then(() => rename(whole, path))
        .catch(() => rm(whole, { force: true }))
        .catch(() => undefined)
    )
  })
