/** A process with a heap of 512 MB, and what exhausts one that counts too little of what it holds. */
import { assert } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import { Peer } from "@parley/peer"
import { Effect, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import type { Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { fixture, portOf } from "./pairs.ts"

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** Where it serves TCP, once it does. */
  readonly address: Effect.Effect<string>
  /** How it ended, if it did. */
  readonly end: () => string | undefined
}

const heap = ["--max-old-space-size=512", fixture("heap.ts")]

export const start = (...args: ReadonlyArray<string>): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [...heap, ...args])),
      (child) =>
        Effect.promise(async () => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill("SIGKILL")
          await once(child, "exit")
        })
    ),
    (child) => {
      let said = ""
      child.stdin.on("error", () => {})
      child.stdout.resume()
      child.stderr.on("data", (chunk) => {
        said = (said + chunk).slice(-10_000)
      })
      const address = Effect.promise(async () => {
        for (;;) {
          const [, found] = /listening (\S+)/.exec(said) ?? []
          if (found !== undefined) return found
          await once(child.stderr, "data")
        }
      })
      const end = () =>
        child.exitCode === null && child.signalCode === null
          ? undefined
          : `${child.exitCode} ${child.signalCode} ${said}`
      return { child, address, end }
    }
  )

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

/** A server of ours, and the connection that it accepts first. */
export const accepting: Effect.Effect<
  { readonly port: number; readonly accepted: Effect.Effect<Socket> },
  never,
  Scope.Scope
> = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets: Array<Socket> = []
      const server = createServer((socket) => {
        socket.on("error", () => {})
        socket.resume()
        sockets.push(socket)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  ),
  ({ server, sockets }) => ({
    port: Object(server.address()).port,
    accepted: Effect.promise(async () => {
      if (sockets.length === 0) await once(server, "connection")
      return sockets[0] as Socket
    })
  })
)

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

/** It runs, or has ended in order because its only connection has. */
export const lives = ({ end }: Running) => assert.match(end() ?? "0 ", /^0 /)

/** A new client is answered within the timeout that calls have by default. */
export const serves = ({ address, end }: Running) =>
  Effect.gen(function*() {
    assert.isUndefined(end())
    const peer = yield* Peer.make(yield* NodeTcp.makeTransport({ port: portOf(yield* address) }))
    assert.deepStrictEqual(yield* peer.request("echo", [1]), [1])
    assert.isUndefined(end())
  })

const MiB = 1024 * 1024

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

/** So many small requests, in one text. */
export const small = (count: number, method: string): string =>
  Array.from({ length: count }, (_, index) => `{"jsonrpc":"2.0","id":${index},"method":"${method}"}\n`).join("")
