/** Whom the server of a client is taken for, where the handler of a request over HTTP has connected the client. */
import { assert, describe, it } from "@effect/vitest"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Effect, type Scope } from "effect"
import * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import type { McpHandlers } from "../../src/client/McpHandlers.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as McpStdioClient from "../../src/McpStdioClient.ts"
import * as McpDialect from "../../src/wire/McpDialect.ts"
import * as Scripted from "../client/scripted.ts"

const options = { name: "test", version: "1", limits: { drain: 0 } }

/** The clients of one connection, and of a process. */
const clients = {
  "a transport": (start: ReturnType<typeof starting>["start"], handlers: McpHandlers) =>
    Effect.flatMap(
      start,
      (transport) => McpClient.make(McpClientTransport.fromTransport(transport), { ...options, handlers })
    ),
  "a process": (start: ReturnType<typeof starting>["start"], handlers: McpHandlers) =>
    McpStdioClient.make({ ...options, start, handlers })
}

/** A server that is started with the client, and may ask it. */
const starting = () => {
  const peers: Array<Peer.Peer> = []
  const start = Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(Scripted.legacy(), { order: "concurrent" }))
    const dialect = McpDialect.make(() => undefined)
    peers.push(yield* Peer.make(theirs, { router, dialect, limits: { drain: 0 } }))
    return ours
  })
  return { start, server: () => peers.at(-1) }
}

describe("a server that asks a client", () => {
  it.effect.each(Object.entries(clients))(
    "is not the client of the handler that has connected: by %s",
    ([, connect]) =>
      Effect.gen(function*() {
        const head: Handshake.Head = { method: "POST", url: "/", header: () => undefined, address: undefined }
        const principal = Context.make(Handshake.Name, "ada")
        const seen: Array<string | undefined> = []
        const roots = Effect.map(Handshake.Current, (current) => {
          seen.push(current && Handshake.nameOf(current))
          return []
        })
        const { server, start } = starting()
        const connected: Effect.Effect<unknown, unknown, Scope.Scope> = connect(start, { roots })
        yield* Effect.provideService(connected, Handshake.Current, { head, principal })
        yield* Scripted.settle
        yield* server()?.request("roots/list") ?? Effect.die("no server was started")
        assert.deepStrictEqual(seen, [undefined])
      })
  )
})
