/**
 * Bytes of live heap and of resident memory per open session: `node sessions.ts parley 50 2000`, of a server with so
 * many tools and so many sessions.
 *
 * A client has initialized each, and is silent since. The server is a process of its own, and collects before it says
 * what it holds.
 */
import { Pool } from "@effect/platform-node/Undici"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as echo from "../echo.ts"

const servers: { readonly [name: string]: (tools: number) => Promise<number> } = {
  parley: async (tools) => (await import("../parleyHttp.ts")).serveHttp(tools),
  "sdk-v1": async (tools) => (await import("../sdkV1.ts")).serveSessions(tools)
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface Held {
  readonly heap: number
  readonly resident: number
}

const held = async (): Promise<Held> => {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await pause(100)
  }
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, resident: rss }
}

const serve = async (name: string, tools: number): Promise<void> => {
  const port = await servers[name]?.(tools)
  process.on("message", () => void held().then((memory) => process.send?.(memory)))
  process.on("disconnect", () => process.exit())
  process.send?.({ port })
}

/** Sessions that are opened before, so that what they share is there. */
const warmUp = 100

const main = async (name: string, tools: number, count: number): Promise<void> => {
  const server = fork(fileURLToPath(import.meta.url), ["serve", name, String(tools)], { execArgv: ["--expose-gc"] })
  server.once("exit", (code) => {
    throw new Error(`the server ended with ${code}`)
  })
  // What the process above sends.
  const heard = async <A>(): Promise<A> => (await once(server, "message"))[0] as A
  const { port } = await heard<{ readonly port: number }>()
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 16, pipelining: 1 })
  const { "mcp-protocol-version": _, ...headers } = echo.request(echo.legacy, "tools/call").headers
  const post = async (message: unknown, session: Readonly<Record<string, string>>) => {
    const body = JSON.stringify(message)
    const answer = await pool.request({ path: "/mcp", method: "POST", headers: { ...headers, ...session }, body })
    await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(String(answer.statusCode))
    return answer
  }
  const open = async (sessions: number) => {
    for (let opened = 0; opened < sessions; opened += 20) {
      await Promise.all(Array.from({ length: 20 }, async () => {
        const answer = await post(echo.initialize, {})
        await post(echo.initialized, { "mcp-session-id": String(answer.headers["mcp-session-id"]) })
      }))
    }
  }
  const ask = async (): Promise<Held> => {
    const answer = heard<Held>()
    server.send("held")
    return answer
  }
  await open(warmUp)
  const before = await ask()
  await open(count)
  const after = await ask()
  const each = { heap: (after.heap - before.heap) / count, resident: (after.resident - before.resident) / count }
  process.stdout.write(`${JSON.stringify(each)}\n`, () => process.exit())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , first = "parley", second = "1", third = "2000"] = process.argv
  await (first === "serve" ? serve(second, Number(third)) : main(first, Number(second), Number(third)))
}
