/** The laws of transports under a Tap, for those whose kin are tapped in the ordinary tests. */
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as NodeWorker from "@parley/node/NodeWorker"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import { Effect } from "effect"
import { MessageChannel } from "node:worker_threads"
import { describe } from "vitest"
import * as certificates from "./support/certificates.ts"
import { checkTapped } from "./support/check.ts"
import { connected, fixture, portOf } from "./support/pairs.ts"

const { server, trusting } = certificates

/** A worker that relays between its wire and a port of ours. */
const worker = (
  make: (port: MessageChannel["port2"]) => ReturnType<typeof NodeWorker.makeTransport>
) =>
  Effect.suspend(() => {
    const { port1, port2 } = new MessageChannel()
    return Effect.all([make(port2), MessagePortTransport.make(port1)])
  })

describe("the laws of transports, tapped", () => {
  const pairs = {
    "WebSocket, binary": connected(
      NodeWebSocket.makeListener({ port: 0, format: "binary" }),
      (url) => NodeWebSocket.makeTransport({ url, format: "binary" })
    ),
    "WebSocket, TLS": connected(
      NodeWebSocket.makeListener({ port: 0, tls: server }),
      (url) => NodeWebSocket.makeTransport({ url, tls: trusting })
    ),
    "TCP, TLS": connected(
      NodeTcp.makeListener({ port: 0, tls: server }),
      (address) => NodeTcp.makeTransport({ port: portOf(address), tls: trusting })
    ),
    "worker thread": worker((port) =>
      NodeWorker.makeTransport({
        url: fixture("worker-relay.mjs"),
        worker: { workerData: { port }, transferList: [port] }
      })
    )
  }
  for (const [name, open] of Object.entries(pairs)) checkTapped({ name, open })
})
