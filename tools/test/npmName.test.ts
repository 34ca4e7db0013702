/** The package `parley` of npm is another project's: ours is `@parley/cli`, and no text of ours has people run a stranger's. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** A command that takes a package from npm, and a package that is `parley` alone. */
const foreign =
  /\b(?:npx|bunx|pnpx|deno run npm:|npm (?:exec|x|i|install|add)|(?:pnpm|yarn|bun) (?:dlx|x|add))(?:\s+-\S+)*[\s:]+["']?parley(?![\w/-])/

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => foreign.test(line))

/** The same as a program starts it: the command, and its arguments in a list. */
const started = /\b(?:npx|bunx|pnpx)["'],?\s*(?:["']?args["']?:\s*)?\[(?:\s*["']-\S*["'],)*\s*["']parley["']/g

const starts = (text: string): ReadonlyArray<string> => text.match(started) ?? []

describe("the command is taken from @parley/cli", () => {
  it("in every text of the repository", () => {
    const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
      .split("\0")
      .filter((file) => /\.(?:[cm]?[jt]sx?|md|json|ya?ml|html|css|svg|txt|sh|py)$|(?:^|\/)[^./]+$/.test(file))
      .filter((file) => file !== "tools/test/npmName.test.ts" && !file.endsWith("CHANGELOG.md"))
    assert.isAbove(files.length, 1_000)
    const found = files.flatMap((file) =>
      [...lines(read(file)), ...starts(read(file))].map((line) => `${file}: ${line.trim()}`)
    )
    assert.deepStrictEqual(found, [])
  })

  it.each([
    "npx parley call tcp://127.0.0.1:4000",
    "`npx -y parley`",
    "npm exec -- parley mcp",
    "bunx parley",
    "pnpm dlx parley@1 call",
    "npm install -g parley"
  ])("and not as %s", (line) => assert.deepStrictEqual(lines(line), [line]))

  it.each([
    `command: "npx",\n  args: ["parley", "mcp"]`,
    `"command": "npx", "args": ["-y", "parley"]`,
    `execFileSync("npx", ["parley"]`
  ])("and not started by %j", (text) => assert.strictEqual(starts(`${text})`).length, 1))

  it.each([
    `command: "npx", args: ["@parley/cli", "mcp"]`,
    `command: "npx", args: ["-y", "other"] }, { command: "parley"`
  ])("but started by %j", (text) => assert.deepStrictEqual(starts(text), []))

  it.each([
    "npx @parley/cli call",
    "npx -y pnpm@12 parley mcp",
    "npm install @parley/cli",
    "npx parley-tools",
    "parley call"
  ])("but as %s", (line) => assert.deepStrictEqual(lines(line), []))
})

/** The text of a file, or none when it was deleted and the deletion is not committed. */
const read = (file: string): string => {
  try {
    return readFileSync(join(root, file), "utf8")
  } catch {
    return ""
  }
}
