/** clangd of Debian, recorded: its client cannot tell the mock from it, and a replay finds a changed one. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Mock, Recording, Replay, type Target } from "@parley/conform"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as Framing from "@parley/protocol/Framing"
import { Recorder, Redaction } from "@parley/traffic"
import { Transport } from "@parley/transport"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Programs from "../../../../tools/debian/Programs.ts"
import { changing } from "./changing.ts"
import * as Talk from "./Talk.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-clangd-"))

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

/** What an editor does with a file. */
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

const recorded = Effect.gen(function*() {
  const path = join(folder, "recording.jsonl")
  rmSync(path, { force: true })
  const transcript = yield* Effect.scoped(Effect.gen(function*() {
    const wrapping = yield* Recorder.make(path, { redact: Redaction.text, wire: "stdio", framing: "contentLength" })
    return yield* Effect.flatMap(Effect.flatMap(clangd, wrapping), edit)
  }))
  return { transcript, recording: Recording.fromText(readFileSync(path, "utf8")) }
}).pipe(Effect.provide(NodeFileSystem.layer))

const target = (connect: Target.Duplex["connect"]): Target.Target => ({
  _tag: "Duplex",
  name: "clangd",
  connect,
  isProcess: true
})

Programs.suites([{ program: "clangd", package: "clangd" }], () =>
  describe("clangd", () => {
    it.live("its client cannot tell a mock from it: all texts are equal, its questions among them", () =>
      Effect.gen(function*() {
        const { recording, transcript } = yield* recorded
        assert.deepStrictEqual(recording.problems, [])
        const mocked = yield* Effect.scoped(Effect.gen(function*() {
          return yield* edit(yield* Transport.Transport)
        })).pipe(Effect.provide(Mock.layer(recording)))
        assert.deepStrictEqual(mocked, transcript)
        assert.isTrue(transcript.some((text) =>
          text.includes("window/workDoneProgress/create")
        ))
      }), 60_000)

    it.live("a replay finds nothing in itself, and a field that another one changes", () =>
      Effect.gen(function*() {
        const { recording } = yield* recorded
        // How often it tells the progress of its index is a matter of time.
        const ignore = ["$/progress"]
        const same = yield* Replay.run(target(clangd), recording, { ignore })
        assert.deepStrictEqual(
          same.results.filter(({ kind }) =>
            kind !== "same"
          ),
          []
        )
        for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
          const { changed, wrapping } = changing(seed)
          const report = yield* Replay.run(target(Effect.flatMap(clangd, wrapping)), recording, { ignore })
          const found = report.results.flatMap(({ differences }) => differences.map(({ pointer }) => pointer))
          assert.deepStrictEqual([...found], [...changed()], `seed ${seed}`)
        }
      }), 120_000)
  }))
