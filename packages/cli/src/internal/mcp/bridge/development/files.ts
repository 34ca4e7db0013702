/**
 * Changes of the files of a program: those below some folders, but for what is installed, built, hidden or written by it.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type FSWatcher, realpathSync, type Stats, statSync, watch } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, dirname, join, relative, sep } from "node:path"

/** Milliseconds that files must rest: an editor or a compiler may write several, each in several steps. */
const rest = 100

/** Folders that are watched: each costs the system a handle. */
const mostFolders = 4_096

export interface Options {
  /** Hears of the first folder that cannot be watched, and why. */
  readonly onUnwatched?: (folder: string, why: string) => void
  /** How many folders are watched at most. */
  readonly most?: number
}

const ignored: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  "build",
  "out",
  "coverage",
  "target",
  "venv",
  "__pycache__"
])

/** What programs write beside their sources. */
const written = /(?:~|\.(?:log|tmp|swp|pid|db|sqlite\d?|pyc|tsbuildinfo)|-(?:journal|wal|shm))$/

/** Whether a change of a name in a folder counts. */
export const isWatched = (name: string): boolean => !name.startsWith(".") && !ignored.has(name) && !written.test(name)

/** Milliseconds between two looks whether a path of ours is another one, as after `git checkout`. */
const pause = 250

/**
 * The name of a file that has changed, each time that the files have come to rest. The paths must be there. When one is
 * replaced as a whole, that is a change, too.
 */
export const changes = (paths: ReadonlyArray<string>, options: Options = {}): Stream.Stream<string> =>
  Stream.debounce(
    Stream.callback<string>((queue) =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => new Watchers((file) => void Queue.offerUnsafe(queue, file), paths, options)),
          (watchers) => Effect.sync(() => watchers.close())
        ),
        (watchers) => Effect.forever(Effect.andThen(Effect.sleep(pause), Effect.sync(() => watchers.look())))
      ), { bufferSize: 1, strategy: "sliding" }),
    rest
  )

class Watchers {
  readonly #tell: (file: string) => void
  /** By the real path of a folder, so that links to it are followed once, or by that of a single file. */
  readonly #all = new Map<string, FSWatcher>()
  /** The folders that stand for our paths, as they were when they were watched last. */
  readonly #nodes = new Map<string, string | undefined>()
  /** Our paths, and the folder that each is or is in. */
  readonly #folders: ReadonlyMap<string, string>
  readonly #most: number
  readonly #onUnwatched: (folder: string, why: string) => void
  #isClosed = false
  #hasToldUnwatched = false

  constructor(
    tell: (file: string) => void,
    paths: ReadonlyArray<string>,
    { most = mostFolders, onUnwatched = () => {} }: Options
  ) {
    this.#tell = tell
    this.#most = most
    this.#onUnwatched = onUnwatched
    this.#folders = new Map(paths.map((path) => [path, isFolder(path) ? path : dirname(path)]))
    for (const [path, folder] of this.#folders) {
      this.#nodes.set(folder, nodeOf(folder))
      this.#path(path)
    }
  }

  close() {
    this.#isClosed = true
    for (const watcher of this.#all.values()) watcher.close()
  }

  #path(path: string) {
    if (isFolder(path)) this.#folder(path, path)
    else this.#file(path, basename(path))
  }

  /** Looks whether a folder of ours is another one than it was. */
  look() {
    for (const [path, folder] of this.#folders) this.#look(path, folder)
  }

  /** A path whose folder is gone is watched again when that is back. */
  #look(path: string, folder: string) {
    const node = nodeOf(folder)
    if (node === this.#nodes.get(folder)) return
    this.#nodes.set(folder, node)
    if (node === undefined) return
    const real = realOf(folder)
    for (const one of [...this.#all.keys()]) {
      if (one === `file ${path}` || one === real || one.startsWith(`${real}${sep}`)) this.#drop(one)
    }
    this.#path(path)
    this.#tell(basename(path))
  }

  /** Watches a file by its folder, as an editor may put another one in its place. What a link leads to is watched as well. */
  #file(path: string, shown: string) {
    const real = realOf(path)
    if (real !== undefined && real !== path) this.#file(real, shown)
    const key = `file ${path}`
    const folder = dirname(path)
    this.#watch(key, folder, (name, isNew) => {
      if (name === basename(path)) this.#tell(shown)
      else if (isNew && name === basename(folder)) {
        this.#drop(key)
        if (isFolder(folder)) this.#tell(shown)
        this.#file(path, shown)
      }
    })
  }

  /** Watches a folder and those in it. */
  #folder(root: string, path: string) {
    const real = realOf(path)
    if (real === undefined) return
    this.#watch(real, path, (name, isNew) => {
      if (isNew && name === basename(path)) {
        // The folder itself has gone or moved, unless it has a member of its name. Its watcher hears no more then.
        this.#drop(real)
        if (path === root && isFolder(path)) this.#nodes.set(path, nodeOf(path))
        this.#tell(relative(root, path) || name)
        return this.#folder(root, path)
      }
      if (!isWatched(name)) return
      this.#tell(relative(root, join(path, name)))
      if (isNew) void this.#below(root, path)
    })
    void this.#below(root, path)
  }

  async #below(root: string, path: string) {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const place = join(path, entry.name)
      if (!isWatched(entry.name) || !(entry.isDirectory() || entry.isSymbolicLink())) continue
      if (!isFolder(place)) {
        if (entry.isSymbolicLink()) this.#file(place, relative(root, place))
      } else if (!this.#all.has(realOf(place) ?? "")) this.#folder(root, place)
    }
  }

  #drop(key: string) {
    this.#all.get(key)?.close()
    this.#all.delete(key)
  }

  #watch(key: string, path: string, hear: (name: string, isNew: boolean) => void) {
    if (this.#isClosed || this.#all.has(key)) return
    if (this.#all.size >= this.#most) return this.#unwatched(path, `there are more than ${this.#most} folders`)
    try {
      const watcher = watch(path, (event, name) => hear(name ?? "", event === "rename"))
      // A folder that is gone is watched no more, until it is there again.
      watcher.on("error", () => this.#drop(key))
      this.#all.set(key, watcher)
    } catch (error) {
      const why = error instanceof Error ? error.message : `${error}`
      // It may have gone since it was listed.
      if (statOf(path) !== undefined) this.#unwatched(path, why)
    }
  }

  /** Tells of one folder: where the system has no more handles, that is so for all others as well. */
  #unwatched(path: string, why: string) {
    if (this.#hasToldUnwatched) return
    this.#hasToldUnwatched = true
    this.#onUnwatched(path, why)
  }
}

const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true

/** Whether there is a file at a path. */
export const isFile = (path: string): boolean => statOf(path)?.isFile() === true

/** What is at a path. Nothing can be said of a link to itself, or of what we may not see: it is as if it were not there. */
const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** The path without links; none where nothing is. */
export const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Tells a folder from another one at the same path. */
const nodeOf = (path: string): string | undefined => {
  const stat = statOf(path)
  return stat === undefined ? undefined : `${stat.dev} ${stat.ino}`
}
