/** A world that listens, for clients in processes of their own. */
import { HttpFetcher } from "@parley/http/shared/client"
import { Effect } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { World } from "./World.ts"

export const listening = Effect.gen(function*() {
  let world: World | undefined
  const context = yield* Effect.context<never>()

  const answer = (request: http.IncomingMessage, response: http.ServerResponse, body: string) =>
    Effect.scoped(Effect.gen(function*() {
      if (world === undefined) return
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      )
      const url = new URL(request.url ?? "", world.issuer)
      const answered = yield* world.fetcher.fetch({ method: request.method ?? "", url, headers, body })
      const text = yield* HttpFetcher.text(answered, 1_000_000)
      for (const name of ["content-type", "www-authenticate", "location"]) {
        const value = answered.header(name)
        if (value !== undefined) response.setHeader(name, value)
      }
      response.writeHead(answered.status).end(text)
    }))

  const server = yield* Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk) => chunks.push(chunk))
        request.on("end", () => {
          Effect.runForkWith(context)(answer(request, response, Buffer.concat(chunks).toString()))
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // It listens at a port.
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return world = new World(`${origin}/mcp`, origin)
})
