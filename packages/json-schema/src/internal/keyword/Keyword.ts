/** What makes the rule of a keyword, and what it takes from the schema round it. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Node, Rule, Run, Schemas } from "../Run.ts"

/** A schema whose rules are made. @internal */
export class Source {
  readonly schemas: Schemas
  readonly #node: Node
  readonly #schema: Schema.JsonObject

  constructor(schemas: Schemas, node: Node, schema: Schema.JsonObject) {
    this.schemas = schemas
    this.#node = node
    this.#schema = schema
  }

  get steps() {
    return this.schemas.steps
  }

  get resource() {
    return this.#node.resource
  }

  has(keyword: string): boolean {
    return Object.hasOwn(this.#schema, keyword)
  }

  get(keyword: string): Schema.Json | undefined {
    return JsonObject.own(this.#schema, keyword)
  }

  number(keyword: string): number | undefined {
    const value = this.get(keyword)
    return typeof value === "number" ? value : undefined
  }

  string(keyword: string): string | undefined {
    const value = this.get(keyword)
    return typeof value === "string" ? value : undefined
  }

  list(keyword: string): Schema.JsonArray | undefined {
    const value = this.get(keyword)
    if (!JsonObject.isArray(value)) return undefined
    this.steps.spend(value.length)
    return value
  }

  members(keyword: string): ReadonlyArray<readonly [string, Schema.Json]> | undefined {
    const value = this.get(keyword)
    if (!JsonObject.isObject(value)) return undefined
    const entries = Object.entries(value)
    this.steps.spend(entries.length)
    return entries
  }

  /** The schema of a keyword. */
  schema(keyword: string): Node | undefined {
    const value = this.get(keyword)
    return value === undefined ? undefined : this.below(value)
  }

  schemasOf(keyword: string): ReadonlyArray<Node> | undefined {
    return this.list(keyword)?.map((schema) => this.below(schema))
  }

  /** A schema that stands in this one. */
  below(schema: Schema.Json): Node {
    const { names, nodeOf } = this.schemas
    return nodeOf({ schema, resource: names.resourceOf(schema, this.resource) })
  }
}

/** The rule of a keyword, or of a few that need one another; nothing where the schema has none of them. @internal */
export type Keyword = (source: Source) => Rule | undefined

/** The keywords that bound how many parts a value has, if it is of a type that has such parts. @internal */
export const counted = (
  suffix: string,
  parts: string,
  countOf: (run: Run, value: Schema.Json) => number | undefined
): Keyword =>
(source) => {
  const least = source.number(`min${suffix}`)
  const most = source.number(`max${suffix}`)
  if (least === undefined && most === undefined) return undefined
  return (run, value) => {
    const count = countOf(run, value)
    if (count === undefined) return undefined
    if (least !== undefined && count < least) return run.issue(`it should have ${least} ${parts} or more`)
    return most !== undefined && count > most ? run.issue(`it should have ${most} ${parts} or fewer`) : undefined
  }
}
