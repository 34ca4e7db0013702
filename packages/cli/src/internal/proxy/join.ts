/**
 * Joins what comes in at a place with an endpoint, any of either: a connection of
 * the endpoint per client where both carry texts both ways, one that all share
 * behind HTTP, and posts where the endpoint is reached by HTTP. From HTTP to HTTP it relays requests as they are.
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as NodeStdio from "@parley/node/NodeStdio"
import { describe } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import * as Relay from "@parley/traffic/Relay"
import { Budget } from "@parley/transport/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Endpoint from "../Endpoint.ts"
import type { Watch } from "../tap/Watch.ts"
import { at, type CommandError, line } from "../terminal/CommandError.ts"
import { complain, printable } from "../terminal/output.ts"
import * as connect from "../wire/connect.ts"
import * as framings from "../wire/framings.ts"
import { listen, serveEndpoint, serveHttp, serveNats } from "../wire/listen.ts"
import type * as Place from "../wire/Place.ts"
import type { Wire } from "../wire/Wire.ts"
import { Asked, type Rules } from "./Asked.ts"
import * as ExchangeTransport from "./ExchangeTransport.ts"
import * as failures from "./failures.ts"
import * as posts from "./posts.ts"
import * as relay from "./relay.ts"
import * as SharedLine from "./SharedLine.ts"
import * as stalls from "./stalls.ts"
import * as tapped from "./tapped.ts"
import * as upstream from "./upstream.ts"

/** The two sides of a join. */
export interface Options {
  readonly place: Place.Place
  /** The framing of the place, where it has one. */
  readonly framing: framings.Name
  readonly wire: Wire
  /** Sees each text. */
  readonly watch: Watch
  /** Whether requests over HTTP without a credential get the token of a login. */
  readonly login: boolean
  /** Receives the address when clients may connect. */
  readonly announce: (address: string) => Effect.Effect<void>
}

const limits = Limits.defaults

/** What MCP needs beyond texts, where one side is HTTP and the other is not. */
const mcp = Effect.promise(() => import("../mcp/bridge/joined.ts"))

/** Joins them until it is interrupted, or the one client of stdio has ended. */
export const run = (options: Options): Effect.Effect<void, CommandError> =>
  Effect.flatMap(endpointOf(options.wire), ({ exchange, open }) => {
    const { announce, framing, place, watch: { wrapping }, wire } = options
    const answering = Effect.map(
      exchange,
      (exchange) => posts.answering(tapped.exchange(exchange, wrapping), optionsOf(wire))
    )
    const dialect = framings.dialectByName(wire.dialect)
    const join = Effect.fnUntraced(function*(from: Transport) {
      const sides = wire.endpoint._tag === "Http"
        ? yield* Effect.flatMap(mcp, ({ sidesOf }) => sidesOf(from, wire, open))
        : { client: from, open }
      return yield* joinOne(sides.client, Effect.flatMap(sides.open, wrapping), wire)
    })
    switch (place._tag) {
      case "Http":
        return Effect.gen(function*() {
          const { endpoint } = wire
          if (endpoint._tag === "Http") {
            yield* announce(yield* relayed({ ...options, place, url: endpoint.url }))
            return yield* Effect.never
          }
          const around = (plain: HttpEndpoint) =>
            Endpoint.isPosts(endpoint)
              ? Effect.succeed(plain)
              : Effect.flatMap(mcp, (mcp) => mcp.endpoint(plain, place, wire, options.watch))
          yield* announce(yield* serveHttp(place, yield* answering, dialect, around))
          return yield* Effect.never
        })
      case "Stdio":
        return Effect.gen(function*() {
          const client = yield* NodeStdio.makeTransport({ framing: framings.byName(framing), limits })
          yield* announce("stdio:")
          yield* Effect.flatMap(join(client), endOf(wire))
        })
      default:
        return Effect.gen(function*() {
          const listener = yield* listen(place, framing)
          const address = place._tag === "Nats"
            ? yield* serveNats(place, yield* answering, dialect)
            : listener.address
          yield* announce(address)
          let clients = 0
          return yield* listener.run((client) => {
            const name = `client ${++clients}`
            return Effect.flatMap(join(client), (end) => tell(end, name, wire))
          })
        })
    }
  }).pipe(
    Effect.provideService(Budget.Budget, Budget.make(limits.budget)),
    Effect.scoped,
    Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
  )

/** Serves the relay to an endpoint over HTTP, and gives the address. */
const relayed = Effect.fnUntraced(function*(
  { login, place, url, watch, wire }: Options & { readonly place: Place.Http; readonly url: string }
) {
  const { complain, rules } = optionsOf(wire)
  const { credentials, fetcher } = yield* upstream.make({ ...wire, login, url, watch })
  let isTold = login
  const onChallenge = Effect.suspend(() => {
    if (isTold) return Effect.void
    isTold = true
    return complain(
      `asks for a login, for the resource ${wire.name}. A client signs in there by itself, without the proxy, and may refuse to `
        + "because the resource has another address than the proxy (hint: sign in with "
        + `\`parley mcp login ${wire.name}\`, and add --login)`
    )
  })
  const headers = { ...credentials, ...wire.headers }
  return yield* serveEndpoint(
    { ...place, isPrefix: true },
    relay.endpoint({ fetcher, url, path: place.path, headers, rules, complain, onChallenge })
  )
})

/** The endpoint in both shapes. */
interface Back {
  readonly open: Effect.Effect<Transport, TransportError, Scope.Scope>
  readonly exchange: Effect.Effect<Exchange.Exchange, never, Scope.Scope>
}

const endpointOf = (wire: Wire): Effect.Effect<Back, TransportError, Scope.Scope> => {
  const { endpoint } = wire
  const options = optionsOf(wire)
  if (Endpoint.isPosts(endpoint)) {
    return Effect.map(connect.exchange({ ...wire, endpoint }), (exchange) => ({
      open: ExchangeTransport.make(exchange, options),
      exchange: Effect.succeed(exchange)
    }))
  }
  const open = connect.transport({ ...wire, endpoint }, {}, connect.hosted)
  // A relay has a bound of its own.
  const bounded = Effect.map(open, (transport) => stalls.bounded(transport, limits.writeStall))
  return Effect.succeed({ open, exchange: SharedLine.make(bounded, options) })
}

const optionsOf = ({ dialect, name }: Wire): ExchangeTransport.Options => ({
  rules: rulesOf(dialect),
  complain: (sentence) => complain(printable(`parley: ${name}: ${sentence}`))
})

const rulesOf = (dialect: framings.DialectName): Rules => ({ ...framings.dialectByName(dialect), ...limits })

/** How a client's part ended: the endpoint could not be opened, or one of the two has ended. */
type End = { readonly side: "unopened"; readonly error: TransportError } | Relay.End

const joinOne = (
  client: Transport,
  open: Effect.Effect<Transport, TransportError, Scope.Scope>,
  { dialect }: Wire
): Effect.Effect<End> =>
  Effect.scoped(Effect.matchEffect(open, {
    onFailure: (error) => Effect.as(refuse(client, error, rulesOf(dialect)), { side: "unopened", error } as const),
    onSuccess: (endpoint) => Relay.join(client, endpoint, { dialect: framings.dialectByName(dialect), limits })
  }))

/** The time of a client to send its requests, which then get the error that the endpoint cannot be reached. Milliseconds. */
const patience = 1_000

/** Answers what the client has asked, or is about to, and closes. */
const refuse = (client: Transport, error: TransportError, rules: Rules): Effect.Effect<void> =>
  Effect.gen(function*() {
    const received = yield* Effect.timeoutOption(client.receive, patience)
    const replies = Option.getOrElse(received, () => []).flatMap((each) =>
      typeof each === "string" ? new Asked(each, rules).rest(failures.unreachable(error)) ?? [] : []
    )
    if (isReadonlyArrayNonEmpty(replies)) yield* client.send(replies)
  }).pipe(
    Effect.timeoutOption(limits.writeStall),
    Effect.ignore,
    Effect.ensuring(client.close)
  )

const sentenceOf = ({ error, side }: End, { name }: Wire): string | undefined => {
  const { reason } = error
  switch (side) {
    case "unopened":
      return at(name, error.message)
    case "far":
      return at(name, describe(reason))
    case "near":
      // Clients come and go; some just vanish.
      return reason._tag === "EndOfInput" || reason._tag === "Lost" ? undefined : error.message
  }
}

const tell = (end: End, client: string, wire: Wire): Effect.Effect<void> => {
  const sentence = sentenceOf(end, wire)
  return sentence === undefined ? Effect.void : complain(printable(`parley: ${client}: ${sentence}`))
}

/** The end of the command, from the end of its one client. */
const endOf = (wire: Wire) => (end: End): Effect.Effect<void, CommandError> => {
  const sentence = sentenceOf(end, wire)
  return sentence === undefined ? Effect.void : Effect.fail(line(sentence))
}
