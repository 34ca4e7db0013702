/**
 * Lists of a server that takes its time. Whoever comes first waits for a while, and has what was known before after that.
 * Nobody waits again, on whatever connection, until the server has given a list; and the waits of a minute have a bound
 * together, however short each of them is. A call of a feature of the server itself waits whoever has waited before: what was
 * known before may be of others.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import type { Feature } from "@parley/mcp/server/Feature"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

type Features = ReadonlyArray<Feature>

/** Milliseconds that calls wait for features, and lists altogether in a minute: a slow server must not hold up the others. */
const patience = 5_000

/** Milliseconds of a wait that counts for nothing: a server that is only far away must not be out of patience. */
const brief = 1_000

const minute = 60_000

/** Who waits: a call of one feature of the server, or somebody who asks other servers as well. @internal */
export type Waiting = "call" | "list"

/** A call of a tool or prompt is about this server alone: others are not asked for its name. @internal */
export const waitingOf = ({ method }: Pick<McpContext, "method">): Waiting =>
  method === "tools/call" || method === "prompts/get" ? "call" : "list"

/** @internal */
export class SlowLists {
  readonly #scope: Scope.Scope
  readonly #onLate: () => void
  /** The keys of the connections that are still read. */
  readonly #late = new Set<unknown>()
  /** Whether somebody has waited in vain, and nobody has had a list since. */
  #isSilent = false
  /** When the minute began whose waits are counted. */
  #since = 0
  /** The milliseconds that lists have waited since then. */
  #waited = 0

  constructor(scope: Scope.Scope, onLate: () => void) {
    this.#scope = scope
    this.#onLate = onLate
  }

  /** The features that a connection gives in time; else those that are known. */
  read<E>(
    key: unknown,
    waiting: Waiting,
    read: Effect.Effect<Features, E>,
    known: () => Features
  ): Effect.Effect<Features> {
    return Effect.suspend(() => {
      if (this.#late.has(key)) return Exit.succeed(known())
      // The lists of nobody in particular are better than none, and than waiting.
      return Effect.matchEffect(this.#inTime(waiting, read), {
        onFailure: () => Exit.succeed(known()),
        onSuccess: (features) => Option.isSome(features) ? Exit.succeed(features.value) : this.#later(key, read, known)
      })
    })
  }

  /** Waits for a server that has never been reached. */
  first(waiting: Waiting, ready: Effect.Effect<unknown, unknown>): Effect.Effect<void> {
    return Effect.asVoid(this.#inTime(waiting, Effect.exit(ready)))
  }

  /** Hears that the server has given a list. */
  given() {
    this.#isSilent = false
  }

  #inTime<A, E>(waiting: Waiting, effect: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>, E> {
    if (waiting === "call") return Effect.timeoutOption(effect, patience)
    return Effect.clockWith((clock) => {
      const began = clock.currentTimeMillisUnsafe()
      const left = this.#leftAt(began)
      if (left <= 0) return Effect.succeedNone
      return Effect.onExit(Effect.timeoutOption(effect, left), (exit) =>
        Effect.sync(() => {
          const waited = clock.currentTimeMillisUnsafe() - began
          if (Exit.isSuccess(exit)) this.#isSilent = Option.isNone(exit.value)
          if (this.#isSilent || waited >= brief) this.#waited += waited
        }))
    })
  }

  /** Milliseconds that a list may wait now. */
  #leftAt(now: number): number {
    if (this.#isSilent) return 0
    if (now - this.#since >= minute) {
      this.#since = now
      this.#waited = 0
    }
    return patience - this.#waited
  }

  /**
   * Gives what is known, and goes on with a read that takes too long. Clients hear of its end where it has other features
   * than they were given: they list again then, so a read that fails must not tell them.
   */
  #later<E>(key: unknown, read: Effect.Effect<Features, E>, known: () => Features): Effect.Effect<Features> {
    return Effect.suspend(() => {
      const given = known()
      if (this.#late.has(key)) return Exit.succeed(given)
      this.#late.add(key)
      const done = Effect.onExit(Effect.timeoutOption(read, longest), (exit) =>
        Effect.sync(() => {
          this.#late.delete(key)
          if (Exit.isFailure(exit) || Option.isNone(exit.value)) return
          this.given()
          const features = exit.value.value
          if (features !== given || features !== known()) this.#onLate()
        }))
      return Effect.as(Effect.forkIn(Effect.ignore(done), this.#scope), given)
    })
  }
}

/** Milliseconds after which a list that has not come is asked for again when somebody wants it. */
const longest = 120_000
