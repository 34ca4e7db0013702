/** Replaces a file as a whole: who reads it in the meantime reads the old text or the new one. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Stats } from "node:fs"
import { access, constants, type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises"

/**
 * Writes the text, with the permissions and the owner that the file has. A file of another owner is replaced by root alone,
 * and a group that cannot be kept loses its permissions. What a link leads to is replaced, and not the link.
 */
export const replace = async (path: string, text: string): Promise<void> => {
  const file = await realpath(path).catch(() => path)
  const before = await stat(file).catch(() => undefined)
  const written = `${file}.${crypto.randomUUID()}`
  try {
    const handle = await open(written, "wx", before === undefined ? 0o666 : 0o600)
    await fill(handle, file, text, before).finally(() => handle.close())
    await rename(written, file)
  } catch (cause) {
    await rm(written, { force: true })
    throw naming(path, written, cause)
  }
}

/** The cause with the name of the file that was asked for. That of the one written in its place says nothing to anybody. */
const naming = (path: string, written: string, cause: unknown): unknown => {
  if (cause instanceof Error) cause.message = cause.message.replaceAll(written, path)
  return cause
}

const fill = async (handle: FileHandle, path: string, text: string, before: Stats | undefined): Promise<void> => {
  await handle.writeFile(text)
  if (before !== undefined) await handle.chmod(await own(handle, path, before))
  await handle.sync()
}

/** The part of a file's handle that its owner is known and changed by. */
type Owned = Pick<FileHandle, "chown" | "stat">

/**
 * Gives a new file the owner and the group of the one before it, and returns the permissions that it may have. Only root may
 * give a file to another owner, and others only to a group of theirs. Permissions of a group are for that group alone, and
 * those of an owner for that owner, who could not read the file any more.
 */
export const own = async (
  handle: Owned,
  path: string,
  { gid, mode, uid }: Pick<Stats, "gid" | "mode" | "uid">
): Promise<number> => {
  const permissions = mode & 0o777
  const now = await handle.stat()
  if (now.uid === uid && now.gid === gid) return permissions
  if (await attempted(handle.chown(uid, gid))) return permissions
  if (now.uid === uid) return permissions & ~0o070
  throw new Error(`only root can replace ${path}, because it belongs to another user (uid ${uid})`)
}

const attempted = (change: Promise<void>): Promise<boolean> => change.then(() => true, () => false)

/** A file that no other process changes in this way until the Scope closes. */
export interface Held {
  /** Replaces the file, once. */
  readonly replace: (text: string) => Effect.Effect<void, unknown>
}

/** Another process holds the file. */
export class Taken {
  /** The file by which it holds it. */
  readonly lock: string

  constructor(lock: string) {
    this.lock = lock
  }
}

/**
 * Holds a file that exists. The file that will replace it has a fixed name and is created here, so there can be one. Waits
 * while another process holds the file, and fails after some seconds. Fails where the file may not be written, too: a
 * folder lets its owner replace such a file.
 */
export const hold = (path: string): Effect.Effect<Held, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const file = yield* attempt(async () => {
      await access(path, constants.W_OK)
      return realpath(path)
    })
    const written = `${file}.parley`
    let isReplaced = false
    const release = (handle: FileHandle) =>
      Effect.promise(async () => {
        await handle.close()
        // After the replacement, a file of this name is that of another process.
        if (!isReplaced) await rm(written, { force: true })
      })
    const handle = yield* Effect.acquireRelease(attempt(() => open(written, "wx", 0o600)), release).pipe(
      Effect.retry({ while: isTaken, schedule: Schedule.jittered(Schedule.spaced(pause)), times: patience / pause }),
      Effect.mapError((cause) => isTaken(cause) ? new Taken(written) : naming(path, written, cause))
    )
    return {
      replace: (text) =>
        Effect.uninterruptible(attempt(async () => {
          await fill(handle, file, text, await stat(file))
          await rename(written, file)
          isReplaced = true
        }))
    }
  })

/** How long to wait for another process. A change takes a fraction of a second. Milliseconds. */
const patience = 5_000

const pause = 50

const isTaken = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EEXIST"

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: run, catch: (cause) => cause })
