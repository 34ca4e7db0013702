/** A text beyond a limit kept its caller waiting until the timeout, or cost the connection. */
import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import * as FramedTransport from "@parley/transport/FramedTransport"
import { Effect, Fiber, Result } from "effect"
import { Peer } from "../../src/index.ts"
import { Exchange } from "../../src/shared/index.ts"
import { connect, failure, pair, request, settle, success, type Wire } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const limits = { frame: 1_000, drain: 0 }

const large = "x".repeat(1_000)

/** A peer over a stream of bytes that says nothing by itself, and what brings it bytes, in pieces. */
const framed = (framing: Framing.Framing) =>
  Effect.gen(function*() {
    let waiter: ((bytes: Uint8Array) => void) | undefined
    const written: Array<string> = []
    const transport = yield* FramedTransport.fromBytes({
      pull: Effect.callback((resume) => {
        waiter = (bytes) => resume(Effect.succeed([bytes]))
      }),
      write: (bytes) => Effect.sync(() => void written.push(new TextDecoder().decode(bytes))),
      close: Effect.void
    }, { framing, limits })
    const peer = yield* Peer.make(transport, { limits })
    const bring = (text: string) =>
      Effect.forEach(pieces(framing.join([text])), (piece) =>
        Effect.andThen(settle, Effect.sync(() => waiter?.(piece))), { discard: true })
    return { peer, bring, written }
  })

function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 300) yield bytes.slice(at, at + 300)
}

describe("an id that is nearly as large as a frame", () => {
  const text = ({ received }: Wire) => JSON.stringify(received.at(-1))

  it.effect("is not repeated: the reply fits into a frame", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({ get: () => Effect.succeed("x") }, { limits })
      const long = "x".repeat(940)
      const sent = [
        request(long, "get"),
        request(long, "nothing"),
        `{"jsonrpc":"2.0","id":"${long}","method":7}`,
        `{"jsonrpc":"2.0","id":"${"é".repeat(300)}","method":"get"}`,
        `[${request("x".repeat(600), "get")}]`
      ]
      for (const each of sent) {
        yield* wire.send(each)
        yield* settle
        assert.isAtMost(text(wire).length, 200)
        assert.include(text(wire), `"id":null`)
        assert.include(text(wire), "-32600")
      }
      yield* wire.send(request("x".repeat(400), "get"))
      yield* settle
      assert.include(text(wire), `"result":"x"`)
    }))

  it.effect("is not repeated by the reply to a batch where all ids together do not fit", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({}, { limits })
      const ids = ["a", "b", "c", "d"].map((letter) => letter.repeat(190))
      yield* wire.send(`[${ids.map((id) => request(id, "m")).join(",")}]`)
      yield* settle
      assert.isAtMost(text(wire).length, 1_000)
      assert.lengthOf(wire.received.at(-1) as ReadonlyArray<unknown>, 4)
      assert.include(text(wire), `"id":"aaa`)
      assert.include(text(wire), `"id":null`)
    }))
})

describe("a response that is larger than a frame", () => {
  it.effect("is told to its call at once: the side that sends it says so", () =>
    Effect.gen(function*() {
      const [peer] = yield* pair({
        large: () => Effect.succeed(large),
        late: () => Effect.andThen(Effect.yieldNow, Effect.succeed(large)),
        wide: () => Effect.succeed("€".repeat(400)),
        small: () => Effect.succeed("x")
      }, { limits })
      for (const method of ["large", "late", "wide"]) {
        assert.deepInclude(yield* Effect.flip(peer.request(method)), { _tag: "RemoteError", code: -32001 })
      }
      assert.strictEqual(yield* peer.request("small"), "x")
    }))

  it.effect("becomes an error with the id of its request, and one that just fits does not", () =>
    Effect.gen(function*() {
      const around = success(7, "").length
      const { wire } = yield* connect({ get: (call) => Effect.succeed("x".repeat(Number(Object(call.params)[0]))) }, {
        limits
      })
      yield* wire.send(request(7, "get", [1_000 - around]), request(8, "get", [1_001 - around]))
      const [fits, error] = yield* wire.take(2)
      assert.deepStrictEqual(fits, { jsonrpc: "2.0", id: 7, result: "x".repeat(1_000 - around) })
      assert.deepInclude(error as object, { id: 8 })
      assert.strictEqual(Object(error).error.code, -32001)
    }))

  for (const framing of [Framing.line, Framing.contentLength]) {
    it.effect(`fails its call, and only that, when a foreign side sends it: ${framing.name}`, () =>
      Effect.gen(function*() {
        const { bring, peer, written } = yield* framed(framing)
        const calls = yield* Effect.forEach([1, 2, 3], () => started(Effect.exit(peer.request("m"))))
        yield* bring(success(2, large))
        yield* settle
        assert.isUndefined(calls[0]?.pollUnsafe())
        const error = yield* Effect.flip(yield* Fiber.join(calls[1] as (typeof calls)[number]))
        assert.strictEqual(error._tag, "InvalidResponse")
        assert.include(error.message, "1000")
        yield* bring(success(1, "one"))
        assert.strictEqual(yield* yield* Fiber.join(calls[0] as (typeof calls)[number]), "one")
        // Its members may stand in another order.
        yield* bring(`{"result":"${large}","id":3,"jsonrpc":"2.0"}`)
        yield* settle
        assert.strictEqual(
          (yield* Effect.flip(yield* Fiber.join(calls[2] as (typeof calls)[number])))._tag,
          "InvalidResponse"
        )
        const next = yield* started(peer.request("next"))
        yield* bring(success(4, "next"))
        assert.strictEqual(yield* Fiber.join(next), "next")
        // A response is never answered.
        assert.notInclude(written.join(""), "error")
      }))
  }
})

describe("a text of ours that is larger than a frame", () => {
  it.effect("is refused before anything is sent", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits })
      const refused = { _tag: "InvalidArguments" } as const
      const wide = ["€".repeat(400)]
      for (const params of [[large], wide]) {
        assert.deepInclude(yield* Effect.flip(peer.request("m", params)), { ...refused, method: "m" })
        assert.deepInclude(yield* Effect.flip(peer.notify("n", params)), { ...refused, method: "n" })
        assert.deepInclude(yield* Effect.flip(peer.batch([{ method: "m" }, { method: "n", params }])), refused)
      }
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      const call = yield* started(peer.request("next"))
      const [sent] = yield* wire.take(1)
      yield* wire.send(success(Object(sent).id, "done"))
      assert.strictEqual(yield* Fiber.join(call), "done")
    }))

  it.effect("is refused before anything is posted", () =>
    Effect.gen(function*() {
      const posted: Array<string> = []
      const post = (text: string) => Effect.sync(() => (posted.push(text), "answer" as const))
      const caller = yield* Exchange.makeCaller({ post }, { limits })
      const note = { method: "n", params: [large], notification: true }
      const refused = { _tag: "InvalidArguments" } as const
      assert.deepInclude(yield* Effect.flip(caller.request("m", [large])), { ...refused, method: "m" })
      assert.deepInclude(yield* Effect.flip(caller.notify("n", [large])), { ...refused, method: "n" })
      assert.deepInclude(yield* Effect.flip(caller.batch([note])), refused)
      assert.deepStrictEqual(posted, [])
    }))
})

describe("a response that nests deeper than the limit", () => {
  const deep = `${"[".repeat(12)}${"]".repeat(12)}`

  const texts: ReadonlyArray<readonly [string, string]> = [
    ["in the usual order", `{"jsonrpc":"2.0","id":1,"result":${deep}}`],
    ["with its id behind", `{"result":${deep},"jsonrpc":"2.0","id":1}`],
    ["with its id in another spelling", `{"jsonrpc":"2.0","id":1.0,"result":${deep}}`],
    ["an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${deep}}}`]
  ]

  it.effect.each(texts)(
    "promise 10: what has result or error and no method fails its call, and is never answered: %s",
    ([, text]) =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect({}, { limits: { depth: 10 } })
        const calls = [yield* started(Effect.flip(peer.request("m"))), yield* started(peer.request("m"))] as const
        yield* wire.take(2)
        yield* wire.send(text)
        const error = yield* Fiber.join(calls[0])
        assert.strictEqual(error._tag, "InvalidResponse")
        assert.include(error.message, "deeper than 10 levels")
        yield* wire.send(success(2, "ok"))
        assert.strictEqual(yield* Fiber.join(calls[1]), "ok")
        yield* settle
        assert.strictEqual(wire.received.length, 2)
      })
  )

  it.effect("promise 10: what has result or error and no method is never answered, also without an id", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { depth: 10 } })
      yield* wire.send(`{"jsonrpc":"2.0","result":${deep}}`, `{"jsonrpc":"2.0","id":7,"result":${deep}}`)
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("is told from a request, which is answered as what is not JSON", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({}, { limits: { depth: 10 } })
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"method":"m","params":${deep},"result":1}`)
      assert.deepStrictEqual(yield* wire.take(1), [failure(null, -32700, "Parse error")])
    }))
})

describe("a request of theirs that is larger than a frame", () => {
  for (const framing of [Framing.line, Framing.contentLength]) {
    it.effect(`promise 14: one bad message costs one error reply, with its id: ${framing.name}`, () =>
      Effect.gen(function*() {
        const { bring, written } = yield* framed(framing)
        yield* bring(request(5, "m", [large]))
        yield* settle
        assert.include(written.join(""), JSON.stringify(failure(5, -32001, "Request too large")))
      }))
  }
})

describe("a reply to a batch that is larger than a frame", () => {
  for (const framing of [Framing.line, Framing.contentLength]) {
    it.effect(`promise 7: a call ends exactly once, with its batch: ${framing.name}`, () =>
      Effect.gen(function*() {
        const { bring, peer, written } = yield* framed(framing)
        const batch = yield* started(peer.batch([{ method: "a" }, { method: "b" }]))
        yield* settle
        yield* bring(`[${success(1, large)},${success(2, 1)}]`)
        const outcomes = (yield* Fiber.join(batch)).map((outcome) => outcome && Result.merge(outcome))
        assert.deepStrictEqual(outcomes.map((outcome) => Object(outcome)._tag), ["InvalidResponse", "InvalidResponse"])
        yield* bring(`[${success(1, large)}]`)
        yield* settle
        // Promise 10: a response is never answered.
        assert.strictEqual(written.length, 1)
      }))
  }
})
