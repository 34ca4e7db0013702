import { assert, describe, it } from "@effect/vitest"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import { Disconnected } from "@parley/peer/Caller"
import { TransportError } from "@parley/transport/Transport"
import { Deferred, Effect, Exit, Fiber, Queue, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as spelled from "../../../src/internal/arguments/spelled.ts"
import * as Endpoint from "../../../src/internal/Endpoint.ts"
import * as Bridge from "../../../src/internal/mcp/bridge/Bridge.ts"
import * as Generations from "../../../src/internal/mcp/bridge/development/Generations.ts"
import { InFlight } from "../../../src/internal/mcp/bridge/InFlight.ts"
import * as joined from "../../../src/internal/mcp/bridge/joined.ts"
import * as lasting from "../../../src/internal/mcp/bridge/lasting.ts"
import * as Narrator from "../../../src/internal/mcp/bridge/Narrator.ts"
import * as reasons from "../../../src/internal/mcp/bridge/reasons.ts"
import { LastLines } from "../../../src/internal/mcp/gateway/LastLines.ts"
import * as SilentServers from "../../../src/internal/mcp/SilentServers.ts"
import * as developed from "./developed.ts"

const client = {
  name: "test",
  version: "1",
  protocolVersion: "2025-11-25",
  cacheSize: 0,
  timeout: "1 hour",
  maxTimeout: "1 hour"
} as const

const connected = (behind: Bridge.Behind) =>
  Effect.flatMap(
    Bridge.make(behind),
    (server) => Effect.provideService(McpMemoryClient.make(client), McpServer.McpServer, server)
  )

/** The wire to the small server. */
const wireTo = (folder: developed.Folder) => developed.wireOf(developed.server("legacy", folder))

/** Hears what is said, and lines of stdout that are no messages. */
const narratorOf = (hear: (sentence: string) => void, stray = (_: string) => {}): Narrator.Narrator => ({
  say: (sentence) => Effect.sync(() => hear(sentence)),
  show: () => {},
  stray
})

describe("a bridge", () => {
  it.effect("says why a server is away, in its instructions and in each call", () =>
    Effect.gen(function*() {
      const near = yield* connected({
        name: "far",
        source: {
          featuresFor: () => Exit.succeed([]),
          tool: () => undefined,
          capabilities: () => ({}),
          onChange: () => Effect.void
        },
        identity: () => undefined,
        instructions: () => undefined,
        away: () => "it sleeps",
        settled: Effect.void,
        met: () => {},
        during: (call) => call
      })
      assert.include(near.instructions ?? "", "it sleeps")
      const error = yield* Effect.flip(near.callTool("now"))
      assert.include(error.message, "it sleeps")
    }))

  it.live(
    "ends the calls of a process with it, and serves the next ones by the process after it",
    () =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const changes = yield* Queue.unbounded<string>()
        // The first process has what has changed before it.
        yield* Queue.offer(changes, "early.ts")
        const said = yield* Queue.unbounded<string>()
        const near = yield* Effect.flatMap(
          Generations.make({
            wire: wireTo(folder),
            narrator: narratorOf((sentence) => Queue.offerUnsafe(said, sentence)),
            changed: Queue.take(changes)
          }),
          connected
        )
        const call = yield* Effect.forkChild(Effect.flip(near.callTool("wait", { key: "a" })))
        yield* Effect.eventually(Effect.suspend(() => folder.calls().length === 1 ? Effect.void : Effect.fail("none")))
        yield* Queue.offer(changes, "server.ts")
        assert.include((yield* Fiber.join(call)).message, "server.ts has changed")
        yield* near.callTool("now", { key: "b" })
        assert.lengthOf(folder.calls(), 2)
        const sentences = yield* Queue.clear(said)
        assert.isTrue(sentences.some((sentence) => sentence.includes("1 call in flight is told")))
        assert.isFalse(sentences.some((sentence) => sentence.includes("early.ts")))
      }),
    30_000
  )

  it.effect(
    "waits for a server as long as its client does, and leaves one alone that stands at a breakpoint",
    () =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const said: Array<string> = []
        const narrator = narratorOf((sentence) => said.push(sentence))
        const near = yield* Effect.flatMap(
          Generations.make({ wire: wireTo(folder), narrator, changed: Effect.never }),
          connected
        )
        const call = yield* Effect.forkChild(near.callTool("wait", { key: "a" }))
        yield* Effect.eventually(Effect.suspend(() => folder.calls().length === 1 ? Effect.void : Effect.fail("none")))
        const pid = Number(folder.calls()[0]?.split(" ").at(-1))
        process.kill(pid, "SIGSTOP")
        yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(pid, "SIGCONT")))
        for (let minute = 0; minute < 5; minute++) yield* TestClock.adjust("1 minute")
        process.kill(pid, "SIGCONT")
        assert.isUndefined(call.pollUnsafe())
        const { content } = yield* near.callTool("now")
        assert.deepStrictEqual(content, [Content.text(`now of ${pid}`)])
        assert.lengthOf(said, 2)
      }),
    30_000
  )
})

describe("a narrator", () => {
  it("drops the lines of a server while nobody reads, and says how many once there is room", () => {
    const lines: Array<string> = []
    const stream = { writableLength: 0, write: (line: string) => lines.push(line) }
    // It uses nothing else of the stream.
    const narrator = Narrator.make("us", "it", stream as unknown as NodeJS.WriteStream)
    narrator.show("first")
    stream.writableLength = 1_000_000
    narrator.show("second")
    narrator.show("third")
    stream.writableLength = 0
    narrator.show("fourth")
    assert.deepStrictEqual(lines, [
      "it first\n",
      "us 2 lines of the server dropped: stderr is read too slowly\n",
      "it fourth\n"
    ])
  })
})

describe("the servers that were silent", () => {
  const inFolder = <A, E, R>(use: (file: string) => Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const { path } = yield* developed.folder
      const before = process.env["XDG_STATE_HOME"]
      process.env["XDG_STATE_HOME"] = path
      mkdirSync(join(path, "parley"))
      return yield* Effect.ensuring(
        use(join(path, "parley", "silent-servers.json")),
        Effect.sync(() => {
          if (before === undefined) delete process.env["XDG_STATE_HOME"]
          else process.env["XDG_STATE_HOME"] = before
        })
      )
    })

  it.live("are remembered by command, arguments and folder, the newest 256", () =>
    inFolder((file) =>
      Effect.gen(function*() {
        const command = (args: ReadonlyArray<string>) => ({ _tag: "Command" as const, command: "node", args })
        const keys = [
          SilentServers.keyOf(command(["a b"]), "/one"),
          SilentServers.keyOf(command(["a", "b"]), "/one"),
          SilentServers.keyOf(command(["a", "b"]), "/two")
        ]
        assert.lengthOf(new Set(keys), 3)
        for (const key of keys) yield* SilentServers.add(key)
        yield* SilentServers.remove(keys[1]!)
        assert.deepStrictEqual(yield* Effect.forEach(keys, SilentServers.has), [true, false, true])
        for (let count = 0; count < 256; count++) yield* SilentServers.add(`${count}`)
        assert.lengthOf(JSON.parse(readFileSync(file, "utf8")), 256)
        assert.isFalse(yield* SilentServers.has(keys[0]!))
      })
    ))

  it.effect.prop(
    "forgets what a corrupt file has",
    { text: Schema.String, json: Schema.Json },
    ({ json, text }) =>
      inFolder((file) =>
        Effect.gen(function*() {
          for (const content of [text, JSON.stringify(json)]) {
            writeFileSync(file, content)
            yield* SilentServers.has("key")
            yield* SilentServers.add("key")
            assert.isTrue(yield* SilentServers.has("key"))
          }
        })
      ),
    { arbitrary: { runs: 25 } }
  )
})

describe("an endpoint as people write it", () => {
  const read = (...words: ReadonlyArray<string>) =>
    Effect.runSync(Effect.map(spelled.endpoint(words), (text) => Result.getOrUndefined(Endpoint.fromText(text))))

  it("is a URL, or a command in one text or word by word", () => {
    assert.deepStrictEqual(read("https://example.org/mcp"), { _tag: "Http", url: "https://example.org/mcp" })
    const command = { _tag: "Command" as const, command: "node", args: ["server.js"] }
    assert.deepStrictEqual(read("stdio:node server.js"), command)
    assert.deepStrictEqual(read("node server.js"), command)
    assert.deepStrictEqual(read("node", "server.js"), command)
    assert.deepStrictEqual(read("server.js"), command)
    assert.deepStrictEqual(read("my-server"), { _tag: "Command", command: "my-server", args: [] })
    assert.isUndefined(read("localhost:3000/mcp"))
  })

  it.prop("has its words as they are", { words: Schema.Array(Schema.String) }, ({ words }) => {
    assert.deepStrictEqual(read("node", "x", ...words), { _tag: "Command", command: "node", args: ["x", ...words] })
  })
})

describe("the last lines of a server", () => {
  it("have no secrets", () => {
    const lines = new LastLines()
    lines.add("{\"api_key\":\"AAA\"} Authorization: Bearer BBB.CCC")
    assert.notMatch(lines.after("why", ": "), /AAA|BBB|CCC/)
  })

  it("are not said twice", () => {
    const lines = new LastLines()
    for (const line of ["one", "two", "two", "three"]) lines.add(line)
    assert.strictEqual(lines.after("it ended: three", ": "), "it ended: three: one | two")
  })
})

describe("a server that never answers", () => {
  it.live("is told of after five seconds, and is the reason meanwhile", () =>
    Effect.gen(function*() {
      const said: Array<string> = []
      const behind = yield* lasting.make({
        wire: developed.wireOf([process.execPath, "-e", "setInterval(() => {}, 1000)"]),
        isSole: true,
        narrator: narratorOf((sentence) => said.push(sentence))
      })
      behind.met({})
      yield* Effect.sleep(1_000)
      assert.notInclude(said, lasting.silent)
      yield* Effect.sleep(5_000)
      assert.include(said, lasting.silent)
      assert.strictEqual(behind.away(), "it has not answered yet")
    }))
})

describe("a server that ends during a call", () => {
  it.live("is started again for the next one, and people are told so", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const said: Array<string> = []
      const near = yield* Effect.flatMap(
        lasting.make({ wire: wireTo(folder), isSole: true, narrator: narratorOf((sentence) => said.push(sentence)) }),
        connected
      )
      yield* Effect.flip(near.callTool("die", { key: "a" }))
      yield* near.callTool("now", { key: "b" })
      assert.include(said, "the server is started again")
      assert.notInclude(said.join(), "older revision")
    }))
})

describe("a server that writes to stdout what is no message", () => {
  it.live("is used all the same, and the line is shown", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const [command = "", script = "", ...args] = developed.server("legacy", folder)
      const strays: Array<string> = []
      const near = yield* Effect.flatMap(
        lasting.make({
          wire: developed.wireOf([
            command,
            "--import",
            "data:text/javascript,console.log('listening')",
            script,
            ...args
          ]),
          isSole: true,
          narrator: narratorOf(() => {}, (line) => strays.push(line))
        }),
        connected
      )
      yield* near.callTool("now", { key: "a" })
      assert.include(strays, "listening")
      assert.isTrue(strays.every((line) => line === "listening"))
    }))
})

describe("the error of a call whose server was lost", () => {
  const exited = { _tag: "Exited", code: 7, signal: null, stderr: "" } as const
  const said = (cause: Disconnected) => {
    const error = reasons.explained(McpError.upstreamFailed("far", "cannot be reached", cause), "far")
    return error.message
  }

  it("says that the call may have run only where it was sent", () => {
    assert.include(said(new Disconnected({ reason: exited, sent: true, method: "tools/call", id: 3 })), "may have run")
    for (
      const cause of [
        new Disconnected({ reason: exited, sent: false, method: "tools/call" }),
        new Disconnected({ reason: exited, sent: true, method: "initialize", id: 1 }),
        new Disconnected({ reason: exited, sent: false })
      ]
    ) {
      assert.include(said(cause), "was not sent")
      assert.notInclude(said(cause), "may have run")
    }
  })
})

describe("the end of the input", () => {
  it.effect("waits for the requests that are in flight, as long as they may take", () =>
    Effect.gen(function*() {
      const inFlight = new InFlight()
      const ended = Effect.fail(new TransportError({ reason: { _tag: "EndOfInput" } }))
      const { receive } = inFlight.patient({ receive: ended, send: () => Effect.void, close: Effect.void })
      const exitAfter = (time: number) =>
        Effect.gen(function*() {
          const reading = yield* Effect.forkChild(Effect.exit(receive))
          yield* TestClock.adjust(time)
          return reading.pollUnsafe() !== undefined
        })
      assert.isTrue(yield* exitAfter(100))
      const answer = yield* Deferred.make<void>()
      yield* Effect.forkChild(inFlight.around(Deferred.await(answer)), { startImmediately: true })
      assert.isFalse(yield* exitAfter(9_000))
      assert.isTrue(yield* exitAfter(11_000))
      yield* Deferred.succeed(answer, undefined)
      assert.isTrue(yield* exitAfter(100))
    }))
})

describe("the reason of a failure", () => {
  it("has no secrets of the last line that a process has written", () => {
    const reason = { _tag: "Exited", code: 1, signal: null, stderr: "password=AAA Bearer BBB" } as const
    const why = reasons.of(reasons.unopened(new TransportError({ reason })), "far")
    assert.include(why, "code 1")
    assert.notMatch(why, /AAA|BBB/)
  })

  it("does not repeat the name of the server", () => {
    const error = reasons.unopened(new TransportError({ reason: { _tag: "EndOfInput" } }))
    assert.notInclude(reasons.of(error, "far"), "far")
  })
})

describe("the first text of a client", () => {
  it("tells whether it speaks MCP", () => {
    const request = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
    assert.isTrue(joined.speaksMcp(request("initialize", { protocolVersion: "2025-11-25" })))
    assert.isTrue(joined.speaksMcp(request("tools/list", { _meta: meta })))
    assert.isTrue(joined.speaksMcp(`[${request("initialize", { protocolVersion: "2025-03-26" })}]`))
    assert.isFalse(joined.speaksMcp(request("initialize", { processId: 1, capabilities: {} })))
    assert.isFalse(joined.speaksMcp(request("echo", { text: "protocolVersion" })))
    for (const text of ["", "protocolVersion", "[]", "null", "{\"protocolVersion\""]) {
      assert.isFalse(joined.speaksMcp(text))
    }
  })
})
