/** A relay answers bad frames as a peer does: neither side waits for what cannot be passed on. */
import { assert, describe, it } from "@effect/vitest"
import { Peer, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { BadFrame } from "@parley/protocol/shared"
import { Relay } from "@parley/traffic"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Effect, References } from "effect"

type Received = Transport.Received

const limits = { frame: 1_000, drain: 0 }

/** A side whose texts beyond the limit are bad frames, and in whose texts `<bad>` stands for bytes that are no UTF-8. */
const narrow = (side: Transport.Transport): Transport.Transport => ({
  ...side,
  receive: Effect.map(side.receive, ([first, ...others]) => [narrowed(first), ...others.map(narrowed)] as const)
})

const narrowed = (received: Received): Received => {
  if (typeof received !== "string") return received
  if (received.length > limits.frame) return BadFrame.ofText("TooLarge", received)
  if (!received.includes("<bad>")) return received
  return BadFrame.ofBytes("InvalidUtf8", new TextEncoder().encode(received))
}

/** Two sides with a relay between them that takes less than they do. */
const related = (dialect?: Dialect.Dialect) =>
  Effect.gen(function*() {
    const [left, near] = yield* MemoryTransport.makePair()
    const [far, right] = yield* MemoryTransport.makePair()
    yield* Effect.forkScoped(Relay.join(narrow(near), narrow(far), { dialect, limits }), { startImmediately: true })
    return { left, right }
  })

const callers = (dialect?: Dialect.Dialect) =>
  Effect.gen(function*() {
    const { left, right } = yield* related(dialect)
    const router = yield* Router.make()
    yield* router.addAll({
      length: ({ params }) => Effect.succeed(JSON.stringify(params).length),
      large: () => Effect.succeed("x".repeat(limits.frame)),
      fail: () => Effect.succeed("<bad>")
    })
    const options = { dialect, timeout: "1 minute" } as const
    yield* Peer.make(right, { ...options, router })
    return yield* Peer.make(left, options)
  })

const large = ["x".repeat(limits.frame)]

describe("Relay", () => {
  for (const dialect of [Dialect.jsonRpc, Dialect.make({ name: "own", tooLargeCode: -31_005, version: "omit" })]) {
    it.effect(`an oversized request and an oversized response fail their calls at once: ${dialect.name}`, () =>
      Effect.gen(function*() {
        const caller = yield* callers(dialect)
        const code = dialect.tooLargeCode
        const asked = yield* Effect.flip(caller.request("length", large))
        assert.deepInclude(asked, { _tag: "RemoteError", code, text: "Request too large" })
        const answered = yield* Effect.flip(caller.request("large"))
        assert.deepInclude(answered, { _tag: "RemoteError", code, text: "Response too large" })
        assert.strictEqual(yield* caller.request("length", ["x"]), 5)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  }

  it.effect("a response that is no UTF-8 fails its call at once", () =>
    Effect.gen(function*() {
      const caller = yield* callers()
      const error = yield* Effect.flip(caller.request("fail"))
      assert.deepInclude(error, { _tag: "RemoteError", code: -32603, text: "The response cannot be read" })
      assert.strictEqual(yield* caller.request("length", ["x"]), 5)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a batch of responses that is too large fails its batch", () =>
    Effect.gen(function*() {
      const caller = yield* callers()
      const outcomes = yield* caller.batch([{ method: "large" }, { method: "length", params: ["x"] }])
      assert.deepStrictEqual(outcomes.map((outcome) => Object(outcome).failure?.code), [-32700, -32700])
      assert.strictEqual(yield* caller.request("length", ["x"]), 5)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  const note = `{"jsonrpc":"2.0","method":"seen","params":[1]}`
  const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`

  const kinds: ReadonlyArray<readonly [text: string, reply: string | undefined]> = [
    [`{"jsonrpc":"2.0","id":7,"method":"m","params":["<bad>"]}`, parseError],
    [`{"jsonrpc":"2.0","method":"m","params":["<bad>"]}`, undefined],
    [`{"jsonrpc":"2.0","id":7,"result":"<bad>"}`, undefined],
    [`[{"jsonrpc":"2.0","id":7,"method":"m","params":["<bad>"]}]`, parseError],
    [`"<bad>"`, parseError]
  ]

  it.effect.each(kinds)(
    "its sender gets what a peer answers, and the other side nothing: %s",
    ([text, reply]) =>
      Effect.gen(function*() {
        const { left, right } = yield* related()
        yield* left.send([text, note])
        assert.deepStrictEqual([...(yield* right.receive)], [note])
        yield* right.send([note])
        const replies: Array<Received> = []
        while (!replies.includes(note)) replies.push(...yield* left.receive)
        assert.deepStrictEqual(replies, [...reply === undefined ? [] : [reply], note])
      })
  )
})
