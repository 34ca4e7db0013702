import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { collect, commentsOf, type Fence, fencesOf, printedBy } from "../docs/Fence.ts"
import * as Modules from "../docs/Modules.ts"

const root = join(import.meta.dirname, "../..")

const page = `# Title

\`\`\`ts run
import { Effect } from "effect"
console.log(Effect.runSync(Effect.succeed(1))) // => 1
console.log("two words")
// => two words
\`\`\`

- item

  \`\`\`ts
  const wrong: string = 1
  \`\`\`

\`\`\`ts run
console.log("other") // => this
\`\`\`

\`\`\`ts run
process.exit(3)
\`\`\`

\`\`\`bash
ls
\`\`\`
`

const verify = (fence: Fence, { exitCode, stderr, stdout }: Modules.Outcome): void => {
  assert.strictEqual(exitCode, 0, stderr)
  const expected = printedBy(fence)
  if (expected.length > 0) assert.deepStrictEqual(stdout.trimEnd().split("\n"), expected)
}

describe("the code blocks of the documentation", () => {
  const fences = collect(root).filter(({ language }) => language === "ts")
  const folder = join(root, ".tmp/docs")
  Modules.write(root, folder, fences)
  const errors = fences.length === 0 ? new Map<string, ReadonlyArray<string>>() : Modules.compile(root, folder)
  const running = fences.filter(({ run }) => run)
  const outcomes = Modules.execute(root, folder, running)

  it("stand on packages that compile", () => {
    assert.deepStrictEqual(errors.get("") ?? [], [])
  })

  it("of pages import what is there for programs", () => {
    const shared = fences.filter(({ code, path }) => path.endsWith(".md") && /@parley\/\w[\w-]*\/shared\b/.test(code))
    assert.deepStrictEqual(shared.map(({ line, path }) => `${path}:${line}`), [])
  })

  for (const fence of fences) {
    const title = `${fence.path}:${fence.line}`
    it(`compile: ${title}`, () => {
      assert.deepStrictEqual(errors.get(Modules.fileOf(fence)) ?? [], [])
    })
  }

  for (const [index, fence] of running.entries()) {
    it(`run: ${fence.path}:${fence.line}`, { timeout: 600_000 }, async () => verify(fence, (await outcomes)[index]!))
  }
})

describe("the check of the code blocks", () => {
  const fences = fencesOf("docs/page.md", page)
  const modules = fences.filter(({ language }) => language === "ts")

  it("finds the blocks", () => {
    assert.deepStrictEqual(fences.map(({ language, line, run }) => [line, language, run]), [
      [3, "ts", true],
      [12, "ts", false],
      [16, "ts", true],
      [20, "ts", true],
      [24, "bash", false]
    ])
    assert.strictEqual(fences[1]?.code, "const wrong: string = 1")
  })

  it("finds the blocks of comments, every line at its place", () => {
    const source =
      "const x = 1\n/**\n * Text\n *\n * ```ts run\n * f(\n *   1\n * )\n * ```\n */\nconst y = `\n```ts\n`\n"
    assert.deepStrictEqual(fencesOf("x.ts", commentsOf(source)), [
      { path: "x.ts", line: 5, language: "ts", run: true, code: "f(\n  1\n)" }
    ])
  })

  it("gives the blocks that a page names to each other", () => {
    const named = fencesOf(
      "docs/two.md",
      "```ts one.ts\nexport const one = 1\n```\n```ts run\nimport { one } from \"./one.ts\"\n```\n" +
        "```ts run two.ts\nimport { one } from \"./one.ts\"\nexport const two: string = one\n```"
    )
    assert.deepStrictEqual(named.map(({ file, run }) => [file, run]), [["one.ts", false], [undefined, true], [
      "two.ts",
      true
    ]])
    const folder = join(root, ".tmp/docs-named")
    Modules.write(root, folder, named)
    const errors = Modules.compile(root, folder)
    assert.sameMembers([...errors.keys()], ["docs-two-md-4.ts", "docs-two-md/two.ts"])
    assert.match(errors.get("docs-two-md/two.ts")!.join(), /\(9,14\): error TS2322/)
  })

  it("refuses what it would not check", () => {
    assert.throws(() => fencesOf("x.md", "```typescript\n```"), /x\.md:1 is typescript/)
    assert.throws(() => fencesOf("x.md", "```ts nocheck\n```"), /knows only the word run/)
    assert.throws(() => fencesOf("x.md", "\n```ts\n"), /x\.md:2 opens/)
    assert.throws(() => fencesOf("x.md", "```ts a.ts\n```\n```ts a.ts\n```"), /x\.md:3 is the second block .* a\.ts/)
  })

  it("reports what waits for ever, and goes on", async () => {
    const folder = join(root, ".tmp/docs-waits")
    const waiting = fencesOf(
      "docs/waits.md",
      "```ts run\nawait new Promise(() => {})\nexport {}\n```\n\n```ts run\nconsole.log(1) // => 1\n```\n"
    )
    Modules.write(root, folder, waiting)
    const [first, second] = await Modules.execute(root, folder, waiting)
    assert.deepInclude(first, { exitCode: 1, stdout: "" })
    assert.match(first!.stderr, /it waits for ever/)
    verify(waiting[1]!, second!)
  })

  it("reports what does not compile, at its line, and what does not run or prints something else", async () => {
    const folder = join(root, ".tmp/docs-check")
    Modules.write(root, folder, modules)
    const errors = Modules.compile(root, folder)
    const [right, wrong, other, exit] = modules
    assert.deepStrictEqual([...errors.keys()], [Modules.fileOf(wrong!)])
    assert.match(errors.get(Modules.fileOf(wrong!))!.join(), /\(13,7\): error TS2322/)
    const [first, second, third] = await Modules.execute(root, folder, [exit!, right!, other!])
    assert.strictEqual(first?.exitCode, 3)
    verify(right!, second!)
    assert.throws(() => verify(other!, third!))
  })
})
