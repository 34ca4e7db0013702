import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Queue, Stream } from "effect"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as files from "../../../../src/internal/mcp/bridge/development/files.ts"
import * as folders from "../../../../src/internal/mcp/bridge/development/folders.ts"
import { OwnFiles } from "../../../../src/internal/mcp/bridge/development/OwnFiles.ts"
import * as developed from "../developed.ts"

describe("the files that are watched", () => {
  it("leaves out what is hidden, installed, built or written", () => {
    const all = [
      ".git",
      "node_modules",
      "dist",
      "__pycache__",
      "a.log",
      "notes.db",
      "notes.sqlite",
      "notes.db-wal",
      "a.ts~"
    ]
    for (const name of all) assert.isFalse(files.isWatched(name), name)
    for (const name of ["server.ts", "src", "data.json", "logs.ts"]) assert.isTrue(files.isWatched(name), name)
  })

  const handles = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length

  it.live("are those of a folder beside one of its files, and of a folder that was there before", () =>
    Effect.gen(function*() {
      const { path } = yield* developed.folder
      const folder = join(path, "src")
      const [one, other] = [join(folder, "one.ts"), join(folder, "other.ts")]
      mkdirSync(folder)
      writeFileSync(one, "")
      writeFileSync(other, "")
      const before = handles()
      yield* Effect.scoped(Effect.gen(function*() {
        const told = yield* Queue.unbounded<string>()
        yield* Effect.forkScoped(
          Stream.runForEach(files.changes([path, one, other]), (name) => Queue.offer(told, name))
        )
        const tellsOf = (name: string): Effect.Effect<void> =>
          Effect.suspend(() => {
            writeFileSync(join(folder, name), "changed")
            const heard = Effect.repeat(Queue.take(told), { until: (file) => file === join("src", name) })
            return Effect.flatMap(Effect.timeoutOption(heard, 500), (heard) =>
              Option.isSome(heard) ? Effect.void : tellsOf(name))
          })
        yield* tellsOf("new.ts")
        rmSync(folder, { recursive: true })
        mkdirSync(folder)
        yield* tellsOf("again.ts")
      }))
      yield* Effect.eventually(Effect.suspend(() => handles() === before ? Effect.void : Effect.fail("watched")))
    }))
})

describe("the changes of files", () => {
  /** Watches paths below a folder, and takes the name of what a step has changed. */
  const watched = (prepare: (path: string) => ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { path } = yield* developed.folder
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(Stream.runForEach(files.changes(prepare(path)), (file) => Queue.offer(heard, file)))
      yield* Effect.sleep(300)
      const after = (step: () => void) =>
        Effect.gen(function*() {
          yield* Queue.clear(heard)
          step()
          const file = yield* Effect.timeoutOrElse(Queue.take(heard), {
            duration: 5_000,
            orElse: () => Effect.succeed("nothing")
          })
          // What belongs to the same step may follow.
          yield* Effect.sleep(600)
          return file
        })
      return { path, after }
    })

  it.live("are heard in a folder that takes the place of another, also below", () =>
    Effect.gen(function*() {
      const { after, path } = yield* watched((path) => {
        mkdirSync(join(path, "src", "lib"), { recursive: true })
        return [join(path, "src")]
      })
      const src = join(path, "src")
      const remade = yield* after(() => {
        rmSync(src, { recursive: true })
        mkdirSync(join(src, "lib"), { recursive: true })
      })
      assert.notStrictEqual(remade, "nothing")
      assert.strictEqual(yield* after(() => writeFileSync(join(src, "a.ts"), "1")), "a.ts")
      assert.strictEqual(yield* after(() => writeFileSync(join(src, "lib", "b.ts"), "1")), "lib/b.ts")
      yield* after(() => {
        rmSync(join(src, "lib"), { recursive: true })
        mkdirSync(join(src, "lib"))
      })
      assert.strictEqual(yield* after(() => writeFileSync(join(src, "lib", "b.ts"), "2")), "lib/b.ts")
      yield* after(() => renameSync(src, `${src}2`))
      assert.strictEqual(yield* after(() => renameSync(`${src}2`, src)), "src")
      assert.strictEqual(yield* after(() => writeFileSync(join(src, "a.ts"), "2")), "a.ts")
    }), 30_000)

  it.live("are heard behind links, of which some lead in circles", () =>
    Effect.gen(function*() {
      const { after, path } = yield* watched((path) => {
        for (const name of ["real", "far", "src"]) mkdirSync(join(path, name))
        writeFileSync(join(path, "real", "one.ts"), "")
        symlinkSync(join(path, "real", "one.ts"), join(path, "one.ts"))
        symlinkSync(join(path, "far"), join(path, "src", "far"))
        symlinkSync(join(path, "src"), join(path, "far", "src"))
        symlinkSync("self", join(path, "src", "self"))
        return [join(path, "one.ts"), join(path, "src")]
      })
      assert.strictEqual(yield* after(() => writeFileSync(join(path, "real", "one.ts"), "1")), "one.ts")
      assert.strictEqual(yield* after(() => writeFileSync(join(path, "far", "two.ts"), "1")), "far/two.ts")
    }), 30_000)

  it.live("name the first folder that is not watched, and why", () =>
    Effect.gen(function*() {
      const { path } = yield* developed.folder
      for (const name of ["one", "other", "third"]) mkdirSync(join(path, name))
      const unwatched = yield* Queue.unbounded<string>()
      const onUnwatched = (folder: string, why: string) => void Queue.offerUnsafe(unwatched, `${folder}: ${why}`)
      yield* Effect.forkScoped(Stream.runDrain(files.changes([path], { onUnwatched, most: 2 })))
      assert.match(yield* Queue.take(unwatched), /(?:one|other|third): there are more than 2 folders$/)
      yield* Effect.sleep(100)
      assert.deepStrictEqual(yield* Queue.clear(unwatched), [])
    }))

  it("are told of once where some file changes after each of three starts, as one that the server writes", () => {
    const own = new OwnFiles()
    assert.deepStrictEqual([0, 300, 600, 9_000].map((now) => own.mayWrite(now)), [false, false, false, false])
    const times = [12_000, 12_300, 12_600, 12_900, 13_200, 13_500]
    assert.deepStrictEqual(times.map((now) => own.mayWrite(now)), [false, false, false, true, false, false])
  })
})

describe("the folders that are watched where nobody names any", () => {
  it.effect("are those of all arguments that are files, and that of a program of the project", () =>
    Effect.gen(function*() {
      const { path } = yield* developed.folder
      for (const folder of ["tools", "src", "venv", "far"]) mkdirSync(join(path, folder))
      for (const file of ["tools/reg.mjs", "src/server.mjs", "far/real.mjs", "tools/server"]) {
        writeFileSync(join(path, file), "")
      }
      chmodSync(join(path, "tools/server"), 0o755)
      symlinkSync(process.execPath, join(path, "venv", "python"))
      symlinkSync(join(path, "far", "real.mjs"), join(path, "src", "link.mjs"))
      const of = (command: string, ...args: ReadonlyArray<string>) =>
        folders.of({ _tag: "Command", command, args }, path).map((folder) => folder.slice(path.length + 1))
      assert.deepStrictEqual(of("node", "--import", "./tools/reg.mjs", "src/server.mjs", "{}"), ["tools", "src"])
      assert.deepStrictEqual(of("node", "src/link.mjs"), ["src", "far"])
      assert.deepStrictEqual(of(process.execPath, "-m", "my_server"), [""])
      assert.deepStrictEqual(of("venv/python", "-m", "my_server"), [""])
      assert.deepStrictEqual(of("tools/server"), ["tools"])
      assert.deepStrictEqual(of("src/server.mjs"), ["src"])
    }))
})
