/**
 * A host for handlers of Web requests, as small as it can be: for servers that bring none.
 */
import { createServer, type IncomingMessage } from "node:http"
import { serve } from "../floor/wires.ts"

const whole = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resolve(Buffer.concat(chunks).toString()))
    request.on("error", reject)
  })

/** Serves on a free port of 127.0.0.1, and gives it. */
export const serveWeb = (handle: (request: Request) => Promise<Response | null>): Promise<number> =>
  serve(createServer((request, response) => {
    const answer = async () => {
      const headers = new Headers(request.headers as Record<string, string>)
      const body = await whole(request)
      const { method = "POST" } = request
      const answered = await handle(
        new Request(`http://${request.headers.host}${request.url}`, { method, headers, body })
      )
      if (answered === null) return response.writeHead(404).end()
      const text = await answered.text()
      response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "" })
      return response.end(text)
    }
    answer().catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined))
  }))
