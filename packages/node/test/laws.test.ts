import { NodeSocket, NodeSocketServer } from "@effect/platform-node"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import { NodeTcp, NodeUnix } from "@parley/node"
import { Framing } from "@parley/protocol"
import { SocketTransport } from "@parley/transport"
import { Effect } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { check } from "./support/check.ts"
import { connected, portOf } from "./support/pairs.ts"
import { connectRaw } from "./support/raw.ts"

describe("the laws of transports", () => {
  for (const framing of [Framing.line, Framing.contentLength, Framing.concatenated]) {
    const tcp = NodeTcp.makeListener({ port: 0, framing })
    check(TransportLaws.pairs({
      name: `TCP, ${framing.name}`,
      open: connected(tcp, (address) => NodeTcp.makeTransport({ port: portOf(address), framing }))
    }))
    check(TransportLaws.streams({
      name: `TCP, ${framing.name}`,
      framing,
      open: connectRaw(tcp)
    }))
  }

  const path = join(mkdtempSync(join(tmpdir(), "parley-")), "laws")
  check(TransportLaws.pairs({
    name: "Unix socket",
    open: connected(NodeUnix.makeListener({ path }), () => NodeUnix.makeTransport({ path }))
  }))
  check(TransportLaws.streams({
    name: "Unix socket",
    framing: Framing.line,
    open: connectRaw(NodeUnix.makeListener({ path }))
  }))

  const overEffect = Effect.map(
    Effect.orDie(NodeSocketServer.make({ port: 0, host: "127.0.0.1", allowHalfOpen: true })),
    (server) => SocketTransport.makeListener(server)
  )
  check(TransportLaws.pairs({
    name: "effect/socket",
    open: connected(overEffect, (address) =>
      Effect.flatMap(
        NodeSocket.makeNet({ port: portOf(address), host: "127.0.0.1", allowHalfOpen: true }),
        (socket) => SocketTransport.make(socket)
      ))
  }))
  check(TransportLaws.streams({ name: "effect/socket", framing: Framing.line, open: connectRaw(overEffect) }))
})
