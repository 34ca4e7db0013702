/** The keywords of objects. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { patternsOf, restOf, schemasOf } from "../build/object.ts"
import type { Alternative, Facts, SomeMember } from "../Facts.ts"
import { anything, misfitting } from "../Goal.ts"
import { below, type SchemaNode } from "../SchemaNode.ts"
import type { Expand, Kinded } from "./Kinded.ts"
import { counted } from "./values.ts"

const counts = counted("Properties")

const entriesOf = (schema: Schema.JsonObject, keyword: string): ReadonlyArray<readonly [string, Schema.Json]> => {
  const value = JsonObject.own(schema, keyword)
  return JsonObject.isObject(value) ? Object.entries(value) : []
}

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  JsonObject.isArray(value) ? value.filter((text) => typeof text === "string") : []

/** The demands of members: other members, or that the whole fits a schema. */
const dependentsOf = (node: SchemaNode, schema: Schema.JsonObject) => {
  const keys: Array<readonly [string, ReadonlyArray<string>]> = []
  const schemas: Array<readonly [string, SchemaNode]> = []
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    for (const [key, value] of entriesOf(schema, keyword)) {
      if (JsonObject.isArray(value)) keys.push([key, textsOf(value)])
      else if (keyword !== "dependentRequired") schemas.push([key, below(node, keyword, key)])
    }
  }
  return { keys, schemas }
}

const some = (member: Partial<SomeMember>): Alternative => (facts) => {
  facts.someMembers = [
    ...facts.someMembers,
    { except: new Set(), exceptPatterns: [], pattern: undefined, name: anything, value: anything, ...member }
  ]
  return true
}

export const objects: Kinded = {
  fit: (facts, node, schema, expand) => {
    if (restOf(schema) !== undefined || Object.hasOwn(schema, "properties") || patternsOf(schema).length > 0) {
      facts.objects = [...facts.objects, node]
    }
    if (Object.hasOwn(schema, "propertyNames")) facts.names = [...facts.names, below(node, "propertyNames")]
    const { keys, schemas } = dependentsOf(node, schema)
    facts.dependents = [...facts.dependents, ...keys]
    return facts.require(textsOf(JsonObject.own(schema, "required"))) &&
      counts.fit(facts, node, schema, expand) &&
      schemas.every(([key, inner]) =>
        expand.choose(facts, [
          (facts) => facts.forbid(key),
          (facts) => facts.require([key]) && expand.fit(facts, inner)
        ])
      )
  },
  misfit: (facts, node, schema, expand) => {
    const { keys, schemas } = dependentsOf(node, schema)
    const properties = entriesOf(schema, "properties").map(([key]) => key)
    return [
      ...textsOf(JsonObject.own(schema, "required")).map((key): Alternative => (facts) => facts.forbid(key)),
      ...counts.misfit(facts, node, schema, expand),
      ...properties.flatMap((key) => member(key, below(node, "properties", key), expand)),
      ...patternsOf(schema).map((pattern) =>
        some({ pattern, value: misfitting(below(node, "patternProperties", pattern)) })
      ),
      ...others(node, schema, properties),
      ...Object.hasOwn(schema, "propertyNames") ? [some({ name: misfitting(below(node, "propertyNames")) })] : [],
      ...keys.flatMap(([key, others]) =>
        others.map((other): Alternative => (facts) => facts.require([key]) && facts.forbid(other))
      ),
      ...schemas.map(([key, inner]): Alternative => (facts) => facts.require([key]) && expand.misfit(facts, inner)),
      ...isOpen(schema)
        ? [some({ value: misfitting(below(node, "unevaluatedProperties")) })]
        : []
    ]
  }
}

/** Whether any member may be one that was not evaluated and should have been, for all that is known here. */
const isOpen = (schema: Schema.JsonObject): boolean =>
  restOf(schema) !== "unevaluatedProperties" && (JsonObject.own(schema, "unevaluatedProperties") ?? true) !== true

/** A member that does not fit its schema. Where there is none, that is seen before anything is built. */
const member = (key: string, inner: SchemaNode, expand: Expand): ReadonlyArray<Alternative> =>
  inner.schema === true ?
    [] :
    [(facts) =>
      expand.hasMember([...schemasOf(facts.objects, key), ...facts.members.get(key)?.fits ?? []], inner) &&
      facts.member(key, misfitting(inner))]

/** A member that no other keyword speaks of. */
const others = (
  node: SchemaNode,
  schema: Schema.JsonObject,
  properties: ReadonlyArray<string>
): ReadonlyArray<Alternative> => {
  const rest = restOf(schema)
  return rest === undefined || schema[rest] === true ? [] : [some({
    except: new Set(properties),
    exceptPatterns: patternsOf(schema),
    value: misfitting(below(node, rest))
  })]
}

/** Whether a member has to be there whose values the schema does not list. */
export const isMissed = (facts: Facts, node: SchemaNode, schema: Schema.JsonObject): boolean =>
  entriesOf(schema, "properties").some(([key]) => {
    if (!facts.required.has(key)) return false
    const listed = valuesOf(below(node, "properties", key))
    if (listed === undefined) return false
    const mine = schemasOf(facts.objects, key).map(valuesOf).find((values) => values !== undefined)
    return mine !== undefined && !mine.some((value) => listed.has(JsonObject.canonical(value)))
  })
  || textsOf(JsonObject.own(schema, "required")).some((key) => facts.absent.has(key))

const valuesOf = (node: SchemaNode): (ReadonlyArray<Schema.Json> & { has: (text: string) => boolean }) | undefined => {
  const values = node.document.valuesOf(node)
  if (values === undefined) return undefined
  const texts = new Set(values.map(JsonObject.canonical))
  return Object.assign([...values], { has: (text: string) => texts.has(text) })
}
