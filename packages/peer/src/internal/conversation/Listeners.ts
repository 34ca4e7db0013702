/**
 * The listeners to notifications of the other side. A listener takes them as they
 * are read, before they queue behind handlers.
 */
import type * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NotificationListener } from "../../Caller.ts"
import { Disconnected, type DisconnectReason } from "../CallerError.ts"
import type { Core } from "./Core.ts"

/** One listener may listen twice: each time is an entry. */
interface Entry {
  readonly listener: NotificationListener
  readonly number: number
}

/** The entries of one method. */
class Entries extends Set<Entry> {
  /** How many of them keep the digits of numbers. */
  exact = 0
}

/** @internal */
export class Listeners {
  readonly #conversation: Core
  #methods: Map<string, Entries> | undefined = undefined
  /** How many listeners keep the digits of numbers. */
  exact = 0
  /** The number of the latest entry. */
  #last = 0
  /** What listeners hear when nothing more comes. */
  #ended: Disconnected | undefined = undefined

  constructor(conversation: Core) {
    this.#conversation = conversation
  }

  /** Whether somebody listens to a method. */
  has(method: string): boolean {
    return this.#methods?.has(method) === true
  }

  /** Whether somebody listens to a method, and keeps the digits of numbers. */
  isExact(method: string): boolean {
    return this.exact > 0 && (this.#methods?.get(method)?.exact ?? 0) > 0
  }

  get isEmpty(): boolean {
    return (this.#methods?.size ?? 0) === 0
  }

  /** Offers a notification. Gives `true` when a listener has taken it. */
  take({ method, params }: Message.Notification): boolean {
    const entries = this.#methods?.get(method)
    if (entries === undefined) return false
    // A listener may add others, which come too late for this notification, and may remove some, which are passed over.
    const last = this.#last
    for (const { listener, number } of entries) {
      if (number > last) return false
      if (this.#guard("take", method, () => listener.take(params))) return true
    }
    return false
  }

  listen(method: string, listener: NotificationListener): Effect.Effect<void, Disconnected, Scope.Scope> {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.suspend(() => {
        if (this.#ended !== undefined) return Effect.fail(this.#ended)
        const entry = { listener, number: ++this.#last }
        const methods = this.#methods ??= new Map<string, Entries>()
        const entries = methods.get(method) ?? new Entries()
        methods.set(method, entries.add(entry))
        const exact = Number(listener.exact === true)
        this.exact += exact
        entries.exact += exact
        // What waits for room may be for this listener, and needs none.
        this.#conversation.step()
        return Effect.succeed(() => {
          this.exact -= exact
          entries.exact -= exact
          if (entries.delete(entry) && entries.size === 0) methods.delete(method)
          this.#conversation.step()
        })
      }),
      (remove) => Effect.sync(remove)
    ))
  }

  /** Tells all listeners that nothing more will come. */
  end(reason: DisconnectReason): void {
    if (this.#ended !== undefined) return
    const error = this.#ended = new Disconnected({ reason, sent: false })
    const all = [...this.#methods ?? []]
    this.#methods = undefined
    for (const [method, entries] of all) {
      for (const entry of entries) {
        // One that is told may have removed others.
        entries.delete(entry)
        this.#guard("end", method, () => (entry.listener.end(error), true))
      }
    }
  }

  /** Runs a listener. One that throws counts as having taken the notification. */
  #guard(member: "take" | "end", method: string, run: () => boolean): boolean {
    try {
      return run()
    } catch (defect) {
      this.#conversation.host.log(`the \`${member}\` of a listener to ${method} threw`, Cause.die(defect))
      return true
    }
  }
}
