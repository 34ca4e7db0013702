/**
 * A reconnecting caller under test, and each of its connections in the hands of a law.
 */
import type { Caller, CallError } from "@parley/peer/Caller"
import type { ReconnectingState } from "@parley/peer/Reconnecting"
import type { Message } from "@parley/protocol/Message"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { broken } from "../laws.ts"
import * as Sides from "./side.ts"

/** The parts of a reconnecting caller that a law needs. */
export type Service = Caller & { readonly changes: Stream.Stream<ReconnectingState> }

/** How one gets its connections, and what it does first on each. */
export interface Means {
  readonly open: Effect.Effect<Transport, TransportError, Scope.Scope>
  readonly onConnect: (caller: Caller) => Effect.Effect<unknown, CallError>
}

/** The maker of a caller, and its options. */
export interface Called {
  readonly make: (means: Means) => Effect.Effect<Service, unknown, Scope.Scope>
  readonly patience: Duration.Input
}

/** A reconnecting caller, as the law sees it. */
export interface Subject {
  readonly caller: Service
  /** The other side of the next connection, which is let through where it is held up. */
  readonly connection: Effect.Effect<Sides.Side, unknown>
  /** Waits until a connection is held up: what came before it is over. */
  readonly held: Effect.Effect<void, unknown>
  /** How many connections are not released. */
  readonly unreleased: () => number
  readonly end: <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.Effect<A, unknown>
}

/** A plan says what happens to each attempt, one after the other. All later attempts come to a connection. */
export interface Plan {
  /** Whether the attempt comes to a connection. */
  readonly opens?: ReadonlyArray<boolean> | undefined
  readonly onConnect?: Means["onConnect"] | undefined
  /** Holds up each connection until the law asks for it. */
  readonly holds?: boolean | undefined
  /** Makes the line of the connection of this number another one. */
  readonly wrap?: ((near: Transport, connection: number) => Effect.Effect<Transport>) | undefined
}

export const open = (
  { make, patience }: Called,
  { onConnect = () => Effect.void, holds = false, opens = [], wrap = Effect.succeed }: Plan = {}
): Effect.Effect<Subject, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const sides = yield* Queue.unbounded<Sides.Side>()
    const arrivals = yield* Queue.unbounded<void>()
    const tickets = yield* Queue.unbounded<void>()
    let attempts = 0
    let connections = 0
    let unreleased = 0
    const open = Effect.gen(function*() {
      if (opens[attempts++] === false) {
        return yield* Effect.fail(transportError({ _tag: "Open", cause: new Error("refused by a law") }))
      }
      if (holds) {
        yield* Queue.offer(arrivals, undefined)
        yield* Queue.take(tickets)
      }
      yield* Effect.acquireRelease(Effect.sync(() => unreleased++), () => Effect.sync(() => unreleased--))
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Queue.offer(sides, Sides.make(far, patience))
      return yield* wrap(near, ++connections)
    })
    const within = <A, E>(effect: Effect.Effect<A, E>, what: string) =>
      Effect.timeoutOrElse(effect, { duration: patience, orElse: () => broken(what) })
    return {
      caller: yield* make({ open, onConnect }),
      connection: within(
        Effect.andThen(Queue.offer(tickets, undefined), Queue.take(sides)),
        "no connection is opened"
      ),
      held: within(Queue.take(arrivals), "no connection is opened"),
      unreleased: () => unreleased,
      end: (fiber) => within(Fiber.join(fiber), "what should end does not")
    }
  })

/** The next requests and notifications, by their methods and ids. */
export const calls = (side: Sides.Side, count: number): Effect.Effect<ReadonlyArray<Message>, unknown> =>
  Effect.forEach(Array.from({ length: count }), () => side.message)

export const methodOf = (message: Message): string => "method" in message ? message.method : message._tag
