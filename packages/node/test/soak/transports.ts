/** A transport to a server of the soak, by wire. */
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as Framing from "@parley/protocol/Framing"
import type { Transport, TransportError } from "@parley/transport/Transport"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { portOf } from "../support/pairs.ts"
import type { Addresses } from "./Served.ts"

type Opening = Effect.Effect<Transport, TransportError, Scope.Scope>

/** Those of the wires that have one. */
export const transports = (
  { tcp, unix, webSocket }: Addresses
): Readonly<Record<"tcp" | "unix" | "webSocket", Opening>> => ({
  tcp: NodeTcp.makeTransport({ port: portOf(tcp) }),
  unix: NodeUnix.makeTransport({ path: unix.slice("unix:".length), framing: Framing.contentLength }),
  webSocket: NodeWebSocket.makeTransport({ url: webSocket })
})
