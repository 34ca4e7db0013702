/** What concerns handlers of Web requests alone; `packages/node` tests them beside the other hosts. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import { Effect, Option } from "effect"

const request = (init: RequestInit = {}) =>
  new Request("http://localhost/rpc?a=b", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "[]",
    ...init
  })

describe("a handler of Web requests", () => {
  it.effect("says how many bytes an answer has", () =>
    Effect.promise(async () => {
      const handle = HttpRoute.webHandlerOf(HttpEndpoint.jsonRpc(() => Effect.succeed(Option.some("\"ä\""))))
      const answer = await handle(request())
      assert.strictEqual(answer.headers.get("content-length"), "4")
      assert.strictEqual(await answer.text(), "\"ä\"")
    }))

  it.effect("serves nobody whose signal has aborted before", () =>
    Effect.promise(async () => {
      let isAsked = false
      const endpoint = HttpEndpoint.jsonRpc(() =>
        Effect.sync(() => {
          isAsked = true
          return Option.none()
        })
      )
      const answer = await HttpRoute.webHandlerOf(endpoint)(request({ signal: AbortSignal.abort() }))
      assert.deepStrictEqual([answer.status, isAsked], [500, false])
    }))

  it.effect("ends the answer whose stream its host cancels", () =>
    Effect.promise(async () => {
      const ended = Promise.withResolvers<void>()
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...HttpEndpoint.jsonRpc(() => Effect.succeed(Option.none())),
        answer: (_head, _text, responder) =>
          Effect.andThen(responder.start(200, {}), Effect.never).pipe(
            Effect.onInterrupt(() => Effect.sync(() => ended.resolve()))
          )
      }
      const answer = await HttpRoute.webHandlerOf(endpoint)(request())
      await answer.body?.cancel()
      await ended.promise
    }))
})
