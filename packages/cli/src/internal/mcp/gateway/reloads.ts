/**
 * When a gateway reads its configuration again: at SIGHUP, where no terminal has sent it, and when a file has changed.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { watch } from "node:fs"
import { basename, dirname } from "node:path"

/** Milliseconds that a file must rest: an editor may write it in several steps. */
const rest = 200

/** Whether SIGHUP says that a terminal is closed. Without one, it asks a service to read its configuration again. */
export const hasTerminal = (): boolean =>
  [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true)

/** An element each time. */
export const make = (files: ReadonlyArray<string>): Stream.Stream<void> =>
  Stream.merge(
    hasTerminal() ? Stream.empty : hangups,
    Stream.debounce(Stream.mergeAll(files.map(changes), { concurrency: "unbounded" }), rest)
  )

const hangups: Stream.Stream<void> = heard((tell) => {
  process.on("SIGHUP", tell)
  return () => process.off("SIGHUP", tell)
})

/** Changes of a file, also where another one takes its name: the folder is watched. */
const changes = (file: string): Stream.Stream<void> =>
  heard((tell) => {
    const name = basename(file)
    const watcher = watch(dirname(file), (_, changed) => {
      if (changed === null || changed === name) tell()
    })
    watcher.on("error", tell)
    return () => watcher.close()
  })

function heard(listen: (tell: () => void) => () => void): Stream.Stream<void> {
  return Stream.callback((queue) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => listen(() => void Queue.offerUnsafe(queue, undefined))),
      (forget) => Effect.sync(forget)
    )), { bufferSize: 1, strategy: "sliding" })
}
