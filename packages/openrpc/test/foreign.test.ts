import { assert, describe, it } from "@effect/vitest"
import type { Contract, Method } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { OpenRpc } from "@parley/openrpc"
import { Effect, Result, Schema } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as MetaSchema from "./support/MetaSchema.ts"
import * as Modules from "./support/Modules.ts"

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

const folders = [
  join(dirname(fileURLToPath(import.meta.resolve("@open-rpc/examples/package.json"))), "build/service-descriptions"),
  join(import.meta.dirname, "fixtures")
]

const documents = folders.flatMap((folder) =>
  globSync("*openrpc.json", { cwd: folder }).map((file) => join(folder, file))
)
  .toSorted()

/** What a contract keeps of a method, of its schemas only where they stand. */
const outline = ({ methods }: OpenRpc.Document) =>
  Object.fromEntries(methods.map((method) => [method.name, {
    text: [method.summary, method.description, method.deprecated ?? false],
    structure: method.params.length === 0 ? undefined : method.paramStructure ?? guessed(method),
    params: method.params.map((
      { description, name, required, summary }
    ) => [name, required ?? false, summary, description]),
    result: method.result === undefined
      ? undefined
      : [method.result.name, method.result.summary, method.result.description],
    errors: Object.fromEntries((method.errors ?? []).map(({ code, message }) => [code, message]))
  }]))

/** Where a document does not say. */
const guessed = ({ params }: OpenRpc.Method) =>
  params.every(({ required }) => required === true) ? "by-position" : "either"

describe("documents that others wrote", () => {
  const modules = Modules.make("foreign")

  it("are those of the OpenRPC project, and that of Ethereum", () => {
    assert.deepStrictEqual(documents.map((path) => basename(path)).toSorted(), [
      "api-with-examples-openrpc.json",
      "ethereum.openrpc.json",
      "link-example-openrpc.json",
      "params-by-name-petstore-openrpc.json",
      "petstore-expanded-openrpc.json",
      "petstore-openrpc.json",
      "simple-math-openrpc.json"
    ])
  })

  for (const path of documents) {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"))
    const name = basename(path)

    it.effect(`become contracts, whose documents become the same again: ${name}`, () =>
      Effect.gen(function*() {
        const foreign = yield* Effect.fromResult(OpenRpc.decode(json))
        const first = yield* Modules.regenerate(modules, foreign)
        assert.deepStrictEqual(MetaSchema.problems(JSON.parse(JSON.stringify(first.document))), [])
        assert.deepStrictEqual(outline(first.document), outline(foreign))
        assert.deepStrictEqual(first.document.info, foreign.info)
        const second = yield* Modules.regenerate(modules, Modules.travel(first.document))
        assert.deepStrictEqual(second.document, first.document)
      }))

    it.effect(`take the values that the JSON Schemas take, and keep the examples that fit: ${name}`, () =>
      Effect.gen(function*() {
        const foreign = yield* Effect.fromResult(OpenRpc.decode(json))
        const { found } = yield* Modules.regenerate(modules, foreign)
        const members = (found as Contract.Any).members
        const validate = MetaSchema.validators(opened(foreign))
        for (const [index, method] of foreign.methods.entries()) {
          const member = members[method.name] as AnyMethod
          const fitting = (method.examples ?? []).filter((example) => {
            const values = example.params.map(({ value }, at) => [`params/${at}`, value] as const)
            const judged = [...values, ["result", example.result?.value] as const].map(([place, value]) => {
              const judge = validate(`/methods/${index}/${place}/schema`)
              const expected = judge(value)
              const codec = schemaAt(member, method, place)
              const actual = Result.isSuccess(Schema.decodeUnknownResult(Schema.toCodecJson(codec))(value))
              assert.strictEqual(actual, expected, `${method.name} ${place} ${JSON.stringify(value)}`)
              return expected
            })
            return judged.every((fits) => fits) && example.params.length >= requiredOf(method)
          })
          assert.deepStrictEqual(member.examples?.map(({ name }) => name) ?? [], fitting.map(({ name }) => name))
        }
      }))
  }

  it("become modules that compile in strict mode", () => {
    assert.deepStrictEqual(modules.compile(), [])
  })
})

/** A Struct does not look at what stands beside its fields, and so no object is closed. */
const opened = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value) => key === "additionalProperties" && value === false ? true : value)

const requiredOf = ({ params }: OpenRpc.Method) => params.filter(({ required }) => required).length

const schemaAt = (member: AnyMethod, method: OpenRpc.Method, place: string): Params.Codec => {
  if (place === "result") return member.result ?? Schema.Void
  const name = method.params[Number(place.split("/")[1])]?.name ?? ""
  return (member.params as Params.Fields)[name] ?? Schema.Never
}
