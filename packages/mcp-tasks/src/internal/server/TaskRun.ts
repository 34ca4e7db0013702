/**
 * A task that runs here: its handler's fiber, what it asks, and its states, which are written one after the other.
 *
 * ```
 *   working ⇄ input_required ──→ completed | failed | cancelled
 * ```
 *
 * Others see a state when it stands in the journal. States that come while one is written become one: a handler that
 * reports without end fills nothing. Behind a terminal state there is no other.
 */
import type { InputRequest } from "@parley/mcp/payload/Results"
import type { ClientRequestError } from "@parley/mcp/server/ClientRequestError"
import type { Learned } from "@parley/mcp/server/ClientRequests"
import * as Caller from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Tasks from "../../Tasks.ts"
import { Claims } from "./Claims.ts"
import type { TaskJournal } from "./journal/TaskJournal.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"

/** The parts of its table that a run needs. @internal */
export interface Home {
  readonly journal: TaskJournal
  readonly clock: Clock.Clock
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Whether the tasks of the server have been told to end. */
  readonly isClosing: () => boolean
}

/** A member that becomes `undefined` is there no more. */
type Change = { readonly [K in keyof TaskRecord.TaskRecord]?: TaskRecord.TaskRecord[K] | undefined }

interface Pending {
  readonly request: InputRequest
  readonly resume: (answer: Exit.Exit<Schema.Json, ClientRequestError>) => void
}

/** @internal */
export class TaskRun {
  readonly #home: Home
  /** The state that others see: it stands in the journal. */
  record: TaskRecord.TaskRecord
  position: number
  /** The state that is written next. */
  #next: TaskRecord.TaskRecord
  #isWriting = false
  #writtenAt = Number.NEGATIVE_INFINITY
  /** Waits to write what was said. */
  #calm: Fiber.Fiber<void> | undefined = undefined
  readonly #listeners = new Set<() => void>()
  readonly #pending = new Map<string, Pending>()
  readonly claims = new Claims((key) => this.#pending.has(key))
  readonly answers: Map<string, Schema.Json>
  readonly results: Map<string, Schema.Json>
  readonly #asked: Set<string>
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Whether its client has shown that it knows the task. */
  isKnown = false
  /** Another process runs it now. */
  isLost = false

  constructor(home: Home, record: TaskRecord.TaskRecord, position: number, learned: Learned) {
    this.#home = home
    this.record = this.#next = record
    this.position = position
    this.answers = new Map(learned.answers)
    this.results = new Map(learned.results)
    this.#asked = new Set(learned.asked)
  }

  /** Whether it is to have no other state, though that may not be written yet. */
  get isOver(): boolean {
    return this.isLost || TaskRecord.isOver(this.#next)
  }

  /** Its client knows it: what belongs to it may be sent. */
  know() {
    if (this.isKnown) return
    this.isKnown = true
    this.#tell()
  }

  /** Says how far it is: what comes soon after is written with it. */
  say(message: string) {
    if (this.isOver) return
    const { clock, fork } = this.#home
    this.#next = { ...this.#next, message, updatedAt: clock.currentTimeMillisUnsafe() }
    if (this.#isWriting || this.#calm !== undefined) return
    // A clock that was set back must not make it long.
    const left = Math.min(pause, Math.max(0, this.#writtenAt + pause - clock.currentTimeMillisUnsafe()))
    if (left === 0) return this.#flush()
    this.#calm = fork(Effect.delay(Effect.sync(() => this.#flush()), Duration.millis(left)))
  }

  /** Asks, and waits for the answer. */
  ask(key: string, request: InputRequest): Effect.Effect<Schema.Json, ClientRequestError> {
    return Effect.callback((resume) => {
      if (this.isOver) return resume(Exit.interrupt())
      const unique = this.#unused(key)
      this.#asked.add(unique)
      this.#pending.set(unique, { request, resume })
      this.#change(this.#questions())
      return Effect.sync(() => {
        if (this.#pending.delete(unique)) this.#change(this.#questions())
      })
    })
  }

  /** A key names one question of a task, for as long as there is the task. */
  #unused(key: string): string {
    let unique = key
    for (let times = 2; this.#asked.has(unique); times++) unique = `${key}-${times}`
    return unique
  }

  /** Answers questions; keys that nothing is asked under are ignored. */
  answer(answers: { readonly [key: string]: Schema.Json }) {
    this.#settle(Object.entries(answers).map(([key, answer]) => [key, Exit.succeed(answer)] as const))
  }

  /** Says that questions are not answered, and why. */
  refuse(refusals: { readonly [key: string]: Tasks.TaskError }) {
    this.#settle(
      Object.entries(refusals).map(([key, error]) => {
        const method = this.#pending.get(key)?.request.method ?? ""
        return [key, Exit.fail(Caller.fromObject({ method }, error))] as const
      })
    )
  }

  #settle(exits: ReadonlyArray<readonly [key: string, exit: Exit.Exit<Schema.Json, ClientRequestError>]>) {
    const settled = exits.flatMap(([key, exit]) => {
      const pending = this.#pending.get(key)
      this.#pending.delete(key)
      return pending === undefined ? [] : [[pending, exit] as const]
    })
    if (settled.length === 0) return
    this.#change(this.#questions())
    for (const [{ resume }, exit] of settled) resume(exit)
  }

  #questions(): Change {
    if (this.#pending.size === 0) return { status: "working", asks: undefined }
    return {
      status: "input_required",
      asks: Object.fromEntries(Array.from(this.#pending, ([key, { request }]) => [key, request]))
    }
  }

  /** Keeps what was learned for a later run, where there can be one. */
  learn() {
    if (this.#next.call === undefined) return
    this.#change({ learned: { answers: [...this.answers], results: [...this.results], asked: [...this.#asked] } })
  }

  /** The last state. Gives whether there was none before. */
  finish(ending: Pick<TaskRecord.TaskRecord, "status" | "message" | "result" | "error">): boolean {
    if (this.isOver) return false
    const { asks: _, call: __, learned: ___, ...rest } = this.#next
    this.#next = rest
    this.#change(ending)
    return true
  }

  /** Ends the handler, also where it asks in a place that cannot be interrupted: nobody answers it any more. */
  stop() {
    this.fiber?.interruptUnsafe()
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const { resume } of waiting) resume(Exit.interrupt())
  }

  #change(change: Change) {
    if (this.isOver) return
    const updatedAt = this.#home.clock.currentTimeMillisUnsafe()
    // A member that becomes undefined is not written.
    this.#next = { ...this.#next, ...change, updatedAt } as TaskRecord.TaskRecord
    this.#calm?.interruptUnsafe()
    this.#flush()
  }

  #flush() {
    this.#calm = undefined
    if (this.#isWriting || this.isLost || this.#next === this.record) return
    this.#isWriting = true
    this.#home.fork(this.#write)
  }

  readonly #write: Effect.Effect<void> = Effect.suspend(() => {
    const next = this.#next
    const written = Effect.retry(this.#home.journal.write(next), {
      schedule: slower,
      // A process that ends does not wait for its journal.
      while: ({ _tag }) => _tag === "Overloaded" && !this.#home.isClosing()
    })
    return Effect.flatMap(Effect.exit(written), (exit) => {
      if (Exit.isFailure(exit)) return this.#lose(exit)
      this.record = next
      this.position = exit.value
      this.#writtenAt = this.#home.clock.currentTimeMillisUnsafe()
      this.#isWriting = next !== this.#next
      this.#tell()
      return this.#isWriting ? this.#write : Effect.void
    })
  })

  /** Another process has taken it, or the journal cannot be reached while this one ends. */
  #lose(exit: Exit.Failure<unknown, unknown>): Effect.Effect<void> {
    this.isLost = true
    this.#isWriting = false
    this.#tell()
    this.stop()
    return Effect.logWarning(
      `the states of the task ${Excerpt.line(this.record.taskId)} are not written any more`,
      Excerpt.cause(exit.cause)
    )
  }

  #tell() {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Hears of each state that was written. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits until another state is written, or none will be. Positions begin anew where the journal has forgotten the task. */
  changed(record: TaskRecord.TaskRecord): Effect.Effect<void> {
    return this.#until(() => this.record !== record || this.isLost)
  }

  /** Waits until all that was decided is written. */
  get settled(): Effect.Effect<void> {
    return this.#until(() => !this.#isWriting)
  }

  #until(isThere: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (isThere()) return resume(Effect.void)
      const stop = this.listen(() => {
        if (!isThere()) return
        stop()
        resume(Effect.void)
      })
      return Effect.sync(stop)
    })
  }
}

/** Milliseconds between two states that only say how far a task is. */
const pause = 100

/** How a journal that cannot be reached is tried again. */
const slower = Backoff.make({ first: "100 millis", most: "5 seconds" })
