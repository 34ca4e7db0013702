/** What the how-tos say to install is what their code imports, and they need nothing that only a checkout has. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as checkoutPaths from "../../docs/checkoutPaths.ts"
import { type Fence, fencesOf } from "../../docs/Fence.ts"
import * as Install from "../../docs/Install.ts"

const root = join(import.meta.dirname, "../../..")
const read = (page: string) => readFileSync(join(root, page), "utf8")

/** The page about installing itself has lines for every case. */
const howTos = globSync("docs/how-to/*.md", { cwd: root })
  .filter((page) => page !== "docs/how-to/install.md").toSorted()

/** The blocks that stand before the first heading below the title and before the first module. */
const first = (text: string, fences: ReadonlyArray<Fence>): ReadonlyArray<Fence> => {
  const heading = text.split("\n").findIndex((line) => line.startsWith("## "))
  const module = fences.findIndex(({ language }) => language === "ts")
  return fences.slice(0, module < 0 ? undefined : module).filter(({ line }) => heading < 0 || line <= heading)
}

describe("a how-to begins with what it installs", () => {
  it.each(howTos)("%s", (page) => {
    const text = read(page)
    const fences = fencesOf(page, text)
    const expected = Install.linesOf(fences)
    const block = ["```bash", ...expected, "```"].join("\n")
    const installing = fences.filter(({ code }) => code.startsWith("npm install"))
    if (expected.length === 0) return assert.deepStrictEqual(installing, [])
    assert.deepStrictEqual(
      installing.map(({ code }) => code.split("\n")),
      [expected],
      `${page} has one block of commands to install, which is\n\n${block}\n`
    )
    assert.include(first(text, fences), installing[0], `${page} has it before its first heading and its first module`)
  })
})

describe("the lines of a page", () => {
  const of = (...blocks: ReadonlyArray<string>) => Install.linesOf(fencesOf("docs/page.md", blocks.join("\n\n")))
  const ts = (code: string) => `\`\`\`ts\n${code}\n\`\`\``
  const bash = (code: string) => `\`\`\`bash\n${code}\n\`\`\``

  it("name each package once, Effect first, without what Node.js has and the files of the page", () => {
    const code = `import express from "express"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import { NodeRuntime } from "@effect/platform-node"
import type { Tap } from "@parley/traffic"
import { createServer } from "node:http"
import { one } from "./one.ts"`
    assert.deepStrictEqual(of(ts(code), ts("const traffic = await import(\"@parley/traffic/Tap\")")), [
      "npm install effect @effect/platform-node @parley/mcp-gateway @parley/traffic express"
    ])
  })

  it("tell what only tests need", () => {
    const test = "import { it } from \"@effect/vitest\"\nimport { Laws } from \"@parley/conformance\""
    assert.deepStrictEqual(of(ts("import { Effect } from \"effect\""), ts(test)), [
      "npm install effect",
      "npm install --save-dev @effect/vitest @parley/conformance vitest"
    ])
  })

  it("bring the command as the page runs it", () => {
    assert.deepStrictEqual(of(bash("npx @parley/cli mcp inspect")), ["npm install --save-dev @parley/cli"])
    assert.deepStrictEqual(of(ts("const args = [\"@parley/cli\"]")), ["npm install --save-dev @parley/cli"])
    assert.deepStrictEqual(of(bash("echo 1 | parley call"), bash("npx @parley/cli")), [
      "npm install --global @parley/cli"
    ])
    assert.deepStrictEqual(of(bash("parley call nats://a:1/b c")), ["npm install --global @parley/cli @parley/nats"])
    assert.deepStrictEqual(of("```json\n[\"-y\", \"@parley/cli\"]\n```"), [])
    assert.deepStrictEqual(of(bash("npm install @parley/cli")), [])
  })
})

describe("no page for users needs a path of a checkout", () => {
  const pages = globSync("docs/{how-to,tutorial,migration}/*.md", { cwd: root })

  it.each(pages)("%s", (page) => assert.deepStrictEqual(checkoutPaths.linesOf(read(page)), []))

  it.each([
    "  args: [\"packages/cli/src/bin.ts\", \"serve\"],",
    "`packages/examples/src/demo` is the program",
    "node src/bin.ts",
    "node ./packages/cli"
  ])("such as %s", (line) => assert.deepStrictEqual(checkoutPaths.linesOf(`a\n${line}`), [`2: ${line.trim()}`]))

  it.each([
    "[The demo](../../packages/examples/src/demo/main.ts) is the program",
    "all packages of `node_modules/@parley`",
    "node src/main.ts"
  ])("but links and files of its own do: %s", (line) => assert.deepStrictEqual(checkoutPaths.linesOf(line), []))
})
