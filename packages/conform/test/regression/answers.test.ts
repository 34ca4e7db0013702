/** A text beside an answer, before it or late, changes no verdict. */
import { assert, describe, it } from "@effect/vitest"
import { Conform, type Report } from "@parley/conform"
import type * as Target from "@parley/conform/Target"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Effect, Logger } from "effect"

/** Answers a text, and writes what it likes. */
type Serve = (text: string, far: Transport.Transport) => Effect.Effect<void, Transport.TransportError>

/** A server that handles texts in their order, or all at once. */
const target = (serve: Serve, concurrency: 1 | "unbounded" = 1): Target.Duplex => ({
  _tag: "Duplex",
  name: "memory",
  isProcess: true,
  connect: Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const turn = Effect.flatMap(
      far.receive,
      Effect.fnUntraced(function*(all) {
        const each = all.map((one) => serve(typeof one === "string" ? one : "", far))
        if (concurrency === 1) return yield* Effect.all(each, { discard: true })
        for (const one of each) yield* Effect.forkScoped(Effect.ignore(one))
      })
    )
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(turn)))
    return near
  })
})

/** Time for all others, without a clock. */
const later = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

const idOf = (text: string): unknown => {
  try {
    const json: { readonly id?: unknown } = JSON.parse(text)
    return json.id
  } catch {
    return null
  }
}

const failure = (text: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: idOf(text) ?? null, error: { code: -32601, message: "no" } })

const verdictOf = (target: Target.Duplex, id: string, more: Conform.ConformOptions = {}) =>
  Conform.run(target, { protocol: "jsonrpc", only: [id], ...more }).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([])),
    Effect.map(({ results }): Report.RuleResult | undefined => results[0])
  )

describe("answers", () => {
  it.live("notifications among the answers to many requests are no answers", () =>
    Effect.gen(function*() {
      const server = target((text, far) =>
        Effect.andThen(later, far.send([`{"jsonrpc":"2.0","method":"log","params":{}}`, failure(text)]))
      )
      const result = yield* verdictOf(server, "robustness/many")
      assert.deepStrictEqual([result?.verdict, result?.findings[0]?.received], ["pass", undefined])
    }))

  it.live("an answer to a text before is no sign of life", () =>
    Effect.gen(function*() {
      const server = target((text, far) =>
        Effect.andThen(later, text.includes("parley.conform.deep") ? far.close : far.send([failure(text)]))
      )
      assert.strictEqual((yield* verdictOf(server, "robustness/deep"))?.verdict, "fail")
    }))
  it.live("a request that takes longer than the one behind it is answered all the same", () =>
    Effect.gen(function*() {
      const server = target(
        (text, far) =>
          Effect.andThen(
            text.includes("\"slow\"") ? Effect.sleep("300 millis") : Effect.void,
            far.send([failure(text)])
          ),
        "unbounded"
      )
      const methods = [{ method: "fast" }, { method: "slow" }]
      assert.strictEqual((yield* verdictOf(server, "jsonrpc/one-response", { methods }))?.verdict, "pass")
    }))
})
