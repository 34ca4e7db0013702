/**
 * The operations of a contract, whatever it was written as, with the schemas of all that is sent.
 *
 * The model is one document of JSON, and every schema in it refers to places of that document. What asks for nothing, such
 * as a description, is left out: two contracts that mean the same are the same text.
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as Schema from "effect/Schema"
import { isAnnotation } from "./containment/equality.ts"
import { SchemaDocument, type SchemaNode } from "./containment/SchemaNode.ts"

/** The kinds of operations. Prompts, resources and their templates have no results that are described. */
export const OperationKind = Schema.Literals(["method", "notification", "tool", "prompt", "resource", "template"])

export type OperationKind = typeof OperationKind.Type

export const OperationDirection = Schema.Literals(["client-to-server", "server-to-client"])

export type OperationDirection = typeof OperationDirection.Type

/** An error that an operation may end with. */
export const DeclaredError = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  /** The schema of its data. */
  data: Schema.optionalKey(Schema.Json)
})

export type DeclaredError = typeof DeclaredError.Type

/** Something that one side may send, and what it may be answered with. */
export const Operation = Schema.Struct({
  kind: OperationKind,
  name: Schema.String,
  direction: OperationDirection,
  /** How params are sent: in an object, in an array, or in either. */
  structure: Schema.Literals(["by-name", "by-position", "either"]),
  /** The schema of the params as an object. */
  named: Schema.optionalKey(Schema.Json),
  /** The schema of the params as an array. */
  positional: Schema.optionalKey(Schema.Json),
  /** The names of the params by their positions. */
  order: Schema.optionalKey(Schema.Array(Schema.String)),
  result: Schema.optionalKey(Schema.Json),
  /** The values that come before the result: items of a subscription, or partial results. */
  item: Schema.optionalKey(Schema.Json),
  /** Absent where nothing is said of them. */
  errors: Schema.optionalKey(Schema.Array(DeclaredError))
})

export type Operation = typeof Operation.Type

/** A whole contract. */
export const SurfaceDocument = Schema.Struct({
  /** Operations by their keys. */
  operations: Schema.Record(Schema.String, Operation),
  /** Schemas that others refer to, by their names. */
  schemas: Schema.Record(Schema.String, Schema.Json)
})

export type SurfaceDocument = typeof SurfaceDocument.Type

/**
 * A contract as it is compared: its operations, with the schemas of all that is sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Surface {
  /** All of it as JSON. */
  readonly document: SurfaceDocument
  /** The schemas of the document. */
  readonly nodes: SchemaDocument
  /** The operations by their keys, such as `method balance`. */
  readonly operations: ReadonlyMap<string, Operation>
}

/** The key of an operation: two of one name may go in two directions, or be of two kinds. */
export const keyOf = ({ direction, kind, name }: Pick<Operation, "direction" | "kind" | "name">): string => {
  const word = kind === "notification" ? "method" : kind
  return direction === "client-to-server" ? `${word} ${name}` : `${word} ${name} (server to client)`
}

/** The pointer to an operation. */
export const pointerOf = (operation: Pick<Operation, "direction" | "kind" | "name">): string =>
  `/operations/${Subschemas.tokenOf(keyOf(operation))}`

/** Where the schemas that others refer to stand. */
export const schemasPointer = "/schemas"

/** A surface of a document. */
export const fromDocument = (document: SurfaceDocument): Surface => ({
  document,
  // Every part of the document is JSON.
  nodes: new SchemaDocument(document as unknown as Schema.Json),
  operations: new Map(Object.entries(document.operations))
})

/** A surface of operations and the schemas that they refer to. Partial: two operations may not have one key. */
export const make = (
  operations: ReadonlyArray<Operation>,
  schemas: Readonly<Record<string, Schema.Json>>
): Surface => {
  const entries = operations.map((operation) => [keyOf(operation), bare(operation)] as const)
  return fromDocument({
    operations: Object.fromEntries(entries.toSorted(byKey)),
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, plain(schema)] as const).toSorted(byKey)
    )
  })
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const schemaMembers = ["named", "positional", "result", "item"] as const

const bare = (operation: Operation): Operation => ({
  ...operation,
  ...Object.fromEntries(schemaMembers.flatMap((member) => {
    const schema = operation[member]
    return schema === undefined ? [] : [[member, plain(schema)]]
  })),
  ...operation.errors !== undefined && {
    errors: operation.errors.map((error) => error.data === undefined ? error : { ...error, data: plain(error.data) })
      .toSorted((a, b) => a.code - b.code)
  }
})

/** A schema without what asks for nothing, but with the definitions that it refers to. */
const plain = (schema: Schema.Json): Schema.Json =>
  typeof schema !== "object" || schema === null
    ? schema
    // A part of JSON is JSON.
    : Subschemas.map(schema as Schema.JsonObject, withoutAnnotations) as Schema.JsonObject

const withoutAnnotations = (schema: Subschemas.Keywords): Subschemas.Keywords =>
  Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword) || isReferred.has(keyword))
      .toSorted(byKey)
  )

const isReferred: ReadonlySet<string> = new Set(["$defs", "definitions"])

/** The node of a member of an operation. */
export const nodeOf = (
  surface: Surface,
  operation: Operation,
  member: "named" | "positional" | "result" | "item"
): SchemaNode | undefined => surface.nodes.find(`${pointerOf(operation)}/${member}`)
