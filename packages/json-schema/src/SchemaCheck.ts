/**
 * Holds JSON against a JSON Schema (2020-12, and what drafts from 04 on write differently).
 *
 * Nothing is fetched: a `$ref` is looked up in the schema itself. A schema of this side whose parts cannot all be checked
 * is refused when it is made. In one of the other side such a part decides nothing: the value has an undecided issue,
 * unless the rest of the schema refuses it. `format` is an annotation. Whatever schema and value are, a check ends after
 * a bounded number of steps and levels; one that needs more is undecided. Patterns are run in linear time.
 *
 * ```ts run
 * import { SchemaCheck } from "@parley/json-schema"
 *
 * const check = SchemaCheck.make({ properties: { age: { type: "integer", minimum: 0 } }, required: ["age"] })
 *
 * console.log(check({ age: 7 })) // => undefined
 * console.log(check({ age: -1 })) // => { path: [ 'age' ], rule: 'it should be at least 0' }
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { dialects, faultOf, type FaultOptions } from "./internal/faults.ts"
import { applicators, unchecked } from "./internal/keyword/applicator.ts"
import { contains, itemCount, items, unevaluatedItems, unique } from "./internal/keyword/array.ts"
import { type Keyword, Source } from "./internal/keyword/Keyword.ts"
import {
  dependencies,
  dependentRequired,
  dependentSchemas,
  memberCount,
  members,
  names,
  required,
  unevaluatedMembers
} from "./internal/keyword/object.ts"
import { valueKeywords } from "./internal/keyword/value.ts"
import * as SchemaNames from "./internal/names.ts"
import { type Issue, type Node, type Rule, Run, type Schemas } from "./internal/Run.ts"
import { Steps, Undecided } from "./internal/Steps.ts"

export type { Issue } from "./internal/Run.ts"

export type { FaultOptions } from "./internal/faults.ts"

export { Steps } from "./internal/Steps.ts"

/**
 * Gives the first issue of a value, nothing where it fits, and an undecided issue where nobody knows. Several checks may
 * share the steps that they may take; one alone has 4,000,000, about a tenth of a second.
 *
 * @category models
 * @since 0.1.0
 */
export type Check = (value: Schema.Json, steps?: Steps) => Issue | undefined

/**
 * A check of values against a schema of the other side, made once for the schema.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (root: Schema.Json, steps = new Steps()): Check => {
  const schemas = answered([], () => schemasOf(root, steps))
  return "rule" in schemas ? () => schemas : checkOf(schemas)
}

/**
 * The same for a schema of this side. Partial: throws a `TypeError` where a part of it cannot be checked, or it is too
 * large to be looked through. `what` names what has the schema.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeUnsafe = (what: string, root: Schema.Json): Check =>
  checkOf(withoutFaults(what, root, { patterns: true }))

/**
 * Throws a `TypeError` for a schema of this side whose parts cannot all be checked. Patterns matter only where they are
 * run: with `patterns: false` they may be of any kind.
 *
 * @category guards
 * @since 0.1.0
 */
export const refuseFaults = (what: string, root: Schema.Json, options: FaultOptions): void => {
  withoutFaults(what, root, options)
}

const withoutFaults = (what: string, root: Schema.Json, options: FaultOptions): Schemas => {
  const schemas = answered([], () => schemasOf(root, new Steps()))
  if ("rule" in schemas) throw new TypeError(`the schema of ${what} cannot be used: ${schemas.rule}`)
  const fault = answered([], () => faultOf(what, schemas.names, new Steps(), options))
  if (fault === undefined) return schemas
  throw new TypeError(typeof fault === "string" ? fault : `the schema of ${what} cannot be used: ${fault.rule}`)
}

const checkOf = (schemas: Schemas): Check => {
  const whole = schemas.nodeOf(schemas.names.root)
  return (value, steps = new Steps()) => {
    const run = new Run(schemas, steps)
    return answered(run.path, () => run.visit(whole, value) ?? run.doubt)
  }
}

/** What a check gives, or why it can give nothing. */
const answered = <A>(path: ReadonlyArray<string | number>, run: () => A): A | Issue => {
  try {
    return run()
  } catch (error) {
    if (error instanceof Undecided) return { path: [...path], rule: error.rule, isUndecided: true }
    throw error
  }
}

const schemasOf = (root: Schema.Json, steps: Steps): Schemas => {
  const names = SchemaNames.make(root, steps)
  const nodes = new Map<Schema.Json, Node>()
  const schemas: Schemas = {
    names,
    steps,
    nodeOf: (place) => {
      const known = nodes.get(place.schema)
      if (known !== undefined) return known
      const node: Node = { ...place, rules: undefined, hasUnevaluated: false }
      nodes.set(place.schema, node)
      return node
    },
    compile: (node) => compile(schemas, node)
  }
  return schemas
}

const compile = (schemas: Schemas, node: Node): ReadonlyArray<Rule> => {
  const { schema } = node
  if (schema === false) return nothing
  if (schema === true) return []
  if (!JsonObject.isObject(schema)) {
    return [unchecked("a part of its schema is no schema: that is an object, true or false")]
  }
  const dialect = JsonObject.own(schema, "$schema")
  if (dialect !== undefined && !schemas.names.knows(dialect)) {
    return [unchecked(`the dialect of its schema is none of ${dialects}`)]
  }
  schemas.steps.spend(keywords.length)
  node.hasUnevaluated = JsonObject.own(schema, "unevaluatedProperties") !== undefined ||
    JsonObject.own(schema, "unevaluatedItems") !== undefined
  const source = new Source(schemas, node, schema)
  const known = schemas.names.validates(node.resource) ? keywords : applying
  return known.map((keyword) => keyword(source)).filter((rule) => rule !== undefined)
}

const nothing: ReadonlyArray<Rule> = [(run) => run.issue("nothing is allowed here")]

/** The vocabulary of validation (2020-12), which a dialect of the document's own may leave out. */
const validating: ReadonlySet<Keyword> = new Set([
  ...valueKeywords,
  memberCount,
  required,
  dependentRequired,
  itemCount,
  unique
])

/** In the order in which they are looked at: what the others have left over comes last. */
const keywords: ReadonlyArray<Keyword> = [
  ...valueKeywords,
  ...applicators,
  memberCount,
  required,
  dependentRequired,
  dependentSchemas,
  dependencies,
  names,
  members,
  itemCount,
  items,
  contains,
  unique,
  unevaluatedMembers,
  unevaluatedItems
]

const applying = keywords.filter((keyword) => !validating.has(keyword))
