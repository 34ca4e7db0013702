/**
 * What every MCP server here offers and every client calls: tools that give back a text of 64 bytes.
 */
import type { Client } from "../Subject.ts"

export const text = "A text of sixty-four bytes, which a tool takes, and gives back.."

export const identity = { name: "bench", version: "1.0.0" }

/** The tools of a server: the one that is called, and others that are only listed. */
export const namesOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => index === 0 ? "echo" : `echo${index}`)

export const description = "Gives back the text that it is given."

export const modern = "2026-07-28"
export const legacy = "2025-11-25"

/** The request of a raw client, as text. */
export type Body = (id: number) => string

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientInfo": identity,
  "io.modelcontextprotocol/clientCapabilities": {}
}

export type Revision = typeof modern | typeof legacy | "2025-06-18"
export type Method = "tools/call" | "tools/list"

const bodyOf = (revision: Revision, method: Method): Body => {
  const params = {
    ...(method === "tools/call" ? { name: "echo", arguments: { text } } : undefined),
    ...(revision === modern ? { _meta: meta } : undefined)
  }
  const rest = JSON.stringify({ method, params }).slice(1)
  return (id) => `{"jsonrpc":"2.0","id":${id},${rest}`
}

/** What a raw client sends, and the headers of a POST of it. */
export const request = (
  revision: Revision,
  method: Method,
  accept = "application/json, text/event-stream"
) => ({
  body: bodyOf(revision, method),
  headers: {
    "content-type": "application/json",
    accept,
    "mcp-protocol-version": revision,
    ...(revision === modern ? { "mcp-method": method } : undefined),
    ...(revision === modern && method === "tools/call" ? { "mcp-name": "echo" } : undefined)
  }
})

/** The first two messages of a legacy client. */
export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: legacy, capabilities: {}, clientInfo: identity }
}
export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

/** A client whose calls are promises, and which ignores what is called with: it is always the same. */
export const clientOf = (call: () => Promise<unknown>, close: () => unknown): Client => ({ call, close })
