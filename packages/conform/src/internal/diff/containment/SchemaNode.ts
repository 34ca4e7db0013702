/**
 * A schema within its document: what its references lead to, and which values fit it. References are pointers of the
 * document; `localized` makes them such.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Subschemas from "@parley/json-schema/Subschemas"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/** A schema, and where it stands. */
export interface SchemaNode {
  readonly document: SchemaDocument
  /** The JSON pointer from the document to it. */
  readonly pointer: string
  readonly schema: Schema.Json
  /** Another one for each node of the program. */
  readonly id: number
}

let lastId = 0

/** JSON with schemas in it. Nodes of one place are one node. */
export class SchemaDocument {
  readonly #root: Schema.Json
  readonly #nodes = new Map<string, SchemaNode>()
  readonly #checks = new Map<number, SchemaCheck.Check>()
  readonly #values = new Map<number, ReadonlyArray<Schema.Json> | undefined>()
  #container: Schema.JsonObject | undefined

  constructor(root: Schema.Json) {
    this.#root = root
  }

  /** The node at a pointer. Partial: the place has to be there. */
  at(pointer: string): SchemaNode {
    const node = this.find(pointer)
    if (node === undefined) throw new TypeError(`no schema stands at ${pointer}`)
    return node
  }

  /** The node at a pointer, where there is any. */
  find(pointer: string): SchemaNode | undefined {
    const known = this.#nodes.get(pointer)
    if (known !== undefined) return known
    const schema = valueAt(this.#root, pointer)
    if (schema === undefined) return undefined
    const node = { document: this, pointer, schema, id: ++lastId }
    this.#nodes.set(pointer, node)
    return node
  }

  /** The schema below a node. Partial: the node has it. */
  below(node: SchemaNode, keys: ReadonlyArray<string | number>): SchemaNode {
    return this.at(node.pointer + keys.map((key) => `/${Subschemas.tokenOf(String(key))}`).join(""))
  }

  /** The node that a reference leads to; `undefined` where that is elsewhere. */
  resolve(reference: string): SchemaNode | undefined {
    return isLocal.test(reference) ? this.find(Subschemas.unescaped(reference.slice(1))) : undefined
  }

  /** Whether a value fits a node; `undefined` where nobody knows. */
  fits(node: SchemaNode, value: Schema.Json): boolean | undefined {
    if (typeof node.schema === "boolean") return node.schema
    const issue = this.issueOf(node, value)
    return issue === undefined ? true : issue.isUndecided === true ? undefined : false
  }

  /** Why a value does not fit a node. */
  issueOf(node: SchemaNode, value: Schema.Json): SchemaCheck.Issue | undefined {
    let check = this.#checks.get(node.id)
    if (check === undefined) this.#checks.set(node.id, check = SchemaCheck.make(this.standalone(node)))
    return check(value)
  }

  /** A schema of its own that means the same as a node. */
  standalone(node: SchemaNode): Schema.Json {
    if (node.pointer === "") return node.schema
    if (typeof node.schema === "boolean" || !hasReferences(node.schema)) return node.schema
    this.#container ??= { [outer]: moved(this.#root) }
    return { ...this.#container, $ref: `#/${outer}${node.pointer}` }
  }

  /** The values that a node lists, where it does. */
  valuesOf(node: SchemaNode, depth = 0): ReadonlyArray<Schema.Json> | undefined {
    if (this.#values.has(node.id)) return this.#values.get(node.id)
    const values = this.#listed(node, depth)
    this.#values.set(node.id, values)
    return values
  }

  #listed(node: SchemaNode, depth: number): ReadonlyArray<Schema.Json> | undefined {
    const { schema } = node
    if (!JsonObject.isObject(schema) || depth > deepestReference) return undefined
    const only = JsonObject.own(schema, "const")
    if (only !== undefined) return [only]
    const values = JsonObject.own(schema, "enum")
    if (JsonObject.isArray(values)) return values
    const reference = JsonObject.own(schema, "$ref")
    const target = typeof reference === "string" ? this.resolve(reference) : undefined
    return target === undefined ? undefined : this.valuesOf(target, depth + 1)
  }
}

/** A document of one schema. */
export const nodeOf = (schema: Schema.Json): SchemaNode => new SchemaDocument(schema).at("")

/** Whether a value fits a node; `undefined` where nobody knows. */
export const fits = (node: SchemaNode, value: Schema.Json): boolean | undefined => node.document.fits(node, value)

/** The schema of a keyword, or one of those that it has. */
export const below = (node: SchemaNode, ...keys: ReadonlyArray<string | number>): SchemaNode =>
  node.document.below(node, keys)

const deepestReference = 32

const isLocal = /^#(?:\/|$)/

/** The same document, whose references begin one level further out. */
const moved = (json: Schema.Json): Schema.Json => {
  if (JsonObject.isArray(json)) return json.map(moved)
  if (!JsonObject.isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" && value.startsWith("#")
        ? `#/${outer}${value.slice(1)}`
        : moved(value)
    ])
  )
}

/** A keyword that asks for nothing, and that nothing looks through. */
const outer = "x-document"

const hasReferences = (json: Schema.Json): boolean =>
  JsonObject.isArray(json)
    ? json.some(hasReferences)
    : JsonObject.isObject(json)
      && Object.entries(json).some(([key, value]) => key === "$ref" || key === "$dynamicRef" || hasReferences(value))

const valueAt = (root: Schema.Json, pointer: string): Schema.Json | undefined =>
  pointer.split("/").slice(1).reduce<Schema.Json | undefined>((json, token) => {
    const key = Subschemas.keyOf(token)
    if (JsonObject.isArray(json)) return json[Number(key)]
    return JsonObject.member(json, key)
  }, root)
