import { assert, describe, it } from "@effect/vitest"
import * as NodeFolder from "@parley/node/NodeFolder"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const folder = (files: { readonly [path: string]: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = mkdtempSync(join(tmpdir(), "parley-folder-"))
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(join(root, dirname(path)), { recursive: true })
        writeFileSync(join(root, path), content)
      }
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true }))
  )

const some = { "b/c/d.txt": "d", "a.txt": "größer", ".hidden": "x", "b/.git/config": "x", "b/empty": "" }

const decoder = new TextDecoder()

describe("the files of a folder", () => {
  it.live("are read in the order of their names, without what is hidden", () =>
    Effect.gen(function*() {
      const files = yield* NodeFolder.read(yield* folder(some))
      assert.deepStrictEqual(files.map(({ content, path }) => [path, decoder.decode(content)]), [
        ["a.txt", "größer"],
        ["b/c/d.txt", "d"],
        ["b/empty", ""]
      ])
    }))

  it.live("are no links, wherever these lead", () =>
    Effect.gen(function*() {
      const root = yield* folder(some)
      symlinkSync("/etc/passwd", join(root, "b/z"))
      const error = yield* Effect.flip(NodeFolder.read(root))
      assert.deepInclude(error, { _tag: "FolderError", path: "b/z" })
      assert.include(error.message, "links are not followed")
      const other = yield* folder({ "a.txt": "a" })
      symlinkSync(root, join(other, "loop"))
      assert.strictEqual((yield* Effect.flip(NodeFolder.read(other))).path, "loop")
    }))

  it.live("are read one by one by the same rules", () =>
    Effect.gen(function*() {
      const root = yield* folder(some)
      const beside = yield* folder({ "x.txt": "x" })
      symlinkSync(join(beside, "x.txt"), join(root, "file"))
      symlinkSync(beside, join(root, "b/folder"))
      symlinkSync(join(root, "a.txt"), join(root, "own"))
      assert.strictEqual(decoder.decode(yield* NodeFolder.readFile(root, "b/c/d.txt")), "d")
      assert.strictEqual(decoder.decode(yield* NodeFolder.readFile(root, "a.txt", { bytes: 8 })), "größer")
      for (
        const [path, rule] of [
          ["file", "links are not followed"],
          ["b/folder/x.txt", "links are not followed"],
          ["own", "links are not followed"],
          ["b", "it is neither a file nor a folder"],
          ["../x.txt", "leads out of the folder"],
          ["b/../../x.txt", "leads out of the folder"],
          [join(beside, "x.txt"), "leads out of the folder"],
          ["", "leads out of the folder"],
          ["none", "ENOENT"]
        ] as const
      ) {
        const error = yield* Effect.flip(NodeFolder.readFile(root, path))
        assert.include(error.message, rule, path)
      }
      const large = yield* Effect.flip(NodeFolder.readFile(root, "a.txt", { bytes: 7 }))
      assert.include(large.rule, "its 8 bytes are more than are left: 7")
    }))

  it.live("are no more than the bounds allow", () =>
    Effect.gen(function*() {
      const root = yield* folder(some)
      for (
        const [options, path, rule] of [
          [{ files: 2 }, "b/empty", "more than 2 files"],
          [{ bytes: 8 }, "b/c/d.txt", "its 1 bytes are more than are left: 0"],
          [{ depth: 2 }, "b/c", "more than 2 folders"]
        ] as const
      ) {
        const error = yield* Effect.flip(NodeFolder.read(root, options))
        assert.strictEqual(error.path, path)
        assert.include(error.rule, rule)
      }
      assert.lengthOf(yield* NodeFolder.read(root, { files: 3, bytes: 9, depth: 3 }), 3)
    }))

  it.live("a folder that is not there is an error with its cause", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(NodeFolder.read("/nowhere/at/all"))
      assert.include(error.rule, "ENOENT")
    }))
})
