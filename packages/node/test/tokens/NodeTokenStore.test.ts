import { assert, describe, it } from "@effect/vitest"
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import { Clock, Deferred, Effect, Exit, Fiber, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { watch } from "node:fs"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = Effect.acquireRelease(
  Effect.promise(async () => join(await fs.mkdtemp(join(tmpdir(), "parley-tokens-")), "made", "here")),
  (directory) => Effect.promise(() => fs.rm(join(directory, "../.."), { recursive: true, force: true }))
)

const only = (directory: string) =>
  Effect.promise(async () => (await fs.readdir(directory)).map((name) => join(directory, name)))

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** A clock of which parts are others. */
const clockOf = (live: Clock.Clock, others: Partial<Clock.Clock>): Clock.Clock => ({
  currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
  currentTimeMillis: live.currentTimeMillis,
  currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
  currentTimeNanos: live.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: live.monotonicTimeNanos,
  sleep: (duration) => live.sleep(duration),
  ...others
})

const secret = Redacted.make("a secret\nof two lines")

describe("tokens in files", () => {
  it.live("come back, are replaced and removed", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      assert.isUndefined(yield* store.get("a"))
      yield* store.set("a", secret)
      yield* store.set("../b", Redacted.make("b"))
      const found = yield* NodeTokenStore.make({ directory }).get("a")
      assert.strictEqual(found && Redacted.value(found), "a secret\nof two lines")
      yield* store.set("a", Redacted.make("other"))
      assert.strictEqual((yield* only(directory)).length, 2)
      yield* store.remove("a")
      yield* store.remove("a")
      assert.isUndefined(yield* store.get("a"))
    }))

  it.live("only their owner can read, whatever the umask is", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      const before = process.umask(0)
      yield* Effect.ensuring(store.set("a", secret), Effect.sync(() => process.umask(before)))
      const [path = ""] = yield* only(directory)
      const modes = yield* Effect.promise(() => Promise.all([path, directory].map((path) => fs.stat(path))))
      assert.deepStrictEqual(modes.map(({ mode }) => mode & 0o777), [0o600, 0o700])
    }))

  it.live("that others could read are refused, and the error tells what to do and no secret", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      yield* store.set("a", secret)
      const [path = ""] = yield* only(directory)
      yield* Effect.promise(() => fs.chmod(path, 0o644))
      const error = yield* Effect.flip(store.get("a"))
      assert.include(error.message, path)
      assert.include(error.message, "chmod 600")
      assert.notInclude(error.message, "secret")
    }))

  it.live("that are links are refused", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      yield* store.set("a", secret)
      const [path = ""] = yield* only(directory)
      yield* Effect.promise(async () => {
        await fs.rename(path, `${path}.other`)
        await fs.symlink(`${path}.other`, path)
      })
      assert.strictEqual((yield* Effect.flip(store.get("a")))._tag, "TokenFileError")
    }))

  it.live("a folder that cannot be made is an error with its path", () =>
    Effect.gen(function*() {
      const store = NodeTokenStore.make({ directory: "/dev/null/tokens" })
      assert.include((yield* Effect.flip(store.set("a", secret))).message, "/dev/null/tokens")
      assert.include((yield* Effect.flip(store.withLock("a", Effect.void))).message, "/dev/null/tokens")
    }))
})

describe("the lock of a key", () => {
  it.live("has one holder at a time, in four processes", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const run = Effect.callback<void>((resume) => {
        execFile(process.execPath, [program("counter.ts"), directory, "25"], (error) => {
          resume(error === null ? Effect.void : Effect.die(error))
        })
      })
      yield* Effect.all([run, run, run, run], { concurrency: "unbounded" })
      const count = yield* NodeTokenStore.make({ directory }).get("count")
      assert.strictEqual(count && Redacted.value(count), "100")
    }))

  it.live("is free when its holder was killed, after a time", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      yield* Effect.scoped(Effect.gen(function*() {
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(process.execPath, [program("holder.ts"), directory, "a"], { stdio: "pipe" })),
          (child) =>
            Effect.callback<void>((resume) => {
              child.on("exit", () => resume(Effect.void))
              child.kill("SIGKILL")
            })
        )
        yield* Effect.callback<void>((resume) => {
          child.stdout.once("data", () => resume(Effect.void))
        })
      }))
      const store = NodeTokenStore.make({ directory, patience: "200 millis" })
      assert.strictEqual(yield* store.withLock("a", Effect.succeed("ours")), "ours")
      assert.deepStrictEqual(yield* only(directory), [])
    }))

  it.live("that its holder left is taken away by one of those who wait, and by another where that one died, too", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      let minutes = 0n
      const live = yield* Clock.Clock
      const hasty = clockOf(live, { monotonicTimeNanosUnsafe: () => 60_000_000_000n * minutes++ })
      yield* store.withLock(
        "a",
        Effect.gen(function*() {
          const [path = ""] = yield* only(directory)
          yield* Effect.promise(() => fs.writeFile(path, "of another"))
          yield* Effect.promise(() => fs.writeFile(`${path}.0`, ""))
        })
      )
      yield* Effect.provideService(store.withLock("a", Effect.void), Clock.Clock, hasty)
      assert.strictEqual(minutes, 3n)
    }))

  const touched = (directory: string) =>
    Effect.callback<void>((resume) => {
      const watcher = watch(directory, (event, name) => {
        if (event === "change" && name?.endsWith(".lock") === true) resume(Effect.void)
      })
      return Effect.sync(() => watcher.close())
    })

  it.live("is touched by its holder for as long as it is held", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory, patience: "100 millis" })
      yield* store.withLock("a", Effect.andThen(touched(directory), touched(directory)))
    }))

  it.live("is touched by a holder that is interrupted, until it has ended", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory, patience: "100 millis" })
      const held = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const work = Deferred.succeed(held, undefined).pipe(
        Effect.andThen(Deferred.await(go)),
        Effect.andThen(touched(directory)),
        Effect.andThen(touched(directory)),
        Effect.uninterruptible
      )
      const holder = yield* Effect.forkChild(store.withLock("a", work))
      yield* Deferred.await(held)
      const closing = yield* Effect.forkChild(Fiber.interrupt(holder), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(yield* only(directory), [])
    }))

  it.live("that cannot be written is not left behind", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const { code, said } = yield* Effect.callback<{ readonly code: unknown; readonly said: string }>((resume) => {
        // No file may grow there, as on a full disk.
        const words = ["-c", `ulimit -f 0; exec "$@"`, "sh", process.execPath, program("cramped.ts"), directory]
        execFile("sh", words, (error, said) => resume(Effect.succeed({ code: error?.code ?? 0, said })))
      })
      assert.deepStrictEqual({ code, said }, { code: 0, said: "TokenFileError\n" })
      assert.deepStrictEqual(yield* only(directory), [])
    }))

  it.live("is not taken from a holder that lives where the time of day is set", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      const live = yield* Clock.Clock
      const looked = yield* Deferred.make<void>()
      let minutes = 0
      let pauses = 0
      const set = clockOf(live, {
        currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe() + 60_000 * minutes++,
        sleep: (duration) => {
          if (++pauses === 4) Deferred.doneUnsafe(looked, Effect.void)
          return live.sleep(duration)
        }
      })
      yield* store.withLock(
        "a",
        Effect.gen(function*() {
          const waiter = yield* Effect.forkChild(
            Effect.provideService(store.withLock("a", Effect.succeed("taken")), Clock.Clock, set)
          )
          yield* Effect.raceFirst(Deferred.await(looked), Fiber.await(waiter))
          assert.isUndefined(waiter.pollUnsafe())
          yield* Fiber.interrupt(waiter)
        })
      )
    }))

  it.live("is free when its holder fails, and a waiter that gives up waits no more", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const store = NodeTokenStore.make({ directory })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(store.withLock("a", Effect.fail("no")))))
      const held = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        store.withLock("a", Effect.andThen(Deferred.succeed(held, undefined), Effect.never))
      )
      yield* Deferred.await(held)
      const waiter = yield* Effect.forkChild(store.withLock("a", Effect.void), { startImmediately: true })
      yield* Fiber.interrupt(waiter)
      yield* Fiber.interrupt(holder)
      yield* store.withLock("a", Effect.void)
      assert.deepStrictEqual(yield* only(directory), [])
    }))
})
