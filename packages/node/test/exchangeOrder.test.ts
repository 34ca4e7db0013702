import { assert, describe, it } from "@effect/vitest"
import { NodeExchange } from "@parley/node/shared"
import { Effect } from "effect"
import { once } from "node:events"
import * as http from "node:http"

describe("the exchange of Node.js", () => {
  for (const ends of ["in order", "by breaking off"]) {
    it.live(`hands on every text of a stream that has ended ${ends} while one of them was waited for`, () =>
      Effect.gen(function*() {
        const server = yield* Effect.acquireRelease(
          Effect.sync(() =>
            http.createServer((_, response) => {
              response.writeHead(200, { "content-type": "text/event-stream" })
              const events = [1, 2, 3, 4].map((n) => `data: ${n}\n\n`).join("")
              if (ends === "in order") response.end(events)
              else response.write(events, () => response.destroy())
            })
          ),
          (server) => Effect.sync(() => server.close().closeAllConnections())
        )
        server.listen(0, "127.0.0.1")
        yield* Effect.promise(() => once(server, "listening"))
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        const exchange = yield* NodeExchange.make({ url: `http://127.0.0.1:${port}` })
        const texts: Array<string> = []
        const exit = yield* Effect.exit(exchange.post("{}", (text) => {
          texts.push(text)
          return Effect.yieldNow
        }))
        assert.deepStrictEqual(texts, ["1", "2", "3", "4"])
        assert.strictEqual(exit._tag, ends === "in order" ? "Success" : "Failure")
      }))
  }
})
