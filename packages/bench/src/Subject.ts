/**
 * What is measured: an echo over some wire. Where that is of MCP, a tool echoes a text of its own, whatever the payload.
 *
 * `name` is `wire/implementation`. The serving side is a child process, over
 * `worker` a thread, and both are `server.ts`; in memory both ends are in this
 * process.
 */
import type * as Effect from "effect/Effect"
import type { WorkerOptions } from "node:worker_threads"

/** About 110 bytes of JSON: the payload of every table but the one of large payloads. */
export const small = {
  user: "alice@example.org",
  op: "lookup",
  key: "k-0123456789",
  n: 42,
  flags: [1, 2, 3],
  note: "hello world"
}

/** About a mebibyte of JSON. */
export const large = { data: "x".repeat(1_048_576 - 20) }

export type Payload = typeof small | typeof large

/** The calling side, connected. */
export interface Client {
  readonly call: (params: Payload) => Promise<unknown>
  /** Where callers are Effects: what one fiber does again and again. */
  readonly callEffect?: ((params: Payload) => Effect.Effect<unknown, unknown>) | undefined
  readonly close: () => unknown
}

/** A program to start. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A thread to start. */
export interface Thread {
  readonly script: URL
  readonly options: WorkerOptions
}

interface Common {
  readonly name: string
  /** In how many calls at once it can be measured at all. */
  readonly most?: number | undefined
}

export interface InMemory extends Common {
  readonly wire: "mem" | "mcp-mem"
  readonly open: () => Client | Promise<Client>
}

export interface OverPort extends Common {
  readonly wire: "tcp" | "ws" | "http" | "nats" | "redis" | "mcp-http" | "mcp-http-50" | "mcp-http-list" | "mcp-client"
  /** Serves on a free port of 127.0.0.1, and gives it; over an engine it is that of the engine. */
  readonly serve: () => Promise<number>
  readonly connect: (port: number) => Client | Promise<Client>
}

export interface OverUnix extends Common {
  readonly wire: "unix"
  /** Serves on a path where nothing is. */
  readonly serve: (path: string) => Promise<unknown>
  readonly connect: (path: string) => Client | Promise<Client>
}

export interface OverStdio extends Common {
  readonly wire: "stdio" | "mcp-stdio" | "mcp-stdio-raw"
  readonly serve: () => void
  readonly connect: (command: Command) => Client | Promise<Client>
}

export interface OverWorker extends Common {
  readonly wire: "worker"
  /** Inside of the thread. */
  readonly serve: () => void
  readonly connect: (thread: Thread) => Client | Promise<Client>
}

export type Subject = InMemory | OverPort | OverUnix | OverStdio | OverWorker
