/**
 * The files of a folder and of the folders in it, within bounds.
 *
 * It follows no links, so that nothing outside of the folder is read. The files fit `Skill.fromFiles` of `@parley/mcp-apps`.
 *
 * ```ts run
 * import { NodeFolder } from "@parley/node"
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "skill-"))
 * writeFileSync(join(folder, "SKILL.md"), "# Brew tea")
 *
 * const files = await Effect.runPromise(NodeFolder.read(folder, { files: 100 }))
 * console.log(files.map(({ content, path }) => `${path}: ${content.length} bytes`)) // => [ 'SKILL.md: 10 bytes' ]
 * rmSync(folder, { recursive: true })
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Dirent, Stats } from "node:fs"
import { constants } from "node:fs"
import { lstat, open, readdir } from "node:fs/promises"
import { isAbsolute, join, sep } from "node:path"

/**
 * A folder cannot be read as a whole: something in it is no file, is more than the bounds allow, or cannot be read.
 *
 * @category errors
 * @since 0.1.0
 */
export class FolderError extends Data.TaggedError("FolderError")<{
  /** The path from the folder. */
  readonly path: string
  /** The rule that the file or folder there breaks. */
  readonly rule: string
  /** The error of the file system, where there is one. */
  readonly cause?: unknown
}> {
  override get message(): string {
    return `the folder cannot be read at ${Excerpt.line(this.path)}: ${Excerpt.line(this.rule)}`
  }
}

/**
 * The bounds of `read`.
 *
 * @category models
 * @since 0.1.0
 */
export interface FolderOptions {
  /** The most files. The default is 10,000: twenty skills with as many files as one may have. */
  readonly files?: number | undefined
  /** The most bytes of all files. The default is 256 MiB: sixteen skills as large as one may be. */
  readonly bytes?: number | undefined
  /** The most folders within each other. The default is 32. */
  readonly depth?: number | undefined
}

/**
 * A file, by its path from the folder, with slashes.
 *
 * @category models
 * @since 0.1.0
 */
export interface File {
  /** The path, as in `references/brewing.md`. */
  readonly path: string
  /** All bytes of the file. */
  readonly content: Uint8Array
}

/**
 * Reads all files of a folder, in the order of their names. It leaves out names that begin with a dot. It fails with
 * `FolderError` for a link or another special file, and beyond the bounds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const read = (
  folder: string,
  { bytes = 256 * 1024 * 1024, depth = 32, files = 10_000 }: FolderOptions = {}
): Effect.Effect<ReadonlyArray<File>, FolderError> =>
  Effect.suspend(() => {
    const found: Array<File> = []
    let left = bytes
    const take = (path: string): Effect.Effect<void, FolderError> => {
      if (found.length >= files) return refuse(path, `there are more than ${files} files`)
      return Effect.map(contentOf(folder, path, left), (content) => {
        left -= content.byteLength
        found.push({ path, content })
      })
    }
    const visit = (path: string, level: number): Effect.Effect<void, FolderError> => {
      if (level > depth) return refuse(path, `there are more than ${depth} folders within each other`)
      return Effect.flatMap(entriesOf(join(folder, path), path), (entries) =>
        Effect.forEach(entries, (entry) => {
          const child = path === "" ? entry.name : `${path}/${entry.name}`
          if (entry.isDirectory()) return visit(child, level + 1)
          return entry.isFile() ? take(child) : refuse(child, special)
        }, { discard: true }))
    }
    return Effect.as(visit("", 1), found)
  })

/**
 * Reads one file of a folder, or of a folder in it, by the rules of `read`. It fails with `FolderError` where the path
 * leads out of the folder, where it or a folder on the way is a link, and where the file has more than `bytes`. The folder
 * itself may be reached by a link.
 *
 * @category constructors
 * @since 0.1.0
 */
export const readFile = (
  folder: string,
  path: string,
  { bytes = 256 * 1024 * 1024 }: Pick<FolderOptions, "bytes"> = {}
): Effect.Effect<Uint8Array, FolderError> =>
  isAbsolute(path) || path === "" || path.split(slashes).includes("..")
    ? refuse(path, "it leads out of the folder")
    : contentOf(folder, path, bytes)

const slashes = sep === "/" ? /\// : /[/\\]/

const special = "it is neither a file nor a folder, and links are not followed"

const refuse = (path: string, rule: string) => Effect.fail(new FolderError({ path, rule }))

const failing = (path: string) => (cause: unknown) =>
  new FolderError({
    path,
    rule: isLoop(cause) ? special : cause instanceof Error ? cause.message : String(cause),
    cause
  })

/** How a system reports that a file which is opened without following links is one. */
const isLoop = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ELOOP"

const entriesOf = (absolute: string, path: string): Effect.Effect<ReadonlyArray<Dirent>, FolderError> =>
  Effect.map(
    Effect.tryPromise({ try: () => readdir(absolute, { withFileTypes: true }), catch: failing(path) }),
    (entries) => entries.filter(({ name }) => !name.startsWith(".")).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  )

/** The content of a file, of which no more than so many bytes are read. It may be a link by now, or may have grown. */
const contentOf = (folder: string, path: string, most: number): Effect.Effect<Uint8Array, FolderError> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => open(join(folder, path), flags), catch: failing(path) }),
    (file) =>
      Effect.gen(function*() {
        const stats = yield* Effect.tryPromise({ try: () => file.stat(), catch: failing(path) })
        const { size } = stats
        if (!stats.isFile()) return yield* refuse(path, special)
        yield* mustBeAt(folder, path, stats)
        if (size > most) return yield* refuse(path, `its ${size} bytes are more than are left: ${most}`)
        const content = new Uint8Array(size)
        let from = 0
        while (from < size) {
          const at = from
          const { bytesRead } = yield* Effect.tryPromise({
            try: () => file.read(content, at, size - at, at),
            catch: failing(path)
          })
          if (bytesRead === 0) break
          from += bytesRead
        }
        return content.subarray(0, from)
      }),
    (file) => Effect.promise(() => file.close())
  )

/** A pipe would be opened as soon as somebody writes to it. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Fails where a step of the path is a link, or where the path no longer leads to this file: both are looked at when the
 * file is open, so that nobody can replace a folder by a link in between.
 */
const mustBeAt = (
  folder: string,
  path: string,
  file: Pick<Stats, "dev" | "ino">
): Effect.Effect<void, FolderError> =>
  Effect.gen(function*() {
    let step = folder
    let last: Stats | undefined
    for (const name of path.split(slashes)) {
      const absolute = step = join(step, name)
      last = yield* Effect.tryPromise({ try: () => lstat(absolute), catch: failing(path) })
      if (last.isSymbolicLink()) return yield* refuse(path, special)
    }
    if (last?.dev !== file.dev || last.ino !== file.ino) return yield* refuse(path, "it was replaced while it was read")
  })
