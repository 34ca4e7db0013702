/** What is left of thousands of connections that take longer to open, with a Tap around them and without: nothing. */
import { describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeUnix from "@parley/node/NodeUnix"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as NodeWorker from "@parley/node/NodeWorker"
import * as Tap from "@parley/traffic/Tap"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import type * as Transport from "@parley/transport/Transport"
import { Effect, type Scope } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MessageChannel, type MessagePort } from "node:worker_threads"
import * as certificates from "./support/certificates.ts"
import { held, memory } from "./support/held.ts"
import { fixture, portOf, reconnecting } from "./support/pairs.ts"
import * as stdio from "./support/stdio.ts"

/** 800 bytes for each of 5,000, and what the runtime keeps. */
const cycling: Laws.Cycling = {
  count: 5_000,
  held: Effect.sync(() => ({ ...held(), "listeners on stdio": stdio.listenersLeft() })),
  memory,
  allowed: 4 * 1024 * 1024
}

/** What takes milliseconds to start: several at once. */
const starting: Laws.Cycling = { ...cycling, concurrency: 4 }

const path = join(mkdtempSync(join(tmpdir(), "parley-")), "cycles")
const tls = { server: certificates.server, client: certificates.trusting }

/** Connections to one listener each. */
const connections = {
  TCP: reconnecting(
    NodeTcp.makeListener({ port: 0 }),
    (address) => NodeTcp.makeTransport({ port: portOf(address) })
  ),
  "Unix socket": reconnecting(NodeUnix.makeListener({ path }), () => NodeUnix.makeTransport({ path })),
  WebSocket: reconnecting(NodeWebSocket.makeListener({ port: 0 }), (url) => NodeWebSocket.makeTransport({ url })),
  "TCP with TLS": reconnecting(
    NodeTcp.makeListener({ port: 0, tls: tls.server }),
    (address) => NodeTcp.makeTransport({ port: portOf(address), tls: tls.client })
  ),
  "WebSocket with TLS": reconnecting(
    NodeWebSocket.makeListener({ port: 0, tls: tls.server }),
    (url) => NodeWebSocket.makeTransport({ url, tls: tls.client })
  )
}

const ports = (options: MessagePortTransport.MessagePortOptions) =>
  Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([MessagePortTransport.make(port1, options), MessagePortTransport.make(port2, options)])
  })

/** Within this process. */
const channels = {
  "message port": ports({}),
  "message port with objects": ports({ wire: "object" }),
  stdio: stdio.pair
}

/** What `cat` is sent comes back: the one transport is both sides. */
const processes = {
  "child process": Effect.map(NodeChildProcess.makeTransport({ command: "cat" }), (side) => [side, side] as const)
}

/** A thread that passes on what it is sent: it takes tens of milliseconds to start, and megabytes while it lives. */
const thread = <E>(make: (port: MessagePort) => Effect.Effect<Transport.Transport, E, Scope.Scope>) =>
  Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([make(port2), MessagePortTransport.make(port1)])
  })
const threads = {
  "worker thread": thread((port) =>
    NodeWorker.makeTransport({
      url: fixture("worker-relay.mjs"),
      worker: { workerData: { port }, transferList: [port] }
    })
  )
}

const tap = Tap.make(() => Effect.yieldNow)

/** A test of the pair as it is, and one under a Tap, which opens the bare transport, too: only this one needs many. */
const check = (
  name: string,
  wire: Effect.Effect<Laws.Pair["open"], unknown, Scope.Scope>,
  cycling: Laws.Cycling,
  counts = [1_000, cycling.count]
) => {
  const [plain = 0, tapped = 0] = counts
  const law = (pair: Laws.Pair, count: number) => Laws.ofCycles(pair, { ...cycling, count }).check
  const test = (title: string, count: number, wrap: (pair: Laws.Pair) => Laws.Pair) =>
    it.live(
      `${title}: ${count} connections leave nothing behind`,
      () => Effect.flatMap(wire, (open) => law(wrap({ name, open }), count)),
      900_000
    )
  test(name, plain, (pair) => pair)
  test(`${name}, tapped`, tapped, (pair) => Laws.wrapped(pair, "tapped", tap))
}

describe("connections in cycles", () => {
  for (const [name, wire] of Object.entries(connections)) {
    // A handshake of TLS takes five milliseconds of a processor.
    if (name.endsWith("TLS")) check(name, wire, { ...cycling, count: 2_000, allowed: 2 * 1024 * 1024 })
    else check(name, wire, cycling)
  }
  for (const [name, open] of Object.entries(channels)) check(name, Effect.succeed(open), cycling)
  // These take tens of milliseconds of a processor each, and hold more than the four kilobytes that are allowed here.
  for (const [name, open] of Object.entries({ ...processes, ...threads })) {
    check(name, Effect.succeed(open), starting, [200, 1_000])
  }
})
