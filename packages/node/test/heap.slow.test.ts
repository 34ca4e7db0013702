/** A process with a heap of 512 MB and the default limits lives, whatever the other side sends, and serves others. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepting,
  amplified,
  connecting,
  echoes,
  large,
  lives,
  pour,
  serves,
  small,
  start
} from "./support/littleMemory.ts"

const floods: { readonly [what: string]: () => Iterable<string> } = {
  "requests of 15 MiB": () => large(100),
  "notifications of 15 MiB": () => large(100, true),
  "requests of 15 MiB that are much larger once they are parsed": () => amplified(20, 15),
  "requests of 3 MiB that are much larger once they are parsed": () => amplified(100, 3)
}

describe("with little memory", () => {
  for (const [what, texts] of Object.entries(floods)) {
    it.live(`a server lives and answers others, while one sends ${what}`, () =>
      Effect.gen(function*() {
        const server = yield* start("listen")
        yield* pour(yield* connecting(yield* server.address), texts())
        yield* serves(server)
      }))

    it.live(`a server over stdio lives, while it is sent ${what}`, () =>
      Effect.gen(function*() {
        const server = yield* start("stdio")
        yield* server.address
        yield* pour(server.child.stdin, texts())
        yield* lives(server)
      }))

    it.live(`a client lives and goes on, while a server that it calls sends ${what}`, () =>
      Effect.gen(function*() {
        const { accepted, port } = yield* accepting
        const client = yield* start("call", String(port))
        yield* pour(yield* accepted, texts())
        yield* serves(client)
      }))
  }

  // The handlers of `ask` call back, and are never answered.
  for (const method of ["sleep", "ask"]) {
    it.live(`a server lives and answers others, while 1,000 connections have 1,024 requests each that run: ${method}`, () =>
      Effect.gen(function*() {
        const server = yield* start("listen")
        const address = yield* server.address
        const text = small(1_024, method)
        for (let count = 0; count < 1_000 && server.end() === undefined; count++) {
          ;(yield* connecting(address)).write(text)
        }
        yield* serves(server)
      }))
  }

  it.live("a server lives and answers others, while 100 connections ask for 20 MB each and read nothing", () =>
    Effect.gen(function*() {
      const server = yield* start("listen")
      const address = yield* server.address
      yield* Effect.forEach(
        Array.from({ length: 100 }),
        () =>
          Effect.flatMap(connecting(address), (socket) => {
            socket.pause()
            return pour(socket, echoes(20))
          }),
        { concurrency: "unbounded" }
      )
      yield* serves(server)
    }))

  const unread: ReadonlyArray<readonly [what: string, connections: number, calls: number, method: string]> = [
    ["a text of 12 MiB each", 40, 1, "large"],
    ["4 texts of 12 MiB each", 20, 4, "large"],
    ["20 texts of a million characters beyond Latin-1 each", 20, 20, "wide"],
    ["400,000 times 0 each", 20, 400_000, "zero"]
  ]
  for (const [what, connections, calls, method] of unread) {
    it.live(`a server lives and answers others, while ${connections} connections ask for ${what} and read nothing`, () =>
      Effect.gen(function*() {
        const server = yield* start("listen")
        const address = yield* server.address
        const text = small(calls, method)
        for (let count = 0; count < connections && server.end() === undefined; count++) {
          const socket = yield* connecting(address)
          socket.pause()
          socket.write(text)
        }
        yield* serves(server)
      }))
  }

  it.live("a server lives and answers others, while 120 connections send a request of 6 MiB each that waits for room", () =>
    Effect.gen(function*() {
      const server = yield* start("listen")
      const address = yield* server.address
      const [text = ""] = amplified(1, 6)
      yield* Effect.forEach(
        Array.from({ length: 120 }),
        () => Effect.flatMap(connecting(address), (socket) => pour(socket, [text])),
        { concurrency: 2 }
      )
      yield* serves(server)
    }))

  it.live("a server lives and answers others, while 1,000 connections leave a frame of 1 MB unfinished", () =>
    Effect.gen(function*() {
      const server = yield* start("listen")
      const address = yield* server.address
      const frame = `{"jsonrpc":"2.0","id":1,"method":"echo","x":"${"x".repeat(1_000_000)}`
      for (let count = 0; count < 1_000; count++) (yield* connecting(address)).write(frame)
      yield* serves(server)
    }))
})
