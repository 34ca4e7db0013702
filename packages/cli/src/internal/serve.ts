/**
 * `parley serve`: the specimen methods over stdio or a socket.
 */
import * as Specimen from "@parley/conformance/Specimen"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import type { Framing } from "@parley/protocol/Framing"
import { Listener } from "@parley/transport/Listener"
import type { TransportError } from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Endpoint from "../Endpoint.ts"
import { CommandError, line, usage } from "./CommandError.ts"
import { sentence } from "./disconnected.ts"
import * as framings from "./framings.ts"
import { print } from "./output.ts"
import * as signal from "./signal.ts"

/** What the command line says. */
export interface Input {
  readonly stdio: boolean
  readonly tcp: Option.Option<string>
  readonly unix: Option.Option<string>
  readonly framing: framings.Name
}

/** Serves until the input ends or a signal comes; what was asked until then is answered first. */
export const serve = (input: Input): Effect.Effect<void, CommandError> =>
  Effect.suspend(() => {
    const framing = framings.byName(input.framing)
    const { stdio, tcp, unix } = input
    if (Number(stdio) + Number(Option.isSome(tcp)) + Number(Option.isSome(unix)) !== 1) {
      return Effect.fail(usage("where to serve is not clear", "say one of --stdio, --tcp HOST:PORT and --unix PATH"))
    }
    if (Option.isSome(tcp)) return serveTcp(tcp.value, framing)
    return Option.isSome(unix) ? serveSocket(NodeUnix.makeListener({ path: unix.value, framing })) : serveStdio(framing)
  }).pipe(
    Effect.raceFirst(signal.received),
    Effect.provide(Router.layer(Specimen.handlers)),
    Effect.catchTag("MethodTaken", Effect.die),
    Effect.asVoid
  )

const serveStdio = Effect.fnUntraced(
  function*(framing: Framing) {
    const transport = yield* NodeStdio.makeTransport({ framing })
    const peer = yield* Peer.make(transport, { router: yield* Router.Router })
    const reason = yield* peer.closed
    if (reason._tag !== "EndOfInput") return yield* line(sentence(reason))
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)

const serveTcp = (text: string, framing: Framing) =>
  Result.match(Endpoint.tcpFromText(text), {
    onFailure: (why) =>
      Effect.fail(usage(`--tcp ${text}: ${why}`, "for example --tcp 127.0.0.1:4000; port 0 picks one")),
    onSuccess: ({ host, port }) => serveSocket(NodeTcp.makeListener({ host, port, framing }))
  })

const serveSocket = Effect.fnUntraced(
  function*(
    listen: Effect.Effect<Listener["Service"], TransportError, Scope.Scope>
  ) {
    const listener = yield* listen
    yield* print(`listening ${listener.address}`)
    return yield* Effect.provideService(Server.run, Listener, listener)
  },
  Effect.scoped,
  Effect.catchTag("TransportError", (error) => Effect.fail(line(error.message)))
)
