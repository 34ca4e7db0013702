/** The keywords of one kind of values, and what they need to make facts of the schemas in them. */
import type * as Schema from "effect/Schema"
import type { Alternative, Facts } from "../Facts.ts"
import type { SchemaNode } from "../SchemaNode.ts"

/** Makes facts of schemas. */
export interface Expand {
  /** Adds what a schema asks for; `false` where that contradicts the facts. */
  readonly fit: (facts: Facts, node: SchemaNode) => boolean
  /** Adds that a schema is not fit, or the choice between the ways not to. */
  readonly misfit: (facts: Facts, node: SchemaNode) => boolean
  /** Adds a choice, or what is left of it. */
  readonly choose: (facts: Facts, alternatives: ReadonlyArray<Alternative>, misfit?: SchemaNode) => boolean
  /** Whether a value of some schemas can be found at all that does not fit another. */
  readonly hasMember: (nodes: ReadonlyArray<SchemaNode>, misfit: SchemaNode) => boolean
}

/** The keywords of one kind of values. */
export interface Kinded {
  /** Adds what the keywords of a node ask for. */
  readonly fit: (facts: Facts, node: SchemaNode, schema: Schema.JsonObject, expand: Expand) => boolean
  /** The ways to break one of them. */
  readonly misfit: (
    facts: Facts,
    node: SchemaNode,
    schema: Schema.JsonObject,
    expand: Expand
  ) => ReadonlyArray<Alternative>
}
