/**
 * Who listens to changes, and what they have not been told yet.
 *
 * A change that has not been sent is not kept twice, so that a client that does
 * not read holds up nobody, and what waits for it is no more than what it listens to.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import { type Change, Hearers } from "../../../server/ServerChanges.ts"
import * as Uri from "../../../shared/Uri.ts"

/** Two changes with one key are one. @internal */
export const keyOf = (change: Change): string =>
  "extension" in change
    ? `${change.extension},${change.method},${change.key ?? ""}`
    : "uri" in change
    ? `uri,${Uri.normalised(change.uri)}`
    : Object.entries(change).join()

/** The method and the params of the notification of a change. @internal */
export const notificationOf = (change: Change): readonly [string, Schema.JsonObject] =>
  "list" in change
    ? [`notifications/${change.list}/list_changed`, {}]
    : "extension" in change
    ? [change.method, change.params]
    : ["uri" in change ? "notifications/resources/updated" : "notifications/elicitation/complete", change]

export class Watcher {
  readonly #wants: (change: Change) => boolean
  readonly #onPending: () => void
  readonly #pending = new Map<string, Change>()
  #resume: ((changes: Exit.Exit<ReadonlyArray<Change>>) => void) | undefined = undefined
  #isClosed = false

  /** `onPending` hears of each change that nobody waits for. */
  constructor(wants: (change: Change) => boolean, onPending: () => void = () => {}) {
    this.#wants = wants
    this.#onPending = onPending
  }

  mark(change: Change) {
    if (this.#isClosed || !this.#wants(change)) return
    this.#pending.set(keyOf(change), change)
    if (this.#resume === undefined) this.#onPending()
    else this.#settle(this.take())
  }

  /** Whether something has changed and was not taken. */
  get isOwed(): boolean {
    return this.#pending.size > 0
  }

  /** What has changed and was not taken before. */
  take(): ReadonlyArray<Change> {
    const changes = [...this.#pending.values()]
    this.#pending.clear()
    return changes
  }

  /** Waits for changes. Gives none when the watcher is closed. */
  readonly next: Effect.Effect<ReadonlyArray<Change>> = Effect.callback((resume) => {
    if (this.#pending.size > 0 || this.#isClosed) return resume(Exit.succeed(this.take()))
    this.#resume = resume
    return Effect.sync(() => {
      this.#resume = undefined
    })
  })

  close() {
    this.#isClosed = true
    this.#pending.clear()
    this.#settle([])
  }

  #settle(changes: ReadonlyArray<Change>) {
    const resume = this.#resume
    this.#resume = undefined
    resume?.(Exit.succeed(changes))
  }
}

/** All who listen to one server. @internal */
export class Watchers {
  readonly #all = new Set<Watcher>()
  /** The servers that this one is mounted into. */
  readonly hearers = new Hearers()

  add(watcher: Watcher) {
    this.#all.add(watcher)
  }

  delete(watcher: Watcher) {
    this.#all.delete(watcher)
  }

  mark(change: Change) {
    for (const watcher of [...this.#all]) watcher.mark(change)
    this.hearers.tell(change)
  }
}
