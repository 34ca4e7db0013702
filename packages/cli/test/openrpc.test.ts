import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Parley from "./Parley.ts"

const fixture = (name: string) => join(import.meta.dirname, "fixtures", name)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-openrpc-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const refused = (outcome: Parley.Outcome, words: string, hint: string) => {
  assert.deepStrictEqual({ code: outcome.code, stdout: outcome.stdout }, { code: 64, stdout: "" })
  assert.match(outcome.stderr, /^parley: /)
  assert.include(outcome.stderr, words)
  assert.include(outcome.stderr, `hint: ${hint}`)
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
          result: { name: "result", schema: { type: "integer" } }
        }],
        "x-parley-contract": "Bank"
      })
      assert.include(stdout, "\n  \"info\": {\n")
    }))

  it.live("takes the name of an export, and a protocol for its sides", () =>
    Effect.gen(function*() {
      const protocol = yield* Parley.run(["openrpc", `${fixture("Several.ts")}#Editor`])
      assert.deepStrictEqual(JSON.parse(protocol.stdout)["x-parley-protocol"], { client: "Client", server: "Server" })
      const side = yield* Parley.run(["openrpc", `${fixture("Several.ts")}#Server`])
      assert.strictEqual(JSON.parse(side.stdout).info.title, "Server")
    }))

  it.live("exits 64 with what there is, where it cannot choose", () =>
    Effect.gen(function*() {
      const path = fixture("Several.ts")
      const both = `there is ${path}#Broken, ${path}#Editor`
      refused(yield* Parley.run(["openrpc", path]), "exports more than one contract or protocol", both)
      refused(yield* Parley.run(["openrpc", `${path}#unrelated`]), "no contract and no protocol named unrelated", both)
      refused(
        yield* Parley.run(["openrpc", `${path}#Broken`]),
        "the example \"two\" of short does not fit it",
        "every Schema has to have a JSON"
      )
      refused(
        yield* Parley.run(["openrpc", import.meta.filename.replace("openrpc.test", "Parley")]),
        "exports no contract",
        "a module exports"
      )
      refused(yield* Parley.run(["openrpc", "no/such/module.ts"]), "cannot be loaded", "MODULE is a path")
    }))
})

describe("parley codegen", () => {
  it.live("writes a module whose document is the one it was made of", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "openrpc.json")
      const document = yield* Parley.run(["openrpc", fixture("Bank.ts")])
      writeFileSync(path, document.stdout)
      const printed = yield* Parley.run(["codegen", path])
      assert.deepStrictEqual({ code: printed.code, stderr: printed.stderr }, { code: 0, stderr: "" })
      assert.include(
        printed.stdout,
        `export class Bank extends Contract.make("Bank", {
  balance: Method.make({ params: { account: Schema.String }, result: Schema.Int })
}) {}`
      )
      // In the package, where it finds what it imports.
      const generated = join(import.meta.dirname, "../.tmp/openrpc")
      mkdirSync(generated, { recursive: true })
      const named = join(generated, "Bank.ts")
      const written = yield* Parley.run(["codegen", path, "--out", named])
      assert.deepStrictEqual(written, { code: 0, signal: null, stdout: "", stderr: "" })
      assert.strictEqual(readFileSync(named, "utf8"), printed.stdout)
      assert.strictEqual((yield* Parley.run(["openrpc", named])).stdout, document.stdout)
      const renamed = yield* Parley.run(["codegen", path, "--name", "Other"])
      assert.include(renamed.stdout, "export class Other extends Contract.make(\"Other\", {")
    })))

  it.live("exits 64 with a hint for what is no document", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "openrpc.json")
      const codegen = (text: string) => {
        writeFileSync(path, text)
        return Parley.run(["codegen", path])
      }
      const document = (methods: string) => `{"openrpc":"1.3.2","info":{"title":"","version":""},"methods":${methods}}`
      refused(yield* codegen("{"), `${path} is no JSON`, "an OpenRPC document is JSON")
      refused(yield* codegen("{}"), `${path}#/openrpc: Missing key`, "https://spec.open-rpc.org says")
      refused(
        yield* codegen(document(`[{"$ref":"#/no"}]`)),
        `${path}#/methods/0: there is nothing at #/no`,
        "references lead to components of the same document"
      )
      refused(yield* Parley.run(["codegen", join(path, "..", "none.json")]), "cannot be read", "FILE is a path")
      writeFileSync(path, document("[]"))
      refused(yield* Parley.run(["codegen", path, "--out", join(path, "no")]), "cannot be written", "without --out")
    })))
})
