import { assert, describe, it } from "@effect/vitest"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, Result, Schema } from "effect"
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import * as extension from "../../../src/internal/mcp/files/extension.ts"
import * as Target from "../../../src/internal/mcp/files/Target.ts"
import { configured } from "../gateway/configured.ts"

const image = (mediaType: string) => ({ kind: "image", mediaType }) as const

describe("the files of a result", () => {
  it("have the name that was asked for, and numbers where there are several", () => {
    const file = { isFolder: false, path: "out/pixel.v2.png" }
    assert.deepStrictEqual(Target.pathsOf(file, [image("image/png")]), ["out/pixel.v2.png"])
    assert.deepStrictEqual(Target.pathsOf(file, [image("image/png"), image("image/gif")]), [
      "out/pixel.v2-1.png",
      "out/pixel.v2-2.png"
    ])
    assert.deepStrictEqual(Target.pathsOf({ isFolder: false, path: "a" }, [image("b/c"), image("b/c")]), ["a-1", "a-2"])
  })

  it("are named by their types in a folder", () => {
    const types = ["image/png", "image/jpeg", "audio/x-wav", "image/svg+xml", "application/ld+json", "text/plain"]
    assert.deepStrictEqual(types.map((type) => extension.ofType(type)), [
      ".png",
      ".jpg",
      ".wav",
      ".svg",
      ".json",
      ".txt"
    ])
    assert.deepStrictEqual(
      [undefined, "", "application/octet-stream", "constructor/constructor", "a/../../etc/passwd", "a/.bashrc"].map(
        extension.ofType
      ),
      [".bin", ".bin", ".bin", ".bin", ".bin", ".bin"]
    )
  })

  it.prop("have names that no server chose", [Schema.String], ([type]) => {
    const [path = ""] = Target.pathsOf({ isFolder: true, path: "out" }, [image(type), image(`image/${type}`)])
    assert.match(path, /^out\/image-1\.[a-z0-9]{1,8}$/)
    assert.strictEqual(basename(path), path.slice("out/".length))
  })

  it("are images, audio and bytes, and no text", () => {
    const blocks = [
      Content.text("a"),
      Content.image("AAAA", "image/png"),
      Content.audio("AA==", "audio/wav"),
      Content.resource(Content.textContents("x:y", "text")),
      Content.link({ name: "a", uri: "x:y" })
    ]
    assert.deepStrictEqual(Target.ofBlocks(blocks).map(({ bytes, kind }) => [kind, Result.getOrThrow(bytes).length]), [
      ["image", 3],
      ["audio", 1]
    ])
  })

  it.live("are not written where one of them is invalid Base64, which is an error of the server", () =>
    Effect.gen(function*() {
      const { folder } = yield* configured("")
      const path = join(folder, "a.png")
      for (const data of ["AA=A", "A", "!!!!", "data:image/png;base64,AAAA"]) {
        const blocks = [Content.image("AAAA", "image/png"), Content.audio(data, "audio/wav")]
        const error = yield* Effect.flip(Target.write({ isFolder: false, path }, Target.ofBlocks(blocks)))
        assert.strictEqual(error.exitCode, 1)
        assert.strictEqual(
          error.message,
          "the server has sent invalid Base64 as file 2 of 2 (audio): nothing is written"
        )
      }
      assert.deepStrictEqual((yield* Effect.promise(() => readdir(folder))).filter((name) => name.startsWith("a")), [])
    }))

  it.live("are no wrong arguments where they cannot be written", () =>
    Effect.gen(function*() {
      const { folder } = yield* configured("")
      const target = { isFolder: false, path: folder }
      const error = yield* Effect.flip(Target.write(target, Target.ofBlocks([Content.image("AAAA", "image/png")])))
      assert.strictEqual(error.exitCode, 74)
      assert.include(error.message, `${folder} cannot be written: `)
    }))
})
