import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Duration, Effect, Queue, Schedule, Stream } from "effect"
import type * as http from "node:http"
import { json, legacy, result, type Script, serve, stream, text } from "../../http-client/support/scripted.ts"

/** Opens a stream again at once, and writes down how long the schedule of the library would have waited. */
const impatient = () => {
  const waits: Array<number> = []
  const reconnect = McpHttpClient.backoff.pipe(Schedule.modifyDelay(({ duration }) =>
    Effect.sync(() => {
      waits.push(Duration.toMillis(duration))
      return Duration.zero
    })
  ))
  return { reconnect, waits }
}

const connect = (url: string, reconnect: Schedule.Schedule<unknown>) =>
  Effect.flatMap(
    NodeHttp.makeFetcher(),
    (fetcher) =>
      McpHttpClient.make(fetcher, { name: "test", version: "1", url, protocolVersion: "2025-11-25", reconnect })
  )

/** Breaks a connection off behind what was written. */
const cut = (response: http.ServerResponse) => setImmediate(() => response.destroy())

const tries = 30

const initialize: Script = ({ response, seen }) =>
  json(
    response,
    result(seen.message.id, {
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "scripted", version: "1" }
    }),
    { "mcp-session-id": "s1" }
  )

describe("complaint 16: streams drop, and the client gives up after two attempts", () => {
  it.live("the result of a call is fetched however often its stream breaks, and however often that fails", () =>
    Effect.gen(function*() {
      let id: number | undefined
      let resumed = 0
      const call: Script = ({ response, seen }) => {
        id = seen.message.id
        stream(response)({ id: "e0", data: "" })
        cut(response)
      }
      const resume: Script = ({ response, seen }) => {
        if (seen.headers["last-event-id"] === undefined) return text(response, 405)
        resumed++
        if (resumed > tries) return stream(response)({ id: "end", data: result(id, { content: [] }) })
        if (resumed % 3 === 0) return text(response, 503)
        if (resumed % 3 === 1) return void response.destroy()
        stream(response)({ id: `e${resumed}`, data: "" })
        cut(response)
      }
      const server = yield* serve(legacy({ "tools/call": call, GET: resume }))
      const { reconnect } = impatient()
      const client = yield* connect(server.url, reconnect)
      assert.deepStrictEqual((yield* client.callTool("long")).content, [])
      assert.strictEqual(resumed, tries + 1)
      const calls = server.seen.filter(({ message }) => message.method === "tools/call")
      assert.lengthOf(calls, 1)
    }))

  it.live("the stream of what the server says by itself is opened again for ever, with waits that grow and end growing", () =>
    Effect.gen(function*() {
      let opened = 0
      let first: http.ServerResponse | undefined
      const told = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }
      const get: Script = ({ response }) => {
        opened++
        if (opened === 1) {
          first = response
          stream(response)
        } else if (opened > tries) stream(response)({ data: told })
        else response.destroy()
      }
      const server = yield* serve(legacy({ initialize, GET: get }))
      const { reconnect, waits } = impatient()
      const client = yield* connect(server.url, reconnect)
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkChild(Stream.runForEach(client.changes, ({ _tag }) => Queue.offer(heard, _tag)))
      assert.strictEqual(yield* Queue.take(heard), "Subscribed")
      yield* server.until(({ method }) => method === "GET")
      first?.destroy()
      assert.strictEqual(yield* Queue.take(heard), "ListChanged")
      // Each is spread by a fifth.
      for (const [at, wait] of [[0, 1_000], [1, 1_500], [2, 2_250], [tries - 1, 30_000]] as const) {
        assert.closeTo(waits[at] ?? 0, wait, wait / 5)
      }
      // It is as good as new.
      assert.deepStrictEqual(yield* client.request("ping"), {})
    }))
})
