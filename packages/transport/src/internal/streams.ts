/**
 * A Stream as a pull, and a Sink as a write: the two ends that Effect's platform services give.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as TransportError from "../TransportError.ts"

type Failure = TransportError.TransportError

const lost = (cause: unknown): Failure => TransportError.make({ _tag: "Lost", cause })

/** Reads from a stream. */
export interface Reader {
  /** Fails with `EndOfInput` at the end of the stream, and as soon as `cut` fails. */
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<Uint8Array>, Failure>
  /** Drops what still comes. Not while somebody pulls. */
  readonly drain: Effect.Effect<never>
}

/** A stream's own pull may wait for ever after its scope has closed; hence `cut`. */
export const readerOf = <E>(
  stream: Stream.Stream<Uint8Array, E>,
  cut: Deferred.Deferred<never, Failure>
): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.map(Stream.toPull(stream), (pull) => ({
    pull: Effect.raceFirst(
      Effect.mapError(
        pull,
        (error) => Cause.isDone(error) ? TransportError.make({ _tag: "EndOfInput" }) : lost(error)
      ),
      Deferred.await(cut)
    ),
    drain: Effect.andThen(Effect.exit(Effect.forever(pull)), Effect.never)
  }))

/** Writes into a sink, which takes the next bytes only when it has written the last ones. */
export interface Writer {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, Failure>
  /** No more bytes will come. */
  readonly end: Effect.Effect<void>
  /** After `end`: waits until the sink has taken all bytes, or takes none for a second. */
  readonly flushed: Effect.Effect<void>
}

/** Runs a sink as long as the Scope is open. */
export const writerOf = <A, E>(
  sink: Sink.Sink<unknown, A | Uint8Array, unknown, E>
): Effect.Effect<Writer, never, Scope.Scope> =>
  Effect.gen(function*() {
    type Chunk = NonEmptyReadonlyArray<Uint8Array>
    let queue: Array<Uint8Array> = []
    let taker: ((exit: Exit.Exit<Chunk, Cause.Done>) => void) | undefined
    let waiting: Array<(exit: Exit.Exit<void, Failure>) => void> = []
    let over: Exit.Exit<never, Failure> | undefined
    let ending = false
    let pulls = 0

    const settle = (exit: Exit.Exit<void, Failure>) => {
      const resumes = waiting
      waiting = []
      for (const resume of resumes) resume(exit)
    }
    const next = (): Exit.Exit<Chunk, Cause.Done> | undefined => {
      const [first, ...rest] = queue
      queue = []
      return first !== undefined ? Exit.succeed([first, ...rest]) : ending ? Exit.fail(Cause.Done()) : undefined
    }
    // The sink pulls again when it has written what it had: that is when there is room.
    const pull = Effect.callback<Chunk, Cause.Done>((resume) => {
      pulls++
      const exit = next()
      if (exit !== undefined) return resume(exit)
      taker = resume
      settle(Exit.void)
    })
    const wake = () => {
      const resume = taker
      const exit = resume === undefined ? undefined : next()
      if (resume === undefined || exit === undefined) return
      taker = undefined
      resume(exit)
    }
    const fiber = yield* Effect.forkScoped(
      Effect.onExit(Stream.run(Stream.fromPull(Effect.succeed(pull)), sink), (exit) =>
        Effect.sync(() => {
          over = Exit.fail(
            Exit.isSuccess(exit) ? TransportError.make({ _tag: "Closed" }) : lost(Cause.squash(exit.cause))
          )
          settle(over)
        })),
      { startImmediately: true }
    )
    const flushed: Effect.Effect<void> = Effect.suspend(() => {
      const before = pulls
      return Effect.flatMap(
        Effect.timeoutOption(Fiber.await(fiber), 1_000),
        (exit) => Option.isSome(exit) || pulls === before ? Effect.void : flushed
      )
    })
    return {
      write: (bytes) =>
        Effect.callback((resume) => {
          if (over !== undefined) return resume(over)
          if (ending) return resume(Exit.fail(TransportError.make({ _tag: "Closed" })))
          queue.push(bytes)
          waiting.push(resume)
          wake()
          return Effect.sync(() => {
            waiting = waiting.filter((other) => other !== resume)
          })
        }),
      end: Effect.sync(() => {
        ending = true
        wake()
      }),
      flushed
    }
  })
