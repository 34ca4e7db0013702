import { assert, describe, it } from "@effect/vitest"
import { Recording } from "@parley/conform"
import { Recorder } from "@parley/traffic"
import { Effect, Stream } from "effect"

const at = (time: number, connection = 1) => ({ time, connection })
const sent = (text: string, connection = 1): Recorder.Recorded => ({ ...at(10, connection), _tag: "Sent", text })
const received = (text: string, connection = 1): Recorder.Recorded => ({
  ...at(30, connection),
  _tag: "Received",
  text
})
const file = (...lines: ReadonlyArray<Recorder.Recorded | string>) =>
  lines.map((line) => typeof line === "string" ? line : Recorder.toLine(line)).join("\n")

const inPieces = (text: string, size: number) => {
  const bytes = new TextEncoder().encode(text)
  return Stream.fromIterable(
    Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, index) => bytes.subarray(index * size, (index + 1) * size)
    )
  )
}

describe("Recording", () => {
  it("puts calls together in both directions, and keeps those without a response", () => {
    const recording = Recording.fromText(file(
      sent(`{"jsonrpc":"2.0","id":1,"method":"a"}`),
      received(`{"jsonrpc":"2.0","id":1,"method":"b","params":[9007199254740993]}`),
      sent(`{"jsonrpc":"2.0","id":1,"result":2}`),
      received(`[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","method":"c"}]`),
      sent(`{"jsonrpc":"2.0","id":2,"method":"d"}`)
    ))
    assert.deepStrictEqual(
      Recording.callsOf(recording).map(({ caller, kind, method, params, response }) =>
        `${caller} ${kind} ${method} ${JSON.stringify(params)} ${response === undefined ? "" : "answered"}`.trim()
      ),
      [
        "server request b [9007199254740993] answered",
        "client request a undefined answered",
        "server notification c undefined",
        "client request d undefined"
      ]
    )
  })

  it("reads what older versions wrote, tells lines that say nothing, and reads on", () => {
    const recording = Recording.fromText(file(
      `{"time":"2026-01-31T12:34:56.789Z","connection":1,"direction":"sent","text":"{\\"method\\":\\"a\\"}"}`,
      "no JSON",
      `{"recording":2,"time":"2026-01-31T12:34:56.789Z"}`,
      sent(`{"method":"b"}`),
      `{"time":"2026-01-31T12:3`
    ))
    assert.deepStrictEqual(Recording.callsOf(recording).map(({ method }) => method), ["a", "b"])
    assert.deepStrictEqual(recording.problems.map(({ line }) => line), [2, 3, 5])
    assert.include(recording.problems[1]?.why, "version 2")
  })

  it("each program that has written to a file has connections of its own", () => {
    const begun: Recorder.Recorded = { _tag: "Begun", version: 1, time: 1 }
    const recording = Recording.fromText(file(begun, sent("1"), sent("2", 2), begun, sent("3")))
    assert.deepStrictEqual(
      recording.conversations.map(({ connection, steps }) => [connection, steps.length]),
      [[1, 1], [2, 1], [1, 1]]
    )
  })

  it("requests over HTTP without a session are one conversation, and those of a session another", () => {
    const post = (connection: number, exchange: number, headers = {}): ReadonlyArray<Recorder.Recorded> => [
      { ...at(exchange, connection), exchange, _tag: "HttpRequest", method: "POST", path: "/", headers: {} },
      { ...at(exchange, connection), exchange, _tag: "Sent", text: "{}" },
      { ...at(exchange, connection), exchange, _tag: "HttpResponse", status: 200, headers }
    ]
    const recording = Recording.fromText(file(
      ...post(1, 1),
      ...post(2, 2, { "mcp-session-id": "[session]" }),
      ...post(3, 3)
    ))
    assert.deepStrictEqual(recording.conversations.map(({ steps }) => steps.length), [4, 2])
  })

  it.effect("reads a stream however it is cut, and no more of it than asked for", () =>
    Effect.gen(function*() {
      const text = file(sent(`{"method":"añ✓𝄞"}`), received("x".repeat(5_000)))
      for (const size of [1, 7, 4_096]) {
        const recording = yield* Recording.read(inPieces(text, size))
        assert.deepStrictEqual(recording, Recording.fromText(text))
      }
      const error = yield* Effect.flip(Recording.read(inPieces(text, 100), { limit: 1_000 }))
      assert.strictEqual(error._tag, "RecordingTooLarge")
      const calls = yield* Stream.runCollect(Recording.callStream(inPieces(text, 3)))
      assert.deepStrictEqual(Array.from(calls, ({ method }) => method), ["añ✓𝄞"])
    }))
})
