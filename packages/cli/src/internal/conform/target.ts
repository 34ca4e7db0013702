/** The endpoint of a command line as a target of `Conform`. */
import * as Target from "@parley/conform/Target"
import type * as Limits from "@parley/protocol/Limits"
import type { TransportError } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "../arguments/words.ts"
import type * as Endpoint from "../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as connect from "../wire/connect.ts"
import * as framings from "../wire/framings.ts"
import { shown } from "../wire/shown.ts"
import type { Wire } from "../wire/Wire.ts"

/** The stderr of a server under test is not ours to show, and the reason of its death is in its end. */
const process = { onStderr: () => Effect.void, endGrace: 500, killGrace: 1_000 } as const

/** How long a process may take to end by itself. */
const grace = Duration.seconds(2)

/** Streams of bytes, which have a framing. */
const streams: ReadonlySet<Endpoint.Endpoint["_tag"]> = new Set(["Tcp", "Tls", "Unix", "Command"])

/** Makes the target. A server that is not there is told by the run. */
export const fromWire = Effect.fnUntraced(function*(
  wire: Wire,
  timeout: Duration.Duration
): Effect.fn.Return<Target.Target, CommandError | TransportError, Scope.Scope> {
  const { endpoint } = wire
  const limits: Partial<Limits.Limits> = { handshake: Math.max(1, Math.ceil(Duration.toMillis(timeout))) }
  // As a shell takes it, so that a command that is shown can be run again.
  const name = join([shown(wire)])
  switch (endpoint._tag) {
    case "Http": {
      const NodeHttp = yield* Effect.promise(() => import("@parley/node/NodeHttp"))
      const fetcher = yield* NodeHttp.makeFetcher({ limits, tls: { ca: wire.ca } })
      return { _tag: "Http", name, url: endpoint.url, headers: wire.headers, fetcher }
    }
    case "Nats":
      return yield* usage(
        `${wire.name} cannot be tested`,
        "single messages of NATS bring nothing but responses; a URL that ends with ?conversation opens a conversation"
      )
    default: {
      const framing = framings.byName(wire.framing)
      const there = { ...wire, endpoint }
      return {
        _tag: "Duplex",
        name,
        connect: connect.transport(there, limits, process),
        isProcess: endpoint._tag === "Command",
        ending: endpoint._tag === "Command"
          ? {
            connect: connect.transport(there, limits, { ...process, endGrace: Duration.toMillis(grace) }),
            grace
          }
          : undefined,
        stream: streams.has(endpoint._tag) && framing.name !== "none"
          ? {
            framing: framing.name,
            connect: connect.framed(there, Target.binary(framing.name), limits, process)
          }
          : undefined
      }
    }
  }
})
