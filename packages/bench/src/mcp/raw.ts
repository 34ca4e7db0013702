/**
 * Clients that know nothing of MCP but what to send: they show what the servers cost.
 */
import { Pool } from "@effect/platform-node/Undici"
import { batched, lines } from "../floor/floor.ts"
import { start } from "../floor/wires.ts"
import type { Client, Command } from "../Subject.ts"
import * as echo from "./echo.ts"

/** Posts over at most 64 connections. */
export const post = (port: number, { body, headers }: ReturnType<typeof echo.request>): Client => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, pipelining: 1 })
  let id = 0
  const call = async () => {
    const { body: answer, statusCode } = await pool.request({ path: "/mcp", method: "POST", headers, body: body(++id) })
    const text = await answer.text()
    if (statusCode !== 200 || !text.includes("\"result\"")) throw new Error(`${statusCode} ${text}`)
    return text
  }
  return echo.clientOf(call, () => pool.close())
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
}

/** Talks to the stdio of a child, by lines, as a legacy client. */
export const talk = async (command: Command): Promise<Client> => {
  const child = start(command)
  const waiting = new Map<
    number,
    { readonly resolve: (result: unknown) => void; readonly reject: (why: Error) => void }
  >()
  const write = batched((text) => child.stdin.write(text))
  const send = (message: string, id: number) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      write(`${message}\n`)
    })
  child.stdout.setEncoding("utf8")
  child.stdout.on(
    "data",
    lines((line) => {
      // What a server answers.
      const { id, result } = JSON.parse(line) as Answer
      if (id === undefined) return
      const caller = waiting.get(id)
      waiting.delete(id)
      if (result === undefined) caller?.reject(new Error(line))
      else caller?.resolve(result)
    })
  )
  await send(JSON.stringify(echo.initialize), 0)
  write(`${JSON.stringify(echo.initialized)}\n`)
  const { body } = echo.request(echo.legacy, "tools/call")
  let id = 0
  return echo.clientOf(() => send(body(++id), id), () => child.kill())
}
