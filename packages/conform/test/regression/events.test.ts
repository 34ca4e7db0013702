/** An event stream should end after its response, and need not. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect, Logger } from "effect"

const head = { status: 200, header: (name: string) => name === "content-type" ? "text/event-stream" : undefined }

const idOf = (text: string): unknown => {
  const json: { readonly id?: unknown } = JSON.parse(text)
  return json.id
}

describe("event streams", () => {
  it.live("one that stays open behind its response has answered", () =>
    Effect.gen(function*() {
      const fetch = ({ body }: { readonly body?: unknown }) =>
        Effect.succeed({
          ...head,
          read: <E>(take: (bytes: Uint8Array) => Effect.Effect<unknown, E> | undefined) => {
            const answer = { jsonrpc: "2.0", id: idOf(String(body)), error: { code: -32601, message: "no" } }
            const bytes = new TextEncoder().encode(`data: ${JSON.stringify(answer)}\n\n`)
            return Effect.andThen(Effect.suspend(() => take(bytes) ?? Effect.void), Effect.never)
          }
        })
      const { results } = yield* Conform.run(
        { _tag: "Http", name: "http", url: "http://127.0.0.1/", headers: {}, fetcher: { fetch } },
        { protocol: "jsonrpc", only: ["jsonrpc/method-not-found"], timeout: 500 }
      ).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
      assert.deepStrictEqual(results.map(({ verdict }) => verdict), ["pass"], JSON.stringify(results[0]?.findings[0]))
    }))
})
