/**
 * The process that has started this one. The end of its stdin does not always tell that it is gone: a program between
 * the two, such as a package runner, may hold the other end open.
 */
import * as Effect from "effect/Effect"

/** How often to look, in milliseconds. */
const interval = 1_000

/**
 * Waits until the process is gone that has started this one, and still runs at this call. To be called before anything is
 * read: that process may be gone as soon as it has an answer.
 */
export const gone = (): Effect.Effect<void> => {
  const { ppid } = process
  const look: Effect.Effect<void> = Effect.flatMap(
    Effect.sleep(interval),
    () => process.ppid === ppid && runs(ppid) ? look : Effect.void
  )
  return look
}

/** Elsewhere an orphan gets another parent; on Windows it keeps the number of the one that is gone. */
const runs = (pid: number): boolean => {
  if (process.platform !== "win32") return true
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process that may not be looked at is there.
    return error instanceof Error && "code" in error && error.code !== "ESRCH"
  }
}
