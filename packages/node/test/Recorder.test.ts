/** Recordings in real files. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as Recorder from "@parley/traffic/Recorder"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Effect, Exit, Layer, Logger, Result, Scope } from "effect"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "parley-"))

afterAll(() => rmSync(directory, { recursive: true }))

const framesIn = (path: string) =>
  readFileSync(path, "utf8").trimEnd().split("\n").map((line) => Result.getOrThrow(Recorder.fromLine(line))).flatMap(
    (line) => line._tag === "Begun" || line._tag === "Opened" ? [] : [line]
  )

const recorder = (path: string) => Effect.provide(Recorder.make(path), NodeFileSystem.layer)

describe("Recorder", () => {
  it.live("writes what passed, in order and as it was, and all of it when the Scope closes", () =>
    Effect.gen(function*() {
      const path = join(directory, "all.jsonl")
      const texts = Array.from({ length: 1_000 }, (_, index) => JSON.stringify([index, "\ud800\u2028", "añ✓𝄞"]))
      yield* Effect.scoped(Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        const recorded = yield* Effect.flatMap(recorder(path), (wrapping) => wrapping(near))
        for (const text of texts) yield* recorded.send([text])
        yield* far.send(["[1]", "[2]"])
        yield* recorded.receive
        yield* far.close
        yield* Effect.flip(recorded.receive)
        yield* Effect.flip(recorded.send(["[3]"]))
      }))
      const frames = framesIn(path)
      assert.deepStrictEqual(frames.flatMap((frame) => frame._tag === "Sent" ? [frame.text] : []), [...texts, "[3]"])
      assert.deepStrictEqual(
        frames.slice(texts.length).map(({ _tag }) => _tag),
        ["Received", "Received", "Ended", "Sent", "Unsent"]
      )
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    }))

  it.live("appends to what is there, and a program that is interrupted has written it as well", () =>
    Effect.gen(function*() {
      const path = join(directory, "twice.jsonl")
      const program = Effect.scoped(Effect.gen(function*() {
        const side = yield* Transport.Transport
        yield* side.send(["[1]"])
        return yield* Effect.interrupt
      })).pipe(Effect.provide(
        Layer.unwrap(Effect.map(Recorder.make(path), (wrapping) => Transport.wrap(wrapping))).pipe(
          Layer.provide(Layer.effect(Transport.Transport, Effect.map(MemoryTransport.makePair(), ([near]) => near))),
          Layer.provide(NodeFileSystem.layer)
        )
      ))
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(program)))
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(program)))
      assert.deepStrictEqual(framesIn(path).map(({ _tag, connection }) => `${connection} ${_tag}`), [
        "1 Sent",
        "1 Sent"
      ])
    }))

  it.live("a disk that is full costs the recording, said once, and not the traffic", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const recorded = yield* Effect.flatMap(recorder("/dev/full"), (wrapping) => wrapping(near))
      for (let round = 0; round < 50; round++) {
        // Together more than what may be unwritten.
        const text = JSON.stringify([round, "x".repeat(50_000)])
        yield* recorded.send([text])
        assert.deepStrictEqual([...yield* far.receive], [text])
        yield* Effect.sleep(0)
      }
      assert.strictEqual(logged.length, 1)
      assert.include(
        logged[0],
        "Warn The recording /dev/full is incomplete, and ends here: ENOSPC: no space left on device"
      )
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live("a file that cannot be opened is a typed error", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(recorder(join(directory, "no", "such", "directory")))
      assert.strictEqual(error._tag, "PlatformError")
    }))

  it.live("what passes after its Scope has closed passes", () =>
    Effect.gen(function*() {
      const path = join(directory, "closed.jsonl")
      const scope = yield* Scope.make()
      const [near, far] = yield* MemoryTransport.makePair()
      const wrapping = yield* Scope.provide(recorder(path), scope)
      const recorded = yield* wrapping(near)
      yield* recorded.send(["[1]"])
      yield* Scope.close(scope, Exit.void)
      yield* recorded.send(["[2]"])
      assert.deepStrictEqual([...yield* far.receive], ["[1]", "[2]"])
      assert.strictEqual(framesIn(path).length, 1)
    }))

  const laws = Laws.ofTransport({
    name: "pair, recorded",
    open: Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair()
      const wrapping = yield* recorder(join(directory, "laws.jsonl"))
      return [yield* wrapping(left), yield* wrapping(right)] as const
    })
  }, { runs: 10 })
  for (const law of laws) it.live(law.name, () => law.check)
})
