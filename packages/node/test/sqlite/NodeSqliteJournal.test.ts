import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { weightOf } from "@parley/mesh/Journal"
import * as NodeSqliteJournal from "@parley/node/NodeSqliteJournal"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { entry, gap } from "../../../conformance/src/internal/journal/tiling.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-journal-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const laws = [
  ...Laws.ofJournal({
    name: "the journal in a file of SQLite",
    wait: (milliseconds) => TestClock.adjust(milliseconds),
    open: (bounds) => Effect.map(folder, (folder) => NodeSqliteJournal.make({ path: join(folder, "j"), ...bounds }))
  }),
  ...Laws.ofJournal({
    name: "the journal of SQLite in memory",
    wait: (milliseconds) => TestClock.adjust(milliseconds),
    open: (bounds) =>
      Effect.map(NodeSqliteJournal.make({ path: ":memory:", ...bounds }), (journal) => Effect.succeed(journal))
  })
]

for (const law of laws) it.effect(law.name, () => law.check)

const worker = join(import.meta.dirname, "fixtures", "writer.ts")

/** A process that appends to a journal: what it says, and how it ends. */
const process = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(globalThis.process.execPath, [worker, ...args], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

/** Another connection to the file. */
const locking = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path)),
    (other) => Effect.sync(() => other.close())
  )

describe("a journal in a file of SQLite", () => {
  it.effect("is there for who opens it again, with its epochs, and its file is its owner's alone", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      const first = yield* Scope.make()
      const before = yield* Scope.provide(NodeSqliteJournal.make({ path }), first)
      yield* before.append("k", "a", 3)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      yield* Scope.close(first, Exit.void)
      const after = yield* NodeSqliteJournal.make({ path })
      assert.deepStrictEqual(yield* after.read("k", 0), [entry(1, "a")])
      assert.strictEqual((yield* Effect.flip(after.append("k", "b", 2)))._tag, "Fenced")
    }))

  it.effect("bounds the weight of all keys: what was written to longest ago goes first", () =>
    Effect.gen(function*() {
      const journal = yield* NodeSqliteJournal.make({
        path: ":memory:",
        total: 3 * (256 + weightOf("x".repeat(1_000)))
      })
      for (const key of ["a", "b", "c"]) {
        yield* journal.append(key, "x".repeat(1_000), 0)
        yield* TestClock.adjust(1)
      }
      assert.deepStrictEqual((yield* journal.read("a", 0)).length, 1)
      yield* journal.append("d", "x".repeat(1_000), 0)
      assert.deepStrictEqual(yield* journal.read("a", 0), [])
      for (const key of ["b", "c", "d"]) assert.deepStrictEqual((yield* journal.read(key, 0)).length, 1)
    }))

  it.effect("ends who follows a key that another process drops, also where the key is there again", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      const [ours, theirs] = [yield* NodeSqliteJournal.make({ path }), yield* NodeSqliteJournal.make({ path })]
      yield* ours.append("k", "a", 0)
      const following = yield* Effect.forkChild(Stream.runCollect(ours.follow("k", 0)), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      yield* theirs.drop("k", 0)
      yield* theirs.append("k", "b", 0)
      yield* theirs.append("k", "c", 0)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(following), [entry(1, "a")])
    }))

  it.effect("fails in a type where its file is none, or of a newer version", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      writeFileSync(path, "this is no database, and long enough to be seen as none ".repeat(20))
      const error = yield* Effect.flip(NodeSqliteJournal.make({ path }))
      assert.strictEqual(error._tag, "SqliteFileError")
      assert.include(error.message, path)
    }))

  it.effect("waits for the lock of another process beside the event loop, and keeps the order of what waits", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      const journal = yield* NodeSqliteJournal.make({ path })
      const other = yield* locking(path)
      other.exec("BEGIN IMMEDIATE")
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`)
      const appending = yield* Effect.forEach(
        texts,
        (text) => Effect.forkChild(journal.append("k", text, 0), { startImmediately: true })
      )
      // Nothing has stood still, though SQLite would have waited by now for each of them.
      assert.isTrue(appending.every((fiber) => fiber.pollUnsafe() === undefined))
      yield* TestClock.adjust("500 millis")
      assert.isTrue(appending.every((fiber) => fiber.pollUnsafe() === undefined))
      other.exec("ROLLBACK")
      yield* TestClock.adjust("100 millis")
      yield* Effect.forEach(appending, Fiber.join)
      assert.deepStrictEqual(yield* journal.read("k", 0), texts.map((text, at) => entry(at + 1, text)))
    }))

  it.effect("refuses all that have waited for `busy`, however many they are", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      const journal = yield* NodeSqliteJournal.make({ path, busy: "300 millis" })
      const other = yield* locking(path)
      other.exec("BEGIN IMMEDIATE")
      const appending = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(Effect.flip(journal.append("k", "a", 0)), { startImmediately: true }))
      yield* TestClock.adjust("400 millis")
      for (const fiber of appending) {
        const error = yield* Fiber.join(fiber)
        assert.deepStrictEqual([error._tag, error.message.includes("database is locked")], ["Overloaded", true])
      }
      other.exec("ROLLBACK")
      assert.strictEqual(yield* journal.append("k", "b", 0), 1)
    }))

  it.effect("is opened when another process lets go of the file", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "j")
      const other = yield* locking(path)
      other.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE")
      const opening = yield* Effect.forkChild(NodeSqliteJournal.make({ path }), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      assert.isUndefined(opening.pollUnsafe())
      other.exec("ROLLBACK")
      yield* TestClock.adjust("100 millis")
      const journal = yield* Fiber.join(opening)
      assert.strictEqual(yield* journal.append("k", "a", 0), 1)
    }))

  it.live(
    "is written to by many processes at once, and each text has a place of its own",
    () =>
      Effect.gen(function*() {
        const path = join(yield* folder, "j")
        const children = yield* Effect.forEach(["a", "b", "c"], (name) => process(path, "many", name))
        const ends = yield* Effect.promise(() => Promise.all(children.map((child) => once(child, "exit"))))
        assert.deepStrictEqual(ends.map(([code]) => code), [0, 0, 0])
        const journal = yield* NodeSqliteJournal.make({ path })
        const items = yield* journal.read("k", 0)
        assert.deepStrictEqual(
          items.map((item) => item._tag === "Entry" ? item.position : 0),
          Array.from({ length: 150 }, (_, n) => n + 1)
        )
        for (const name of ["a", "b", "c"]) {
          const own = items.flatMap((item) => item._tag === "Entry" && item.text.startsWith(name) ? [item.text] : [])
          assert.deepStrictEqual(own, Array.from({ length: 50 }, (_, n) => `${name}${n}`))
        }
      }),
    30_000
  )

  it.live(
    "keeps what a process has appended that is killed, and its readers in other processes go on",
    () =>
      Effect.gen(function*() {
        const path = join(yield* folder, "j")
        const journal = yield* NodeSqliteJournal.make({ path, interval: "20 millis" })
        const child = yield* process(path, "endless", "a")
        const said = text(child.stdout)
        const seen = yield* Stream.runCollect(Stream.take(journal.follow("k", 0), 20))
        child.kill("SIGKILL")
        yield* Effect.promise(() => once(child, "exit"))
        const last = Number((yield* Effect.promise(() => said)).trim().split("\n").at(-1))
        assert.deepStrictEqual(seen, Array.from({ length: 20 }, (_, n) => entry(n + 1, `a${n}`)))
        const kept = yield* journal.read("k", last - 1)
        assert.deepStrictEqual(kept[0], entry(last, `a${last - 1}`))
        assert.deepStrictEqual(yield* journal.read("k", 1_000_000), [gap(1_000_000, last + kept.length)])
      }),
    30_000
  )
})
