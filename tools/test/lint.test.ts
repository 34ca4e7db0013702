import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { lintSources } from "../lint/check.ts"

const library = "packages/protocol/src"

/** A line of the log among what it may name. */
const logged = (log: string): string =>
  ["Cause", "Effect"].map((name) => `import * as ${name} from "effect/${name}"\n`).join("") +
  "import * as Excerpt from \"@parley/protocol/text/Excerpt\"\n" +
  "const text = \"ours\"\n" +
  "export const used = [Cause, Excerpt, text]\n" +
  "export const x = (name: string, error: Error & { method: string }, isNew: boolean, cause: Cause.Cause<never>) =>\n" +
  `  [name, error, isNew, cause, ${log}]`
const node = "packages/node/src"
const cli = "packages/cli/src"
const bench = "packages/bench/src"
const test = "packages/protocol/test"

/** Folder, source, the rule that must report it. */
const refused: ReadonlyArray<readonly [folder: string, source: string, rule: string]> = [
  ...([
    "export const f = (x: any) => x",
    "export const f = (...xs: Array<any>) => xs",
    "export const f = (x: unknown) => x as any // reason",
    "export const f = (x: unknown) => <any>x // reason",
    "export type T = Record<string, any>",
    "export type T<A extends (...args: any) => unknown> = A"
  ].flatMap((source) =>
    [library, test, bench].map((folder) => [folder, source, "typescript(no-explicit-any)"] as const)
  )),
  [library, "// @ts-ignore\nexport const x: string = 1", "typescript(ban-ts-comment)"],
  [library, "// @ts-nocheck\nexport const x: string = 1", "typescript(ban-ts-comment)"],
  [library, "// @ts-expect-error\nexport const x: string = 1", "typescript(ban-ts-comment)"],
  [library, "export type T = Function", "typescript(no-unsafe-function-type)"],

  ...([
    "it.skip(\"x\", () => {})",
    "it.only(\"x\", () => {})",
    "test.fails(\"x\", () => {})",
    "describe.only(\"x\", () => {})",
    "describe.skip(\"x\", () => {})",
    "it.todo(\"x\")",
    "it.effect.skip(\"x\", () => Effect.void)",
    "it.effect.only(\"x\", () => Effect.void)",
    "it.effect.fails(\"x\", () => Effect.void)",
    "it.live.skip(\"x\", () => Effect.void)",
    "it.effect.skipIf(true)(\"x\", () => Effect.void)",
    "it.effect.runIf(true)(\"x\", () => Effect.void)",
    "it[\"skip\"](\"x\", () => {})",
    "it(\"x\", { retry: 2 }, () => {})",
    "it.effect(\"x\", () => Effect.void, { retry: 2 })",
    "it(\"x\", { skip: true }, () => {})",
    "describe(\"x\", { todo: true }, () => {})",
    "it(\"x\", (context) => context.skip())",
    "xit(\"x\", () => {})"
  ].map((source) => [test, source, "parley(no-weak-test)"] as const)),

  ...([
    "import { Effect } from \"effect\"\nexport const x = Effect",
    "export { Effect } from \"effect\"",
    "import type { Effect } from \"effect\"\nexport type X = Effect.Effect<void>",
    "import { NodeSocket } from \"@effect/platform-node\"\nexport const x = NodeSocket",
    "import { Message } from \"@parley/protocol\"\nexport const x = Message",
    "export * as Message from \"./Message.js\"",
    "import { x } from \"../Message.mjs\"\nexport const y = x"
  ].flatMap((source) =>
    [library, node, cli].map((folder) => [folder, source, "eslint(no-restricted-imports)"] as const)
  )),
  [library, "import { connect } from \"node:net\"\nexport const x = connect", "eslint(no-restricted-imports)"],
  [bench, "export * from \"./x.js\"", "eslint(no-restricted-imports)"],
  [test, "import { x } from \"../src/x.js\"\nexport const y = x", "eslint(no-restricted-imports)"],

  ...([library, node, cli].flatMap((folder) => [
    [folder, "console.log(1)", "eslint(no-console)"] as const,
    [folder, "export const x = Date.now()", "eslint(no-restricted-globals)"] as const,
    [folder, "export const x = new Date()", "eslint(no-restricted-globals)"] as const,
    [folder, "setTimeout(() => {}, 1)", "eslint(no-restricted-globals)"] as const,
    [folder, "setInterval(() => {}, 1)", "eslint(no-restricted-globals)"] as const,
    [folder, "setImmediate(() => {})", "eslint(no-restricted-globals)"] as const,
    [folder, "export const x = performance.now()", "eslint(no-restricted-globals)"] as const,
    [folder, "globalThis.setTimeout(() => {}, 1)", "eslint(no-restricted-properties)"] as const,
    [folder, "globalThis.console.log(1)", "eslint(no-restricted-properties)"] as const,
    [folder, "export const x = Math.random()", "eslint(no-restricted-properties)"] as const
  ])),
  [library, "export const x = process.env", "eslint(no-restricted-globals)"],
  [library, "export const x = globalThis.process", "eslint(no-restricted-properties)"],
  [library, "export const x = Buffer.from(\"\")", "eslint(no-restricted-globals)"],

  [library, "export type T = string[]", "typescript(array-type)"],
  [library, "export type T = readonly string[]", "typescript(array-type)"],
  [library, "const x = 1", "eslint(no-unused-vars)"],
  [library, "import * as Effect from \"effect/Effect\"", "eslint(no-unused-vars)"],
  [library, "// TODO: later", "eslint(no-warning-comments)"],
  [library, "/** FIXME */\nexport const x = 1", "eslint(no-warning-comments)"],
  [library, "export const x = (y: unknown) => y as string", "parley(cast-with-reason)"],
  [library, "export const x = (y: unknown) => <string>y", "parley(cast-with-reason)"],

  ...([
    // A loop that may fail behind itself, tried from every place.
    String.raw`/=+$/`,
    String.raw`/\s+$/`,
    String.raw`/[\t ]*\n/`,
    String.raw`/^[\t ]+|[\t ]+$/g`,
    String.raw`/a[^]*b/`,
    String.raw`/\?.*$/`,
    String.raw`/(?:x|=+)$/`,
    String.raw`/^\s+$/m`,
    String.raw`/.{3,}x/s`,
    // Loops that share characters.
    String.raw`/^a*a*b$/`,
    String.raw`/^(.*):(.*)$/`,
    String.raw`/^\d+\.?\d+$/`,
    String.raw`/^(?:xa*)*a*$/`,
    // Loops of loops.
    String.raw`/^(a+)+$/`,
    String.raw`/^(?:a|a)*$/`,
    String.raw`/^(?:\w+\s?)*$/`,
    String.raw`/^(?:[a-z]|\w)+!/i`
  ].map((pattern) => [library, `export const x = ${pattern}`, "parley(linear-pattern)"] as const)),
  ...([
    "Effect.logWarning(`the server ${name} is gone`)",
    "Effect.logInfo(name)",
    "Effect.logDebug(\"gone\", error)",
    "Effect.logDebug(\"gone\", cause)",
    "(() => { const { logWarning } = Effect; return logWarning(name) })()",
    "[() => { const name = \"ours\"; return name }, Effect.logWarning(`the server ${name} is gone`)]",
    "Effect.logDebug(\"gone\", Cause.fail(error))",
    "Effect.logDebug(\"gone: \" + name)",
    "Effect.logDebug(`gone: ${error.message}`)",
    "Effect.logError(isNew ? `new ${name}` : \"old\")",
    "Effect.logWithLevel(\"Warn\")(`gone: ${name}`)",
    "Effect.annotateLogs(Effect.void, { name })",
    "Effect.annotateLogs(Effect.void, \"name\", name)",
    "Effect.annotateLogs({ name: error.method })"
  ].map((log) => [library, logged(log), "parley(escaped-log)"] as const)),
  [cli, "export const x = (name: string) => new RegExp(name)", "parley(linear-pattern)"],
  [library, "// It is linear.\nexport const x = /=+$/", "parley(linear-pattern)"]
]

/** Folder and a source that no rule may report. */
const accepted: ReadonlyArray<readonly [folder: string, source: string]> = [
  [library, "import * as Effect from \"effect/Effect\"\nexport const x = Effect.void"],
  [library, "import * as Message from \"@parley/protocol/Message\"\nexport const x = Message"],
  [library, "export * as Message from \"./Message.ts\""],
  [library, "export const x = [1, 2] as const"],
  [library, "// The caller has checked it.\nexport const x = (y: unknown) => y as string"],
  [library, "export const x = (y: unknown) => y as string // checked by the caller"],
  [library, "import * as Effect from \"effect/Effect\"\nexport const x = Effect.retry(Effect.void, { times: 2 })"],
  [node, "import { connect } from \"node:net\"\nexport const x = connect"],
  [cli, "export const x = process.argv"],
  [bench, "console.log(process.hrtime(), Date.now())"],
  [bench, "import { Effect } from \"effect\"\nexport const x = Effect"],
  [
    test,
    "import { Effect } from \"effect\"\nimport { it } from \"@effect/vitest\"\nit.effect(\"x\", () => Effect.void)"
  ],
  [test, "// @ts-expect-error a number is no string\nexport const x: string = 1"],
  ...([
    String.raw`/^=+$/`,
    String.raw`/^\s*/`,
    String.raw`/\s+/g`,
    String.raw`/\?[^]*/`,
    String.raw`/(?<!=)=+$/`,
    String.raw`/"[^"]*"/`,
    String.raw`/\d+;/y`,
    String.raw`/^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/`,
    String.raw`/^"[^"\\]*(?:\\.[^"\\]*)*"$/`,
    String.raw`/^(?:[^"\\]|\\.)*$/`,
    String.raw`/^(?:a+b)*$/`,
    String.raw`/x{2}y?[z]/`
  ].map((pattern) => [library, `export const x = ${pattern}`] as const)),
  ...([
    "Effect.logWarning(\"the server is gone\", Excerpt.cause(cause))",
    "Effect.logWarning(text, Excerpt.cause(Cause.fail(error)))",
    "Effect.logWarning(`the server ${Excerpt.line(name)} has ${name.length} characters`)",
    "Effect.logWarning(isNew ? `new ${Excerpt.name(name)}` : \"old\")",
    "(() => { const told = Excerpt.line(name); return Effect.logInfo(`gone: ${told}`) })()",
    "/* escaped: a count */ Effect.logWarning(`it has ${isNew}`)",
    "Effect.annotateLogs(Effect.void, { name: Excerpt.line(name), error: Excerpt.value(error) })"
  ].map((log) => [library, logged(log)] as const)),
  [library, "// linear: a header has at most 8 KiB\nexport const x = /=+$/"],
  [cli, "export const x = new RegExp(\"a\") // linear: it has no loop"]
]

const sources: Record<string, string> = {}
refused.forEach(([folder, source], index) => sources[`${folder}/refused${index}.ts`] = source)
accepted.forEach(([folder, source], index) => sources[`${folder}/accepted${index}.ts`] = source)
const reports = lintSources(sources)

describe("oxlint refuses", () => {
  refused.forEach(([folder, source, rule], index) =>
    it(`${rule} in ${folder}: ${source}`, () => {
      assert.include([...reports.get(`${folder}/refused${index}.ts`) ?? []], rule)
    })
  )
})

describe("oxlint accepts", () => {
  accepted.forEach(([folder, source], index) =>
    it(`in ${folder}: ${source}`, () => {
      assert.deepStrictEqual([...reports.get(`${folder}/accepted${index}.ts`) ?? []], [])
    })
  )
})

it("no comment switches a rule off", () => {
  const root = join(import.meta.dirname, "../..")
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], { cwd: root, encoding: "utf8" })
  const directive = new RegExp(`(ox|es)lint-${"disable"}`)
  const offenders = files.split("\n").filter((file) => file !== "" && directive.test(read(join(root, file))))
  assert.deepStrictEqual(offenders, [])
})

/** The text of a file, or none when it was deleted and the deletion is not committed. */
const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
