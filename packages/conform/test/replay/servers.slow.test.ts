/** Servers of others, recorded: their clients cannot tell the mock from them, and a replay finds changed ones. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Mock, Recording, Replay, type Target } from "@parley/conform"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as Framing from "@parley/protocol/Framing"
import { Recorder, Redaction } from "@parley/traffic"
import { Transport } from "@parley/transport"
import { Effect, type Schema, type Scope } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Programs from "../../../../tools/debian/Programs.ts"
import { changing } from "./changing.ts"
import * as Talk from "./Talk.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-servers-"))

afterAll(() => rmSync(folder, { recursive: true }))

const main = `#include "shape.h"\n\nint area(const Shape &shape) { return shape.width * shape.hight; }\n`
const shape = `#pragma once\n\nstruct Shape {\n  int width;\n  int height;\n};\n`

/** A project of two files, with nothing left of a clangd before. */
const project = () => {
  rmSync(join(folder, "src"), { recursive: true, force: true })
  mkdirSync(join(folder, "src"), { recursive: true })
  writeFileSync(join(folder, "src/main.cpp"), main)
  writeFileSync(join(folder, "src/shape.h"), shape)
  const command = { directory: join(folder, "src"), file: "main.cpp", arguments: ["clang++", "-c", "main.cpp"] }
  writeFileSync(join(folder, "src/compile_commands.json"), JSON.stringify([command]))
}

const clangd = Effect.suspend(() => {
  project()
  return NodeChildProcess.makeTransport({
    command: "clangd",
    args: ["--log=error", "-j=1", `--compile-commands-dir=${join(folder, "src")}`],
    framing: Framing.contentLength,
    onStderr: () => Effect.void
  })
})

/** A client that edits a file. */
const edit = Effect.fnUntraced(function*(transport: Transport.Transport) {
  const talk = yield* Talk.make(transport)
  const uri = pathToFileURL(join(folder, "src/main.cpp")).href
  const at = (line: number, character: number) => ({ textDocument: { uri }, position: { line, character } })
  yield* talk.ask("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(join(folder, "src")).href,
    capabilities: {
      window: { workDoneProgress: true },
      textDocument: { hover: { contentFormat: ["markdown"] }, publishDiagnostics: { relatedInformation: true } }
    }
  })
  yield* talk.tell("initialized", {})
  yield* talk.tell("textDocument/didOpen", { textDocument: { uri, languageId: "cpp", version: 1, text: main } })
  yield* talk.heard("textDocument/publishDiagnostics")
  yield* talk.heard("window/workDoneProgress/create")
  yield* talk.ask("textDocument/hover", at(2, 6))
  yield* talk.ask("textDocument/definition", at(2, 46))
  yield* talk.ask("textDocument/documentSymbol", { textDocument: { uri } })
  yield* talk.ask("textDocument/completion", at(2, 46))
  yield* talk.ask("textDocument/semanticTokens/full", { textDocument: { uri } })
  yield* talk.ask("textDocument/nothing", {})
  yield* talk.ask("shutdown")
  yield* talk.tell("exit")
  return talk.transcript
})

const everything = NodeChildProcess.makeTransport({
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js")), "stdio"],
  onStderr: () => Effect.void
})

const answers: Readonly<Record<string, Schema.Json>> = {
  "roots/list": { roots: [{ uri: "file:///src", name: "src" }] },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "well" }, model: "m" },
  "elicitation/create": { action: "accept", content: { name: "Ada" } }
}

const calls: ReadonlyArray<readonly [tool: string, args: Schema.JsonObject]> = [
  ["echo", { message: "hi" }],
  ["get-sum", { a: 1, b: 2 }],
  ["get-sum", { a: "no number" }],
  ["get-structured-content", { location: "Chicago" }],
  ["get-resource-links", { count: 3 }],
  ["trigger-long-running-operation", { duration: 0.2, steps: 4 }],
  ["trigger-sampling-request", { prompt: "well?", maxTokens: 5 }]
]

/** A client that uses tools, resources and prompts. */
const use = Effect.fnUntraced(function*(transport: Transport.Transport) {
  const talk = yield* Talk.make(transport, (method) => answers[method] ?? {})
  yield* talk.ask("initialize", {
    protocolVersion: "2025-06-18",
    clientInfo: { name: "test", version: "1.0.0" },
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} }
  })
  yield* talk.tell("notifications/initialized")
  yield* talk.heard("roots/list")
  for (const list of ["tools", "resources", "resources/templates", "prompts"]) {
    yield* talk.ask(`${list}/list`)
  }
  for (const [at, [name, args]] of calls.entries()) {
    yield* talk.ask("tools/call", { name, arguments: args, _meta: { progressToken: at } })
  }
  yield* talk.ask("resources/read", { uri: "demo://resource/dynamic/text/1" })
  yield* talk.ask("prompts/get", { name: "args-prompt", arguments: { city: "Paris" } })
  yield* talk.ask("nothing")
  return talk.transcript
})

/** A server, and a client of it. */
interface Served {
  readonly name: string
  readonly framing: string
  readonly connect: Target.Duplex["connect"]
  readonly client: (transport: Transport.Transport) => Effect.Effect<ReadonlyArray<string>, never, Scope.Scope>
  /** A method by which it asks its client. */
  readonly asks: string
  /** Methods of messages that are a matter of time. */
  readonly ignore: ReadonlyArray<string>
}

const recorded = ({ client, connect, framing, name }: Served) =>
  Effect.gen(function*() {
    const path = join(folder, `${name}.jsonl`)
    rmSync(path, { force: true })
    const transcript = yield* Effect.scoped(Effect.gen(function*() {
      const wrapping = yield* Recorder.make(path, { redact: Redaction.text, wire: "stdio", framing })
      return yield* Effect.flatMap(Effect.flatMap(connect, wrapping), client)
    }))
    return { transcript, recording: Recording.fromText(readFileSync(path, "utf8")) }
  }).pipe(Effect.provide(NodeFileSystem.layer))

const target = (name: string, connect: Target.Duplex["connect"]): Target.Target => ({
  _tag: "Duplex",
  name,
  connect,
  isProcess: true
})

const holds = (served: Served) =>
  describe(served.name, () => {
    const { asks, client, connect, ignore, name } = served

    it.live("its client cannot tell a mock from it: all texts are equal, its questions among them", () =>
      Effect.gen(function*() {
        const { recording, transcript } = yield* recorded(served)
        assert.deepStrictEqual(recording.problems, [])
        const mocked = yield* Effect.scoped(Effect.gen(function*() {
          return yield* client(yield* Transport.Transport)
        })).pipe(Effect.provide(Mock.layer(recording)))
        assert.deepStrictEqual(mocked, transcript)
        assert.isTrue(transcript.some((text) =>
          text.startsWith("<") && text.includes(`"method":"${asks}"`)
        ))
      }), 60_000)

    it.live("a replay finds nothing in itself, and a field that another one changes", () =>
      Effect.gen(function*() {
        const { recording } = yield* recorded(served)
        const same = yield* Replay.run(target(name, connect), recording, { ignore })
        assert.deepStrictEqual(
          same.results.filter(({ kind }) =>
            kind !== "same"
          ),
          []
        )
        for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
          const { changed, wrapping } = changing(seed)
          const changedTarget = target(name, Effect.flatMap(connect, wrapping))
          const report = yield* Replay.run(changedTarget, recording, { ignore })
          const found = report.results.flatMap(({ differences }) => differences.map(({ pointer }) => pointer))
          assert.lengthOf(changed(), 1, `seed ${seed}`)
          assert.deepStrictEqual(found, changed(), `seed ${seed}`)
        }
      }), 120_000)
  })

Programs.suites([{ program: "clangd", package: "clangd" }], () =>
  holds({
    name: "clangd",
    framing: "contentLength",
    connect: clangd,
    client: edit,
    asks: "window/workDoneProgress/create",
    // How often it tells the progress of its index.
    ignore: ["$/progress"]
  }))

holds({
  name: "server-everything",
  framing: "line",
  connect: everything,
  client: use,
  asks: "sampling/createMessage",
  ignore: []
})
