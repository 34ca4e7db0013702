import * as Laws from "@parley/conformance/Laws"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Framing } from "@parley/protocol"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import { Effect } from "effect"
import { Socket } from "effect/socket"
import { describe } from "vitest"
import * as certificates from "./support/certificates.ts"
import { check, checkKin, checkTapped } from "./support/check.ts"
import { roughMemory } from "./support/held.ts"
import { connected, portOf } from "./support/pairs.ts"
import * as rawTls from "./support/rawTls.ts"
import * as rawWebSocket from "./support/rawWebSocket.ts"

const options = { runs: 30, memory: roughMemory }

describe("the laws of transports, over WebSockets and TLS", () => {
  for (const format of ["text", "binary"] as const) {
    const pair = {
      name: `WebSocket, ${format}`,
      open: connected(
        NodeWebSocket.makeListener({ port: 0, path: "/rpc", format }),
        (url) => NodeWebSocket.makeTransport({ url, format })
      ),
      loss: {
        open: Effect.map(rawWebSocket.client({ format }), ([side, bare]) =>
          [
            side,
            Effect.sync(() => bare.terminate())
          ] as const)
      }
    }
    if (format === "text") {
      check(Laws.ofTransport(pair, options))
      checkTapped(pair)
    } else {
      checkKin(Laws.ofTransport(pair, options))
    }
  }

  checkKin(Laws.ofTransport({
    name: "WebSocket, TLS",
    open: connected(
      NodeWebSocket.makeListener({ port: 0, tls: certificates.server }),
      (url) => NodeWebSocket.makeTransport({ url, tls: certificates.trusting })
    )
  }, options))

  const standard = Laws.ofTransport({
    name: "WebSocket, the one of the platform",
    open: connected(
      NodeWebSocket.makeListener({ port: 0 }),
      (url) => Effect.provide(WebSocketTransport.make({ url }), Socket.layerWebSocketConstructorGlobal)
    )
  })
  // It cannot make the other side wait, in one direction of two: NodeWebSocket.test.ts has both.
  check(standard.filter(({ name }) => !name.includes("makes the sender wait")))

  const tcp = NodeTcp.makeListener({ port: 0, tls: certificates.server })
  const secure = {
    name: "TCP, TLS",
    open: connected(tcp, (address) => NodeTcp.makeTransport({ port: portOf(address), tls: certificates.trusting })),
    loss: {
      open: Effect.map(rawTls.connectRaw(tcp), ([side, { socket }]) =>
        [
          side,
          Effect.sync(() => void socket.resetAndDestroy())
        ] as const)
    }
  }
  check(Laws.ofTransport(secure, options))
  check(Laws.ofByteTransport({ name: "TCP, TLS", framing: Framing.line, open: rawTls.connectRaw(tcp) }))
})
