/**
 * The methods of one or more contracts in one document, with the components that
 * they share.
 */
import type * as Contract from "@parley/contract/Contract"
import type { Params } from "@parley/contract/shared"
import * as JsonPointer from "effect/JsonPointer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Representation from "effect/SchemaRepresentation"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import * as Pool from "../pool.ts"
import { rename } from "../schema/nodes.ts"
import { nonEmpty, read } from "../schema/reader.ts"
import { isObject } from "../schema/subschemas.ts"
import { write, type Written } from "../schema/writer.ts"
import type { JsonSchema } from "./descriptor.ts"
import * as Describe from "./methods.ts"
import type { Pools } from "./pools.ts"

/** @internal */
export interface Described {
  readonly methods: ReadonlyArray<ReadonlyArray<OpenRpcDocument.Method>>
  readonly components: Pick<OpenRpcDocument.Document, "components">
}

/** @internal */
export const describe = (contracts: ReadonlyArray<Contract.Members>): Described => {
  let references: Representation.References = {}
  let components: Written["components"] = {}

  const pools: Pools = {
    schemas: Pool.make<Params.Codec, Representation.Representation>(nothing),
    representations: Pool.make<Representation.Representation, JsonSchema>(true),
    resolve: (representation) =>
      representation._tag === "Reference" ? references[representation.$ref] ?? representation : representation,
    resolveJson: (schema) => resolveJson(schema, components)
  }
  const staged = contracts.map((members) => Describe.describe(members, pools))

  const asts = pools.schemas.items().map((schema) => Schema.toCodecJson(schema).ast)
  const requested: Array<string> = []
  const document = Representation.toRepresentations(nonEmpty(asts, Schema.Null.ast), {
    referencePolicy: (candidate) => {
      const name = requestedBy(candidate)
      return name === undefined ? undefined : `${requested.push(name) - 1}`
    }
  })
  references = document.references
  pools.schemas.turn(document.representations)
  const later = staged.map((methods) => methods.map((method) => method()))

  const representations = nonEmpty(pools.representations.items(), nothing)
  // Names are given to what the document has; a tagged error is not there by its own.
  const named = rename({ representations, references }, unique((number) => requested[Number(number)] ?? number))
  const written = settled(write(named))
  components = written.components
  // What is written of JSON Schemas is JSON.
  pools.representations.turn(written.schemas as ReadonlyArray<JsonSchema>)
  return {
    methods: later.map((methods) => methods.map((method) => method())),
    components: Object.keys(components).length === 0
      ? {}
      // As above.
      : { components: { schemas: components as { readonly [name: string]: JsonSchema } } }
  }
}

const nothing: Representation.Null = { _tag: "Null", checks: [] }

/** The JSON of a class is named as the class. */
const requestedBy: Representation.ReferencePolicy = ({ ast, identifier }) =>
  SchemaAST.resolveIdentifier(ast) === undefined ? identifier?.replace(/Encoded$/, "") : identifier

/** Names of which none is given twice. */
const unique = (requestedOf: (key: string) => string): (key: string) => string => {
  const used = new Set<string>()
  return (key) => {
    const requested = requestedOf(key)
    let name = requested
    for (let suffix = 1; used.has(name); suffix++) name = `${requested}_${suffix}`
    used.add(name)
    return name
  }
}

/** As it would be written again if it were read: a Schema can say one thing in several ways, and a document in one. */
const settled = (written: Written): Written => {
  const schemas = written.schemas.map((schema, index) => ({ schema, path: [`${index}`] }))
  const document = read(schemas, written.components, false)
  return Result.isSuccess(document) ? write(document.success) : written
}

const resolveJson = (schema: JsonSchema, components: Written["components"]): JsonSchema => {
  const reference = isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"] : ""
  const name = reference.startsWith("#") ? JsonPointer.parseUriFragment(reference)?.at(-1) : undefined
  // As for `representations`.
  return name !== undefined && Object.hasOwn(components, name) ? components[name] as JsonSchema : schema
}

/** @internal */
export const toJson = (document: OpenRpcDocument.Document | OpenRpcDocument.Method): Schema.Json =>
  // What has only members of JSON is JSON, whatever its type leaves open.
  document as unknown as Schema.Json
