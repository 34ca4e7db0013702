/**
 * A stream that is run again on the next connection: one run after the other,
 * each in a Scope of its own that is closed before the next one begins.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Disconnected, isRefusedUnstarted, isShutDown } from "../CallerError.ts"

/** The caller over which a stream is run again. @internal */
export interface Origin {
  /** Its code tells that the other side shuts down. The dialect of JSON-RPC by default. */
  readonly dialect?: Dialect | undefined
  /** Leaves the connection with this number, because the other side shuts down. */
  readonly leave?: (connection: number) => void
}

/** @internal */
export interface Options<Gap> extends Origin {
  /** The number of the connection that is there, or 0. */
  readonly connection: Effect.Effect<number>
  /** Waits until one is there. */
  readonly connected: Effect.Effect<number, Disconnected>
  /** Waits until one is there that is not this one. */
  readonly after: (connection: number) => Effect.Effect<number, Disconnected>
  /** The element that stands between two runs. */
  readonly gap: (connection: number, error: Disconnected) => Gap
}

/** A server that shuts down in order says so before the connection ends. */
const announced = new Disconnected({ reason: { _tag: "EndOfInput" }, sent: true })

/** @internal */
export const make = <A, E, R, Gap>(
  stream: Stream.Stream<A, E, R>,
  { after, connected, connection, dialect, gap, leave }: Options<Gap>
): Stream.Stream<A | Gap, E | Disconnected, R> =>
  Stream.suspend(() => {
    /** The connection that was there when the run began, or 0. */
    let begun = 0
    let gaps: ReadonlyArray<Gap> = []

    const items = Stream.unwrap(Effect.map(connection, (now) => {
      begun = now
      return Stream.mapError(stream, (error) =>
        isShutDown(error, dialect) || isRefusedUnstarted(error) ? announced : error)
    }))

    /** Where the connection is still there, another one has ended, and a new run would end in the same way at once. */
    const next = (error: Disconnected) =>
      Effect.flatMap(connection, (now) => {
        if (error === announced) {
          const old = begun === 0 ? now : begun
          leave?.(old)
          return after(old)
        }
        return now !== 0 && now === begun ? Effect.fail(error) : connected
      })

    /** Its end is the end of the stream, by the failure that it was given. */
    const onNextConnection = Schedule.fromStep(Effect.succeed((_: number, error: E | Disconnected) =>
      error instanceof Disconnected
        ? Effect.matchEffect(next(error), {
          onFailure: () =>
            Cause.done(undefined),
          onSuccess: (connection) => {
            gaps = [gap(connection, error)]
            return Effect.succeed<[void, Duration.Duration]>([undefined, Duration.zero])
          }
        })
        : Cause.done(undefined)
    ))

    const run = Stream.concat(
      Stream.suspend(() =>
        Stream.fromIterable(gaps)
      ),
      items
    )
    return Stream.retry(run, onNextConnection)
  })
