import { assert, describe, it } from "@effect/vitest"
import * as Skill from "@parley/mcp-apps/Skill"
import { Effect, Result } from "effect"
import * as Frontmatter from "../src/internal/skill/frontmatter.ts"

const text = (yaml: string) => `---\n${yaml}\n---\n`

const failure = (content: string | Uint8Array, path = "a/SKILL.md") =>
  Effect.map(Effect.flip(Skill.fromFiles([{ path, content }])), ({ rule }) => rule)

describe("the skills in a folder", () => {
  it.effect("are put below a prefix, and list the files of nested skills, too", () =>
    Effect.gen(function*() {
      const skills = yield* Skill.fromFiles([
        { path: "a/SKILL.md", content: text("name: a\ndescription: A.") },
        { path: "a/b/SKILL.md", content: text("name: b\ndescription: B.") },
        { path: "a/b/x y.txt", content: "" },
        { path: "ab/SKILL.md", content: text("name: ab\ndescription: AB.") }
      ], { prefix: "team/docs" })
      const listed = skills.map(({ entry: { resources } }) =>
        resources === "dynamic" ? [] : resources.map(({ uri }) => uri.slice("skill://team/docs/".length))
      )
      assert.deepStrictEqual(listed, [["a/SKILL.md", "a/b/SKILL.md", "a/b/x%20y.txt"], [
        "a/b/SKILL.md",
        "a/b/x%20y.txt"
      ], [
        "ab/SKILL.md"
      ]])
    }))

  it.effect("are refused where a rule is broken, with the path and the rule", () =>
    Effect.gen(function*() {
      const good = text("name: a\ndescription: A.")
      assert.include(yield* failure(good, "../a/SKILL.md"), "leads elsewhere")
      assert.include(yield* failure(good, "a//SKILL.md"), "leads elsewhere")
      assert.include(yield* failure(good, "/a/SKILL.md"), "leads elsewhere")
      assert.include(yield* failure(good, "SKILL.md"), "a folder of its own")
      assert.include(yield* failure(good, "b/SKILL.md"), "its name is a, and that of its folder is not")
      assert.include(yield* failure(text("name: A\ndescription: A."), "A/SKILL.md"), "1 to 64 lower case letters")
      assert.include(yield* failure(text("name: a--b\ndescription: A."), "a--b/SKILL.md"), "single hyphens")
      assert.include(yield* failure(text("name: a")), "description")
      assert.include(yield* failure(text("name: a\ndescription: 1")), "description")
      assert.include(yield* failure(text(`name: a\ndescription: ${"x".repeat(1_025)}`)), "1 to 1024 characters")
      assert.include(yield* failure(text("name: a\ndescription: A.\nmetadata: {a: 1}")), "its metadata are strings")
      assert.include(yield* failure(text("name: a\ndescription: A.\ncompatibility: ''")), "1 to 500 characters")
      assert.include(yield* failure("name: a"), "does not begin with a frontmatter")
      assert.include(yield* failure("---\nname: a\n"), "does not begin with a frontmatter")
      assert.include(yield* failure(Uint8Array.from([0xff])), "no UTF-8")
      assert.include(yield* failure(text("- a")), "no mapping")
      const twice = yield* Effect.flip(Skill.fromFiles([{ path: "a/b", content: "" }, { path: "a/b", content: "" }]))
      assert.deepInclude(twice, { _tag: "InvalidSkill", path: "a/b", rule: "it is there twice" })
      const many = Array.from({ length: 512 }, (_, index) => ({ path: `a/${index}`, content: "" }))
      const tooMany = yield* Effect.flip(Skill.fromFiles([{ path: "a/SKILL.md", content: good }, ...many]))
      assert.include(tooMany.rule, "more than 512 files")
      const large = { path: "a/large", content: new Uint8Array(Skill.mostBytes) }
      const tooLarge = yield* Effect.flip(Skill.fromFiles([{ path: "a/SKILL.md", content: good }, large]))
      assert.include(tooLarge.rule, "more than 16777216 bytes")
    }))
})

describe("a frontmatter", () => {
  it("is what stands between two lines of hyphens, also behind a byte order mark and with other line ends", () => {
    for (const whole of ["---\na: 1\n---\nb: 2\n---\n", "\uFEFF---\r\na: 1\r\n---\r\n", "---\na: 1\n---"]) {
      assert.deepStrictEqual(Frontmatter.read(whole), Result.succeed({ a: 1 }))
    }
    assert.deepStrictEqual(Frontmatter.read("---\na: |\n  ---\n  x\n---\n"), Result.succeed({ a: "---\nx\n" }))
  })

  it("is bounded, however much its text stands for, and says no more than JSON can", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x, x]",
      ...["b", "c", "d", "e", "f"].map((name, index) => {
        const before = ["a", "b", "c", "d", "e"][index]
        return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(", ")}]`
      })
    ].join("\n")
    const deep = `a: ${"[".repeat(40)}${"]".repeat(40)}`
    const deeper = `a: ${"[".repeat(8_000)}${"]".repeat(8_000)}`
    for (
      const [yaml, rule] of [
        [bomb, "more than 10000 values"],
        [deep, "more than 32 levels"],
        [deeper, "cannot be read"],
        ["a: .inf", "JSON has no Infinity"],
        ["a: 1\na: 2", "Duplicate key"],
        [`a: ${"x".repeat(16 * 1024)}`, "more than 16384 characters"]
      ] as const
    ) {
      const read = Frontmatter.read(text(yaml))
      assert.include(Result.isFailure(read) ? read.failure : "it was read", rule)
    }
  })
})
