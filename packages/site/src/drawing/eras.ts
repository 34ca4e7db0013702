import { arrow, type Drawing, word } from "./Drawing.ts"

const [client, server] = [60, 340]

interface Message {
  readonly says: ReadonlyArray<string>
  readonly to: "client" | "server"
  readonly kind?: string
}

/** Messages between two lines, from a height down. */
const sequence = (title: string, from: number, messages: ReadonlyArray<Message>) => {
  const parts = [
    word([200, from], title, { kind: "strong" }),
    word([client, from + 28], "client"),
    word([server, from + 28], "server")
  ]
  let y = from + 34
  for (const { kind, says, to } of messages) {
    for (const text of says) parts.push(word([200, y += 20], text, { kind: kind ?? "quiet" }))
    y += 9
    parts.push(to === "server" ? arrow([[client, y], [server, y]], kind) : arrow([[server, y], [client, y]], kind))
    y += 4
  }
  const line = (x: number) => `<path class="soft" d="M${x} ${from + 36}V${y + 8}"/>`
  return { parts: [...parts, line(client), line(server)], end: y + 8 }
}

const legacy = sequence("Legacy: a session", 32, [
  { to: "server", says: ["initialize"] },
  { to: "client", says: ["revision, Mcp-Session-Id"] },
  { to: "server", says: ["notifications/initialized"] },
  { to: "server", says: ["tools/call"] },
  { to: "client", says: ["elicitation/create"], kind: "accent" },
  { to: "server", says: ["the answer"], kind: "accent" },
  { to: "client", says: ["the result of the call"] }
])

const modern = sequence("Modern: requests that stand alone", legacy.end + 44, [
  { to: "server", says: ["tools/call, with _meta:", "revision, client, capabilities"] },
  { to: "client", says: ["input_required: the question,", "and a sealed requestState"], kind: "accent" },
  { to: "server", says: ["tools/call again: the answer,", "and the requestState"], kind: "accent" },
  { to: "client", says: ["the result of the call"] }
])

export const eras: Drawing = {
  name: "mcp-eras",
  title: "A tool that asks, in the two eras of MCP",
  description:
    "In the legacy era the client and the server shake hands and share a session; while a call runs, the server "
    + "sends a request with its question, and the client answers it. In the modern era there is no handshake: the call "
    + "is answered with the question and a sealed state, and the client sends the call again with the answer and that "
    + "state. Both end with the result of the call.",
  height: modern.end + 20,
  parts: [...legacy.parts, ...modern.parts]
}
