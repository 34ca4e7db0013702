/** A place on `node:http` for handlers of Web requests, for servers that bring none. */
import { Effect, type Scope } from "effect"
import type * as http from "node:http"
import { Readable } from "node:stream"
import { listening } from "./official.ts"

type Handle = (request: Request) => Response | null | Promise<Response | null>

/** Serves until the Scope closes, and gives the URL. */
export const serveWeb = (handle: Handle): Effect.Effect<string, never, Scope.Scope> =>
  listening((request, response) =>
    void answer(handle, request, response).catch((cause: unknown) =>
      response.destroy(cause instanceof Error ? cause : undefined)
    )
  )

const answer = async (handle: Handle, request: http.IncomingMessage, response: http.ServerResponse) => {
  const { headers, method = "GET", url } = request
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE"
  const answered = await handle(
    new Request(`http://${headers.host}${url}`, {
      method,
      // Node joins what came more than once, but for cookies, which nobody sends.
      headers: headers as Record<string, string>,
      ...(hasBody && { body: Buffer.concat(await Readable.from(request).toArray()) })
    })
  )
  if (answered === null) return response.writeHead(404).end()
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  response.flushHeaders()
  if (answered.body === null) return response.end()
  for await (const chunk of answered.body) response.write(chunk)
  return response.end()
}
