/** A stream that a rule has spoilt is not the stream of the next rule. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import type * as Target from "@parley/conform/Target"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Effect, Logger } from "effect"

const answerTo = (text: string): string => {
  const { id }: { readonly id?: unknown } = JSON.parse(new TextDecoder().decode(bytesOf(text)))
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })
}

const bytesOf = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0))

const written = (text: string) =>
  Array.from(new TextEncoder().encode(`${text}\n`), (byte) => String.fromCharCode(byte)).join("")

/** Serves lines, and is stuck for ever where a line comes in pieces. */
const serve = (far: Transport.Transport) =>
  Effect.gen(function*() {
    let isStuck = false
    while (true) {
      for (const one of yield* far.receive) {
        const chunk = typeof one === "string" ? one : ""
        isStuck ||= !chunk.endsWith("\n")
        const answers = isStuck ? [] : chunk.split("\n").filter((line) => line !== "").map(answerTo)
        for (const answer of answers) yield* far.send([written(answer)])
      }
    }
  })

const connect = Effect.gen(function*() {
  const [near, far] = yield* MemoryTransport.makePair()
  yield* Effect.forkScoped(Effect.ignore(serve(far)))
  return near
})

const target: Target.Duplex = {
  _tag: "Duplex",
  name: "memory",
  isProcess: false,
  connect: Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const one = Effect.flatMap(
      far.receive,
      (all) => Effect.forEach(all, (text) => far.send([answerTo(written(String(text)))]), { discard: true })
    )
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(one)))
    return near
  }),
  stream: { framing: "line", connect }
}

describe("streams", () => {
  it.live("a server that is stuck after one rule is asked anew by the next", () =>
    Effect.gen(function*() {
      const { results } = yield* Conform.run(target, {
        protocol: "jsonrpc",
        only: ["framing/cuts", "framing/joined"],
        timeout: 300
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
      assert.deepStrictEqual(results.map(({ verdict }) => verdict), ["fail", "pass"], JSON.stringify(results))
    }))
})
