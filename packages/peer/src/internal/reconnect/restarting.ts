/**
 * The waits after a server that shut down in order. Its successor is expected
 * within seconds, and a wait that doubled would outlast it by as long as it took.
 */
import * as Backoff from "@parley/transport/Backoff"
import type * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"

/** Less than a second for 10 seconds, then as after any other end. @internal */
export const restarting: Schedule.Schedule<Duration.Duration> = Schedule.concat(
  Schedule.upTo(Backoff.make({ first: "100 millis", most: "800 millis" }), { duration: "10 seconds" }),
  Backoff.make({ first: "1 second", most: "10 seconds" })
)
