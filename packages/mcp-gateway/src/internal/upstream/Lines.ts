/**
 * The connections to one upstream: shared ones, those of sessions, and those that serve one call at a time.
 *
 * A connection is opened when it is first wanted, and closed when nobody has wanted it for a while. There are never more
 * than so many, altogether and of one party: the one that nobody has used for longest makes room.
 */
import { type QuietLog, Shares } from "@parley/mcp/shared"
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Origin from "../policy/origin.ts"

/**
 * The use of a connection: by all whose key it has, one after the other, or by a session as long as it lasts.
 *
 * @internal
 */
export interface Use {
  /** Connections of one key are interchangeable. The first that nobody uses is taken, so that one after the other has one. */
  readonly key: unknown
  readonly kind: "shared" | "exclusive" | "session"
  /** Whether it is only listened to, so that others may use it meanwhile. */
  readonly isListening?: boolean
  /** The party that it counts for. */
  readonly party: Shares.Party
}

/**
 * What is kept of a connection that no caller owns, such as its lists, is nobody's: no caller is known while it is found.
 *
 * @internal
 */
export const asOwner = <A, E, R>({ party }: Use, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  party === undefined ? Effect.provideService(effect, Handshake.Current, undefined) : effect

/** @internal */
export interface Options {
  readonly server: string
  readonly log: QuietLog.QuietLog
  readonly most: number
  readonly mostOfOne: number
  /** Milliseconds. */
  readonly idle: number
  readonly scope: Scope.Scope
}

/** One connection. */
interface Slot<A, E> {
  readonly use: Use
  readonly scope: Scope.Closeable
  readonly opened: Deferred.Deferred<A, E>
  /** The connection, once it is open. */
  line: A | undefined
  users: number
  listeners: number
  /** When it was used last. */
  used: number
  closing: Fiber.Fiber<void> | undefined
}

/** @internal */
export class Lines<A, E> {
  readonly #options: Options
  readonly #slots = new Set<Slot<A, E>>()
  readonly #shares: Shares.Shares
  /** Each connection has a Scope in this one: it closes behind those who use the connections, and before the upstream. */
  readonly #scope: Scope.Closeable

  constructor(options: Options) {
    this.#options = options
    this.#scope = Scope.forkUnsafe(options.scope, "parallel")
    this.#shares = new Shares.Shares(options.most, options.mostOfOne)
  }

  /** The open connection of a key, if there is one. */
  peek(key: unknown): A | undefined {
    for (const { line, use } of this.#slots) if (use.key === key && line !== undefined) return line
    return undefined
  }

  /** A connection for as long as the Scope is open. */
  take(
    use: Use,
    open: Effect.Effect<A, E, Scope.Scope>
  ): Effect.Effect<A, E | ErrorResponse.ErrorResponse, Scope.Scope> {
    return Effect.flatMap(
      Effect.acquireRelease(
        Effect.suspend(() => this.#seize(use, open)),
        (slot) => this.#release(slot, use)
      ),
      ({ opened }) => Deferred.await(opened)
    )
  }

  /** Closes a connection that can be used no more. */
  discard(line: A): Effect.Effect<void> {
    return Effect.suspend(() => {
      const slot = [...this.#slots].find((slot) => slot.line === line)
      return slot === undefined ? Effect.void : this.#close(slot)
    })
  }

  /** Closes the connections of a key. */
  close(key: unknown): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach([...this.#slots].filter(({ use }) => use.key === key), (slot) => this.#close(slot), {
        discard: true
      })
    )
  }

  #seize(
    use: Use,
    open: Effect.Effect<A, E, Scope.Scope>
  ): Effect.Effect<Slot<A, E>, ErrorResponse.ErrorResponse> {
    for (const slot of this.#slots) {
      if (slot.use.key !== use.key || (use.kind === "exclusive" && use.isListening !== true && slot.users > 0)) continue
      if (use.isListening === true) slot.listeners++
      else slot.users++
      return Effect.succeed(slot)
    }
    const beyond = this.#shares.fullFor(use.party)
    const oldest = beyond === undefined ? undefined : this.#idlest(beyond, use.party)
    if (beyond !== undefined && oldest === undefined) {
      return Effect.fail(Origin.full(this.#shares, beyond, `connections to the server ${this.#options.server}`))
    }
    const slot: Slot<A, E> = {
      use,
      scope: Scope.forkUnsafe(this.#scope),
      opened: Deferred.makeUnsafe(),
      line: undefined,
      users: use.isListening === true ? 0 : 1,
      listeners: use.isListening === true ? 1 : 0,
      used: 0,
      closing: undefined
    }
    this.#slots.add(slot)
    this.#shares.take(use.party)
    const opening = Effect.onExit(Scope.provide(open, slot.scope), (exit) => {
      if (Exit.isSuccess(exit)) slot.line = exit.value
      const done = Deferred.done(slot.opened, exit)
      return Exit.isSuccess(exit) ? done : Effect.andThen(this.#close(slot), done)
    })
    return (oldest === undefined ? Effect.void : this.#evict(oldest)).pipe(
      // It is opened whoever waits for it, since others may come to wait.
      Effect.andThen(Effect.forkIn(Effect.exit(opening), this.#options.scope, { startImmediately: true })),
      Effect.map((fiber) => {
        // It cannot begin where the upstream has ended.
        fiber.addObserver((exit) =>
          Exit.isFailure(exit) && Deferred.doneUnsafe(slot.opened, Exit.failCause(exit.cause))
        )
        return slot
      })
    )
  }

  #release(slot: Slot<A, E>, { isListening }: Use): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      slot.used = now
      if (isListening === true) slot.listeners--
      else slot.users--
      if (slot.closing !== undefined || !this.#isIdle(slot)) return Effect.void
      return Effect.map(Effect.forkIn(this.#closeWhenIdle(slot, this.#options.idle), this.#options.scope), (fiber) => {
        slot.closing = fiber
      })
    })
  }

  #isIdle(slot: Slot<A, E>): boolean {
    return slot.users + slot.listeners === 0 && slot.use.kind !== "session" && this.#slots.has(slot)
  }

  /** Closes a connection that nobody has used for long. One that is used meanwhile does not set a timer for each call. */
  #closeWhenIdle(slot: Slot<A, E>, wait: number): Effect.Effect<void> {
    return Effect.flatMap(Effect.andThen(Effect.sleep(wait), Clock.currentTimeMillis), (now) => {
      const left = slot.used + this.#options.idle - now
      if (this.#isIdle(slot) && left > 0) return this.#closeWhenIdle(slot, left)
      slot.closing = undefined
      return this.#isIdle(slot) ? this.#close(slot) : Effect.void
    })
  }

  /** The connection that makes room: nobody has used it for longest of those that count for the bound. */
  #idlest(beyond: Shares.Full, party: Shares.Party): Slot<A, E> | undefined {
    const idle = [...this.#slots].filter(({ listeners, use, users }) =>
      users + listeners === 0 && this.#shares.counts(beyond, party, use.party)
    )
    return idle.toSorted((a, b) => a.used - b.used)[0]
  }

  /** The session of an upstream ends with its connection, so the log has it. */
  #evict(slot: Slot<A, E>): Effect.Effect<void> {
    const { log, server } = this.#options
    return Effect.andThen(
      slot.use.kind === "session"
        ? log(
          `there are too many connections to the server ${
            Excerpt.line(server)
          }, and the one whose session is idle for longest ends`
        )
        : Effect.void,
      this.#close(slot)
    )
  }

  #close(slot: Slot<A, E>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#slots.delete(slot)) this.#shares.give(slot.use.party)
      const { closing } = slot
      slot.closing = undefined
      return Effect.andThen(
        Effect.forkIn(Scope.close(slot.scope, Exit.void), this.#options.scope, { startImmediately: true }),
        Effect.sync(() => closing?.interruptUnsafe())
      )
    })
  }
}
