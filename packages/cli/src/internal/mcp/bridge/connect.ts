/**
 * `parley mcp connect`: one server, wherever it is and whatever it speaks, for a host.
 */
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as spelled from "../../arguments/spelled.ts"
import { placeOf } from "../../commands/proxy.ts"
import { type CommandError, line, usage } from "../../terminal/CommandError.ts"
import * as signal from "../../terminal/signal.ts"
import * as Place from "../../wire/Place.ts"
import * as wire from "../../wire/Wire.ts"
import * as serving from "../serving.ts"
import * as Bridge from "./Bridge.ts"
import { InFlight } from "./InFlight.ts"
import * as lasting from "./lasting.ts"
import * as Narrator from "./Narrator.ts"

/** The arguments and flags of the command. */
export interface Input extends Omit<wire.Input, "endpoint" | "framing" | "variables"> {
  readonly endpoint: ReadonlyArray<string>
  readonly listen: string
}

/** Serves until the input ends or a signal comes. */
export const connect = (input: Input): Effect.Effect<void, CommandError> =>
  serve(input.listen, (place) =>
    Effect.gen(function*() {
      const there = yield* wire.fromInput(
        { ...input, endpoint: yield* spelled.endpoint(input.endpoint), framing: "line" },
        "--framing"
      )
      return yield* lasting.make({
        wire: there,
        isSole: place._tag === "Stdio",
        narrator: Narrator.make("parley:", "server:")
      })
    }))

/** Serves what stands for a server at a place, until the input ends or a signal comes. */
export const serve = (
  listen: string,
  behind: (place: Place.Place) => Effect.Effect<Bridge.Behind, CommandError, Scope.Scope>
): Effect.Effect<void, CommandError> =>
  Effect.gen(function*() {
    const place = yield* placeOf(listen, undefined)
    if (!Place.isLocal(place)) {
      return yield* usage(
        `--listen ${Place.toText(place)} is not of this machine, and nothing checks who calls`,
        "listen at 127.0.0.1, or run `parley mcp gateway`, whose `auth` checks clients"
      )
    }
    const inFlight = new InFlight()
    const server = yield* Effect.flatMap(behind(place), (behind) => Bridge.make(behind, inFlight))
    yield* Effect.provideService(
      serving.at(
        place,
        (server) => McpHttp.endpoint(server, { access: { origins: "loopback" } }),
        (transport) => inFlight.patient(transport)
      ),
      McpServer.McpServer,
      server
    )
  }).pipe(
    Effect.scoped,
    quiet,
    Effect.raceFirst(signal.received),
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))),
    Effect.asVoid
  )

/** Leaves the log to those who debug: the narrator has told people what they need. */
const quiet = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    References.MinimumLogLevel,
    (level) =>
      level === "Info" || level === "Warn"
        ? Effect.provideService(effect, References.MinimumLogLevel, "Error")
        : effect
  )
