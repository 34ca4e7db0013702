/** As `heap.slow.test.ts`, for what is particular to HTTP and to WebSockets. */
import { describe, it } from "@effect/vitest"
import { EventStream } from "@parley/http/shared"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import {
  answering,
  bytewise,
  connecting,
  fragments,
  maskedText,
  membered,
  mostHeld,
  post,
  pour,
  serves,
  start,
  unfinished,
  upgrading
} from "./support/littleMemory.ts"

const MiB = 1024 * 1024

/** What docs/reference/limits.md says of 512 responses that are read at once over `fetch`, in bytes. */
const mostHeldOverFetch = mostHeld + 512 * 128 * 1024

describe("with little memory", () => {
  for (const mode of ["http", "route"]) {
    it.live(`a server lives and answers others, while 4 bodies come in chunks of one byte: ${mode}`, () =>
      Effect.gen(function*() {
        const server = yield* start(mode)
        const address = yield* server.address
        yield* Effect.all(
          Array.from(
            { length: 4 },
            () => Effect.flatMap(connecting(address), (socket) => pour(socket, bytewise(200_000)))
          ),
          { concurrency: "unbounded" }
        )
        yield* serves(server)
      }))

    it.live(`a server lives and answers others, while 40 bodies of 16 MiB are not finished: ${mode}`, () =>
      Effect.gen(function*() {
        const server = yield* start(mode)
        const address = yield* server.address
        yield* Effect.all(
          Array.from({ length: 40 }, () => Effect.flatMap(connecting(address), (socket) => pour(socket, unfinished()))),
          { concurrency: 8 }
        )
        yield* serves(server)
      }))
  }

  for (const mode of ["http", "route", "web"]) {
    for (const [clients, calls] of [[40, 1], [10, 4]] as const) {
      it.live(`a server lives and answers others, while ${clients} clients do not read ${calls} of 12 MiB each: ${mode}`, () =>
        Effect.gen(function*() {
          const server = yield* start(mode)
          const address = yield* server.address
          for (let count = 0; count < clients; count++) {
            const socket = yield* connecting(address)
            socket.pause()
            socket.write(post(`{"jsonrpc":"2.0","id":1,"method":"large"}`).repeat(calls))
          }
          yield* serves(server)
        }))
    }
  }

  it.live("a server lives and answers others, while 60 WebSockets ask for 4 times 12 MiB and read nothing", () =>
    Effect.gen(function*() {
      const server = yield* start("ws")
      const address = yield* server.address
      const calls = Array.from({ length: 4 }, (_, id) => maskedText(`{"jsonrpc":"2.0","id":${id},"method":"large"}`))
      for (let count = 0; count < 60 && server.end() === undefined; count++) {
        const socket = yield* upgrading(address)
        socket.pause()
        socket.write(Buffer.concat(calls))
      }
      yield* serves(server)
    }))

  it.live("a server lives and answers others, while 300 messages come in 16,000 fragments of one byte each", () =>
    Effect.gen(function*() {
      const server = yield* start("ws")
      const address = yield* server.address
      const bytes = fragments(16_000)
      for (let count = 0; count < 300; count++) (yield* upgrading(address)).write(bytes)
      yield* serves(server)
    }))

  it.live("a server lives and answers others, while 16 connections send 9 MiB of members that nobody knows", () =>
    Effect.gen(function*() {
      const server = yield* start("listen")
      const address = yield* server.address
      const text = membered(9)
      for (let count = 0; count < 16; count++) (yield* connecting(address)).write(text)
      yield* serves(server)
    }))

  const whole = (response: ServerResponse, piece: string, next: () => void) => {
    response.write(piece, next)
  }
  // The chunks are in the pieces.
  const raw = (response: ServerResponse, piece: string, next: () => void) => {
    response.socket?.write(piece, next)
  }
  const lines = "data\n".repeat(MiB / 5)
  const line = `data: ${"x".repeat(MiB)}\n`
  const single = "1\r\n \r\n".repeat(20_000)
  const bytes = (text: string) => Array.from(text, (byte) => `1\r\n${byte}\r\n`).join("")
  const partial = `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":1}}`
  const event = bytes(EventStream.encode(partial)).repeat(200)
  const answers = {
    "lines of events that bring nothing": [
      "text/event-stream",
      whole,
      (index: number) => index < 15 ? lines : undefined
    ],
    "events of 15 MiB without an end": ["text/event-stream", whole, (index: number) => index < 15 ? line : undefined],
    "15 MiB of JSON without an end": [
      "application/json",
      whole,
      (index: number) => index < 15 ? " ".repeat(MiB) : undefined
    ],
    "chunks of one byte": ["application/json", raw, (index: number) => index < 15 ? single : undefined],
    "events in chunks of one byte": ["text/event-stream", raw, (index: number) => index < 15 ? event : undefined]
  } as const

  for (const [what, answer] of Object.entries(answers)) {
    for (const mode of what === "events in chunks of one byte" ? ["post", "fetch", "paused"] : ["post", "fetch"]) {
      it.live(`a client lives and goes on, while a server answers 512 calls with ${what}: ${mode}`, () =>
        Effect.gen(function*() {
          const [type, write, pieces] = answer
          const server = yield* answering(type, write, pieces)
          const client = yield* start(mode, String(server.port))
          yield* client.address
          yield* server.quiet
          yield* serves(client, mode === "post" ? mostHeld : mostHeldOverFetch)
        }))
    }
  }
})
