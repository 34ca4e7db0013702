import { assert, describe, it } from "@effect/vitest"
import { Mock, Recording } from "@parley/conform"
import { Recorder } from "@parley/traffic"
import { Transport } from "@parley/transport"
import { Effect, type Schema } from "effect"
import { UnmatchedTexts } from "../../src/internal/mock/Unmatched.ts"

const start = 1_769_862_896_789

type Side = "sent" | "received"

/** A recording of one conversation: each message, and its direction. */
const recordingOf = (...steps: ReadonlyArray<readonly [Side, object | string]>): Recording.Recording =>
  Recording.fromText(
    steps.map(([side, message], at) =>
      Recorder.toLine({
        _tag: side === "sent" ? "Sent" : "Received",
        time: start + at * 10,
        connection: 1,
        text: typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })
      })
    ).join("\n")
  )

/** The members of a message that a test reads. */
interface Came {
  readonly jsonrpc: string
  readonly id: Schema.Json
  readonly result: Schema.Json
  readonly error: { readonly code: number; readonly message: string }
  readonly params: Schema.JsonObject
}

/** Talks to a mock: sends texts, and gives what comes until there are so many. */
const talk = <A, E>(
  recording: Recording.Recording,
  options: Mock.MockOptions,
  talk: (line: {
    readonly send: (message: object) => Effect.Effect<void, Transport.TransportError>
    readonly next: Effect.Effect<Came, Transport.TransportError>
    readonly text: Effect.Effect<string, Transport.TransportError>
  }) => Effect.Effect<A, E, Mock.Mock | Transport.Transport>
) =>
  Effect.gen(function*() {
    const transport = yield* Transport.Transport
    const waiting: Array<string> = []
    const text: Effect.Effect<string, Transport.TransportError> = Effect.suspend(() => {
      const first = waiting.shift()
      return first === undefined
        ? Effect.flatMap(transport.receive, (all) => {
          waiting.push(...all.map(String))
          return text
        })
        : Effect.succeed(first)
    })
    return yield* talk({
      send: (message) => transport.send([JSON.stringify({ jsonrpc: "2.0", ...message })]),
      next: Effect.map(text, (one): Came => JSON.parse(one)),
      text
    })
  }).pipe(Effect.provide(Mock.layer(recording, options)))

describe("Mock", () => {
  it.live("answers by method and params, in any order, with the client's ids and the recorded bytes", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "get", params: { key: "a" } }],
      ["received", `{ "jsonrpc":"2.0", "id":1, "result":{"n":9007199254740993,"r":0.10} }`],
      ["sent", { id: 2, method: "get", params: { key: "b" } }],
      ["received", { id: 2, result: "B" }]
    )
    return talk(recording, {}, ({ next, send, text }) =>
      Effect.gen(function*() {
        yield* send({ id: "x", method: "get", params: { key: "b" } })
        assert.deepStrictEqual<object>(yield* next, { jsonrpc: "2.0", id: "x", result: "B" })
        yield* send({ id: 77, method: "get", params: { key: "a" } })
        assert.strictEqual(yield* text, `{ "jsonrpc":"2.0", "id":77, "result":{"n":9007199254740993,"r":0.10} }`)
        assert.deepStrictEqual(yield* Mock.unmatched, [])
      }))
  })

  it.live("gives each recorded answer in its order, and the last one again", () => {
    const call = (id: number, result: string) =>
      [["sent", { id, method: "next" }], ["received", { id, result }]] as const
    return talk(recordingOf(...call(1, "a"), ...call(2, "b")), {}, ({ next, send }) =>
      Effect.gen(function*() {
        const results = yield* Effect.forEach([1, 2, 3, 4], (id) =>
          Effect.andThen(send({ id, method: "next" }), Effect.map(next, ({ id, result }) => `${id} ${result}`)))
        assert.deepStrictEqual(results, ["1 a", "2 b", "3 b", "4 b"])
        assert.deepStrictEqual(yield* Mock.unmatched, [])
      }))
  })

  it.live("a request with other params is answered by the nearest of its method, and told with what differs", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "find", params: { kind: "cat", page: 1 } }],
      ["received", { id: 1, result: "cats" }],
      ["sent", { id: 2, method: "find", params: { kind: "dog", page: 1 } }],
      ["received", { id: 2, result: "dogs" }]
    )
    return talk(recording, {}, ({ next, send }) =>
      Effect.gen(function*() {
        yield* send({ id: 1, method: "find", params: { kind: "dog", page: 2 } })
        assert.strictEqual((yield* next).result, "dogs")
        yield* send({ id: 2, method: "gone" })
        assert.strictEqual((yield* next).error.code, -32601)
        const [near, none] = yield* Mock.unmatched
        assert.deepStrictEqual(near?.nearest?.differences, [{ pointer: "/params/page", recorded: 1, came: 2 }])
        assert.deepStrictEqual(near && Mock.differencesOf(near), ["/params/page: recorded 1, came 2"])
        assert.isFalse(none?.isAnswered)
      }))
  })

  it("keeps a thousand texts that were not found, and not too many characters, but counts all", () => {
    const none = { kind: "none", nearest: undefined } as const
    const small = new UnmatchedTexts()
    for (let at = 0; at < 1_500; at++) small.add(1, `${at}`, none)
    assert.deepStrictEqual([small.texts.length, small.count], [1_000, 1_500])
    const large = new UnmatchedTexts()
    for (let at = 0; at < 20; at++) large.add(1, "x".repeat(1024 * 1024), none)
    large.add(1, "{}", { kind: "same", nearest: undefined })
    assert.deepStrictEqual([large.texts.length, large.count], [8, 20])
  })

  it.live("the nearest of its method is found in another conversation, too", () => {
    const conversation = (connection: number, method: string, params: object, result: string) =>
      [
        { direction: "sent", message: { id: 1, method, params } },
        { direction: "received", message: { id: 1, result } }
      ].map(({ direction, message }) =>
        Recorder.toLine({
          _tag: direction === "sent" ? "Sent" : "Received",
          time: start + connection,
          connection,
          text: JSON.stringify({ jsonrpc: "2.0", ...message })
        })
      )
    const recording = Recording.fromText(
      [
        ...conversation(1, "list", {}, "all"),
        ...conversation(2, "find", { kind: "cat" }, "cats"),
        ...conversation(3, "find", { kind: "dog", page: 1 }, "dogs")
      ].join("\n")
    )
    return talk(recording, {}, ({ next, send }) =>
      Effect.gen(function*() {
        yield* send({ id: 1, method: "list", params: {} })
        assert.strictEqual((yield* next).result, "all")
        yield* send({ id: 2, method: "find", params: { kind: "dog", page: 2 } })
        assert.strictEqual((yield* next).result, "dogs")
        const [near] = yield* Mock.unmatched
        assert.deepStrictEqual(near?.nearest?.differences, [{ pointer: "/params/page", recorded: 1, came: 2 }])
      }))
  })

  it.live("progress and what the server asks come before the response that waits for them", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "work", params: { _meta: { progressToken: 1 }, size: 3 } }],
      ["received", { method: "notifications/progress", params: { progressToken: 1, progress: 50 } }],
      ["received", { id: 0, method: "ask", params: { what: "name" } }],
      ["sent", { id: 0, result: "Ada" }],
      ["received", { id: 1, result: "done" }]
    )
    return talk(recording, {}, ({ next, send }) =>
      Effect.gen(function*() {
        const run = (id: number, progressToken: string) =>
          Effect.gen(function*() {
            yield* send({ id, method: "work", params: { _meta: { progressToken }, size: 3 } })
            assert.strictEqual((yield* next).params["progressToken"], progressToken)
            const asked = yield* next
            assert.deepStrictEqual(asked.params, { what: "name" })
            yield* send({ id: asked.id, result: "Ada" })
            assert.deepStrictEqual<object>(yield* next, { jsonrpc: "2.0", id, result: "done" })
            return asked.id
          })
        assert.strictEqual(yield* run(5, "t"), 0)
        // Once more, and the question has an id of its own.
        assert.notStrictEqual(yield* run(6, "u"), 0)
        assert.deepStrictEqual(yield* Mock.unmatched, [])
      }))
  })

  it.live("a response that waits for an answer of the client waits for it, however long that takes", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "late" }],
      ["received", { id: 1, result: "late" }],
      ["sent", { id: 2, method: "work" }],
      ["received", { id: 0, method: "ask" }],
      ["sent", { id: 0, result: "Ada" }],
      ["received", { id: 2, result: "done" }]
    )
    return talk(
      recording,
      { patience: 1, delays: [{ method: "late", time: 40 }] },
      ({ next, send }) =>
        Effect.gen(function*() {
          yield* send({ id: 4, method: "late" })
          assert.strictEqual((yield* next).id, 4)
          yield* send({ id: 5, method: "work" })
          assert.strictEqual((yield* next).id, 0)
          // When this is answered, the patience of the mock is over.
          yield* send({ id: 6, method: "late" })
          assert.strictEqual((yield* next).id, 6)
          yield* send({ id: 0, result: "Ada" })
          assert.strictEqual((yield* next).result, "done")
        })
    )
  })

  it.live("keeps the order of the recording, and does not wait for what a client never sends", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "slow" }],
      ["sent", { id: 2, method: "quick" }],
      ["received", { id: 2, result: "quick" }],
      ["received", { id: 1, result: "slow" }]
    )
    return Effect.gen(function*() {
      yield* talk(recording, { patience: "1 hour" }, ({ next, send }) =>
        Effect.gen(function*() {
          yield* send({ id: 1, method: "slow" })
          yield* send({ id: 2, method: "quick" })
          assert.deepStrictEqual([(yield* next).result, (yield* next).result], ["quick", "slow"])
        }))
      yield* talk(recording, { patience: 10 }, ({ next, send }) =>
        Effect.gen(function*() {
          yield* send({ id: 1, method: "slow" })
          assert.strictEqual((yield* next).result, "slow")
        }))
    })
  })

  it.live("what a client has drawn is told back to it: uuids, tokens and the ids that it cancels", () => {
    const drawn = "0b7c6a39-5f0e-4c54-9a51-0d1f5a6b7c8d"
    const now = "11111111-2222-4333-8444-555555555555"
    const recording = recordingOf(
      ["sent", { id: 1, method: "open", params: { uri: `file:///tmp/${drawn}/a`, at: start } }],
      ["received", { method: "opened", params: { text: `opened ${drawn}` } }],
      ["sent", { id: 2, method: "wait" }],
      ["sent", { method: "$/cancelRequest", params: { id: 2 } }],
      ["received", { id: 2, error: { code: -32800, message: "cancelled" } }]
    )
    return talk(recording, {}, ({ next, send }) =>
      Effect.gen(function*() {
        yield* send({ id: 8, method: "open", params: { uri: `file:///tmp/${now}/a`, at: Date.now() } })
        assert.strictEqual((yield* next).params["text"], `opened ${now}`)
        yield* send({ id: 9, method: "wait" })
        yield* send({ method: "$/cancelRequest", params: { id: 9 } })
        assert.strictEqual((yield* next).id, 9)
        assert.deepStrictEqual(yield* Mock.unmatched, [])
      }))
  })

  it.live("waits for the answers of the last hundred texts that were asked again", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "work" }],
      ["received", { id: 0, method: "ask" }],
      ["sent", { id: 0, result: "Ada" }],
      ["received", { id: 1, result: "done" }]
    )
    return talk(recording, { patience: "1 hour" }, ({ next, send }) =>
      Effect.gen(function*() {
        const asked = yield* Effect.forEach(Array.from({ length: 150 }), (_, id) =>
          Effect.andThen(send({ id, method: "work" }), Effect.map(next, ({ id }) => id)))
        yield* send({ id: asked[1] ?? null, result: "Ada" })
        yield* send({ id: asked[149] ?? null, result: "Ada" })
        assert.strictEqual((yield* next).id, 149)
        assert.lengthOf(yield* Mock.unmatched, 1)
      }))
  })

  it.live("refuses what is no message, and what nests too deep to be one", () => {
    const deep = `{"jsonrpc":"2.0","id":2,"method":"a","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    const recording = recordingOf(["sent", { id: 1, method: "a" }], ["received", { id: 1, result: "A" }], [
      "sent",
      deep
    ])
    return talk(recording, {}, ({ next, send }) =>
      Effect.gen(function*() {
        const { send: write } = yield* Transport.Transport
        yield* send({ id: 5 })
        assert.strictEqual((yield* next).error.code, -32600)
        yield* write([`[1]`])
        assert.strictEqual(Array.isArray(yield* next), true)
        yield* write([deep.replace("[[", "[ [")])
        assert.strictEqual((yield* next).error.code, -32700)
        yield* send({ id: 6, method: "a" })
        assert.strictEqual((yield* next).result, "A")
      }))
  })

  it.live("faults and delays come where they are asked for", () => {
    const calls = (["ok", "bad", "dropped", "cut"] as const).flatMap((method, id) =>
      [["sent", { id, method }], ["received", { id, result: method }]] as const
    )
    const faults: ReadonlyArray<Mock.Fault> = [
      { method: "ba*", effect: { _tag: "error", code: -32000, message: "out" }, every: 2 },
      { method: "dropped", effect: { _tag: "drop" } },
      { method: "cut", effect: { _tag: "garble" } },
      { method: "ok", effect: { _tag: "close" }, every: 2 }
    ]
    const delays = [{ method: "bad", time: 500 }]
    return talk(recordingOf(...calls), { faults, delays }, ({ next, send, text }) =>
      Effect.gen(function*() {
        yield* send({ id: 1, method: "bad" })
        yield* send({ id: 2, method: "dropped" })
        yield* send({ id: 3, method: "ok" })
        assert.deepStrictEqual([(yield* next).result, (yield* next).result], ["ok", "bad"])
        yield* send({ id: 4, method: "bad" })
        assert.deepStrictEqual((yield* next).error, { code: -32000, message: "out" })
        yield* send({ id: 5, method: "cut" })
        assert.strictEqual(yield* text, `{"jsonrpc":"2.0","id`)
        yield* send({ id: 6, method: "ok" })
        assert.strictEqual((yield* Effect.flip(next)).reason._tag, "EndOfInput")
      }))
  })
})
