/** The servers of `v1.ts` and `v2.ts` in this process: in memory, and on `node:http`. */
import * as v2Node from "@modelcontextprotocol/node"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { createMcpHandler } from "@modelcontextprotocol/server"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { eventStore, listening } from "../../support/official.ts"
import * as occasions from "./occasions.ts"
import * as places from "./places.ts"
import * as v1 from "./v1.ts"
import * as v2 from "./v2.ts"

export interface Sessions {
  readonly url: string
  /** How many sessions there were. */
  readonly opened: () => number
  /** Forgets all sessions, as a restart does. */
  readonly restart: () => void
}

/** Version 1, with sessions and events to resume from. */
export const v1Sessions = (): Effect.Effect<Sessions, never, Scope.Scope> =>
  Effect.suspend(() => {
    const transports = new Map<string, StreamableHTTPServerTransport>()
    const shared = occasions.make()
    let opened = 0
    const open = async () => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: eventStore(),
        retryInterval: 20,
        onsessioninitialized: (id) => {
          opened++
          transports.set(id, transport)
        }
      })
      const server = v1.make(shared)
      await server.connect(transport as Parameters<typeof server.connect>[0])
      return transport
    }
    const url = listening(async (request, response) => {
      const id = request.headers["mcp-session-id"]
      const known = typeof id === "string" ? transports.get(id) : await open()
      if (known !== undefined) return known.handleRequest(request, response)
      const error = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(error))
    })
    return Effect.map(url, (url) => ({ url, opened: () => opened, restart: () => transports.clear() }))
  })

/** A client of a server of version 1, over its own transport in memory. */
export const inMemory = Effect.fnUntraced(function*(server: McpServer, more: places.Options = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const [ours, line] = yield* MemoryTransport.makePair()
  near.onmessage = (message) => void Effect.runFork(line.send([JSON.stringify(message)]))
  const pump = Effect.forever(Effect.flatMap(line.receive, (texts) =>
    Effect.promise(async () => {
      // What our client sends is text, of a message.
      for (const text of texts) await near.send(JSON.parse(text as string))
    })))
  yield* Effect.forkScoped(Effect.catchCause(pump, () => Effect.promise(() => near.close())))
  yield* Effect.promise(async () => {
    await server.connect(far)
    await near.start()
  })
  return yield* places.over(ours, more)
})

/** Version 1, with what the tests of clients want to see. */
export const v1InMemory = Effect.suspend(() => inMemory(v1.make(occasions.make())))

/** Version 2, with both eras on one endpoint. */
export const v2Handler: Effect.Effect<string, never, Scope.Scope> = Effect.suspend(() => {
  const shared = occasions.make()
  const handler = createMcpHandler(() => v2.make(shared, () => handler.notify))
  const serve = v2Node.toNodeHandler(handler)
  // Its types are those of Node, less exact.
  return listening((request, response) => serve(request as never, response as never))
})
