/**
 * Listens at places. The modules of a wire are loaded when it is used. A failure names the place.
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import type { Answer } from "@parley/http/HttpEndpoint"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Framing } from "@parley/protocol/Framing"
import type { Listener } from "@parley/transport/Listener"
import type { TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Endpoint from "../Endpoint.ts"
import { at, type CommandError, line } from "../terminal/CommandError.ts"
import * as framings from "./framings.ts"
import { nats } from "./optional.ts"
import * as Place from "./Place.ts"

/** Listens for connections that carry texts both ways. */
export const listen = (
  place: Place.Duplex,
  name: framings.Name
): Effect.Effect<Listener, CommandError, Scope.Scope> => opened(place, listenerAt(place, framings.byName(name)))

const listenerAt = (
  place: Place.Duplex,
  framing: Framing
): Effect.Effect<Listener, TransportError, Scope.Scope> => {
  switch (place._tag) {
    case "Tcp":
      return Effect.flatMap(
        Effect.promise(() => import("@parley/node/NodeTcp")),
        (NodeTcp) => NodeTcp.makeListener({ ...place, framing })
      )
    case "Unix":
      return Effect.flatMap(
        Effect.promise(() => import("@parley/node/NodeUnix")),
        (NodeUnix) => NodeUnix.makeListener({ ...place, framing })
      )
    case "WebSocket":
      return Effect.flatMap(
        Effect.promise(() => import("@parley/node/NodeWebSocket")),
        (NodeWebSocket) => NodeWebSocket.makeListener(place)
      )
    case "Nats":
      return Effect.flatMap(nats, (nats) => nats.listener(place))
  }
}

/** Answers POST requests, and returns the address. `around` makes another endpoint of that one. */
export const serveHttp = (
  place: Place.Http,
  answer: Answer,
  dialect?: Dialect,
  around: (endpoint: HttpEndpoint) => Effect.Effect<HttpEndpoint, never, Scope.Scope> = Effect.succeed
): Effect.Effect<string, CommandError, Scope.Scope> =>
  Effect.promise(() => import("@parley/http/HttpEndpoint")).pipe(
    Effect.flatMap(({ jsonRpcWith }) => around(jsonRpcWith(answer, { ...place, dialect }))),
    Effect.flatMap((endpoint) => serveEndpoint(place, endpoint))
  )

/** Answers the texts of a subject, and gives the address. */
export const serveNats = (
  place: Endpoint.Nats,
  answer: Answer,
  dialect?: Dialect
): Effect.Effect<string, CommandError, Scope.Scope> =>
  opened(place, Effect.flatMap(nats, (nats) => nats.serve(place, answer, dialect)))

/** Serves an endpoint, and gives the address. */
export const serveEndpoint = (
  place: Place.Http & { readonly isPrefix?: boolean },
  endpoint: HttpEndpoint
): Effect.Effect<string, CommandError, Scope.Scope> =>
  opened(place, Effect.flatMap(http, (NodeHttp) => Effect.map(NodeHttp.serve(endpoint, place), addressOf)))

const opened = <A>(
  place: Place.Place,
  opening: Effect.Effect<A, TransportError, Scope.Scope>
): Effect.Effect<A, CommandError, Scope.Scope> =>
  Effect.mapError(opening, ({ message }) => line(at(Place.toText(place), message)))

const http = Effect.promise(() => import("@parley/node/NodeHttp"))

const addressOf = ({ address }: { readonly address: string }) => address
