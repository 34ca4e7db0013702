/**
 * Clients that know nothing of MCP but what to send: they show what the servers cost.
 */
import { connect, type Socket } from "node:net"
import { batched, lines } from "../floor/floor.ts"
import { start } from "../floor/wires.ts"
import type { Client, Command } from "../Subject.ts"
import * as echo from "./echo.ts"

/** Whether an answer of HTTP is whole. Its text has a character for each byte. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length === end + 4 + Number(length)
}

/** One connection, with one request at a time. */
class Line {
  readonly socket: Socket
  /** When it was used last. */
  since = 0
  #text = ""
  #resolve: (text: string) => void = () => {}
  #reject: (why: Error) => void = () => {}

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1")
    this.socket.on("data", (chunk: string) => {
      this.#text += chunk
      if (!isWhole(this.#text)) return
      const answer = this.#text
      this.#text = ""
      if (answer.startsWith("HTTP/1.1 200 ") && answer.includes("\"result\"")) this.#resolve(answer)
      else this.#reject(new Error(answer))
    })
    this.socket.on("error", (why) => this.#reject(why))
    this.socket.on("close", () => this.#reject(new Error(`the connection has ended after: ${this.#text}`)))
  }

  send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.socket.write(request, "latin1")
    })
  }
}

/**
 * Posts over as many connections as there are calls at once.
 *
 * It writes to sockets: a whole client of HTTP costs more than the faster servers do, and would be what is measured.
 */
export const post = (port: number, { body, headers }: ReturnType<typeof echo.request>): Client => {
  const all = { host: `127.0.0.1:${port}`, connection: "keep-alive", ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const idle: Array<Line> = []
  /** One that is open. Servers close those that have rested for long. */
  const line = (): Line => {
    const last = idle.pop()
    if (last === undefined) return new Line(port)
    if (performance.now() - last.since < rest) return last
    last.socket.destroy()
    return line()
  }
  let id = 0
  const call = async () => {
    const text = body(++id)
    const taken = line()
    const answer = await taken.send(`POST /mcp HTTP/1.1\r\n${head}content-length: ${text.length}\r\n\r\n${text}`)
    taken.since = performance.now()
    idle.push(taken)
    return answer
  }
  return echo.clientOf(call, () => idle.forEach(({ socket }) => socket.destroy()))
}

/** Milliseconds after which a connection is not used again: Node.js closes one after five seconds. */
const rest = 2_000

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
