/** The comparison with other libraries says what was measured. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { days, path, tableIn, tables } from "../src/comparison/page.ts"
import { decided, isRight } from "../src/corpus/judge.ts"
import { scoresOf, totalOf } from "../src/corpus/results.ts"
import { servers } from "../src/corpus/servers.ts"

const root = join(import.meta.dirname, "../../..")
const page = readFileSync(join(root, path), "utf8")

describe("docs/explanation/comparison.md", () => {
  it.each(Object.entries(tables()))("has the stored results: %s", (name, table) => {
    // `node packages/bench/src/comparison/page.ts` writes the tables anew.
    expect(tableIn(page, name)).toEqual(table)
  })

  it("names the days of the results", () => {
    for (const sentence of days()) expect(page).toContain(sentence)
  })

  it("names the versions that were measured, and how many dependencies they have", () => {
    const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
    const named = [...page.matchAll(/^\| `([^`]+)` +\| (\d+\.\d+\.\d+) .*\| +(\d+) \|$/gm)]
    expect(named.length).toBe(10)
    const installed = named.map(([, name = ""]) => {
      const version = new RegExp(`^ {2}"?${name}"?: (.*)$`, "m").exec(catalog)?.[1]
      const manifest = readFileSync(join(root, `packages/bench/node_modules/${name}/package.json`), "utf8")
      return [name, version, String(Object.keys(JSON.parse(manifest).dependencies ?? {}).length)]
    })
    expect(named.map(([, ...cells]) => cells)).toEqual(installed)
  })
})

describe("an answer", () => {
  const one = (reply: string | undefined) => ({ name: "", section: "", input: "", reply })
  const failure = (id: string, code: number) => `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"m"}}`
  const success = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":[1]}`

  it("is right by the value of its id", () => {
    expect(isRight(one(success("1.50")), success("15e-1"))).toBe(true)
    expect(isRight(one(success("-0")), success("0"))).toBe(true)
    expect(isRight(one(success("1e21")), success("1E+21"))).toBe(true)
    expect(isRight(one(success("9007199254740993")), success("9007199254740992"))).toBe(false)
    expect(isRight(one(success("1")), success("\"1\""))).toBe(false)
    expect(isRight(one(success("1e400")), success("null"))).toBe(false)
  })

  it("is right by the code of its error, where the specification fixes it", () => {
    expect(isRight(one(failure("1", -32601)), failure("1", -32601).replace("\"m\"", "\"other\",\"data\":1"))).toBe(true)
    expect(isRight(one(failure("1", -32601)), failure("1", 0))).toBe(false)
    expect(isRight(one(failure("1", -32603)), failure("1", 0))).toBe(true)
    expect(isRight(one(failure("1", -32600)), failure("null", -32600))).toBe(true)
    expect(isRight(one(failure("1", -32601)), failure("null", -32601))).toBe(false)
  })

  it("of a batch is right in any order, and only as an array", () => {
    expect(isRight(one(`[${success("1")},${success("2")}]`), `[${success("2")},${success("1")}]`)).toBe(true)
    expect(isRight(one(`[${success("1")}]`), success("1"))).toBe(false)
    expect(isRight(one(`[${success("1")}]`), `[${success("1")},${success("1")}]`)).toBe(false)
  })

  it("is wrong where there is none, or should be none", () => {
    expect(isRight(one(undefined), undefined)).toBe(true)
    expect(isRight(one(undefined), success("1"))).toBe(false)
    expect(isRight(one(success("1")), undefined)).toBe(false)
    expect(isRight(one(success("1")), "it throws")).toBe(false)
  })

  it("of Parley is right in every case", async () => {
    const server = await servers["@parley/peer"]?.()
    expect(totalOf(await scoresOf(server!))).toEqual({ right: decided.length, of: decided.length })
    await server?.close()
  })
})
