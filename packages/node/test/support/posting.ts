/** A client that is not ours, and sends what it is told. */
import { Deferred, Effect, type Scope } from "effect"
import * as http from "node:http"

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export interface Options {
  readonly method?: string
  readonly path?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

const json = { "content-type": "application/json" }

export interface Posting {
  readonly request: http.ClientRequest
  readonly head: Effect.Effect<http.IncomingMessage, Error>
  readonly answer: Effect.Effect<Answer, Error>
}

/** Begins a request without ending it; what comes back may be waited for. It is destroyed with the Scope. */
export const begin = (
  url: string,
  { headers = json, method = "POST", path }: Options = {}
): Effect.Effect<Posting, never, Scope.Scope> =>
  Effect.gen(function*() {
    const head = yield* Deferred.make<http.IncomingMessage, Error>()
    const answer = yield* Deferred.make<Answer, Error>()
    const request = yield* Effect.acquireRelease(
      Effect.sync(() => http.request(url, { method, headers, agent: false, ...(path === undefined ? {} : { path }) })),
      (request) => Effect.sync(() => request.destroy())
    )
    request.on("response", (response) => {
      Deferred.doneUnsafe(head, Effect.succeed(response))
      const chunks: Array<Buffer> = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.on("error", (error) => Deferred.doneUnsafe(answer, Effect.fail(error)))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        Deferred.doneUnsafe(
          answer,
          Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text })
        )
      })
    })
    request.on("error", (error) => {
      Deferred.doneUnsafe(head, Effect.fail(error))
      Deferred.doneUnsafe(answer, Effect.fail(error))
    })
    return { request, head: Deferred.await(head), answer: Deferred.await(answer) }
  })

/** Sends a whole request. */
export const post = (url: string, options: Options): Effect.Effect<Answer, Error> =>
  Effect.scoped(Effect.gen(function*() {
    const { answer, request } = yield* begin(url, options)
    request.end(options.body)
    return yield* answer
  }))

export const request = (method: string, params?: unknown, id: number | string = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })
