/**
 * Makes facts of schemas: what a value has to be to fit one, and the ways not to fit it. A keyword that is not understood
 * asks for nothing where a value has to fit, and leaves every value open where it must not.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Alternative, Facts, Kind } from "../Facts.ts"
import { below, type SchemaNode } from "../SchemaNode.ts"
import type { Solving } from "../Solving.ts"
import * as arrays from "./arrays.ts"
import type { Expand, Kinded } from "./Kinded.ts"
import * as objects from "./objects.ts"
import * as values from "./values.ts"

const nothingToSay: Kinded = { fit: () => true, misfit: () => [] }

const kinded: Readonly<Record<Kind, Kinded>> = {
  null: nothingToSay,
  boolean: nothingToSay,
  number: values.numbers,
  string: values.texts,
  array: arrays.arrays,
  object: objects.objects
}

export class Expansion implements Expand {
  readonly #solver: Solving

  constructor(solver: Solving) {
    this.#solver = solver
  }

  /** Adds what a schema asks for; `false` where that contradicts the facts. */
  fit(facts: Facts, node: SchemaNode): boolean {
    if (facts.fits.includes(node)) return true
    this.#solver.work()
    if ([...facts.misfits, ...facts.unions].some((other) => this.#solver.equality.areEqual(node, other))) return false
    facts.fits = [...facts.fits, node]
    const { schema } = node
    if (!JsonObject.isObject(schema)) return schema !== false
    const types = typesOf(schema)
    if (types !== undefined && !hasKind(types, facts.kind)) return false
    if (facts.kind === "number" && types !== undefined && !types.includes("number")) facts.isInteger = true
    const listed = JsonObject.own(schema, "enum")
    if (JsonObject.isArray(listed) && !facts.restrict(listed)) return false
    if (Object.hasOwn(schema, "const") && !facts.restrict([schema["const"] ?? null])) return false
    return this.#fitApplied(facts, node, schema) && kinded[facts.kind].fit(facts, node, schema, this)
  }

  #fitApplied(facts: Facts, node: SchemaNode, schema: Schema.JsonObject): boolean {
    const fitting = (inner: SchemaNode): Alternative => (facts) => this.fit(facts, inner)
    const misfitting = (inner: SchemaNode): Alternative => (facts) => this.misfit(facts, inner)
    const target = targetOf(node, schema)
    if (target !== undefined && !this.fit(facts, target)) return false
    if (!listOf(node, schema, "allOf").every((inner) => this.fit(facts, inner))) return false
    const any = listOf(node, schema, "anyOf")
    if (any.length > 0 && !this.choose(facts, any.map(fitting))) return false
    const one = listOf(node, schema, "oneOf")
    if (one.length > 0 && !this.choose(facts, one.map((inner) => only(inner, one, fitting, misfitting)))) return false
    if (Object.hasOwn(schema, "not") && !this.misfit(facts, below(node, "not"))) return false
    if (Object.hasOwn(schema, "if") && (Object.hasOwn(schema, "then") || Object.hasOwn(schema, "else"))) {
      const condition = below(node, "if")
      const then = Object.hasOwn(schema, "then") ? [fitting(below(node, "then"))] : []
      const otherwise = Object.hasOwn(schema, "else") ? [fitting(below(node, "else"))] : []
      return this.choose(facts, [every(fitting(condition), ...then), every(misfitting(condition), ...otherwise)])
    }
    return true
  }

  /** Adds that a schema is not fit, or the choice between the ways not to. Unions wait. */
  misfit(facts: Facts, node: SchemaNode): boolean {
    if (facts.misfits.includes(node)) return true
    const { schema } = node
    if (!JsonObject.isObject(schema) || !isUnion(schema)) return this.misfitNow(facts, node)
    if (facts.fits.some((other) => this.#solver.equality.areEqual(node, other))) return false
    if (!facts.unions.includes(node)) facts.unions = [...facts.unions, node]
    return true
  }

  /** The same, also for a union. */
  misfitNow(facts: Facts, node: SchemaNode): boolean {
    this.#solver.work()
    if (facts.fits.some((other) => this.#solver.equality.areEqual(node, other))) return false
    const { schema } = node
    if (!JsonObject.isObject(schema)) return schema === false
    if (this.isMissed(facts, node)) return true
    const types = typesOf(schema)
    const alternatives = this.#misfits(facts, node, schema, types)
    if (alternatives === undefined) return true
    facts.misfits = [...facts.misfits, node]
    return this.choose(facts, alternatives, node)
  }

  /** The ways not to fit; `undefined` where no value of the kind fits. */
  #misfits(
    facts: Facts,
    node: SchemaNode,
    schema: Schema.JsonObject,
    types: ReadonlyArray<string> | undefined
  ): ReadonlyArray<Alternative> | undefined {
    const fitting = (inner: SchemaNode): Alternative => (facts) => this.fit(facts, inner)
    const misfitting = (inner: SchemaNode): Alternative => (facts) => this.misfit(facts, inner)
    const alternatives: Array<Alternative> = []
    if (facts.kind === "number" && types !== undefined && !types.includes("number")) {
      alternatives.push((facts) => {
        facts.isFraction = true
        return !facts.isInteger
      })
    }
    const lists = [
      ...[JsonObject.own(schema, "enum")].filter(JsonObject.isArray),
      ...Object.hasOwn(schema, "const") ? [[schema["const"] ?? null]] : []
    ]
    for (const list of lists) {
      const { excluded } = facts
      const trial = facts.copy()
      trial.exclude(list)
      if (trial.excluded.length === excluded.length) return undefined
      alternatives.push((facts) => facts.exclude(list))
    }
    const target = targetOf(node, schema)
    if (target !== undefined) alternatives.push(misfitting(target))
    else if (isOpen(schema)) alternatives.push(() => true)
    alternatives.push(...listOf(node, schema, "allOf").map(misfitting))
    const any = listOf(node, schema, "anyOf")
    if (any.length > 0) alternatives.push(every(...any.map(misfitting)))
    const one = listOf(node, schema, "oneOf")
    if (one.length > 0) {
      alternatives.push(
        every(...one.map(misfitting)),
        ...this.#twoOf(facts, one).map(([a, b]) => every(fitting(a), fitting(b)))
      )
    }
    if (Object.hasOwn(schema, "not")) alternatives.push(fitting(below(node, "not")))
    if (Object.hasOwn(schema, "if")) {
      const condition = below(node, "if")
      if (Object.hasOwn(schema, "then")) alternatives.push(every(fitting(condition), misfitting(below(node, "then"))))
      if (Object.hasOwn(schema, "else")) {
        alternatives.push(every(misfitting(condition), misfitting(below(node, "else"))))
      }
    }
    alternatives.push(...kinded[facts.kind].misfit(facts, node, schema, this))
    return alternatives
  }

  /** The pairs of schemas that one value may fit. */
  #twoOf(facts: Facts, nodes: ReadonlyArray<SchemaNode>): ReadonlyArray<readonly [SchemaNode, SchemaNode]> {
    const possible = nodes.filter((node) => !this.isMissed(facts, node))
    return possible.flatMap((a, at) =>
      possible.slice(at + 1).flatMap((b) => this.#solver.areDisjoint(a, b) ? [] : [[a, b] as const])
    )
  }

  /** Adds a choice, or what is left of it. */
  choose(facts: Facts, alternatives: ReadonlyArray<Alternative>, misfit?: SchemaNode): boolean {
    const [only, ...others] = alternatives
    if (only === undefined) return false
    if (others.length === 0) return only(facts)
    facts.choices = [...facts.choices, { misfit, alternatives }]
    return true
  }

  /** Whether a value with these members can be found at all. */
  hasMember(nodes: ReadonlyArray<SchemaNode>, misfit: SchemaNode): boolean {
    return this.#solver.solve({ fits: nodes, misfits: [misfit] })._tag !== "None"
  }

  /** Whether it is plain that no value of the facts fits a schema: a member that has to be there has other values. */
  isMissed(facts: Facts, node: SchemaNode, depth = 0): boolean {
    const { schema } = node
    if (schema === false) return true
    if (!JsonObject.isObject(schema) || depth > 8) return false
    const types = typesOf(schema)
    if (types !== undefined && !hasKind(types, facts.kind)) return true
    const values = node.document.valuesOf(node)
    if (values !== undefined && facts.values !== undefined && !values.some((value) => isListed(value, facts.values))) {
      return true
    }
    const target = targetOf(node, schema)
    if (target !== undefined && this.isMissed(facts, target, depth + 1)) return true
    if (listOf(node, schema, "allOf").some((inner) => this.isMissed(facts, inner, depth + 1))) return true
    return facts.kind === "object" && objects.isMissed(facts, node, schema)
  }
}

const isUnion = (schema: Schema.JsonObject): boolean => Object.hasOwn(schema, "oneOf") || Object.hasOwn(schema, "anyOf")

const isListed = (value: Schema.Json, values: ReadonlyArray<Schema.Json> = []): boolean => {
  const text = JsonObject.canonical(value)
  return values.some((other) => JsonObject.canonical(other) === text)
}

/** One of the schemas, and none of the others. */
const only = (
  inner: SchemaNode,
  all: ReadonlyArray<SchemaNode>,
  fitting: (node: SchemaNode) => Alternative,
  misfitting: (node: SchemaNode) => Alternative
): Alternative => every(fitting(inner), ...all.filter((other) => other !== inner).map(misfitting))

/** All of them hold. */
export const every = (...parts: ReadonlyArray<Alternative>): Alternative => (facts) =>
  parts.every((part) => part(facts))

/** The types that a schema names. */
export const typesOf = (schema: Schema.JsonObject): ReadonlyArray<string> | undefined => {
  const type = JsonObject.own(schema, "type")
  if (typeof type === "string") return [type]
  return JsonObject.isArray(type) ? type.filter((name) => typeof name === "string") : undefined
}

const hasKind = (types: ReadonlyArray<string>, kind: Kind): boolean =>
  types.includes(kind) || (kind === "number" && types.includes("integer"))

/** The schemas of a keyword that has a list of them. */
export const listOf = (node: SchemaNode, schema: Schema.JsonObject, keyword: string): ReadonlyArray<SchemaNode> => {
  const list = JsonObject.own(schema, keyword)
  return JsonObject.isArray(list) ? list.map((_, at) => below(node, keyword, at)) : []
}

const targetOf = (node: SchemaNode, schema: Schema.JsonObject): SchemaNode | undefined => {
  const reference = JsonObject.own(schema, "$ref")
  return typeof reference === "string" ? node.document.resolve(reference) : undefined
}

/** Whether a schema has keywords by which any value may not fit it, for all that is known here. */
const isOpen = (schema: Schema.JsonObject): boolean => open.some((keyword) => Object.hasOwn(schema, keyword))

const open = ["$ref", "$dynamicRef", "$recursiveRef"]
