/**
 * A server that will not end: it goes on after its input has ended and after SIGTERM, and says so on stderr.
 *
 * `big` gives as many bytes as it is told, `die` exits, `never` keeps its caller waiting.
 */
import { createInterface } from "node:readline"

interface Asked {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: { readonly bytes?: number } }
}

const text = (text: string) => ({ content: [{ type: "text", text }] })

const answer = (id: number, result: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)

const call = (id: number, { params }: Asked) => {
  if (params?.name === "die") process.exit(3)
  if (params?.name === "big") answer(id, text("x".repeat(params.arguments?.bytes ?? 0)))
}

const agreed = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "stubborn", version: "1" }
}

const lines = createInterface({ input: process.stdin })
lines.on("line", (line) => {
  const asked: Asked = JSON.parse(line)
  if (asked.id === undefined) return
  if (asked.method === "initialize") answer(asked.id, agreed)
  if (asked.method === "tools/call") call(asked.id, asked)
})
lines.on("close", () => process.stderr.write("the input ended\n"))
process.on("SIGTERM", () => process.stderr.write("SIGTERM\n"))

// Keeps it alive whatever else ends.
setInterval(() => {}, 60_000)
