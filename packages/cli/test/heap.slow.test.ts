/** `parley tap` with a heap of 512 MB lives, whatever passes, and goes on passing it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { bin } from "./Parley.ts"

/** An endpoint that reads everything and answers nothing, until a text comes that it sends back. */
const endpoint = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets: Array<Socket> = []
    const server: Server = createServer((socket) => {
      sockets.push(socket)
      socket.on("error", () => {})
      socket.on("data", (bytes) => {
        if (bytes.subarray(-100).includes(`"echo"`)) socket.write(`{"jsonrpc":"2.0","id":"last","result":1}\n`)
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, sockets }
  }),
  ({ server, sockets }) =>
    Effect.sync(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
)

const tap = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const args = ["--max-old-space-size=512", bin, "tap", `tcp://127.0.0.1:${port}`]
      return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
    }),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )

describe("with little memory", () => {
  it.live("a tap lives and passes what comes, behind 32 requests of 14 MiB without a response", () =>
    Effect.gen(function*() {
      const { server } = yield* endpoint
      const child = yield* tap(Object(server.address()).port)
      const [line] = yield* Effect.promise(() => once(child.stderr, "data"))
      const port = Number(/:(\d+)\s*$/.exec(String(line))?.[1])
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(port, "127.0.0.1").on("error", () => {})),
        (client) => Effect.sync(() => client.destroy())
      )
      const long = "m".repeat(7 * 1024 * 1024)
      for (let index = 0; index < 32; index++) {
        const written = client.write(`{"jsonrpc":"2.0","id":"${index}${long}","method":"${index}${long}"}\n`)
        if (!written) yield* Effect.promise(() => Promise.race([once(client, "drain"), once(client, "close")]))
      }
      client.write(`{"jsonrpc":"2.0","id":"last","method":"echo"}\n`)
      const [answer] = yield* Effect.promise(() => Promise.race([once(client, "data"), once(client, "close")]))
      assert.include(String(answer), `"id":"last"`)
      assert.isNull(child.exitCode)
    }))
})
