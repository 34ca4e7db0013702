/**
 * `parley serve`: the specimen methods over stdio, a socket, WebSockets, HTTP or NATS.
 */
import * as Specimen from "@parley/conformance/Specimen"
import * as NodeStdio from "@parley/node/NodeStdio"
import { describe } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import type { Dialect } from "@parley/protocol/Dialect"
import { Listener } from "@parley/transport/Listener"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as chosenPlace from "../arguments/chosenPlace.ts"
import { at, type CommandError, line, usage } from "../terminal/CommandError.ts"
import { print } from "../terminal/output.ts"
import * as signal from "../terminal/signal.ts"
import * as framings from "../wire/framings.ts"
import { listen, serveHttp, serveNats } from "../wire/listen.ts"
import type * as Place from "../wire/Place.ts"

/** The flags of the command. */
export interface Input extends chosenPlace.Input {
  readonly dialect: framings.DialectName
  /** By default, the framing of the dialect. */
  readonly framing: Option.Option<framings.Name>
}

/** Serves until the input ends or a signal comes, and answers the requests in flight first. */
export const serve = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.flatMap(placeOf(input), (place) => {
    const framing = Option.getOrElse(input.framing, () => framings.ofDialect(input.dialect))
    const dialect = framings.dialectOver(input.dialect, framing)
    switch (place._tag) {
      case "Stdio":
        return serveStdio(framing, dialect)
      case "Http":
        return servePosts(place, dialect)
      default:
        return serveConnections(place, framing, dialect)
    }
  }).pipe(
    Effect.raceFirst(signal.received),
    Effect.provide(Router.layer(Specimen.handlers, { dialect: framings.dialectByName(input.dialect) })),
    Effect.catchTag("MethodTaken", Effect.die),
    Effect.asVoid
  )

const placeOf = (input: Input): Effect.Effect<Place.Place, CommandError> =>
  Effect.flatMap(
    chosenPlace.fromInput(input, "/"),
    (place) =>
      framings.isIdle(Option.getOrUndefined(input.framing), place)
        ? Effect.fail(
          usage("--framing does not apply to --ws, --http and --nats", "only --stdio, --tcp and --unix have a framing")
        )
        : Effect.succeed(place)
  )

const serveStdio = Effect.fnUntraced(
  function*(framing: framings.Name, dialect: Dialect) {
    const transport = yield* NodeStdio.makeTransport({ framing: framings.byName(framing) })
    const peer = yield* Peer.make(transport, { dialect, router: yield* Router.Router })
    const reason = yield* peer.closed
    if (reason._tag !== "EndOfInput") return yield* line(at("stdin", describe(reason)))
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)

const serveConnections = Effect.fnUntraced(
  function*(place: Place.Duplex, framing: framings.Name, dialect: Dialect) {
    const listener = yield* listen(place, framing)
    const { answer } = yield* Router.Router
    const address = place._tag === "Nats" ? yield* serveNats(place, answer, dialect) : listener.address
    yield* print(`listening ${address}`)
    return yield* Effect.provideService(Server.runWith({ dialect }), Listener, listener)
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)

const servePosts = Effect.fnUntraced(
  function*(place: Place.Http, dialect: Dialect) {
    const { answer } = yield* Router.Router
    yield* print(`listening ${yield* serveHttp(place, answer, dialect)}`)
    return yield* Effect.never
  },
  Effect.scoped
)
