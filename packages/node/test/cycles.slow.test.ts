/** What is left of thousands of connections that take longer to open: nothing. */
import { NodeSocket, NodeSocketServer } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as NodeWorker from "@parley/node/NodeWorker"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import * as SocketTransport from "@parley/transport/SocketTransport"
import * as Tap from "@parley/transport/Tap"
import { Effect } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MessageChannel } from "node:worker_threads"
import * as certificates from "./support/certificates.ts"
import { held, memory } from "./support/held.ts"
import { fixture, portOf, reconnecting } from "./support/pairs.ts"

/** 400 bytes for each, and what the runtime keeps. */
const cycling = { count: 10_000, held: Effect.sync(held), memory, allowed: 4 * 1024 * 1024 }

const path = join(mkdtempSync(join(tmpdir(), "parley-")), "cycles")
const tcp = reconnecting(
  NodeTcp.makeListener({ port: 0 }),
  (address) => NodeTcp.makeTransport({ port: portOf(address) })
)
const wires = {
  TCP: tcp,
  "Unix socket": reconnecting(NodeUnix.makeListener({ path }), () => NodeUnix.makeTransport({ path })),
  "effect/socket": reconnecting(
    Effect.map(
      Effect.orDie(NodeSocketServer.make({ port: 0, host: "127.0.0.1", allowHalfOpen: true })),
      (server) => SocketTransport.makeListener(server)
    ),
    (address) =>
      Effect.flatMap(
        NodeSocket.makeNet({ port: portOf(address), host: "127.0.0.1", allowHalfOpen: true }),
        (socket) => SocketTransport.make(socket)
      )
  ),
  WebSocket: reconnecting(NodeWebSocket.makeListener({ port: 0 }), (url) => NodeWebSocket.makeTransport({ url })),
  "TCP with TLS": reconnecting(
    NodeTcp.makeListener({ port: 0, tls: certificates.server }),
    (address) => NodeTcp.makeTransport({ port: portOf(address), tls: certificates.trusting })
  ),
  "message port": Effect.succeed(Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([MessagePortTransport.make(port1), MessagePortTransport.make(port2)])
  }))
}

/** The same under a Tap. What TLS adds lies below it. */
const tapped = Object.entries({ TCP: wires.TCP, Unix: wires["Unix socket"], WebSocket: wires.WebSocket })
  .map(([name, wire]) =>
    [
      `${name}, tapped`,
      Effect.map(wire, (open) => TransportLaws.wrapped({ name, open }, "tapped", Tap.make(() => Effect.yieldNow)).open)
    ] as const
  )

describe("connections in cycles", () => {
  for (const [name, wire] of [...Object.entries(wires), ...tapped]) {
    it.live(
      `${name}: 10000 connections leave nothing behind`,
      () => Effect.flatMap(wire, (open) => TransportLaws.cycles({ name, open }, cycling).check),
      300_000
    )
  }

  /** What `cat` is sent comes back: the one transport is both sides. */
  const cat = Effect.map(NodeChildProcess.makeTransport({ command: "cat" }), (side) => [side, side] as const)
  const processes = TransportLaws.cycles({ name: "child process", open: cat }, cycling)
  it.live(processes.name, () => processes.check, 300_000)

  /** A thread takes tens of milliseconds to start, and megabytes while it lives. */
  const thread = Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([
      NodeWorker.makeTransport({
        url: fixture("worker-relay.mjs"),
        worker: { workerData: { port: port2 }, transferList: [port2] }
      }),
      MessagePortTransport.make(port1)
    ])
  })
  const threads = TransportLaws.cycles({ name: "worker thread", open: thread }, { ...cycling, count: 1_000 })
  it.live(threads.name, () => threads.check, 300_000)
})
