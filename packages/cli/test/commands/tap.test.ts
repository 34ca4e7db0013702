import { assert, describe, it } from "@effect/vitest"
import * as Recorder from "@parley/traffic/Recorder"
import type { Frame } from "@parley/traffic/Tap"
import * as Transport from "@parley/transport/Transport"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as lines from "../../src/internal/tap/lines.ts"
import { Story } from "../../src/internal/tap/Story.ts"
import * as Parley from "../Parley.ts"
import * as Joined from "../proxy/Joined.ts"

const frame = (time: number, tag: "Sent" | "Received", text: string, connection = 1): Frame => ({
  time,
  connection,
  _tag: tag,
  text
})

const plain = { width: 200, coloured: false, several: false }

/** The lines that a person sees of frames. */
const seen = (frames: ReadonlyArray<Frame>, screen: lines.Screen = plain, story = new Story()) =>
  frames.flatMap((frame) => story.tell(frame)).map((entry) => lines.forPerson(entry, screen))

describe("a line for a person", () => {
  it("has time, direction, method, id, size and text, and for a response its method and how long it took", () => {
    assert.deepStrictEqual(
      seen([
        frame(1_000, "Sent", `{"jsonrpc":"2.0","id":9007199254740993,"method":"add"}`),
        frame(1_001, "Sent", `{"jsonrpc":"2.0","method":"log"}`),
        frame(1_034, "Received", `{"jsonrpc":"2.0","id":9007199254740993,"result":3}`),
        frame(2_000, "Received", `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}`)
      ]),
      [
        `00:00:01.000 → add 9007199254740993 54 B {"jsonrpc":"2.0","id":9007199254740993,"method":"add"}`,
        `00:00:01.001 → log 32 B {"jsonrpc":"2.0","method":"log"}`,
        `00:00:01.034 ← add 9007199254740993 34 ms 50 B {"jsonrpc":"2.0","id":9007199254740993,"result":3}`,
        `00:00:02.000 ← "x" error -32601: no 65 B {"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}`
      ]
    )
  })

  it("is one per member of a batch, and one for what is no message, or ends", () => {
    const error = Transport.transportError({ _tag: "EndOfInput" })
    assert.deepStrictEqual(
      seen([
        frame(0, "Sent", `[{"jsonrpc":"2.0","id":1,"method":"a"} , 7]`),
        frame(0, "Received", `{"id":`),
        { time: 0, connection: 1, _tag: "Bad", frame: { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "\\xff" } },
        { time: 0, connection: 1, _tag: "Ended", error },
        { time: 0, connection: 1, _tag: "Unsent", count: 2, error }
      ]),
      [
        `00:00:00.000 → [0] a 1 37 B {"jsonrpc":"2.0","id":1,"method":"a"}`,
        `00:00:00.000 → [1] (a message must be an object) 1 B 7`,
        `00:00:00.000 ← (no JSON) 6 B {"id":`,
        `00:00:00.000 ← (InvalidUtf8) 0 B \\xff`,
        `00:00:00.000 ← (the other side writes no more)`,
        `00:00:00.000 → (the other side writes no more)`
      ]
    )
  })

  it("tells connections apart, whose ids may be the same", () => {
    assert.deepStrictEqual(
      seen([
        frame(0, "Sent", `{"jsonrpc":"2.0","id":1,"method":"a"}`, 1),
        frame(0, "Sent", `{"jsonrpc":"2.0","id":1,"method":"b"}`, 2),
        frame(5, "Received", `{"jsonrpc":"2.0","id":1,"method":"theirs"}`, 1),
        frame(7, "Received", `{"jsonrpc":"2.0","id":1,"result":0}`, 1),
        frame(9, "Sent", `{"jsonrpc":"2.0","id":1,"result":0}`, 1)
      ], { ...plain, several: true, width: 26 }),
      [
        "00:00:00.000 → #1 a 1 37 B",
        "00:00:00.000 → #2 b 1 37 B",
        "00:00:00.005 ← #1 theirs 1",
        "00:00:00.007 ← #1 a 1 7 ms",
        "00:00:00.009 → #1 theirs 1"
      ]
    )
  })

  it("is cut to the width of the terminal, and cannot drive it", () => {
    const [line = ""] = seen([
      frame(0, "Sent", `{"jsonrpc":"2.0",\n\t"method":"\u001b[2J\\u001b[2J${"é".repeat(300)}"}`)
    ], {
      ...plain,
      width: 80
    })
    assert.strictEqual(line.length, 80)
    assert.match(line, /…$/)
    assert.notMatch(line, /\p{Cc}/u)
    assert.notMatch(
      seen([frame(0, "Sent", `[1,\n"\ud83d\ude00"]`)], { ...plain, width: 27 }).join(),
      /[\ud800-\udbff]$/
    )
  })

  it("shows errors in red where there are colours", () => {
    const text = `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}`
    const [coloured = ""] = seen([frame(0, "Received", text)], { ...plain, coloured: true })
    assert.include(coloured, "\u001b[31merror 5: no\u001b[0m")
    assert.deepStrictEqual([coloured.replace(/\p{Cc}\[\d+m/gu, "")], seen([frame(0, "Received", text)]))
  })

  it("knows of no more waiting requests than so many: the oldest is forgotten", () => {
    const story = new Story({ waiting: 2, windowBytes: 1_000 })
    const send = (id: number) => frame(0, "Sent", `{"jsonrpc":"2.0","id":${id},"method":"m"}`)
    const receive = (id: number) => frame(0, "Received", `{"jsonrpc":"2.0","id":${id},"result":0}`)
    seen([send(1), send(2), send(3)], plain, story)
    const methods = [1, 2, 3].flatMap((id) => story.tell(receive(id)).map(({ method }) => method))
    assert.deepStrictEqual(methods, [undefined, "m", "m"])
    assert.deepStrictEqual(story.remembered, { requests: 0, size: 0 })
  })

  it("remembers no more characters of them than so many, and of one that is too long nothing", () => {
    const story = new Story({ waiting: 1_000, windowBytes: 1_000 })
    const send = (id: string, method: string) => frame(0, "Sent", JSON.stringify({ jsonrpc: "2.0", id, method }))
    const long = "x".repeat(400)
    seen([send("a", long), send(`b${long}`, "m"), send("c", long), send("c", long)], plain, story)
    assert.strictEqual(story.remembered.requests, 2)
    assert.isAbove(story.remembered.size, 800)
    seen([send("d", "x".repeat(2_000))], plain, story)
    assert.deepStrictEqual(story.remembered, { requests: 0, size: 0 })
  })
})

/** A tap, once it is ready, and its address. */
const listen = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const running = yield* Parley.start(["tap", ...args])
    const line = yield* running.errorLine
    return { ...running, address: line.replace(/^listening /, ""), entry: Effect.map(running.line, read) }
  })

const read = (line: string): Readonly<Record<string, unknown>> => JSON.parse(line)

describe("parley tap", () => {
  it.live("shows what passes as JSON Lines in a pipe, and records it", () =>
    Effect.gen(function*() {
      const file = join(yield* Joined.folder, "traffic.jsonl")
      const tap = yield* listen([yield* Joined.serve("tcp"), "--record", file])
      assert.match(tap.address, /^tcp:\/\/127\.0\.0\.1:\d+$/)
      const caller = yield* Joined.caller(tap.address)
      yield* Effect.flip(caller.request("fail"))
      const { bytes, time, ...sent } = yield* tap.entry
      const text = `{"jsonrpc":"2.0","id":1,"method":"fail"}`
      assert.deepStrictEqual(sent, { connection: 1, direction: "sent", kind: "request", method: "fail", id: 1, text })
      assert.strictEqual(bytes, text.length)
      assert.match(String(time), /^\d{4}-.*Z$/)
      const { milliseconds, ...received } = yield* tap.entry
      assert.isNumber(milliseconds)
      assert.deepInclude(received, { direction: "received", kind: "error", method: "fail", id: 1 })
      assert.deepInclude(received, { error: { code: 1234, message: "Application error" } })

      const other = yield* Joined.caller(tap.address)
      yield* other.batch([{ method: "sum", params: [1] }, { method: "update", notification: true }])
      const [one, two] = [yield* tap.entry, yield* tap.entry]
      assert.deepInclude(one, { connection: 2, member: 0, method: "sum" })
      assert.deepInclude(two, { connection: 2, member: 1, method: "update", kind: "notification" })
      assert.deepInclude(yield* tap.entry, { connection: 2, member: 0, method: "sum", kind: "result" })

      yield* tap.signal("SIGINT")
      assert.strictEqual((yield* tap.outcome).code, 0)
      const frames = readFileSync(file, "utf8").trimEnd().split("\n").map((line) =>
        Result.getOrThrow(Recorder.fromLine(line))
      )
      assert.deepInclude(frames[0], { _tag: "Begun", version: 1 })
      assert.deepInclude(frames[1], { _tag: "Opened", connection: 1, wire: "tcp" })
      assert.deepInclude(frames[2], { _tag: "Sent", connection: 1, text })
      assert.isAtLeast(frames.length, 6)
    }))

  it.live("taps HTTP: each post is a connection, and a status that refuses one is shown", () =>
    Effect.gen(function*() {
      const endpoint = yield* Joined.serve("http")
      const tap = yield* listen([`${endpoint}nothing?key=secret`])
      assert.match(tap.address, /^http:\/\/127\.0\.0\.1:\d+\/nothing$/)
      const caller = yield* Joined.caller(tap.address)
      assert.deepInclude(yield* Effect.flip(caller.request("echo")), { _tag: "HttpStatusError", status: 404 })
      assert.deepInclude(yield* tap.entry, { connection: 1, direction: "sent", method: "echo" })
      assert.deepInclude(yield* tap.entry, { kind: "http", status: 404, text: "POST: 404" })
      yield* Effect.flip(caller.request("echo"))
      assert.deepInclude(yield* tap.entry, { connection: 2, direction: "sent", method: "echo" })
      yield* tap.signal("SIGINT")
      const { code, stderr } = yield* tap.outcome
      assert.strictEqual(code, 0)
      assert.notInclude(stderr, "secret")
    }))

  it.live("shows what --show names, and shows and records no secrets, but with --secrets", () =>
    Effect.gen(function*() {
      const folder = yield* Joined.folder
      const endpoint = yield* Joined.serve("tcp")
      const said = (file: string, ...flags: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const tap = yield* listen([endpoint, "--record", join(folder, file), ...flags])
          const caller = yield* Joined.caller(tap.address)
          yield* caller.request("sum", [1])
          yield* caller.request("echo", [{ access_token: "s3cr3t", pin: "0815" }])
          yield* tap.signal("SIGINT")
          const { stdout } = yield* tap.outcome
          return { stdout: stdout.trimEnd().split("\n").map(read), recorded: readFileSync(join(folder, file), "utf8") }
        })
      const hidden = yield* said("a", "--show", "e*o,end,!end")
      assert.deepStrictEqual(hidden.stdout.map(({ kind, method }) => [kind, method]), [
        ["request", "echo"],
        ["result", "echo"]
      ])
      assert.notInclude(JSON.stringify(hidden), "s3cr3t")
      assert.include(JSON.stringify(hidden.stdout), "0815")
      assert.include(hidden.recorded, "sum")
      for (const line of hidden.recorded.trimEnd().split("\n")) Result.getOrThrow(Recorder.fromLine(line))
      const named = yield* said("c", "--redact", "pin")
      assert.notInclude(JSON.stringify(named), "0815")
      const open = yield* said("b", "--secrets")
      assert.include(JSON.stringify(open.stdout), "s3cr3t")
      assert.include(open.recorded, "s3cr3t")
    }))

  it.live("shows what passes on stderr where stdout is the wire", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(
        ["tap", "--listen", "stdio:", yield* Joined.serve("ws")],
        `{"jsonrpc":"2.0","id":1,"method":"get_data"}\n`
      )
      assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: `{"jsonrpc":"2.0","id":1,"result":["hello",5]}\n` })
      const [first = "", ...entries] = stderr.trimEnd().split("\n")
      assert.strictEqual(first, "listening stdio:")
      assert.deepStrictEqual(entries.map(read).map(({ kind, method }) => [kind, method]), [
        ["request", "get_data"],
        ["result", "get_data"]
      ])
    }))
})
