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
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"
import { type CommandError, line, usage } from "./CommandError.ts"
import { sentence } from "./disconnected.ts"
import * as framings from "./framings.ts"
import { listen, serveHttp } from "./listen.ts"
import { print } from "./output.ts"
import * as Place from "./Place.ts"
import * as signal from "./signal.ts"

/** What the command line says. */
export interface Input {
  readonly stdio: boolean
  readonly tcp: Option.Option<string>
  readonly unix: Option.Option<string>
  readonly ws: Option.Option<string>
  readonly http: Option.Option<string>
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

const placeOf = ({ framing, http, stdio, tcp, unix, ws }: Input): Effect.Effect<Place.Place, CommandError> => {
  const [only, ...others] = [
    ...stdio ? [Effect.succeed<Place.Place>({ _tag: "Stdio" })] : [],
    ...Option.toArray(tcp).map((text) => place(`--tcp ${text}`, Endpoint.tcpFromText(text), "--tcp 127.0.0.1:4000")),
    ...Option.toArray(unix).map((path) => Effect.succeed<Place.Place>({ _tag: "Unix", path })),
    ...Option.toArray(ws).map((text) =>
      place(`--ws ${text}`, Result.map(Place.webFromText(text), Place.webSocket), "--ws 127.0.0.1:4000/rpc")
    ),
    ...Option.toArray(http).map((text) =>
      place(`--http ${text}`, Result.map(Place.webFromText(text), Place.http), "--http 127.0.0.1:4000/rpc")
    )
  ]
  if (only === undefined || others.length > 0) {
    return Effect.fail(usage("where to serve is not clear", `say one of ${choice}`))
  }
  return framing !== "line" && (Option.isSome(ws) || Option.isSome(http))
    ? Effect.fail(usage("--framing says nothing about --ws and --http", "framings are for --stdio, --tcp and --unix"))
    : only
}

const choice = "--stdio, --tcp HOST:PORT, --unix PATH, --ws HOST:PORT[/PATH] and --http HOST:PORT[/PATH]"

const place = (
  said: string,
  read: Result.Result<Place.Place, string>,
  example: string
): Effect.Effect<Place.Place, CommandError> =>
  Effect.mapError(
    Effect.fromResult(read),
    (why) => usage(`${said}: ${why}`, `for example ${example}; port 0 picks one`)
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
