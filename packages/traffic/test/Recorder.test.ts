import { assert, describe, it } from "@effect/vitest"
import { Recorder, Redaction, type Tap } from "@parley/traffic"
import { MemoryTransport, Transport } from "@parley/transport"
import { Arbitrary, Effect, Fiber, FileSystem, Latch, Logger, Result, Schema } from "effect"

const string = Arbitrary.schema(Schema.String)

/** What comes back exactly: causes are JSON, and errors are another test's. */
const reasons = Arbitrary.schema(Schema.Union([
  Schema.TaggedStruct("EndOfInput", {}),
  Schema.TaggedStruct("Lost", { cause: Schema.String }),
  Schema.TaggedStruct("CloseCode", {
    code: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 4999 })),
    text: Schema.String
  }),
  Schema.TaggedStruct("Exited", {
    code: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))),
    signal: Schema.NullOr(Schema.String),
    stderr: Schema.String
  })
]))

const heads = Arbitrary.all({
  time: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4e12 }))),
  connection: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e9 })))
})

const content = Arbitrary.all({
  which: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))),
  string,
  reason: reasons
})

const frameOf = (
  head: { readonly time: number; readonly connection: number },
  { reason, string, which }: {
    readonly which: number
    readonly string: string
    readonly reason: Transport.TransportReason
  }
): Tap.Frame => {
  const error = Transport.transportError(reason)
  if (which === 0) return { ...head, _tag: "Sent", text: string }
  if (which === 1) return { ...head, _tag: "Received", text: string }
  if (which === 2) return { ...head, _tag: "Bad", frame: { _tag: "BadFrame", reason: "TooLarge", excerpt: string } }
  return which === 3 ? { ...head, _tag: "Unsent", count: string.length, error } : { ...head, _tag: "Ended", error }
}

/** What is compared of a frame: errors by their reason, not by where they were made. */
const plain = (frame: Recorder.Recorded) => "error" in frame ? { ...frame, error: frame.error.reason } : frame

const read = (line: string): Recorder.Recorded => Result.getOrThrow(Recorder.fromLine(line))

/** What has passed, behind the lines that say what a recording and its connections are. */
const passedIn = (text: string) =>
  text.trimEnd().split("\n").map(read).filter(({ _tag }) => _tag !== "Begun" && _tag !== "Opened")

const at = { time: 1_769_862_896_789, connection: 3 }

describe("a line of a recording", () => {
  it("reads back as its frame for every reason of a bad one", () => {
    for (const reason of ["TooLarge", "InvalidUtf8", "NotText"] as const) {
      const frame: Tap.Frame = { ...at, _tag: "Bad", frame: { _tag: "BadFrame", reason, excerpt: "x" } }
      assert.deepStrictEqual(read(Recorder.toLine(frame)), frame)
    }
  })

  it.effect.prop(
    "is one line, and reads back as its frame",
    { head: heads, content },
    ({ content, head }) =>
      Effect.sync(() => {
        const frame = frameOf(head, content)
        const line = Recorder.toLine(frame)
        assert.isFalse(/[\r\n]/.test(line))
        assert.deepStrictEqual(plain(read(line)), plain(frame))
      }),
    { arbitrary: { runs: 300 } }
  )

  it("says when, on which connection, in which direction, and the exact text", () => {
    const text = "{\"odd\":\"\ud800\u2028\u0000\ufeff\n\"}"
    const line = Recorder.toLine({ ...at, _tag: "Sent", text })
    assert.deepStrictEqual(JSON.parse(line), {
      time: "2026-01-31T12:34:56.789Z",
      connection: 3,
      direction: "sent",
      text
    })
    // Also after it was written as UTF-8, which has no lone surrogates.
    const written = new TextDecoder().decode(new TextEncoder().encode(line))
    assert.deepStrictEqual(read(written), { ...at, _tag: "Sent", text })
  })

  it("tells what an error was caused by, whatever it is", () => {
    const loop: Record<string, unknown> = { poison: 1n }
    loop["self"] = loop
    for (const cause of [new TypeError("why"), loop, undefined, Symbol("why"), () => "why"]) {
      const line = Recorder.toLine({ ...at, _tag: "Ended", error: Transport.transportError({ _tag: "Lost", cause }) })
      const frame = read(line)
      assert.strictEqual(frame._tag === "Ended" ? frame.error.reason._tag : frame._tag, "Lost", line)
      if (cause instanceof Error) assert.include(line, "why")
    }
  })

  it.each(["", "{}", "[]", "{\"time\":\"2026-01-31T12:34:56.789Z\",\"connection\":1,\"direction\":\"sent\"}", "{\"ti"])(
    "that is none is an error: %j",
    (line) => {
      const result = Recorder.fromLine(line)
      assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "success", "SchemaError")
    }
  )
})

describe("Recorder", () => {
  /** A file system of one file, whose writes wait in front of a gate. */
  const slowDisk = Effect.map(Latch.make(), (gate) => {
    const [decoder, writes]: [TextDecoder, Array<string>] = [new TextDecoder(), []]
    const writeAll = (bytes: Uint8Array) => Effect.map(gate.await, () => void writes.push(decoder.decode(bytes)))
    const disk = FileSystem.layerNoop({
      // The recorder uses nothing else of a file.
      open: () => Effect.succeed({ writeAll } as unknown as FileSystem.File)
    })
    return { gate, writes, disk }
  })

  it.effect("makes the traffic wait while too much of it is unwritten, and keeps no more than that", () =>
    Effect.gen(function*() {
      const { disk, gate, writes } = yield* slowDisk
      const text = JSON.stringify("x".repeat(100_000))
      let sent = 0
      yield* Effect.scoped(Effect.gen(function*() {
        const recorded = yield* Recorder.make("slow").pipe(Effect.provide(disk))
        const [near] = yield* MemoryTransport.makePair({ capacity: Infinity })
        const tapped = yield* recorded(near)
        const sender = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 40 }), () => Effect.map(tapped.send([text]), () => sent++))
        )
        for (let turn = 0; turn < 1_000; turn++) yield* Effect.yieldNow
        assert.isAtLeast(sent, 10)
        assert.isAtMost(sent, 11)
        yield* gate.open
        yield* Fiber.join(sender)
      }))
      assert.strictEqual(sent, 40)
      const frames = passedIn(writes.join(""))
      assert.deepStrictEqual(
        frames.map(plain),
        frames.map(() => ({
          time: 0,
          connection: 1,
          _tag: "Sent" as const,
          text
        }))
      )
      assert.strictEqual(frames.length, 40)
    }))

  /** Records what it is given, and gives the lines. */
  const recorded = (options: Recorder.RecorderOptions, ...all: ReadonlyArray<Recorder.Observed>) =>
    Effect.gen(function*() {
      const { disk, gate, writes } = yield* slowDisk
      yield* gate.open
      yield* Effect.scoped(Effect.gen(function*() {
        const see = yield* Recorder.makeObserver("file", options).pipe(Effect.provide(disk))
        yield* Effect.forEach(all, see, { discard: true })
      }))
      return writes.join("").trimEnd().split("\n")
    })

  it.effect("says the version of its format, and each connection before its first frame", () =>
    Effect.gen(function*() {
      const one = (connection: number) => ({ ...at, connection, _tag: "Sent", text: "[1]" }) as const
      const side = { wire: "stdio", endpoint: "stdio:node server.js" }
      const lines = yield* recorded(side, one(2), one(1), one(2), one(3), one(1))
      assert.deepStrictEqual(
        lines.map(read).map((line) => line._tag === "Begun" ? line.version : `${line._tag} ${line.connection}`),
        [1, "Opened 2", "Sent 2", "Opened 1", "Sent 1", "Sent 2", "Opened 3", "Sent 3", "Sent 1"]
      )
      assert.deepStrictEqual(read(lines[1] ?? ""), { ...at, connection: 2, _tag: "Opened", ...side })
    }))

  it.effect("says which side has closed a connection first", () =>
    Effect.gen(function*() {
      const ends = (closeOurs: boolean) =>
        Effect.gen(function*() {
          const { disk, gate, writes } = yield* slowDisk
          yield* gate.open
          yield* Effect.scoped(Effect.gen(function*() {
            const wrapping = yield* Recorder.make("file").pipe(Effect.provide(disk))
            const [near, far] = yield* MemoryTransport.makePair()
            const tapped = yield* wrapping(near)
            if (!closeOurs) {
              yield* far.close
              yield* Effect.flip(tapped.receive)
            }
            yield* tapped.close
            yield* tapped.close
          }))
          return passedIn(writes.join("")).map(({ _tag }) => _tag)
        })
      assert.deepStrictEqual(yield* ends(true), ["Closed"])
      assert.deepStrictEqual(yield* ends(false), ["Ended"])
    }))

  it.effect("keeps an exchange over HTTP with its heads, its events and its end", () =>
    Effect.gen(function*() {
      const within = { ...at, exchange: 7 }
      const all: ReadonlyArray<Recorder.Observed> = [
        { ...within, _tag: "HttpRequest", method: "POST", path: "/mcp", headers: { accept: "text/event-stream" } },
        { ...within, _tag: "Sent", text: "[1]" },
        { ...within, _tag: "HttpResponse", status: 200, headers: { "content-type": "text/event-stream" } },
        { ...within, _tag: "HttpEvent", name: "message", id: "a_1", data: "" },
        { ...within, _tag: "Received", event: "a_2", text: "[2]" },
        { ...within, _tag: "HttpEnd", isWhole: true }
      ]
      assert.deepStrictEqual((yield* recorded({}, ...all)).slice(2).map(read), [...all])
    }))

  it.effect("keeps the bytes of what was no UTF-8, unless a secret is among them", () =>
    Effect.gen(function*() {
      const bad = (text: string): Recorder.Observed => ({
        ...at,
        _tag: "Bad",
        frame: { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "" },
        base64: Buffer.from(`${text}\u00ff`, "latin1").toString("base64")
      })
      const texts = ["no secret", `{"password":"hunter2"}`]
      const kept = (yield* recorded({ redact: Redaction.text }, ...texts.map(bad))).slice(2).map(read)
      assert.deepStrictEqual(
        kept,
        [bad("no secret"), { ...bad(""), base64: undefined }].map((one) => JSON.parse(JSON.stringify(one)))
      )
    }))

  it.effect("planted secrets are in no line, whatever carries them", () =>
    Effect.gen(function*() {
      const within = { ...at, exchange: 1 }
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "m",
        params: { pin: "S3CRET-1", token: "S3CRET-2" }
      })
      const lines = yield* recorded(
        {
          redact: Redaction.make({ names: ["PIN", "x-mine"] }),
          endpoint: "stdio:server token=S3CRET-3",
          wire: "stdio"
        },
        {
          ...within,
          _tag: "HttpRequest",
          method: "POST",
          path: "/",
          headers: { authorization: "Bearer S3CRET-4", "x-mine": "S3CRET-5" }
        },
        { ...within, _tag: "Sent", text: body },
        { ...within, _tag: "HttpEvent", name: "message", data: `{"pin":"S3CRET-6"}` },
        { ...at, _tag: "Ended", error: Transport.transportError({ _tag: "Lost", cause: `password=S3CRET-7` }) }
      )
      assert.notInclude(lines.join("\n"), "S3CRET")
      assert.strictEqual(lines.length, 6)
    }))

  it.effect("a disk with a defect costs the recording, and not the traffic", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const writeAll = () => Effect.die(new Error("defect"))
    const disk = FileSystem.layerNoop({
      // The recorder uses nothing else of a file.
      open: () => Effect.succeed({ writeAll } as unknown as FileSystem.File)
    })
    return Effect.gen(function*() {
      const recorded = yield* Recorder.make("broken").pipe(Effect.provide(disk))
      const [near] = yield* MemoryTransport.makePair({ capacity: Infinity })
      const tapped = yield* recorded(near)
      let sent = 0
      const text = JSON.stringify("x".repeat(100_000))
      yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 40 }), () => Effect.map(tapped.send([text]), () => sent++))
      )
      for (let turn = 0; turn < 1_000; turn++) yield* Effect.yieldNow
      assert.strictEqual(sent, 40)
      assert.deepStrictEqual(logged.filter((line) => line.includes("broken")).length, 1)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("a receive that is interrupted while the recording waits takes nothing with it, and is written once", () =>
    Effect.gen(function*() {
      const { disk, gate, writes } = yield* slowDisk
      const text = JSON.stringify("x".repeat(600_000))
      yield* Effect.scoped(Effect.gen(function*() {
        const recorded = yield* Recorder.make("slow").pipe(Effect.provide(disk))
        const [near, far] = yield* MemoryTransport.makePair({ capacity: Infinity })
        const tapped = yield* recorded(near)
        yield* far.send([text, text, "[1]"])
        const reader = yield* Effect.forkChild(tapped.receive, { startImmediately: true })
        yield* Effect.yieldNow
        yield* Fiber.interrupt(reader)
        yield* gate.open
        assert.deepStrictEqual([...yield* tapped.receive], [text, text, "[1]"])
      }))
      const texts = passedIn(writes.join("")).map((frame) => "text" in frame ? frame.text : "")
      assert.deepStrictEqual(texts, [text, text, "[1]"])
    }))
})
