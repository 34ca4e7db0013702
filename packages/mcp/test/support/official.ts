/** What servers of the official SDKs stand on: a place on `node:http`, and events to resume from. */
import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { Effect, type Scope } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

type Listener = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

/** Listens on this machine until the Scope closes, and gives the URL. */
export const listening = (listener: Listener, path = "/mcp"): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = http.createServer(listener)
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    // It listens at a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  })

/** Events in the order they came, so that any place can be resumed from. */
export const eventStore = (): EventStore => {
  const events: Array<
    { readonly id: string; readonly streamId: string; readonly message: Parameters<EventStore["storeEvent"]>[1] }
  > = []
  return {
    storeEvent: async (streamId, message) => {
      const id = `${streamId}#${events.length}`
      events.push({ id, streamId, message })
      return id
    },
    replayEventsAfter: async (last, { send }) => {
      const streamId = last.split("#")[0] ?? ""
      const from = events.findIndex(({ id }) => id === last) + 1
      for (const event of events.slice(from)) if (event.streamId === streamId) await send(event.id, event.message)
      return streamId
    }
  }
}
