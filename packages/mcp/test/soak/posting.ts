/** A client of the legacy era that is hand-written, and can be cut anywhere. */
import * as http from "node:http"

const revision = "2025-11-25"

export interface Answer {
  readonly status: number
  readonly session: string | undefined
  readonly text: string
}

/** A request under way. Its end is an answer, or nothing where the connection was cut, by either side. */
export interface Exchange {
  readonly answer: Promise<Answer | undefined>
  readonly cut: () => void
}

export interface Client {
  readonly post: (message: unknown, session?: string) => Exchange
  readonly get: (session: string) => Exchange
  readonly remove: (session: string) => Exchange
  /** Shakes hands, and gives the id of the session; nothing where the server has gone. */
  readonly begin: () => Promise<string | undefined>
  readonly close: () => void
}

export const make = (url: string, connections: number): Client => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const exchange = (method: string, session: string | undefined, message?: unknown): Exchange => {
    const request = http.request(url, {
      agent,
      method,
      headers: {
        accept: "application/json, text/event-stream",
        ...(message === undefined ? {} : { "content-type": "application/json" }),
        ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": revision })
      }
    })
    const answer = new Promise<Answer | undefined>((resolve) => {
      request.on("error", () => resolve(undefined))
      request.on("close", () => resolve(undefined))
      request.on("response", (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (piece: string) => {
          text += piece
        })
        response.on("error", () => resolve(undefined))
        response.on("end", () => {
          const id = response.headers["mcp-session-id"]
          resolve({ status: response.statusCode ?? 0, session: id?.toString(), text })
        })
      })
    })
    request.end(message === undefined ? undefined : JSON.stringify(message))
    return { answer, cut: () => void request.destroy() }
  }
  const post: Client["post"] = (message, session) => exchange("POST", session, message)
  return {
    post,
    get: (session) => exchange("GET", session),
    remove: (session) => exchange("DELETE", session),
    begin: async () => {
      const answer = await post({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: {
          protocolVersion: revision,
          capabilities: { elicitation: {} },
          clientInfo: { name: "posting", version: "1" }
        }
      }).answer
      const session = answer?.session
      if (session !== undefined) await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session).answer
      return session
    },
    close: () => agent.destroy()
  }
}

/** A call of a tool. */
export const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})
