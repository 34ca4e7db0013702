/** The contracts that plans describe. */
import { Contract, Method, Notification, Subscription } from "@parley/contract"
import type { Params } from "@parley/contract/shared"
import { Dialect } from "@parley/protocol"
import { Schema, SchemaAST } from "effect"
import type { ContractPlan, Errors, MemberPlan, ParamsPlan, Plan } from "./Plans.ts"

const documented = (schema: Schema.Top | Params.Codec, { description, title }: {
  readonly title?: string
  readonly description?: string
}): Params.Codec =>
  // Built of Schemas that need no services.
  (schema as unknown as Schema.Top).annotate({
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description })
  }) as unknown as Params.Codec

const known = {
  boolean: Schema.Boolean,
  null: Schema.Null,
  json: Schema.Json,
  void: Schema.Void,
  date: Schema.Date,
  bigint: Schema.BigInt,
  bytes: Schema.Uint8Array,
  empty: Schema.Struct({}),
  url: Schema.URL,
  optional: Schema.Option(Schema.String)
}

/** Whether values are their own JSON: of two that differ in their types only, both may fit one JSON. */
const isJson = (plan: Plan): boolean => {
  switch (plan._tag) {
    case "Known":
      return ["boolean", "null", "json"].includes(plan.kind)
    case "Number":
      // Those that are not finite are texts, and a bound stands in no JSON Schema of both.
      return plan.kind !== "any"
    case "Named":
      return false
    case "List":
      return isJson(plan.item)
    case "Tuple":
      return plan.items.every(isJson) && (plan.rest === undefined || isJson(plan.rest))
    case "Struct":
      return plan.fields.every(({ plan }) => isJson(plan))
    case "Record":
      return isJson(plan.value)
    case "Union":
      return plan.items.every(isJson)
    default:
      return true
  }
}

/** Builds Schemas that may refer to the named ones. */
const builder = (named: ReadonlyArray<Params.Codec>) => {
  const build = (plan: Plan): Params.Codec => {
    switch (plan._tag) {
      case "Text": {
        const { max, min } = plan
        const checks = [
          ...(min === undefined ? [] : [Schema.isMinLength(min)]),
          ...(max === undefined ? [] : [Schema.isMaxLength(Math.max(max, min ?? 0))])
        ]
        return documented(checked(Schema.String, checks), plan)
      }
      case "Pattern":
        return documented(Schema.String.check(Schema.isPattern(new RegExp(plan.pattern, "u"))), plan)
      case "Number": {
        const { above, below, exclusive, kind, multiple } = plan
        const base = { int: Schema.Int, finite: Schema.Finite, any: Schema.Number }[kind]
        return documented(
          checked(base, [
            ...(above === undefined
              ? []
              : [exclusive ? Schema.isGreaterThan(above) : Schema.isGreaterThanOrEqualTo(above)]),
            ...(below === undefined ? [] : [exclusive ? Schema.isLessThan(below) : Schema.isLessThanOrEqualTo(below)]),
            ...(multiple === undefined || kind !== "int" ? [] : [Schema.isMultipleOf(multiple)])
          ]),
          plan
        )
      }
      case "Known":
        return documented(known[plan.kind], plan)
      case "Literals":
        return Schema.Literals([...new Set(plan.values)])
      case "Named": {
        const schema = named[plan.index % Math.max(named.length, 1)] ?? Schema.String
        return plan.description === undefined
          ? schema
          : documented(Schema.suspend(() => schema), { description: plan.description })
      }
      case "List":
        return checked(Schema.Array(build(plan.item)), [
          ...(plan.min === undefined ? [] : [Schema.isMinLength(plan.min)]),
          ...(plan.unique ? [Schema.isUnique()] : [])
        ])
      case "Tuple": {
        const required = plan.items.length - Math.min(plan.optional, plan.items.length)
        const tuple = Schema.Tuple(plan.items.map((item, index) => optional(build(item), index >= required)))
        return plan.rest === undefined || required < plan.items.length
          ? tuple as unknown as Params.Codec
          : Schema.TupleWithRest(tuple, [build(plan.rest)]) as unknown as Params.Codec
      }
      case "Struct": {
        const struct = Schema.Struct(fieldsOf(plan.fields))
        return documented(
          plan.properties === undefined || plan.fields.length === 0
            ? struct
            : struct.check(Schema.isMaxProperties(plan.properties + plan.fields.length)),
          plan
        )
      }
      case "Record":
        return Schema.Record(
          plan.prefixed ? Schema.TemplateLiteral(["x-", Schema.String]) : Schema.String,
          build(plan.value)
        )
      case "Union":
        return Schema.Union(plan.items.map(build), plan.oneOf && plan.items.every(isJson) ? { mode: "oneOf" } : {})
    }
  }
  const fieldsOf = (
    fields: ReadonlyArray<{
      readonly name: string
      readonly plan: Plan
      readonly optional: boolean
      readonly description?: string
    }>
  ): Params.Fields =>
    Object.fromEntries(fields.map(({ description, name, optional: isOptional, plan }) => [
      name,
      // What is absent Effect's Struct looks up in the prototype.
      keyed(optional(build(plan), isOptional && !(name in Object.prototype)), description)
    ]))
  return { build, fieldsOf }
}

const checked = (schema: Schema.Top | Params.Codec, checks: ReadonlyArray<unknown>): Params.Codec =>
  checks.reduce(
    // Each check is of the type that the Schema has.
    (checked: Params.Codec, check) => (checked as unknown as Schema.String).check(check as never),
    schema as unknown as Params.Codec
  )

const optional = (schema: Params.Codec, isOptional: boolean): Params.Codec =>
  isOptional ? Schema.optionalKey(schema) as unknown as Params.Codec : schema

const keyed = (schema: Params.Codec, description: string | undefined): Params.Codec =>
  description === undefined
    ? schema
    : (schema as unknown as Schema.Top).annotateKey({ description }) as unknown as Params.Codec

interface List {
  readonly next?: List
  readonly value: string
}

const recursive = (isNamed: boolean): Schema.Codec<List> => {
  const list: Schema.Codec<List> = Schema.Struct({
    value: Schema.String,
    next: Schema.optionalKey(Schema.suspend(() => list))
  }).annotate(isNamed ? { identifier: "List" } : {})
  return list
}

export const build = (plan: ContractPlan): Contract.Any => {
  const named: Array<Params.Codec> = plan.recursive === undefined ? [] : [recursive(plan.recursive)]
  for (const { name, plan: inner } of plan.named) {
    const schema = builder(named).build(inner) as unknown as Schema.Top
    named.push(schema.annotate({ identifier: name }) as unknown as Params.Codec)
  }
  const { build, fieldsOf } = builder(named)

  const paramsOf = (params: (typeof ParamsPlan)["Type"]): Params.Params => {
    switch (params._tag) {
      case "None":
        return undefined
      case "Fields":
        return fieldsOf(params.fields)
      case "Items": {
        const firstOptional = params.fields.findIndex(({ optional }) => optional)
        return params.fields.map(({ description, plan }, index) =>
          keyed(optional(build(plan), firstOptional >= 0 && index >= firstOptional), description)
        )
      }
      case "Whole": {
        const schema = build(params.plan)
        // The JSON of params is an object or an array.
        const { _tag } = SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)
        return _tag === "Objects" || _tag === "Arrays" ? schema : Schema.Array(schema)
      }
    }
  }

  const errorsOf = (errors: (typeof Errors)["Type"]): Method.Errors =>
    Object.fromEntries(errors.map(({ code, fields, message, tag }) => {
      const own = fieldsOf(fields.filter(({ name }) => name !== "_tag"))
      const schema = tag === undefined ? Schema.Struct(own) : Schema.TaggedStruct(tag, own)
      const codec = schema as unknown as Params.Codec
      return [code, message === undefined ? codec : Method.error(codec, message)]
    }))

  const member = (member: (typeof MemberPlan)["Type"]): Contract.Member => {
    const { callsBack, deprecated, description, structure: paramStructure, summary } = member
    const common = {
      ...{ summary, description, paramStructure },
      // The contract is known without its types.
      callsBack: callsBack as false,
      deprecated: deprecated || undefined,
      params: paramsOf(member.params)
    }
    const order = member.concurrent ? "concurrent" as const : undefined
    switch (member.kind) {
      case "Notification":
        return Notification.make(common)
      case "Subscription":
        return Subscription.make({
          ...common,
          order,
          item: build(member.item),
          errors: errorsOf(member.errors),
          carrier: {
            partial: Subscription.partialResults,
            ethereum: Subscription.notifications(Dialect.ethereum.subscriptions),
            notifications: Subscription.notifications({ notification: "n", close: "c", id: "i" })
          }[member.carrier]
        })
      case "Method": {
        const result = member.result === undefined ? undefined : build(member.result)
        const made = Method.make<Params.Params, Params.Codec | undefined, Method.Errors>({
          ...common,
          order,
          result,
          errors: errorsOf(member.errors),
          deadline: member.deadline,
          idempotent: member.idempotent
        })
        return made
      }
    }
  }
  return Contract.make(
    plan.identifier,
    Object.fromEntries(plan.members.map((planned) => [planned.name, member(planned)]))
  )
}
