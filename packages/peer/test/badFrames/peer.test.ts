/** A frame that is no text, and a text that is no JSON: who hears of it, and how many a connection may have. */
import { assert, describe, it } from "@effect/vitest"
import { Dialect, type Framing } from "@parley/protocol"
import { BadFrame } from "@parley/protocol/shared"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Received } from "@parley/transport/Transport"
import { Effect, Fiber } from "effect"
import { Peer } from "../../src/index.ts"
import { settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** A peer, and what brings it texts and bad frames. */
const connect = (options: Peer.PeerOptions = {}) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const written: Array<Received> = []
    yield* Effect.forkScoped(
      Effect.ignore(Effect.forever(Effect.map(theirs.receive, (texts) => void written.push(...texts))))
    )
    let waiter: ((received: Received) => void) | undefined
    const peer = yield* Peer.make({
      ...ours,
      receive: Effect.callback((resume) => {
        waiter = (received) => resume(Effect.succeed([received]))
      })
    }, { ...options, limits: { drain: 0, ...options.limits } })
    const bring = (received: Received) => Effect.andThen(Effect.sync(() => waiter?.(received)), settle)
    return { peer, bring, written }
  })

const unread = (text: string, reason: Framing.BadFrame["reason"] = "InvalidUtf8") => BadFrame.ofText(reason, text)

const responses: ReadonlyArray<readonly [title: string, received: Received]> = [
  ["NaN", `{"jsonrpc":"2.0","id":2,"result":{"mean":NaN}}`],
  ["a raw tab", `{"jsonrpc":"2.0","id":2,"result":"a\tb"}`],
  ["an error with a raw tab", `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"a\tb"}}`],
  ["half a line, as of a raw newline", `{"jsonrpc":"2.0","id":2,"result":{"text":"a`],
  ["its id behind", `{"jsonrpc":"2.0","result":[NaN],"id":2}`],
  ["no UTF-8", unread(`{"jsonrpc":"2.0","id":2,"result":1}`)],
  ["no text", unread(`{"jsonrpc":"2.0","id":2,"result":1}`, "NotText")],
  ["too large", unread(`{"jsonrpc":"2.0","id":2,"result":1}`, "TooLarge")]
]

describe("a response that cannot be read", () => {
  for (const dialect of [Dialect.jsonRpc, Dialect.lsp, Dialect.make({ name: "silent", unreadableId: "silent" })]) {
    it.effect.each(responses)(
      `promise 7: a call ends exactly once, at once and without any other: ${dialect.name}, %s`,
      ([, received]) =>
        Effect.gen(function*() {
          const { bring, peer, written } = yield* connect({ dialect })
          const first = yield* started(peer.request("first"))
          const second = yield* started(Effect.flip(peer.request("second")))
          yield* settle
          yield* bring(received)
          const error = yield* Fiber.join(second)
          assert.deepInclude(error, { _tag: "InvalidResponse", method: "second", id: 2 })
          assert.include(error.message, "\"id\":2")
          assert.isUndefined(first.pollUnsafe())
          // It came once more, and nobody waits for it.
          yield* bring(received)
          yield* bring(success(1, "one"))
          assert.strictEqual(yield* Fiber.join(first), "one")
          // A response is never answered.
          assert.lengthOf(written, 2)
        })
    )
  }
})

const frames: ReadonlyArray<readonly [title: string, received: Received]> = [
  ["requests", unread(`{"jsonrpc":"2.0","id":1,"method":"m"}`)],
  ["requests that are too large", unread(`{"jsonrpc":"2.0","id":1,"method":"m"}`, "TooLarge")],
  ["notifications", unread(`{"jsonrpc":"2.0","method":"m"}`)],
  ["responses", unread(`{"jsonrpc":"2.0","id":1,"result":1}`)],
  ["batches of responses", unread(`[{"jsonrpc":"2.0","id":1,"result":1}]`)],
  ["texts without an envelope", unread("no such thing")],
  ["requests that are no JSON", `{"jsonrpc":"2.0","id":1,"method":"m","params":[NaN]}`],
  ["notifications that are no JSON", `{"jsonrpc":"2.0","method":"m","params":[NaN]}`],
  ["responses that are no JSON", `{"jsonrpc":"2.0","id":1,"result":NaN}`],
  ["texts that are no JSON", "no such thing"]
]

it.effect.each(frames)(
  "the limit `badFrames` counts bad frames of every kind: %s",
  ([, received]) =>
    Effect.gen(function*() {
      const { bring, peer } = yield* connect({ limits: { badFrames: 3 } })
      yield* bring(received)
      yield* bring(received)
      assert.isTrue(yield* peer.connected)
      yield* bring(received)
      assert.deepInclude(yield* Effect.flip(peer.notify("n")), { reason: { _tag: "BadFrames" } })
    })
)
