/**
 * `parley mcp serve`: a server that has everything, over stdio, a socket, WebSockets, HTTP or NATS.
 */
import * as McpServer from "@parley/mcp/McpServer"
import * as Effect from "effect/Effect"
import * as chosenPlace from "../../arguments/chosenPlace.ts"
import { type CommandError, line } from "../../terminal/CommandError.ts"
import * as signal from "../../terminal/signal.ts"
import * as everything from "../everything/server.ts"
import * as serving from "../serving.ts"

/** Serves until the input ends or a signal comes. */
export const serve = (input: chosenPlace.Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(
    chosenPlace.fromInput(input, "/mcp"),
    (place) =>
      serving.at(place, (server) =>
        Effect.flatMap(
          Effect.promise(() => import("../everything/endpoint.ts")),
          ({ make }) => make(server)
        ))
  ).pipe(
    Effect.raceFirst(signal.received),
    Effect.provideServiceEffect(McpServer.McpServer, everything.make),
    Effect.scoped,
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))),
    Effect.asVoid
  )
