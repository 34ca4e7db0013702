import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codegen } from "../../src/internal/commands/codegen.ts"
import * as Parley from "../Parley.ts"

const fixture = (name: string) => join(import.meta.dirname, "../fixtures", name)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-openrpc-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const refused = (outcome: Parley.Outcome | undefined, words: string, hint: string) => {
  assert.deepInclude(outcome, { code: 64, stdout: "" })
  const stderr = outcome?.stderr ?? ""
  assert.match(stderr, /^parley: /)
  assert.include(stderr, words)
  assert.include(stderr, `hint: ${hint}`)
}

describe("parley openrpc", () => {
  it.live("prints the document of the only contract of a module, with what the module says of itself", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* Parley.run(["openrpc", fixture("Bank.ts")])
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.deepStrictEqual(JSON.parse(stdout), {
        openrpc: "1.3.2",
        info: { title: "A bank", version: "1.2.3" },
        methods: [{
          name: "balance",
          params: [{ name: "account", required: true, schema: { type: "string" } }],
          paramStructure: "either",
          result: { name: "result", schema: { type: "integer" } }
        }],
        "x-parley-contract": "Bank"
      })
      assert.include(stdout, "\n  \"info\": {\n")
    }))

  it.live("takes the name of an export, and a protocol for its sides", () =>
    Effect.gen(function*() {
      const path = fixture("Several.ts")
      const documents = yield* Parley.runAll(["openrpc", `${path}#Editor`], ["openrpc", `${path}#Server`])
      const [protocol, side] = documents.map(({ stdout }) => JSON.parse(stdout))
      assert.deepStrictEqual(protocol["x-parley-protocol"], { client: "Client", server: "Server" })
      assert.strictEqual(side.info.title, "Server")
    }))

  it.live("exits 64 with what there is, where it cannot choose", () =>
    Effect.gen(function*() {
      const path = fixture("Several.ts")
      const both = `use one of ${path}#Broken, ${path}#Editor`
      const cases = [
        [path, "exports more than one contract or protocol", both],
        [`${path}#unrelated`, "no contract and no protocol named unrelated", both],
        [`${path}#Broken`, "the example \"two\" of short does not fit it", "every Schema needs a JSON Schema"],
        [join(import.meta.dirname, "../Parley.ts"), "exports no contract", "export a contract"],
        ["no/such/module.ts", "cannot be loaded", "MODULE is a path"]
      ] as const
      const outcomes = yield* Parley.runAll(...cases.map(([module]) => ["openrpc", module]))
      for (const [at, [, words, hint]] of cases.entries()) refused(outcomes[at], words, hint)
    }))
})

describe("parley codegen", () => {
  it.live("writes a module whose document is the one it was made of", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "openrpc.json")
      const document = yield* Parley.run(["openrpc", fixture("Bank.ts")])
      writeFileSync(path, document.stdout)
      // In the package, where it finds what it imports.
      const generated = join(import.meta.dirname, "../../.tmp/openrpc")
      mkdirSync(generated, { recursive: true })
      const named = join(generated, "Bank.ts")
      const [printed, written, again, renamed] = yield* Parley.runAll(
        ["codegen", path],
        ["codegen", path, "--out", named],
        ["openrpc", named],
        ["codegen", path, "--name", "Other"]
      )
      assert.deepInclude(printed, { code: 0, stderr: "" })
      assert.include(
        printed?.stdout,
        `export class Bank extends Contract.make("Bank", {
  balance: Method.make({ params: { account: Schema.String }, result: Schema.Int })
}) {}`
      )
      assert.deepStrictEqual(written, { code: 0, signal: null, stdout: "", stderr: "" })
      assert.strictEqual(readFileSync(named, "utf8"), printed?.stdout)
      assert.strictEqual(again?.stdout, document.stdout)
      assert.include(renamed?.stdout, "export class Other extends Contract.make(\"Other\", {")
    })))

  it.live("follows references to files beside the document, and to those that --ref names", () =>
    Effect.scoped(Effect.gen(function*() {
      const place = yield* folder
      const file = (name: string) => join(place, name)
      mkdirSync(file("inner"))
      const document = (reference: string) =>
        JSON.stringify({
          openrpc: "1.3.2",
          info: { title: "T", version: "1" },
          methods: [{ name: "a", params: [], result: { name: "result", schema: { $ref: reference } } }]
        })
      writeFileSync(file("inner/main.json"), document("more/api.json#/definitions/Found"))
      writeFileSync(file("inner/far.json"), document("https://example.org/types.json#/Found"))
      writeFileSync(file("inner/above.json"), document("../types.json#/Found"))
      mkdirSync(file("inner/more"))
      writeFileSync(
        file("inner/more/api.json"),
        JSON.stringify({ definitions: { Found: { items: { $ref: "../types.json#/Id" } } } })
      )
      writeFileSync(file("inner/types.json"), JSON.stringify({ Id: { type: "integer" } }))
      writeFileSync(file("types.json"), JSON.stringify({ Found: { type: "boolean" } }))
      const [beside, far, above, named, folders, lost, wrong] = yield* Parley.runAll(
        ["codegen", file("inner/main.json")],
        ["codegen", file("inner/far.json")],
        ["codegen", file("inner/above.json")],
        ["codegen", file("inner/far.json"), "--ref", `https://example.org/types.json=${file("types.json")}`],
        ["codegen", file("inner/above.json"), "--ref", `../=${place}/`],
        ["codegen", file("inner/main.json"), "--ref", `more/api.json=${file("none.json")}`],
        ["codegen", file("inner/far.json"), "--ref", "types.json"]
      )
      assert.deepInclude(beside, { code: 0, stderr: "" })
      assert.include(beside?.stdout, "export const Id = Schema.Number.check(Schema.isInt()")
      assert.include(named?.stdout, "export const Found = Schema.Boolean")
      refused(far, "#/methods/0/result/schema: there is nothing at https://example.org/types.json#/Found", "references")
      refused(above, "#/methods/0/result/schema: there is nothing at ../types.json#/Found", "references")
      assert.strictEqual(folders?.stdout, named?.stdout)
      refused(lost, `${file("none.json")} cannot be read`, `another document refers to it as file://`)
      refused(wrong, "--ref types.json is not of the form URL=FILE", "for example --ref https://")
    })))

  it.live("lets a document forge no line", () =>
    Effect.scoped(Effect.gen(function*() {
      const place = yield* folder
      const forged = "parley: forged"
      const result = { name: "r", schema: { type: "string" } }
      const of = (schema: unknown) => ({
        openrpc: "1.3.2",
        info: { title: "T", version: "1" },
        methods: [{ name: "a", params: [{ name: "p", schema }], result }]
      })
      const documents = [
        of({ $ref: `x%0A${encodeURIComponent(forged)}%1B%5B2J.json` }),
        of({ $ref: `#/components/schemas/A%0A${encodeURIComponent(forged)}` }),
        of({ type: "string", pattern: `^\n${forged}$`, default: "c" }),
        { ...of(true), [`x\n${forged}`]: 1 }
      ]
      const files = documents.map((document, index) => {
        const file = join(place, `${index}.json`)
        writeFileSync(file, JSON.stringify(document))
        return file
      })
      const all = yield* Parley.runAll(...files.map((file) => ["codegen", file]))
      assert.include(all[0]?.stderr ?? "", "cannot be read")
      for (const { stderr } of all) {
        assert.notMatch(stderr, /^parley: forged/m)
        assert.notInclude(stderr, "\u001b")
      }
      const none = { name: Option.none(), byPosition: Option.none(), keepUnknown: false, ref: [], out: Option.none() }
      const { message } = yield* Effect.flip(codegen({ ...none, file: join(place, "0.json") }))
      assert.notInclude(message, "\n")
    })), 60_000)

  it.live("reads nothing beside the folders of the document and of --ref", () =>
    Effect.scoped(Effect.gen(function*() {
      const place = yield* folder
      const secret = join(place, "secret.json")
      writeFileSync(secret, JSON.stringify({ Secret: { const: "secret" } }))
      mkdirSync(join(place, "inner"))
      const beside = [secret, `file://${secret}`, "..%2fsecret.json", "../secret.json"]
      const references = [...beside.map((path) => `https://example.org/${path}`), "../secret.json", `file://${secret}`]
      const out = join(place, "out.ts")
      for (const [index, reference] of references.entries()) {
        const file = join(place, `inner/${index}.json`)
        const schema = { $ref: `${reference}#/Secret` }
        const methods = [{ name: "a", params: [], result: { name: "result", schema } }]
        writeFileSync(file, JSON.stringify({ openrpc: "1.3.2", info: { title: "T", version: "1" }, methods }))
        const ref = [`https://example.org/=${join(place, "inner")}`]
        const none = { name: Option.none(), byPosition: Option.none(), keepUnknown: false }
        const error = yield* Effect.flip(codegen({ ...none, file, ref, out: Option.some(out) }))
        assert.strictEqual(error.exitCode, 64)
        assert.isFalse(existsSync(out))
      }
    })))

  it.live("follows no link below the folders of the document and of --ref", () =>
    Effect.scoped(Effect.gen(function*() {
      const place = yield* folder
      const inside = (path: string) => join(place, "inner", path)
      mkdirSync(inside("real"), { recursive: true })
      mkdirSync(join(place, "beside"))
      for (const path of ["beside/types.json", "inner/types.json", "inner/real/types.json"]) {
        writeFileSync(join(place, path), JSON.stringify({ Found: { const: "found" } }))
      }
      symlinkSync(join(place, "beside/types.json"), inside("file.json"))
      symlinkSync(join(place, "beside"), inside("beside"))
      symlinkSync(inside("types.json"), inside("own.json"))
      // The folder itself may be reached by a link.
      symlinkSync(join(place, "inner"), join(place, "linked"))
      const out = join(place, "out.ts")
      const generate = (at: string, reference: string) => {
        const file = join(place, at, "main.json")
        const methods = [{ name: "a", params: [], result: { name: "result", schema: { $ref: `${reference}#/Found` } } }]
        writeFileSync(file, JSON.stringify({ openrpc: "1.3.2", info: { title: "T", version: "1" }, methods }))
        const ref = [`https://example.org/=${join(place, "inner")}`]
        const none = { name: Option.none(), byPosition: Option.none(), keepUnknown: false }
        return codegen({ ...none, file, ref, out: Option.some(out) })
      }
      for (const reference of ["file.json", "beside/types.json", "own.json", "https://example.org/file.json"]) {
        const error = yield* Effect.flip(generate("inner", reference))
        assert.strictEqual(error.exitCode, 64)
        assert.include(error.message, "links are not followed")
        assert.isFalse(existsSync(out))
      }
      for (const reference of ["types.json", "real/types.json", "https://example.org/real/types.json"]) {
        for (const at of ["inner", "linked"]) {
          yield* generate(at, reference)
          assert.include(readFileSync(out, "utf8"), "Found")
          rmSync(out)
        }
      }
    })))

  it.live("tells on stderr what the contract does not check or has guessed", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "openrpc.json")
      writeFileSync(
        path,
        JSON.stringify({
          openrpc: "1.3.2",
          info: { title: "T", version: "1" },
          methods: [{
            name: "a",
            params: [
              { name: "p", required: true, schema: { not: {}, "\u001b[2J": 1 } },
              ...["q", "r", "s", "t", "u"].map((name) => ({ name, schema: { contains: {} } }))
            ]
          }]
        })
      )
      const [guessed, told] = yield* Parley.runAll(["codegen", path], ["codegen", path, "--by-position"])
      assert.deepStrictEqual(guessed?.stderr.split("\n"), [
        `${path}#/methods: methods without paramStructure are called as a guess: by name a`,
        `${path}#/methods/0/params/0/schema: \\u001b[2J is no keyword of JSON Schema, and is left out`,
        `${path}#/methods/0/params/1/schema: contains is not checked`,
        `${path}#/methods/0/params/2/schema: contains is not checked`,
        `${path}#/methods/0/params/3/schema: contains is not checked`,
        `${path}: the same at 2 more places, which the module lists: contains is not checked`,
        ""
      ])
      assert.deepInclude(guessed, { code: 0 })
      assert.notInclude(told?.stderr, "paramStructure")
      assert.include(told?.stdout, `paramStructure: "by-position"`)
    })))

  it.live("exits 64 with a hint for what is no document", () =>
    Effect.scoped(Effect.gen(function*() {
      const place = yield* folder
      const file = (name: string) => join(place, name)
      const document = (methods: string) => `{"openrpc":"1.3.2","info":{"title":"","version":""},"methods":${methods}}`
      writeFileSync(file("text"), "{")
      writeFileSync(file("object"), "{}")
      writeFileSync(file("lost"), document(`[{"$ref":"#/no"}]`))
      writeFileSync(file("empty"), document("[]"))
      const cases = [
        [["text"], `${file("text")} is not JSON`, "an OpenRPC document is JSON"],
        [["object"], `${file("object")}#/openrpc: Missing key`, "https://spec.open-rpc.org says"],
        [
          ["lost"],
          `${file("lost")}#/methods/0: there is nothing at #/no`,
          "references lead into this document, to files of its folder, or to what --ref URL=FILE names"
        ],
        [["none"], "cannot be read", "FILE is a path"],
        [["empty", "--out", file("empty/no")], "cannot be written", "without --out"]
      ] as const
      const outcomes = yield* Parley.runAll(
        ...cases.map(([[name, ...options]]) => ["codegen", file(name), ...options])
      )
      for (const [at, [, words, hint]] of cases.entries()) refused(outcomes[at], words, hint)
    })))
})
