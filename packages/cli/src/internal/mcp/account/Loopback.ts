/**
 * A page on this machine to which a browser is sent when a person has signed in (RFC 8252, section 7.3).
 *
 * It takes one answer: the first that belongs to the request. Any page may send a browser here, so others are refused.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { type CommandError, line } from "../../terminal/CommandError.ts"

export interface Loopback {
  readonly redirectUri: string
  /** Waits for the answer to the request of a page. */
  readonly answerTo: (page: string) => Effect.Effect<URLSearchParams>
}

/** A client that has registered with this port need not register again. */
const port = 41_890

const path = "/callback"

/** Listens until the Scope closes: at the usual port, or where that is taken, at a free one. */
export const open: Effect.Effect<Loopback, CommandError, Scope.Scope> = Effect.gen(function*() {
  const found = yield* Deferred.make<URLSearchParams>()
  let state: string | null = null
  const server = http.createServer((request, response) => {
    // Any page may request an invalid path, such as `//`.
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1")
    const isOurs = request.method === "GET" && url?.pathname === path && state !== null &&
      url.searchParams.get("state") === state
    response.writeHead(isOurs ? 200 : 404, headers)
    response.end(isOurs ? "You may close this page, and go back to the terminal.\n" : "There is no such page.\n")
    if (isOurs) Deferred.doneUnsafe(found, Effect.succeed(url.searchParams))
  })
  yield* Effect.acquireRelease(
    Effect.catch(listen(server, port), () => listen(server, 0)),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // It listens at a port.
  const address = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${address.port}${path}`,
    answerTo: (page) =>
      Effect.suspend(() => {
        state = new URL(page).searchParams.get("state")
        return Deferred.await(found)
      })
  }
})

const listen = (server: http.Server, port: number): Effect.Effect<void, CommandError> =>
  Effect.callback((resume) => {
    const refuse = (error: Error) =>
      resume(Effect.fail(line(`no page can be served for the browser: ${error.message}`)))
    server.once("error", refuse)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", refuse)
      resume(Effect.void)
    })
  })

const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" }
