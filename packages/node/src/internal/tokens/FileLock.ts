/**
 * A lock that is a file. Its holder touches it; one that nobody touches any more is taken away.
 *
 * A process that waits watches the file by a clock of its own, so no two clocks are compared. That clock is monotonic: the
 * time of day may be set, and goes on while the machine sleeps, when no holder can touch its file.
 */
import { Backoff } from "@parley/transport/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs/promises"
import { attempt, except, makeFolder } from "./SecretFile.ts"
import type { TokenFileError } from "./TokenFileError.ts"

/** How long to wait before the file is looked at again. */
const pause = Duration.millis(25)

/** Runs an effect while the lock is ours. */
export const withLock = <A, E, R>(
  path: string,
  patience: Duration.Input,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | TokenFileError, R> =>
  Effect.suspend(() => {
    const life = Duration.fromInputUnsafe(patience)
    const id = crypto.randomUUID()
    const leave = Effect.ignore(attempt(path, () => release(path, id)))
    // A waiter that gives up while the file is being made leaves none behind.
    const acquired = Effect.onInterrupt(acquire(path, id, Duration.toNanosUnsafe(life)), () => leave)
    const kept = Effect.repeat(touch(path), Schedule.spaced(Duration.times(life, 0.2)))
    return Effect.scoped(
      Effect.acquireRelease(acquired, () => leave, { interruptible: true }).pipe(
        // An effect that takes its time to end where it is interrupted has the lock until then.
        Effect.andThen(Effect.forkScoped(kept)),
        Effect.andThen(effect)
      )
    )
  })

const touch = (path: string): Effect.Effect<void> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.ignore(attempt(path, () => fs.utimes(path, now / 1_000, now / 1_000)))
  )

/** Waits for the lock. It is ours under a name. */
const acquire = Effect.fnUntraced(
  function*(path: string, id: string, life: bigint): Effect.fn.Return<void, TokenFileError> {
    const clock = yield* Clock.Clock
    yield* attempt(path, () => makeFolder(path))
    let seen: { readonly mark: string; readonly since: bigint; readonly tries: number } | undefined
    while (!(yield* Effect.uninterruptible(attempt(path, () => create(path, id))))) {
      const mark = yield* attempt(path, () => markOf(path))
      const now = clock.monotonicTimeNanosUnsafe()
      if (mark === undefined) continue
      if (seen?.mark !== mark) seen = { mark, since: now, tries: 0 }
      else if (now - seen.since >= life) {
        const { tries } = seen
        seen = { mark, since: now, tries: tries + 1 }
        yield* attempt(path, () => takeAway(path, mark, `${path}.${tries}`))
      }
      yield* Backoff.sleep(pause)
    }
  }
)

const create = async (path: string, id: string): Promise<boolean> => {
  const file = await fs.open(path, "wx", 0o600).catch(except("EEXIST"))
  if (file === undefined) return false
  try {
    await file.writeFile(id)
    return true
  } catch (cause) {
    // A full disk may have room for the file, and none for what is in it.
    await fs.rm(path, { force: true })
    throw cause
  } finally {
    await file.close()
  }
}

/** The holder of the lock, and the time of its last touch; `undefined` where nobody holds it. */
const markOf = (path: string): Promise<string | undefined> =>
  fs.stat(path).then(async ({ mtimeMs }) => `${await fs.readFile(path, "utf8")} ${mtimeMs}`).catch(except("ENOENT"))

/**
 * Takes the lock of a holder away that has died. One of those who wait does: another could take away the lock of the next
 * holder. Where that one dies, too, the next try has another claim.
 */
const takeAway = async (path: string, mark: string, claim: string): Promise<void> => {
  if (!(await create(claim, ""))) return
  try {
    if (await markOf(path) === mark) await fs.rm(path, { force: true })
  } finally {
    await fs.rm(claim, { force: true })
  }
}

const release = async (path: string, id: string): Promise<void> => {
  if (await fs.readFile(path, "utf8") === id) await fs.rm(path, { force: true })
}
