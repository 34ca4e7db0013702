/** A server of json-rpc-2.0, as its documentation makes one: over HTTP, or with `--tcp` a message in each line. */
import { JSONRPCServer } from "json-rpc-2.0"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { listen } from "./listen.ts"

const server = new JSONRPCServer({ errorListener: () => undefined })
server.addMethod("add", ({ a, b }: { readonly a: number; readonly b: number }) => a + b)

// Where it throws instead of answering, nothing is answered.
process.on("unhandledRejection", () => undefined)

if (process.argv.includes("--tcp")) {
  listen(
    createServer((socket) => {
      socket.on("error", () => undefined)
      let rest = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = `${rest}${chunk}`.split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) {
          void server.receiveJSON(line).then((reply) => {
            if (reply !== null) socket.write(`${JSON.stringify(reply)}\n`)
          })
        }
      })
    }),
    "tcp"
  )
} else {
  listen(
    createHttpServer((request, response) =>
      void (async () => {
        let text = ""
        for await (const chunk of request.setEncoding("utf8")) text += chunk
        const reply = await server.receiveJSON(text).then((reply) => reply, () => undefined)
        if (reply === undefined) return response.writeHead(500).end()
        return reply === null
          ? response.writeHead(204).end()
          : response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply))
      })()
    ),
    "http",
    "/"
  )
}
