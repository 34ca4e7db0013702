/**
 * `parley serve`: the specimen methods over stdio, a socket, WebSockets or HTTP.
 */
import * as Specimen from "@parley/conformance/Specimen"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import { Listener } from "@parley/transport/Listener"
import * as Effect from "effect/Effect"
import * as chosenPlace from "../arguments/chosenPlace.ts"
import { type CommandError, line, usage } from "../terminal/CommandError.ts"
import { sentence } from "../terminal/disconnected.ts"
import { print } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import { listen, serveHttp } from "../wire/listen.ts"
import type * as Place from "../wire/Place.ts"

/** What the command line says. */
export interface Input extends chosenPlace.Input {
  readonly framing: framings.Name
}

/** Serves until the input ends or a signal comes; what was asked until then is answered first. */
export const serve = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(placeOf(input), (place) => {
    switch (place._tag) {
      case "Stdio":
        return serveStdio(input.framing)
      case "Http":
        return servePosts(place)
      default:
        return serveConnections(place, input.framing)
    }
  }).pipe(
    Effect.raceFirst(signal.received),
    Effect.provide(Router.layer(Specimen.handlers)),
    Effect.catchTag("MethodTaken", Effect.die),
    Effect.asVoid
  )

const placeOf = (input: Input): Effect.Effect<Place.Place, CommandError> =>
  Effect.flatMap(
    chosenPlace.fromInput(input, "/"),
    (place) =>
      input.framing !== "line" && (place._tag === "WebSocket" || place._tag === "Http")
        ? Effect.fail(
          usage("--framing says nothing about --ws and --http", "framings are for --stdio, --tcp and --unix")
        )
        : Effect.succeed(place)
  )

const serveStdio = Effect.fnUntraced(
  function*(framing: framings.Name) {
    const transport = yield* NodeStdio.makeTransport({ framing: framings.byName(framing) })
    const peer = yield* Peer.make(transport, { router: yield* Router.Router })
    const reason = yield* peer.closed
    if (reason._tag !== "EndOfInput") return yield* line(sentence(reason))
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)

const serveConnections = Effect.fnUntraced(
  function*(place: Place.Duplex, framing: framings.Name) {
    const listener = yield* listen(place, framing)
    yield* print(`listening ${listener.address}`)
    return yield* Effect.provideService(Server.run, Listener, listener)
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)

const servePosts = Effect.fnUntraced(
  function*(place: Place.Http) {
    const { answer } = yield* Router.Router
    yield* print(`listening ${yield* serveHttp(place, answer)}`)
    return yield* Effect.never
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)
