/**
 * A journal in a file of SQLite, through `node:sqlite`: its texts are there after the process has ended, and any
 * number of processes of one machine share it. Each change is one transaction, so that epochs fence between processes.
 *
 * A text is safe from the end of its process, `kill -9` as well, when `append` has succeeded. A machine that loses its
 * power may lose the last texts, unless `synchronous` is `full`. Reading and writing block the event loop for as long
 * as SQLite works, and not while another process has the file: use it for tasks and other things that happen now and
 * then, and not for the events of thousands of sessions.
 *
 * Node.js 22 prints an ExperimentalWarning when it loads `node:sqlite`. So this module is not in the index of the
 * package.
 *
 * ```ts run
 * import { Journal } from "@parley/mesh"
 * import { layer } from "@parley/node/NodeSqliteJournal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const journal = yield* Journal.Journal
 *   yield* journal.append("tasks", "begun", 0)
 *   console.log(yield* journal.append("tasks", "done", 0)) // => 2
 *   console.log((yield* journal.last("tasks"))?.text) // => done
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(layer({ path: ":memory:" }))))
 * ```
 *
 * @since 0.1.0
 */
import { type Bounds, Journal, type Journal as JournalShape } from "@parley/mesh/Journal"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LockQueue } from "./internal/sqlite/LockQueue.ts"
import { SqliteFileError } from "./internal/sqlite/SqliteFileError.ts"
import * as SqliteJournal from "./internal/sqlite/SqliteJournal.ts"
import { Texts } from "./internal/sqlite/Texts.ts"

/** The file of a journal cannot be used. @category errors @since 0.1.0 */
export { SqliteFileError }

/**
 * The place of a journal, and its bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface SqliteJournalOptions extends Bounds {
  /** The path of the file, which is made when it is needed, with mode 0600. `:memory:` keeps it in this process. */
  readonly path: string
  /**
   * The weight of all keys together, each of which counts 256 beside its texts. 1 Gi by default. Beyond it, the texts
   * of the key go first that was written to longest ago.
   */
  readonly total?: number | undefined
  /** How often a reader that follows looks for what other processes have appended. A second by default. */
  readonly interval?: Duration.Input | undefined
  /** `full` waits for the disk with each text; `normal`, the default, leaves that to the system. */
  readonly synchronous?: "normal" | "full" | undefined
  /**
   * How long a change waits for that of another process, and its opening for the file. A second by default. Other things
   * go on meanwhile, and later changes wait behind it, each for as long from when it came.
   */
  readonly busy?: Duration.Input | undefined
}

/**
 * A journal in a file, until the Scope closes. Its time is that of the clock here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: SqliteJournalOptions): Effect.Effect<JournalShape, SqliteFileError, Scope.Scope> =>
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const queue = new LockQueue(clock, Duration.fromInputUnsafe(options.busy ?? "1 second"))
    const texts = yield* Effect.acquireRelease(
      Effect.mapError(
        queue.run(() => new Texts(options)),
        (cause) => new SqliteFileError({ path: options.path, rule: SqliteJournal.messageOf(cause) })
      ),
      (texts) => Effect.sync(() => texts.close()),
      { interruptible: true }
    )
    return SqliteJournal.make(texts, clock, Duration.fromInputUnsafe(options.interval ?? "1 second"), queue)
  })

/** A journal in a file. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (options: SqliteJournalOptions): Layer.Layer<JournalShape, SqliteFileError> =>
  Layer.effect(Journal, make(options))
