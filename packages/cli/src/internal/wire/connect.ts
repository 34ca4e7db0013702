/**
 * Opens endpoints. The modules of a wire are loaded when it is used.
 */
import type { ChildProcessOptions } from "@parley/node/NodeChildProcess"
import type { Exchange } from "@parley/peer/shared"
import type { Framing } from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Endpoint from "../Endpoint.ts"
import { printable, written } from "../terminal/output.ts"
import { spinner } from "../terminal/Spinner.ts"
import * as framings from "./framings.ts"
import { nats } from "./optional.ts"
import type { Wire } from "./Wire.ts"

/** Says what is waited for, where an endpoint is slow to be opened. */
export const waiting = ({ endpoint, name }: Pick<Wire, "endpoint" | "name">) =>
  spinner.around(
    endpoint._tag === "Command" ? `starting ${[endpoint.command, ...endpoint.args].join(" ")}` : `connecting to ${name}`
  )

/** How a command is watched and ended, where that differs from the usual. */
export type ProcessOptions = Pick<ChildProcessOptions, "onStderr" | "endGrace" | "killGrace">

/**
 * The time of a server to end by itself, and after SIGTERM, where we stand before it for a host: that gives us two seconds
 * after a SIGTERM of its own, as the official SDK does, and then kills us alone.
 */
export const hosted = { endGrace: 500, killGrace: 1_000 } as const satisfies ProcessOptions

/** Opens a connection. What a command writes to stderr is passed on. */
export const transport = (
  wire: Wire & { readonly endpoint: Endpoint.Duplex },
  limits?: Partial<Limits>,
  process?: ProcessOptions
): Effect.Effect<Transport, TransportError, Scope.Scope> => framed(wire, framings.byName(wire.framing), limits, process)

/** The same with any framing. */
export const framed = (
  { ca, endpoint, headers, variables }: Wire & { readonly endpoint: Endpoint.Duplex },
  framing: Framing,
  limits: Partial<Limits> = {},
  process: ProcessOptions = {}
): Effect.Effect<Transport, TransportError, Scope.Scope> => {
  switch (endpoint._tag) {
    case "Tcp":
      return Effect.flatMap(tcp, (NodeTcp) => NodeTcp.makeTransport({ ...endpoint, framing, limits }))
    case "Tls":
      return Effect.flatMap(tcp, (NodeTcp) => NodeTcp.makeTransport({ ...endpoint, framing, limits, tls: { ca } }))
    case "Unix":
      return Effect.flatMap(unix, (NodeUnix) => NodeUnix.makeTransport({ ...endpoint, framing, limits }))
    case "Command":
      return Effect.flatMap(
        process_,
        (NodeChildProcess) =>
          NodeChildProcess.makeTransport({
            ...endpoint,
            ...variables,
            framing,
            limits,
            onStderr: passStderr,
            ...process
          })
      )
    case "WebSocket":
      return Effect.flatMap(
        webSocket,
        (NodeWebSocket) => NodeWebSocket.makeTransport({ url: endpoint.url, headers, limits, tls: { ca } })
      )
    case "NatsConversation":
      return Effect.flatMap(nats, (nats) => nats.transport(endpoint, ca, limits))
  }
}

/** An exchange that posts texts. Only the first POST shows whether a server is there. */
export const exchange = (
  { ca, dialect, endpoint, headers }: Wire & { readonly endpoint: Endpoint.Posts },
  limits: Partial<Limits> = {}
): Effect.Effect<Exchange.Exchange, TransportError, Scope.Scope> =>
  endpoint._tag === "Nats"
    ? Effect.flatMap(nats, (nats) => nats.exchange(endpoint, ca, limits))
    : Effect.flatMap(http, ({ NodeExchange }) =>
      NodeExchange.make({
        url: endpoint.url,
        headers,
        limits,
        tls: { ca },
        mediaTypes: dialect === "lenient" ? "any" : "json"
      }))

const tcp = Effect.promise(() => import("@parley/node/NodeTcp"))
const unix = Effect.promise(() => import("@parley/node/NodeUnix"))
const process_ = Effect.promise(() => import("@parley/node/NodeChildProcess"))
const webSocket = Effect.promise(() => import("@parley/node/NodeWebSocket"))
const http = Effect.promise(() => import("@parley/node/shared"))

/** Waits until the text is written: a process that writes faster than ours is read is held back, and no memory fills. */
const passStderr = (text: string) =>
  Effect.andThen(Effect.sync(() => void spinner.stream.write(printable(text))), written(process.stderr))
