/** A server of json-rpc-2.0, as its documentation makes one: over HTTP, or with `--tcp` a message in each line. */
import { JSONRPCServer } from "json-rpc-2.0"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { createInterface } from "node:readline"
import { listen } from "./listen.ts"

const server = new JSONRPCServer({ errorListener: () => undefined })
server.addMethod("add", ({ a, b }: { readonly a: number; readonly b: number }) => a + b)

if (process.argv.includes("--tcp")) {
  listen(
    createServer((socket) => {
      socket.on("error", () => undefined)
      createInterface(socket).on("line", (line) =>
        void server.receiveJSON(line).then((reply) => {
          if (reply !== null) socket.write(`${JSON.stringify(reply)}\n`)
        }))
    }),
    "tcp"
  )
} else {
  listen(
    createHttpServer((request, response) =>
      void (async () => {
        let text = ""
        for await (const chunk of request.setEncoding("utf8")) text += chunk
        const reply = await server.receiveJSON(text)
        if (reply === null) response.writeHead(204).end()
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply))
      })()
    ),
    "http",
    "/"
  )
}
