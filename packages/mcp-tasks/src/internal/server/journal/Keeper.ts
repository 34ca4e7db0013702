/**
 * The upkeep of the tasks of a process: it renews the lease and reads the inbox while something runs, and drops the tasks
 * whose time is over.
 */
import type { Shares } from "@parley/mcp/shared"
import type { Fenced, Overloaded } from "@parley/mesh/Mesh"
import { Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Message, TaskJournal } from "./TaskJournal.ts"

/** @internal */
export interface Options {
  readonly server: string
  readonly node: string
  /** Milliseconds. */
  readonly lease: number
  /** The parties whose tasks are kept. */
  readonly shares: Shares.Shares
  readonly journal: TaskJournal
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly onMessage: (message: Message) => void
  /** Hears of a task that may be forgotten now. */
  readonly onOver: (taskId: string) => void
}

interface Kept {
  readonly party: Shares.Party
  readonly until: number
  readonly epoch: number
}

/** @internal */
export class Keeper {
  readonly #options: Options
  readonly #kept = new Map<string, Kept>()
  #keeping: Fiber.Fiber<unknown> | undefined = undefined
  #sweeping: Fiber.Fiber<void> | undefined = undefined
  /** When the next task may be forgotten. */
  #due = Infinity
  #isJoined = false
  readonly #waking = Semaphore.makeUnsafe(1)
  /** Whether there was a message since this process has begun to listen. */
  #hasHeard = false

  constructor(options: Options) {
    this.#options = options
  }

  /** The tasks of this process that are kept. */
  get shares(): Shares.Shares {
    return this.#options.shares
  }

  /** Says in the journal that this process runs, and goes on saying so. */
  get awake(): Effect.Effect<void, Fenced | Overloaded> {
    return this.#waking.withPermits(1)(Effect.suspend(() => {
      if (this.#keeping !== undefined) return Effect.void
      // Messages that came since the last task has ended are for nobody, and would be read each time.
      const { journal, node } = this.#options
      const emptied = this.#hasHeard ? journal.empty(node) : Effect.void
      return emptied.pipe(Effect.andThen(this.#live), Effect.andThen(this.#keep))
    }))
  }

  get #keep(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { scope } = this.#options
      const leave = this.#isJoined ? Effect.void : Scope.addFinalizer(scope, this.leave)
      this.#isJoined = true
      this.#hasHeard = false
      const keeping = Effect.forkIn(
        Effect.all([this.#renewing, this.#listening], { concurrency: 2, discard: true }),
        scope
      )
      return Effect.andThen(
        leave,
        Effect.map(keeping, (fiber) => {
          this.#keeping = fiber
        })
      )
    })
  }

  /** Nothing runs any more. */
  rest() {
    this.#keeping?.interruptUnsafe()
    this.#keeping = undefined
  }

  /** Gives the tasks of this process free at once. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => {
    this.rest()
    return this.#isJoined ? this.#options.journal.leave(this.#options.node) : Effect.void
  })

  get #live(): Effect.Effect<void, Fenced | Overloaded> {
    const { clock, journal, lease, node } = this.#options
    return Effect.suspend(() => journal.live(node, clock.currentTimeMillisUnsafe() + lease))
  }

  get #renewing(): Effect.Effect<unknown> {
    const renewed = Effect.catch(
      this.#live,
      (error) =>
        Effect.logWarning(
          `the lease of the tasks of ${Excerpt.line(this.#options.server)} is not renewed`,
          Excerpt.cause(Cause.fail(error))
        )
    )
    return Effect.forever(Effect.delay(renewed, Duration.millis(Math.ceil(this.#options.lease / 3))))
  }

  /** Reads the inbox, again from its start where it broke off or was forgotten: a message heard twice changes nothing. */
  get #listening(): Effect.Effect<unknown> {
    const { journal, node, onMessage } = this.#options
    const heard = Stream.runForEach(journal.messages(node), (message) =>
      Effect.sync(() => {
        this.#hasHeard = true
        onMessage(message)
      }))
    return Effect.repeat(Effect.ignore(heard), Backoff.make({ first: "1 second", most: "1 second" }))
  }

  /** Keeps a task until a time. */
  keep(taskId: string, until: number, epoch: number, party: Shares.Party): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#forget(taskId)
      this.#kept.set(taskId, { until, epoch, party })
      this.shares.take(party)
      if (until >= this.#due) return Effect.void
      this.#due = until
      this.#sweeping?.interruptUnsafe()
      return Effect.map(Effect.forkIn(this.#sweep, this.#options.scope), (fiber) => {
        this.#sweeping = fiber
      })
    })
  }

  #forget(taskId: string) {
    const known = this.#kept.get(taskId)
    if (known === undefined) return
    this.#kept.delete(taskId)
    this.shares.give(known.party)
  }

  readonly #sweep: Effect.Effect<void> = Effect.suspend(() => {
    const now = this.#options.clock.currentTimeMillisUnsafe()
    const due = [...this.#kept].filter(([, { until }]) => until <= now)
    for (const [taskId] of due) this.#forget(taskId)
    this.#due = Infinity
    for (const { until } of this.#kept.values()) this.#due = Math.min(this.#due, until)
    const forgotten = Effect.forEach(due, ([taskId, { epoch }]) => {
      this.#options.onOver(taskId)
      return this.#options.journal.drop(taskId, epoch)
    }, { discard: true })
    const swept = Effect.uninterruptible(forgotten)
    if (this.#due === Infinity) return swept
    return Effect.andThen(swept, Effect.delay(this.#sweep, Duration.millis(Math.max(this.#due - now, leastPause))))
  })
}

/** Milliseconds between two looks at what may be forgotten, at least: many tasks may end one after the other. */
const leastPause = 1_000
