/**
 * `parley mcp serve`: a server that has everything, over stdio, a socket, WebSockets or HTTP.
 */
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeStdio from "@parley/node/NodeStdio"
import { describe } from "@parley/peer/CallerError"
import { Listener } from "@parley/transport/Listener"
import { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as chosenPlace from "../../arguments/chosenPlace.ts"
import { at, type CommandError, line } from "../../terminal/CommandError.ts"
import { print } from "../../terminal/output.ts"
import * as signal from "../../terminal/signal.ts"
import { listen, serveEndpoint } from "../../wire/listen.ts"
import type * as Place from "../../wire/Place.ts"
import * as everything from "../everything/server.ts"

/** Serves until the input ends or a signal comes. */
export const serve = (input: chosenPlace.Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(chosenPlace.fromInput(input, "/mcp"), (place) => {
    switch (place._tag) {
      case "Stdio":
        return serveStdio
      case "Http":
        return serveHttp(place)
      default:
        return serveConnections(place)
    }
  }).pipe(
    Effect.raceFirst(signal.received),
    Effect.provideServiceEffect(McpServer.McpServer, everything.make),
    Effect.scoped,
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message))),
    Effect.asVoid
  )

const serveStdio = Effect.gen(function*() {
  const reason = yield* Effect.provideServiceEffect(McpServer.serve, Transport, NodeStdio.makeTransport())
  if (reason._tag !== "EndOfInput") return yield* line(at("stdin", describe(reason)))
})

const serveConnections = Effect.fnUntraced(function*(place: Place.Duplex) {
  const listener = yield* listen(place, "line")
  yield* print(`listening ${listener.address}`)
  return yield* Effect.provideService(McpServer.listen, Listener, listener)
})

const serveHttp = Effect.fnUntraced(function*(place: Place.Http) {
  const { make } = yield* Effect.promise(() => import("../everything/endpoint.ts"))
  const endpoint = yield* make(yield* McpServer.McpServer)
  yield* print(`listening ${yield* serveEndpoint(place, endpoint)}`)
  return yield* Effect.never
})
