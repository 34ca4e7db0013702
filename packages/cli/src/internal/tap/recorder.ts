/**
 * Records what passes to an endpoint, for the commands that do so.
 */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as Recorder from "@parley/traffic/Recorder"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Endpoint from "../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"
import * as framings from "../wire/framings.ts"
import type * as Place from "../wire/Place.ts"
import { shown } from "../wire/shown.ts"
import type { Wire } from "../wire/Wire.ts"
import type { Seen } from "./Story.ts"

/** What is recorded, and where. */
export interface Options {
  readonly file: string
  /** The flag that names the file. */
  readonly flag: string
  readonly wire: Wire
  /** Leaves the secrets of a text out; none are where it is absent. */
  readonly redact: ((text: string) => string) | undefined
}

/** Appends to a file, until the Scope closes. */
export const make = (
  { file, flag, redact, wire }: Options
): Effect.Effect<(seen: Seen) => Effect.Effect<void>, CommandError, Scope.Scope> =>
  Recorder.makeObserver(file, { ...sideOf(wire, redact ?? ((text) => text)), redact }).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.mapError((error) =>
      usage(
        `${printableLine(file)} cannot be written: ${describeCause(error.cause ?? error)}`,
        `${flag} needs a file, to whose end the texts are added`
      )
    ),
    // A line about HTTP is for people; what it is about is recorded.
    Effect.map((record) => (seen) => seen._tag === "Http" ? Effect.void : record(seen))
  )

const wires: Readonly<Record<Endpoint.Endpoint["_tag"], string>> = {
  Tcp: "tcp",
  Tls: "tls",
  Unix: "unix",
  Command: "stdio",
  WebSocket: "ws",
  Http: "http",
  Nats: "nats",
  NatsConversation: "nats"
}

const sideOf = ({ endpoint, framing, name }: Wire, redact: (text: string) => string): Recorder.Side => ({
  wire: wires[endpoint._tag],
  endpoint: shown({ endpoint, name }, redact),
  ...(streams.has(endpoint._tag) && { framing: framings.byName(framing).name })
})

const streams: ReadonlySet<Endpoint.Endpoint["_tag"]> = new Set(["Tcp", "Tls", "Unix", "Command"])

/** A free port of this machine, of the kind of the endpoint. */
export const beside = (endpoint: Endpoint.Endpoint): Place.Place => {
  const here = { host: "127.0.0.1", port: 0 }
  switch (endpoint._tag) {
    case "WebSocket":
    case "Http":
      // So that only the host changes for a client.
      return { ...here, _tag: endpoint._tag, path: new URL(endpoint.url).pathname }
    default:
      return { ...here, _tag: "Tcp" }
  }
}
