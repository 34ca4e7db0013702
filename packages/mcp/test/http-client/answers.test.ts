import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type * as http from "node:http"
import { legacy, result, serve, stream } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

describe("an answer to what the server asks", () => {
  for (
    const [trouble, refuse] of [
      ["by 503", (response) => response.writeHead(503).end()],
      ["by a connection that breaks", (response) => response.destroy()]
    ] as ReadonlyArray<readonly [string, (response: http.ServerResponse) => void]>
  ) {
    it.live(`is posted again where it is refused for now ${trouble}`, () =>
      Effect.gen(function*() {
        let refused = 0
        let finish = () => {}
        const script = legacy({
          work: ({ response, seen: { message } }) => {
            const send = stream(response)
            finish = () => {
              send({ data: result(message.id, "done") })
              response.end()
            }
            send({ data: { jsonrpc: "2.0", id: message.id, method: "roots/list" } })
          }
        })
        const server = yield* serve((answering) => {
          if (answering.seen.message["result"] === undefined) return script(answering)
          if (++refused < 3) return refuse(answering.response)
          answering.response.writeHead(202).end()
          finish()
        })
        const transport = yield* transports.shaken(server.url, {
          reconnect: Schedule.spaced(10),
          handlers: { "roots/list": () => Effect.succeed({ roots: [] }) }
        })
        assert.strictEqual(yield* transport.request("work"), "done")
        assert.strictEqual(refused, 3)
      }))
  }
})
