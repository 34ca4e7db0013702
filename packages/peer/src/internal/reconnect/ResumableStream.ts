/**
 * A stream that is run again on the next connection: one run after the other,
 * each in a Scope of its own that is closed before the next one begins.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Disconnected } from "../../CallerError.ts"
import { isShutDown } from "../incoming/ReplyText.ts"

/** @internal */
export interface Options<Gap> {
  /** The number of the connection that is there, or 0. */
  readonly connection: Effect.Effect<number>
  /** Waits until one is there. */
  readonly connected: Effect.Effect<number, Disconnected>
  /** Waits until one is there that is not this one. */
  readonly after: (connection: number) => Effect.Effect<number, Disconnected>
  /** The element that stands between two runs. */
  readonly gap: (connection: number, error: Disconnected) => Gap
}

interface Run<A, E> {
  readonly scope: Scope.Closeable
  /** The connection that was there when it began, or 0. */
  readonly begun: number
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<A>, E | Cause.Done>
}

/** A server that shuts down in order says so before the connection ends. */
const announced = new Disconnected({ reason: { _tag: "EndOfInput" }, sent: true })

/** @internal */
export const make = <A, E, R, Gap>(
  stream: Stream.Stream<A, E, R>,
  { after, connected, connection, gap }: Options<Gap>
): Stream.Stream<A | Gap, E | Disconnected, R> =>
  Stream.unwrap(Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    const outer = yield* Effect.scope
    let run: Run<A, E> | undefined

    const begin = Effect.gen(function*() {
      const scope = Scope.forkUnsafe(outer)
      const begun = yield* connection
      const pull = yield* Effect.provideContext(Scope.provide(Stream.toPull(stream), scope), context)
      return run = { scope, begun, pull }
    })

    /** Where the connection is still there, another one has ended, and a new run would end in the same way at once. */
    const next = (begun: number, error: Disconnected) =>
      Effect.flatMap(connection, (now) => {
        if (error === announced) return after(begun === 0 ? now : begun)
        return now !== 0 && now === begun ? Effect.fail(error) : connected
      })

    const between = ({ begun, scope }: Run<A, E>, error: Disconnected) =>
      Effect.suspend(() => {
        run = undefined
        return Effect.matchEffect(Effect.andThen(Scope.close(scope, Exit.fail(error)), next(begun, error)), {
          onFailure: () => Effect.fail(error),
          onSuccess: (connection) => Effect.succeed<NonEmptyReadonlyArray<Gap>>([gap(connection, error)])
        })
      })

    type Pulled = Effect.Effect<NonEmptyReadonlyArray<A | Gap>, E | Disconnected | Cause.Done>
    const pull: Pulled = Effect.suspend(() => {
      const running = run
      if (running === undefined) return Effect.andThen(begin, pull)
      return Effect.catch(
        running.pull,
        (error): Pulled => {
          if (error instanceof Disconnected) return between(running, error)
          return isShutDown(error) ? between(running, announced) : Effect.fail(error)
        }
      )
    })
    return Stream.fromPull(Effect.succeed(pull))
  }))
