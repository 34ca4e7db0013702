/** A process with a heap of 512 MB, and what exhausts one that counts too little of what it holds. */
import { assert } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer } from "@parley/peer"
import { Limits } from "@parley/protocol"
import { Effect, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { type EventEmitter, once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer as createHttpServer, type ServerResponse } from "node:http"
import { connect, createServer, type Server, type Socket } from "node:net"
import type { Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { fixture, portOf } from "./pairs.ts"

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** Where it serves TCP, once it does. */
  readonly address: Effect.Effect<string>
  /** How it ended, if it did. */
  readonly end: () => string | undefined
  /** Bytes that it holds when all garbage is collected: of JavaScript's heap, and of buffers outside of it. */
  readonly held: Effect.Effect<number>
}

const MiB = 1024 * 1024

const heap = ["--max-old-space-size=512", "--expose-gc", "--import", fixture("holds.ts")]

/** The program of these tests. */
export const start = (...args: ReadonlyArray<string>): Effect.Effect<Running, never, Scope.Scope> =>
  run(fixture("heap.ts"), ...args)

export const run = (program: string, ...args: ReadonlyArray<string>): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [...heap, program, ...args])),
      (child) =>
        Effect.promise(async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill("SIGKILL")
          await once(child, "exit")
        })
    ),
    (child) => {
      let said = ""
      let printed = ""
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => {
        if (printed.length < 10_000) printed += chunk
      })
      child.stderr.on("data", (chunk) => {
        said = (said + chunk).slice(-10_000)
      })
      const address = Effect.promise(async () => {
        for (;;) {
          const [, found] = /listening (\S+)/.exec(said + printed) ?? []
          if (found !== undefined) return found.replace(/\/$/, "")
          await first([child.stderr, "data"], [child.stdout, "data"])
        }
      })
      const end = () =>
        child.exitCode === null && child.signalCode === null
          ? undefined
          : `${child.exitCode} ${child.signalCode} ${said}`
      const held = Effect.promise(async () => {
        said = said.replace(/^holds .*\n/m, "")
        child.kill("SIGUSR2")
        for (;;) {
          const [, bytes] = /^holds (\d+)$/m.exec(said) ?? []
          if (bytes !== undefined || end() !== undefined) return Number(bytes ?? 0)
          await first([child.stderr, "data"], [child, "exit"])
        }
      })
      return { child, address, end, held }
    }
  )

/** Waits for the first of these events, and listens for the others no more. */
const first = async (...events: ReadonlyArray<readonly [EventEmitter, string]>) => {
  const over = new AbortController()
  await Promise.race(events.map(([emitter, name]) => once(emitter, name, over).catch(() => {})))
  over.abort()
}

/** A plain connection, whose own end is no error. */
export const connecting = (address: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(portOf(address), "127.0.0.1")
      socket.on("error", () => {})
      socket.resume()
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** A plain server, with the connections that it has accepted. */
export const listening = (
  onSocket: (socket: Socket) => void
): Effect.Effect<
  { readonly server: Server; readonly port: number; readonly sockets: ReadonlySet<Socket> },
  never,
  Scope.Scope
> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        onSocket(socket)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, port: Number(Object(server.address()).port), sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )

/** A server of ours, and the connection that it accepts first. */
export const accepting: Effect.Effect<
  { readonly port: number; readonly accepted: Effect.Effect<Socket> },
  never,
  Scope.Scope
> = Effect.suspend(() => {
  let first: Socket | undefined
  const accept = (socket: Socket) => {
    socket.resume()
    first ??= socket
  }
  return Effect.map(listening(accept), ({ port, server }) => ({
    port,
    accepted: Effect.promise(async () => {
      if (first === undefined) await once(server, "connection")
      return first as Socket
    })
  }))
})

/** Milliseconds after which nothing is expected to be read any more. */
const patience = 2_000

/** Writes texts until they are all taken, nothing is taken any more, or the other side has ended the connection. */
export const pour = (stream: Writable, texts: Iterable<string>): Effect.Effect<number> =>
  Effect.promise(async () => {
    let written = 0
    for (const text of texts) {
      if (stream.destroyed) return written
      written++
      if (stream.write(text)) continue
      const ended = new AbortController()
      const { signal } = ended
      const next = ["drain", "close"].map((event) => once(stream, event, { signal }).catch(() => {}))
      const isStuck = await Promise.race([
        ...next.map((event) => event.then(() => false)),
        setTimeout(patience, true, { signal }).catch(() => false)
      ])
      ended.abort()
      if (isStuck) return written
    }
    return written
  })

/** It runs and holds what it may, or has ended in order because its only connection has. */
export const lives = (running: Running) =>
  Effect.gen(function*() {
    if (running.end() === undefined) yield* holds(running)
    assert.match(running.end() ?? "0 ", /^0 /)
  })

/** A new client is answered, on a busy machine as well, and the process holds what it may. */
export const serves = (running: Running, most = mostHeld) =>
  Effect.gen(function*() {
    const { address, end } = running
    assert.isUndefined(end())
    const caller = yield* callerTo(yield* address)
    assert.deepStrictEqual(yield* caller.request("echo", [1], { timeout: "2 minutes" }), [1])
    assert.isUndefined(end())
    yield* holds(running, most)
  })

const callerTo = (address: string) => {
  if (address.startsWith("http:")) return NodeHttp.makeCaller({ url: address })
  const transport = address.startsWith("ws:")
    ? NodeWebSocket.makeTransport({ url: address })
    : NodeTcp.makeTransport({ port: portOf(address) })
  return Effect.flatMap(transport, (transport) => Peer.make(transport))
}

/** What docs/reference/limits.md says of a process, in bytes: the default budget, its guarantees, and what is idle. */
export const mostHeld = Limits.defaults.budget * 9 / 8 + 96 * MiB

/** Its resident memory on that page: the heap, full of garbage, what is held outside of it, and its garbage. */
const mostResident = (512 + 384 + 256) * MiB

/** It lives and holds no more than the budget allows, and has never taken much more, as far as the system tells. */
export const holds = ({ child, end, held }: Running, most = mostHeld) =>
  Effect.gen(function*() {
    assert.isUndefined(end())
    assert.isBelow(yield* held, most)
    const status = yield* Effect.promise(() => readFile(`/proc/${child.pid}/status`, "utf8").catch(() => ""))
    const [, peak = "0"] = /VmHWM:\s+(\d+)/.exec(status) ?? []
    assert.isBelow(Number(peak) * 1024, mostResident)
  })

/** So many requests of so many mebibytes whose handlers run for long. Parsed, they are twenty times as large. */
export function* amplified(count: number, mebibytes: number) {
  const objects = Array.from({ length: mebibytes * MiB / 3 }, () => "{}").join(",")
  for (let id = 1; id <= count; id++) {
    yield `{"jsonrpc":"2.0","id":${id},"method":"sleep","x":[${objects}]}\n`
  }
}

const padding = "a".repeat(15 * MiB)

/** So many requests, or notifications, of 15 MiB each whose handlers run for long. */
export function* large(count: number, isNotification = false) {
  for (let id = 1; id <= count; id++) {
    yield `{"jsonrpc":"2.0",${isNotification ? "" : `"id":${id},`}"method":"sleep","x":"${padding}"}\n`
  }
}

const page = "x".repeat(1_000_000)

/** So many requests of one megabyte each, which come back. */
export function* echoes(count: number) {
  for (let id = 1; id <= count; id++) yield `{"jsonrpc":"2.0","id":${id},"method":"echo","params":["${page}"]}\n`
}

/** So many small requests, in one text. */
export const small = (count: number, method: string): string =>
  Array.from({ length: count }, (_, index) => `{"jsonrpc":"2.0","id":${index},"method":"${method}"}\n`).join("")

/** A request with so many mebibytes of members that nobody knows. */
export const membered = (mebibytes: number): string => {
  const members: Array<string> = []
  for (let size = 0; size < mebibytes * MiB; size += 12) members.push(`"k${String(members.length).padStart(7, "0")}":1`)
  return `{"jsonrpc":"2.0","id":1,"method":"sleep",${members.join(",")}}\n`
}

/** The head of a POST. */
export const posted = (header: string): string =>
  `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${header}\r\n\r\n`

/** A whole POST. */
export const post = (body: string): string => `${posted(`Content-Length: ${body.length}`)}${body}`

/** A body in chunks of one byte, of so many blanks, and then a call that takes long. */
export function* bytewise(count: number) {
  const body = `{"jsonrpc":"2.0","id":1,"method":"sleep"}`
  const some = "1\r\n \r\n".repeat(20_000)
  yield posted("Transfer-Encoding: chunked")
  for (let sent = 0; sent < count; sent += 20_000) yield some
  yield `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

/** A body of 16 MiB but for its last byte. */
export function* unfinished() {
  yield posted(`Content-Length: ${16 * MiB}`)
  for (let count = 0; count < 15; count++) yield " ".repeat(MiB)
  yield " ".repeat(MiB - 1)
}

/** A connection of WebSockets, open. */
export const upgrading = (address: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.tap(connecting(address), (socket) =>
    Effect.promise(async () => {
      socket.write(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      )
      await once(socket, "data")
    }))

/** A short text as one message of a client, whose mask changes nothing. RFC 6455, 5.2. */
export const maskedText = (text: string): Uint8Array =>
  Buffer.concat([Uint8Array.of(0x81, 0x80 + text.length, 0, 0, 0, 0), Buffer.from(text)])

/** A message in so many fragments of one byte, without the last. RFC 6455, 5.2. */
export const fragments = (count: number): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, (_, index) => Uint8Array.of(index === 0 ? 1 : 0, 0x81, 0, 0, 0, 0, 0x20)))

/** A server that answers every POST like this, and never to the end. */
export const answering = (
  type: string,
  write: (response: ServerResponse, piece: string, next: () => void) => void,
  pieces: (index: number) => string | undefined
): Effect.Effect<{ readonly port: number; readonly quiet: Effect.Effect<void> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        let last = performance.now()
        const server = createHttpServer((request, response) => {
          request.resume()
          response.on("error", () => {})
          response.writeHead(200, { "content-type": type })
          response.flushHeaders()
          const go = (index: number) => {
            last = performance.now()
            const piece = pieces(index)
            if (piece !== undefined && !response.destroyed) write(response, piece, () => go(index + 1))
          }
          go(0)
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return { server, since: () => performance.now() - last }
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    ({ server, since }) => ({
      port: Object(server.address()).port,
      quiet: Effect.promise(async () => {
        while (since() < patience) await setTimeout(patience / 4)
      })
    })
  )
