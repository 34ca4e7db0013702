import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as wholeFile from "../../src/internal/files/wholeFile.ts"
import { configured } from "../mcp/gateway/configured.ts"

/** A new file of user 1 and group 1, who may give it to group 2 as well, or to anybody as root. */
const created = (isRoot: boolean) => {
  let owner = { uid: 1, gid: 1 }
  return {
    stat: () => Promise.resolve(owner as never),
    chown: (uid: number, gid: number) => {
      if (!isRoot && (uid !== 1 || gid > 2)) return Promise.reject(new Error("EPERM"))
      owner = { uid, gid }
      return Promise.resolve()
    },
    owner: () => owner
  }
}

describe("the owner of a file that is replaced", () => {
  const own = async (isRoot: boolean, before: { readonly uid: number; readonly gid: number }) => {
    const file = created(isRoot)
    const mode = await wholeFile.own(file, "/a/keys.json", { ...before, mode: 0o100_664 })
    return [mode, file.owner()]
  }

  it("stays, and so does a group that may be given", async () => {
    assert.deepStrictEqual(await own(false, { uid: 1, gid: 1 }), [0o664, { uid: 1, gid: 1 }])
    assert.deepStrictEqual(await own(false, { uid: 1, gid: 2 }), [0o664, { uid: 1, gid: 2 }])
    assert.deepStrictEqual(await own(true, { uid: 5, gid: 5 }), [0o664, { uid: 5, gid: 5 }])
  })

  it("lets no other group read it where the group cannot be kept", async () => {
    assert.deepStrictEqual(await own(false, { uid: 1, gid: 5 }), [0o604, { uid: 1, gid: 1 }])
  })

  it("is named where another user would become it", async () => {
    const failed = await own(false, { uid: 5, gid: 1 }).catch((cause: unknown) => cause)
    assert.strictEqual(
      String(failed),
      "Error: only root can replace /a/keys.json, because it belongs to another user (uid 5)"
    )
  })
})

describe("a file that cannot be written", () => {
  it("is named, and not the one that was to replace it", async () => {
    const path = join(tmpdir(), crypto.randomUUID(), "none.lock.json")
    const failed = await wholeFile.replace(path, "{}").catch((cause: unknown) => cause)
    assert.strictEqual(String(failed), `Error: ENOENT: no such file or directory, open '${path}'`)
  })
})

describe("a file that a process holds", () => {
  it.live("is let go by a replacement, an error and an interruption", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured("0")
      const namesIn = Effect.promise(() => readdir(folder))
      const held = wholeFile.hold(file)

      yield* Effect.scoped(Effect.flatMap(held, ({ replace }) => replace("1")))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(Effect.andThen(held, Effect.fail("broken"))))))
      const holder = yield* Effect.forkChild(Effect.scoped(Effect.andThen(held, Effect.never)), {
        startImmediately: true
      })
      while ((yield* namesIn).length === 1) yield* Effect.yieldNow
      const waiting = yield* Effect.forkChild(Effect.scoped(held), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      assert.sameMembers(yield* namesIn, [basename(file), `${basename(file)}.parley`])
      yield* Fiber.interrupt(holder)

      assert.deepStrictEqual(yield* namesIn, [basename(file)])
      assert.strictEqual(yield* Effect.promise(() => readFile(file, "utf8")), "1")
    }))
})
