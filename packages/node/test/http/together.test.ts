/** Replies that leave together, at clients that notice when they leave. */
import { assert, describe, it } from "@effect/vitest"
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import * as tls from "node:tls"
import * as certificates from "../support/certificates.ts"

const endpoint = (limits?: RequestRules.RequestRulesOptions["limits"]): HttpEndpoint.HttpEndpoint => ({
  ...RequestRules.make({ methods: ["POST"], limits }),
  answer: (_, body) => Effect.succeed({ status: 200, headers: {}, body: `${body.length}` })
})

const head = (length: number) =>
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

/** A request of so many bytes in all, with its body. */
const sized = (bytes: number) => {
  const length = bytes - head(10_000).length
  return head(length) + "1".repeat(length)
}

/** What comes back where the client ends its side behind the request. */
const halved = (socket: Socket, request: string) => {
  socket.end(request)
  return Effect.promise(() => text(socket))
}

describe("replies of one turn", () => {
  // A whole read of Node.js, and two: the end of the other side comes in the same turn.
  for (const bytes of [65_536, 131_072]) {
    it.live(`reach a client that has ended its side behind ${bytes} bytes`, () =>
      Effect.gen(function*() {
        const { port } = yield* NodeHttp.serve(endpoint(), { port: 0 })
        const answer = yield* halved(connect({ port, host: "127.0.0.1", allowHalfOpen: true }), sized(bytes))
        assert.match(answer, /^HTTP\/1\.1 200 .*\r\n\r\n\d+$/s)
      }))
  }

  it.live("reach a client that has ended its side over TLS", () =>
    Effect.gen(function*() {
      const { port } = yield* NodeHttp.serve(endpoint(), { port: 0, tls: certificates.server })
      const place = { port, host: "127.0.0.1", rejectUnauthorized: false, allowHalfOpen: true }
      const socket = yield* Effect.callback<Socket>((resume) => {
        const socket = tls.connect(place, () => resume(Effect.succeed(socket)))
      })
      assert.match(yield* halved(socket, `${head(2)}{}`), /^HTTP\/1\.1 200 .*\r\n\r\n2$/s)
    }))

  it.live("keep no places of connections from requests that come together", () =>
    Effect.gen(function*() {
      const { port } = yield* NodeHttp.serve(endpoint({ connections: 8 }), { port: 0 })
      const open = Effect.callback<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      })
      const sockets = yield* Effect.forEach(Array.from({ length: 24 }), () => open, { concurrency: "unbounded" })
      const status = (socket: Socket) =>
        Effect.callback<string>((resume) => {
          socket.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().slice(9, 12))))
          socket.write(`${head(2)}{}`)
        })
      for (let round = 0; round < 5; round++) {
        const statuses = yield* Effect.forEach(sockets, status, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(statuses), new Set(["200"]))
      }
      for (const socket of sockets) socket.destroy()
    }))
})
