/**
 * A server without a library, so that it starts at once: `server.ts ERA FOLDER`, of the era `legacy`, `silent` (legacy, without
 * a word to what it does not know), `fragile` (legacy, and ends at that), `modern` or `changing`. The file `tools.json` of the folder has the names of its tools: with `unlisted`, it has
 * no resource, and with `refusing`, it takes no subscription. Each call is a line of `calls.txt`: its key, and how it ended.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

const [named = "legacy", folder = "."] = process.argv.slice(2)

/** One that changes is of the era in the file `era`. */
const era = named === "changing" ? readFileSync(join(folder, "era"), "utf8") : named

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly key?: string }
    readonly protocolVersion?: string
  }
  readonly result?: unknown
}

const text = readFileSync(join(folder, "tools.json"), "utf8")
if (text.includes("broken")) {
  process.stderr.write("SyntaxError: the tools are broken\n")
  process.exit(3)
}
const names: ReadonlyArray<string> = JSON.parse(text)

const tools = names.map((name) => ({ name, inputSchema: { type: "object", properties: { key: { type: "string" } } } }))
const info = { name: "counting", version: `${names.length}` }
const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } }
const log = join(folder, "calls.txt")

const send = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

let asked = 0
const waiting = new Map<number | string, (result: unknown) => void>()

/** Asks the client for a name, and waits for the answer. */
const ask = (): Promise<unknown> =>
  new Promise((resolve) => {
    const id = `q${++asked}`
    waiting.set(id, resolve)
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
    send({ id, method: "elicitation/create", params: { message: "Your name?", requestedSchema } })
  })

const called = async ({ name = "", arguments: { key = "" } = {} }: NonNullable<Message["params"]>) => {
  appendFileSync(log, `${key} begun ${process.pid}\n`)
  if (name === "wait") await new Promise(() => {})
  if (name === "die") process.exit(7)
  const said = name === "ask" ? JSON.stringify(await ask()) : `${name} of ${process.pid}`
  return { content: [{ type: "text", text: said }] }
}

const answers: { readonly [method: string]: (params: NonNullable<Message["params"]>) => unknown } = {
  "tools/list": () => ({ tools }),
  "resources/list": () => ({ resources: names.includes("unlisted") ? [] : [{ uri: "count://now", name: "now" }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": () => ({ contents: [{ uri: "count://now", text: `${process.pid}` }] }),
  "tools/call": called
}

const legacy: typeof answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === "2025-06-18" ? protocolVersion : "2025-11-25",
    serverInfo: info,
    capabilities
  }),
  ping: () => ({}),
  "resources/subscribe": () => {
    if (names.includes("refusing")) throw new Error("no subscriptions")
    process.stderr.write("subscribed\n")
    return {}
  },
  "resources/unsubscribe": () => ({})
}

const modern: typeof answers = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" })
}

const methods = { ...answers, ...(era === "modern" ? modern : legacy) }

const sealed = (method: string, result: object) =>
  era !== "modern" ? result : {
    ...(method.endsWith("/list") || method === "resources/read" ? { ttlMs: 0, cacheScope: "private" } : {}),
    ...result,
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": info }
  }

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, result }: Message = JSON.parse(line)
  if (id === undefined) return
  if (method === undefined) return waiting.get(id)?.(result)
  const answer = methods[method]
  if (answer === undefined) {
    if (era === "fragile") process.exit(1)
    // A stream of changes stays open, and a silent server says nothing to what is newer than itself.
    if (method === "subscriptions/listen" || era === "silent") return
    return send({ id, error: { code: -32601, message: "Method not found" } })
  }
  Promise.resolve().then(() => answer(params)).then(
    (result) => send({ id, result: sealed(method, result as object) }),
    ({ message }: Error) => send({ id, error: { code: -32603, message } })
  )
}).on("close", () => process.exit(0))

process.stderr.write(`up with ${names.join(", ")}\n`)
