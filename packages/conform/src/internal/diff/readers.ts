/** Reads surfaces from what contracts are written as: OpenRPC documents, lists of MCP, and lock files. */
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import { JsonObject } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { localized } from "./containment/localized.ts"
import { make, type Operation, pointerOf, schemasPointer, type Surface } from "./Surface.ts"

/** The surface of an OpenRPC document, or why there is none. */
export const fromOpenRpc = (json: unknown): Result.Result<Surface, string> =>
  Result.match(OpenRpc.decode(json), {
    onFailure: (error) => Result.fail(error.message),
    onSuccess: (document) => Result.succeed(ofDocument(document))
  })

const ofDocument = (document: OpenRpc.Document): Surface => {
  // Everything in a document is JSON.
  const whole = localized(document as unknown as Schema.Json, "") as unknown as OpenRpc.Document
  const operations = whole.methods.flatMap((method): ReadonlyArray<Operation> => {
    const reverse = method["x-parley-reverse"]
    const other = reverse === undefined ? undefined : Result.getOrUndefined(OpenRpc.decodeMethod(reverse, []))
    return [
      ofMethod(method, method["x-parley-direction"] ?? "client-to-server"),
      ...other === undefined ? [] : [ofMethod(other, "server-to-client" as const)]
    ]
  })
  const schemas = whole.components?.schemas ?? {}
  const moved = (json: Schema.Json): Schema.Json => referring(json, "#/components/schemas/", `#${schemasPointer}/`)
  return make(
    // Operations are JSON, and references are all that changes.
    operations.map((operation) => moved(operation as unknown as Schema.Json) as unknown as Operation),
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, moved(schema)]))
  )
}

/** The same with references to another place. */
const referring = (json: Schema.Json, from: string, to: string): Schema.Json => {
  if (JsonObject.isArray(json)) return json.map((value) => referring(value, from, to))
  if (!JsonObject.isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" && value.startsWith(from)
        ? to + value.slice(from.length)
        : referring(value, from, to)
    ])
  )
}

const ofMethod = (method: OpenRpc.Method, direction: Operation["direction"]): Operation => {
  const { errors, name, result } = method
  const item = method["x-parley-subscription"]?.item ?? method["x-parley-partial"]
  return {
    kind: result === undefined ? "notification" : "method",
    name,
    direction,
    ...paramsOf(method, direction),
    ...result !== undefined && { result: result.schema },
    ...item !== undefined && { item },
    ...errors !== undefined && {
      errors: errors.map(({ code, data, message }) => ({ code, message, ...isSchema(data) && { data } }))
    }
  }
}

/** By the specification, the data of an error is a value; ours and others' documents have a schema there. */
const isSchema = (data: Schema.Json | undefined): data is Schema.JsonObject =>
  JsonObject.isObject(data) &&
  ["type", "$ref", "properties", "anyOf", "oneOf", "allOf", "enum", "const"].some((keyword) =>
    Object.hasOwn(data, keyword)
  )

type Params = Pick<Operation, "named" | "order" | "positional" | "structure">

const paramsOf = (method: OpenRpc.Method, direction: Operation["direction"]): Params => {
  const { paramStructure = "either", params } = method
  const own = method["x-parley-params"]
  if (own !== undefined && own !== "tuple") return { structure: "by-name", named: own }
  const structure = own === "tuple" ? "by-position" : paramStructure
  const required = params.filter((param) => param.required === true).map(({ name }) => name)
  const least = params.findLastIndex((param) => param.required === true) + 1
  // The client has no others to send, and skips those that it does not know.
  const isClosed = direction === "client-to-server"
  return {
    structure,
    order: params.map(({ name }) => name),
    ...structure !== "by-position" && {
      named: {
        type: "object",
        properties: Object.fromEntries(params.map(({ name, schema }) => [name, schema])),
        ...required.length > 0 && { required },
        ...isClosed && { additionalProperties: false }
      }
    },
    ...structure !== "by-name" && {
      positional: {
        type: "array",
        ...params.length > 0 && { items: params.map(({ schema }) => schema) },
        ...least > 0 && { minItems: least },
        ...isClosed && (params.length > 0 ? { additionalItems: false } : { maxItems: 0 })
      }
    }
  }
}

const members = { name: Schema.String }

/** The part of the lists of an MCP server that is read. Others' members are left alone. */
const Lists = Schema.Struct({
  tools: Schema.optionalKey(Schema.Array(Schema.Struct({
    ...members,
    inputSchema: Schema.optionalKey(Schema.Json),
    outputSchema: Schema.optionalKey(Schema.Json)
  }))),
  prompts: Schema.optionalKey(Schema.Array(Schema.Struct({
    ...members,
    arguments: Schema.optionalKey(
      Schema.Array(Schema.Struct({ ...members, required: Schema.optionalKey(Schema.Boolean) }))
    )
  }))),
  resources: Schema.optionalKey(Schema.Array(Schema.Struct({ uri: Schema.String }))),
  resourceTemplates: Schema.optionalKey(Schema.Array(Schema.Struct({ uriTemplate: Schema.String })))
})

const decodeLists = Schema.decodeUnknownResult(Lists)

/** The surface of the lists of an MCP server, or why there is none. */
export const fromLists = (json: unknown): Result.Result<Surface, string> =>
  Result.match(decodeLists(json), {
    onFailure: (error) => Result.fail(error.message),
    onSuccess: ({ prompts = [], resources = [], resourceTemplates = [], tools = [] }) =>
      Result.succeed(make([
        ...tools.map(({ inputSchema, name, outputSchema }): Operation => {
          const head = offered("tool", name)
          const at = pointerOf(head)
          return {
            ...head,
            named: localized(inputSchema ?? { type: "object" }, `${at}/named`),
            ...outputSchema !== undefined && { result: localized(outputSchema, `${at}/result`) }
          }
        }),
        ...prompts.map(({ arguments: args = [], name }): Operation => ({
          ...offered("prompt", name),
          named: {
            type: "object",
            properties: Object.fromEntries(args.map(({ name }) => [name, { type: "string" }])),
            required: args.filter(({ required }) => required === true).map(({ name }) => name),
            additionalProperties: false
          }
        })),
        ...resources.map(({ uri }) => offered("resource", uri)),
        ...resourceTemplates.map(({ uriTemplate }) => offered("template", uriTemplate))
      ], {}))
  })

const offered = (kind: Operation["kind"], name: string) =>
  ({ kind, name, direction: "client-to-server", structure: "by-name" }) as const

/** Tells whether JSON has one of the lists of an MCP server. */
export const isLists = (json: unknown): boolean =>
  JsonObject.isObject(json)
  && ["tools", "prompts", "resources", "resourceTemplates"].some((list) => Array.isArray(json[list]))

/** The name of a schema that others refer to, and the place in it, by a pointer. */
export const sharedOf = (pointer: string): { readonly name: string; readonly path: string } | undefined => {
  if (!pointer.startsWith(`${schemasPointer}/`)) return undefined
  const [token = "", ...path] = pointer.slice(schemasPointer.length + 1).split("/")
  return { name: Subschemas.keyOf(token), path: path.map((token) => `/${token}`).join("") }
}
