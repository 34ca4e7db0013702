/** JSON Schemas of any kind with values for them, as data that an Arbitrary makes and shrinks. */
import { Arbitrary, Schema } from "effect"

const Name = Schema.Literals(["a", "b", "kind"])
const Scalar = Schema.Union([Schema.Literals(["x", "yy", "", 0, 1, 3, true]), Schema.Null])
const Count = Schema.Literals([0, 1, 2])
const Index = Schema.Literals([0, 1, 2])
const Type = Schema.Literals(["null", "boolean", "number", "integer", "string", "array", "object"])
const Pattern = Schema.Literals(["^x", "^a", "y+$", "b|k"])

const optional = Schema.optionalKey

const few = Schema.isMaxLength(3)

const scalars = {
  type: optional(Schema.Union([Type, Schema.NonEmptyArray(Type).check(few)])),
  nullable: optional(Schema.Literal(true)),
  enum: optional(Schema.NonEmptyArray(Scalar).check(few)),
  const: optional(Scalar),
  minLength: optional(Count),
  maxLength: optional(Count),
  pattern: optional(Pattern),
  minimum: optional(Count),
  exclusiveMaximum: optional(Schema.Literals([2, 3])),
  multipleOf: optional(Schema.Literals([1, 2])),
  format: optional(Schema.Literals(["email", "date-time", "uint8"])),
  title: optional(Schema.Literals(["T", "*/"])),
  required: optional(Schema.Array(Name).check(few, Schema.isUnique())),
  minProperties: optional(Count),
  maxProperties: optional(Schema.Literals([1, 2, 5])),
  minItems: optional(Count),
  maxItems: optional(Count),
  uniqueItems: optional(Schema.Boolean),
  minContains: optional(Count),
  maxContains: optional(Count),
  dependentRequired: optional(Schema.Record(Name, Schema.Array(Name).check(few, Schema.isUnique())))
}

/** A keyword and its value: most schemas have few of them. */
const keywords = <const F extends Record<string, Schema.Top>>(fields: F) =>
  Object.entries(fields).map(([name, schema]) => Schema.Tuple([Schema.Literal(name), schema]))

export type Plan = boolean | { readonly $ref: number } | ReadonlyArray<readonly [keyword: string, value: unknown]>

const required = (fields: typeof scalars) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, (schema as unknown as { schema: Schema.Top }).schema])
  )

const leaves = [Schema.Boolean, Schema.Struct({ $ref: Index })] as const

const planOf = (depth: number): Schema.Codec<Plan> => {
  const own = keywords(required(scalars))
  const few = (all: ReadonlyArray<Schema.Top>) =>
    Schema.Array(Schema.Union(all as ReadonlyArray<Schema.Codec<unknown>>)).check(Schema.isMaxLength(5))
  if (depth === 0) return Schema.Union([...leaves, few(own)]) as unknown as Schema.Codec<Plan>
  const inner = planOf(depth - 1) as unknown as Schema.Codec<unknown>
  const some = Schema.NonEmptyArray(inner).check(Schema.isMaxLength(3))
  const named = Schema.Array(Schema.Tuple([Name, inner])).check(Schema.isMaxLength(3))
  const applied = keywords({
    properties: named,
    additionalProperties: inner,
    patternProperties: Schema.Array(Schema.Tuple([Pattern, inner])).check(Schema.isMaxLength(2)),
    propertyNames: inner,
    unevaluatedProperties: inner,
    items: inner,
    prefixItems: some,
    unevaluatedItems: inner,
    contains: inner,
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: inner,
    if: inner,
    then: inner,
    else: inner,
    dependentSchemas: named
  })
  // Keywords that hold schemas go wrong more often than others.
  return Schema.Union([
    ...leaves,
    few([...applied, ...applied, ...own]),
    few([
      ...keywords({ properties: named, anyOf: some, oneOf: some, allOf: some, required: Schema.Array(Name) }),
      ...applied
    ])
  ]) as unknown as Schema.Codec<Plan>
}

const named = new Set(["properties", "patternProperties", "dependentSchemas"])
const single = new Set([
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "items",
  "unevaluatedItems",
  "contains",
  "not",
  "if",
  "then",
  "else"
])
const listed = new Set(["prefixItems", "allOf", "anyOf", "oneOf"])
const samePlace = new Set(["allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"])

export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A reference for the same value leads to a later component only: none may lead to itself. */
const build = (plan: Plan, after: number): JsonSchema => {
  if (typeof plan === "boolean") return plan
  if ("$ref" in plan) return plan.$ref > after ? { $ref: `#/components/schemas/D${plan.$ref}` } : {}
  // `nullable` means nothing without a type.
  const said = plan.filter(([keyword]) => keyword !== "nullable" || plan.some(([keyword]) => keyword === "type"))
  return Object.fromEntries(said.map(([keyword, value]) => {
    const inner = (plan: unknown) => build(plan as Plan, samePlace.has(keyword) ? after : -1)
    if (named.has(keyword)) {
      return [
        keyword,
        Object.fromEntries(
          (value as ReadonlyArray<readonly [string, unknown]>).map(([name, plan]) => [name, inner(plan)])
        )
      ]
    }
    if (single.has(keyword)) return [keyword, inner(value)]
    if (listed.has(keyword)) return [keyword, (value as ReadonlyArray<unknown>).map(inner)]
    return [keyword, Array.isArray(value) ? [...new Set(value)] : value]
  }))
}

export interface Case {
  readonly schemas: ReadonlyArray<JsonSchema>
  readonly components: { readonly [name: string]: JsonSchema }
  readonly seed: number
}

export const CasePlan = Schema.Struct({
  schemas: Schema.NonEmptyArray(planOf(2)).check(Schema.isMaxLength(12)),
  components: Schema.Tuple([planOf(1), planOf(1), planOf(1)]),
  seed: Schema.Literals([1, 2, 3, 4, 5, 6, 7, 8])
})

export const arbitrary = Arbitrary.schema(CasePlan)

export const caseOf = ({ components, schemas, seed }: typeof CasePlan.Type): Case => ({
  schemas: schemas.map((plan) => build(plan, -1)),
  components: Object.fromEntries(components.map((plan, index) => [`D${index}`, build(plan, index)])),
  seed
})

const scalarValues = ["x", "yy", "", 0, 1, 3, null, true, false, 2.5]

/** Values that a schema might take, and others. */
export const valuesOf = (schema: JsonSchema, components: Case["components"], seed: number, count: number) => {
  let state = seed * 2_654_435_761 % 4_294_967_296
  const random = (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor(state / 4_294_967_296 * below)
  }
  const pick = <A>(all: ReadonlyArray<A>): A => all[random(all.length)] as A
  const anything = (depth: number): unknown => {
    const kind = depth === 0 ? 0 : random(4)
    if (kind === 2) return Array.from({ length: random(3) }, () => anything(depth - 1))
    if (kind === 3) {
      return Object.fromEntries(
        Array.from({ length: random(3) }, () => [pick(["a", "b", "kind", "x"]), anything(depth - 1)])
      )
    }
    return pick(scalarValues)
  }
  const merge = (one: unknown, other: unknown): unknown =>
    isObject(one) && isObject(other)
      ? Object.fromEntries(
        [...Object.keys(one), ...Object.keys(other)].map((name) => [
          name,
          Object.hasOwn(one, name) && Object.hasOwn(other, name)
            ? merge(one[name], other[name])
            : Object.hasOwn(one, name)
            ? one[name]
            : other[name]
        ])
      )
      : random(2) === 0
      ? one
      : other
  const of = (schema: unknown, depth: number): unknown => {
    if (!isObject(schema) || depth === 0) return anything(1)
    const parts: Array<unknown> = []
    const { $ref, additionalProperties, const: constant, enum: values, items, patternProperties, prefixItems } = schema
    if (typeof $ref === "string") parts.push(of(components[$ref.split("/").at(-1) ?? ""], depth - 1))
    if (constant !== undefined) parts.push(constant)
    if (Array.isArray(values)) parts.push(pick(values))
    for (const keyword of ["allOf"]) for (const inner of list(schema[keyword])) parts.push(of(inner, depth))
    for (const keyword of ["anyOf", "oneOf"]) {
      const all = list(schema[keyword])
      if (all.length > 0) parts.push(of(pick(all), depth))
      if (all.length > 1 && keyword === "anyOf" && random(2) === 0) parts.push(of(pick(all), depth))
    }
    for (const keyword of ["if", "then", "else", "contains"]) {
      if (schema[keyword] !== undefined && random(2) === 0) {
        parts.push(keyword === "contains" ? [of(schema[keyword], depth - 1)] : of(schema[keyword], depth))
      }
    }
    for (const inner of Object.values(record(schema["dependentSchemas"]))) parts.push(of(inner, depth))
    const properties = Object.entries(record(schema["properties"]))
    const names = list(schema["required"])
    const wild = [additionalProperties, ...Object.values(record(patternProperties)), schema["unevaluatedProperties"]]
      .filter(isObject)
    if (properties.length + names.length + wild.length > 0) {
      parts.push(Object.fromEntries([
        ...names.map((name) => [name, anything(1)] as const),
        ...(wild.length > 0 ? [[pick(["a", "b", "kind", "x", "y"]), of(pick(wild), depth - 1)] as const] : []),
        ...properties.flatMap(([name, inner]) =>
          names.includes(name) || random(3) > 0 ? [[name, of(inner, depth - 1)] as const] : []
        ),
        ...(random(4) === 0 ? [["x", anything(1)] as const] : [])
      ]))
    }
    if (items !== undefined || prefixItems !== undefined) {
      const first = list(prefixItems).map((inner) => of(inner, depth - 1))
      parts.push([
        ...first,
        ...Array.from({ length: random(3) }, () => of(items ?? schema["unevaluatedItems"], depth - 1))
      ])
    }
    const types = typeof schema["type"] === "string" ? [schema["type"]] : list(schema["type"])
    if (parts.length === 0) {
      switch (types.length > 0 ? pick(types) : undefined) {
        case "object":
          return { a: anything(1) }
        case "array":
          return [anything(1)]
        case "string":
          return pick(["x", "yy", "", "xy"])
        case "number":
        case "integer":
          return pick([0, 1, 2, 3])
        case "boolean":
          return true
        case "null":
          return null
      }
      return anything(2)
    }
    return parts.reduce(merge)
  }
  return Array.from({ length: count }, (_, index) => index % 6 === 5 ? anything(3) : of(schema, 4))
}

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const record = (value: unknown): { readonly [name: string]: unknown } => isObject(value) ? value : {}

/** A document whose method `m0` has the first schema as its result, and so on. */
export const documentOf = ({ components, schemas }: Case) => ({
  openrpc: "1.3.2",
  info: { title: "T", version: "1" },
  methods: schemas.map((schema, index) => ({
    name: `m${index}`,
    params: [],
    result: { name: "result", schema }
  })),
  components: { schemas: components }
})

/** Whether something is said of members that a Struct leaves out. */
export const isOpened = (schemas: unknown): boolean =>
  /"(additionalProperties|propertyNames|minProperties|maxProperties)"/.test(JSON.stringify(schemas))

/** The same schema, which takes no member that no keyword describes. */
export const described = (schema: unknown, isPlace = true): unknown => {
  if (!isObject(schema)) return schema
  const mapped = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      const inner = (value: unknown) => described(value, !samePlace.has(keyword))
      if (named.has(keyword)) {
        return [
          keyword,
          Object.fromEntries(Object.entries(record(value)).map(([name, schema]) => [name, inner(schema)]))
        ]
      }
      if (single.has(keyword)) return [keyword, inner(value)]
      return [keyword, listed.has(keyword) && Array.isArray(value) ? value.map(inner) : value]
    })
  )
  return isPlace && !Object.hasOwn(mapped, "unevaluatedProperties")
    ? { ...mapped, unevaluatedProperties: false }
    : mapped
}
