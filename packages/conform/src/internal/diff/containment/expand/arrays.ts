/** The keywords of arrays. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { itemKeywords, tuple } from "../build/array.ts"
import type { Alternative, Facts, SomeItem } from "../Facts.ts"
import { fitting, misfitting } from "../Goal.ts"
import { below, type SchemaNode } from "../SchemaNode.ts"
import type { Kinded } from "./Kinded.ts"
import { counted, numberOf } from "./values.ts"

const counts = counted("Items")

/** More of them are no value that a person would look at. */
const mostContained = 64

const some = (...items: ReadonlyArray<SomeItem>): Alternative => (facts) => {
  facts.someItems = [...facts.someItems, ...items]
  return true
}

const containing = (node: SchemaNode, count: number): ReadonlyArray<SomeItem> =>
  Array.from({ length: Math.min(count, mostContained) }, () => ({
    from: 0,
    goal: fitting(node),
    group: count > 1 ? node.id : undefined
  }))

export const arrays: Kinded = {
  fit: (facts, node, schema, expand) => {
    if (["prefixItems", "items", "additionalItems"].some((keyword) => Object.hasOwn(schema, keyword))) {
      facts.arrays = [...facts.arrays, node]
    }
    if (JsonObject.own(schema, "uniqueItems") === true) facts.isUnique = true
    if (Object.hasOwn(schema, "contains")) {
      const inner = below(node, "contains")
      some(...containing(inner, Math.ceil(numberOf(schema, "minContains") ?? 1)))(facts)
      if (numberOf(schema, "maxContains") === 0) facts.everyItem = [...facts.everyItem, inner]
    }
    return counts.fit(facts, node, schema, expand)
  },
  misfit: (facts, node, schema, expand) => [
    ...counts.misfit(facts, node, schema, expand),
    ...itemsOf(node, schema),
    ...containsOf(node, schema),
    ...JsonObject.own(schema, "uniqueItems") === true
      ? [(facts: Facts) => {
        facts.isRepeated = true
        return !facts.isUnique
      }]
      : [],
    ...Object.hasOwn(schema, "unevaluatedItems") && schema["unevaluatedItems"] !== true
      ? [some({ from: 0, goal: misfitting(below(node, "unevaluatedItems")), group: undefined })]
      : []
  ]
}

const itemsOf = (node: SchemaNode, schema: Schema.JsonObject): ReadonlyArray<Alternative> => {
  const [first, rest] = itemKeywords(schema)
  const own = tuple(schema)
  return [
    ...own.flatMap((inner, at): ReadonlyArray<Alternative> =>
      inner === true ? [] : [(facts) => facts.item(at, misfitting(below(node, first, at)))]
    ),
    ...Object.hasOwn(schema, rest) && schema[rest] !== true
      ? [some({ from: own.length, goal: misfitting(below(node, rest)), group: undefined })]
      : []
  ]
}

/** Too few of the items that an array should contain, or too many. */
const containsOf = (node: SchemaNode, schema: Schema.JsonObject): ReadonlyArray<Alternative> => {
  if (!Object.hasOwn(schema, "contains")) return []
  const inner = below(node, "contains")
  const least = Math.ceil(numberOf(schema, "minContains") ?? 1)
  const most = numberOf(schema, "maxContains")
  return [
    ...least > 0
      ? [(facts: Facts) => {
        // With more than one, fewer of them are allowed than none: that is found out in the end.
        if (least === 1) facts.everyItem = [...facts.everyItem, inner]
        return true
      }]
      : [],
    ...most === undefined ? [] : [some(...containing(inner, Math.floor(most) + 1))]
  ]
}
