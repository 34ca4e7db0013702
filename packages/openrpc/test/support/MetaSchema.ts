/** The official meta-schema of OpenRPC, and the JSON Schemas of a document, as judges. */
import openrpcDocument from "@open-rpc/meta-schema"
import type { OpenRpc } from "@parley/openrpc"
import { Ajv, type ValidateFunction } from "ajv"
import { isDeepStrictEqual } from "node:util"

/** Ajv's own comparison calls `toString` and `valueOf` of what it compares, which an object of JSON may have as members. */
const judgeOf = () =>
  new Ajv({ strict: false, validateFormats: false, allErrors: false }).removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (unique: boolean, items: ReadonlyArray<unknown>) =>
      !unique || items.every((item, at) => !items.slice(0, at).some((earlier) => isDeepStrictEqual(item, earlier)))
  })

/**
 * The meta-schema names that of JSON Schema by an address of its own, `https://meta.json-schema.tools/`. What stands
 * there is that of draft 7, as objects and as booleans, and the schema of a `$ref` by this path.
 */
const jsonSchemaTools = {
  allOf: [{ $ref: "http://json-schema.org/draft-07/schema#" }],
  definitions: { JSONSchemaObject: { properties: { $ref: { type: "string", format: "uri-reference" } } } }
}

const ajv = judgeOf()
  .addSchema(jsonSchemaTools, "https://meta.json-schema.tools")
  .addSchema(jsonSchemaTools, "https://meta.json-schema.tools/")
const validate = ajv.compile(openrpcDocument)

/** What the meta-schema says is wrong with a document. */
export const problems = (document: unknown): ReadonlyArray<string> =>
  validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

/** The validators of a document's JSON Schemas, which find components as the document does. */
export const validators = (document: unknown): (path: string) => ValidateFunction => {
  const judge = judgeOf()
  judge.addSchema({ $id: "document:", ...JSON.parse(JSON.stringify(document)) })
  return (path) => judge.compile({ $ref: `document:#${path}` })
}

/** Where the JSON Schemas of a document stand. */
export const schemaPaths = (document: OpenRpc.Document): ReadonlyArray<string> => [
  ...document.methods.flatMap((method, index) => [
    ...method.params.map((_, at) => `/methods/${index}/params/${at}/schema`),
    ...(method.result === undefined ? [] : [`/methods/${index}/result/schema`])
  ]),
  ...Object.keys(document.components?.schemas ?? {}).map((name) => `/components/schemas/${name}`)
]
