/** Contracts of any kind, as data that an Arbitrary makes and shrinks. */
import { Arbitrary, Schema } from "effect"

const Text = Schema.Literals([
  "plain",
  "",
  "two\nlines",
  "*/ end",
  "${x} `y`",
  "\"quoted\" \\",
  "ünï\u2028çødé",
  "__proto__"
])

/** Names that a generator of code might trip over. */
const names = [
  "a",
  "id",
  "class",
  "constructor",
  "toString",
  "with space",
  "ünï",
  "1",
  "01",
  "-1",
  "Schema",
  "Array",
  "Contract",
  "_tag",
  "$",
  "name",
  "message",
  "a/b~c%20"
] as const

const Name = Schema.Literals(names)

/** `__proto__` is no name for a field: Effect's Struct does not take it. */
const MemberName = Schema.Literals([...names, "__proto__", "rpc", "info"])

const Range = Schema.Literals([0, 1, 2, 5])

const Documented = {
  title: Schema.optionalKey(Text),
  description: Schema.optionalKey(Text)
}

const leaves = [
  Schema.TaggedStruct("Text", { min: Schema.optionalKey(Range), max: Schema.optionalKey(Range), ...Documented }),
  Schema.TaggedStruct("Pattern", { pattern: Schema.Literals(["^[a-z]+$", "^\\d{2}\"$", "a|b"]), ...Documented }),
  Schema.TaggedStruct("Number", {
    kind: Schema.Literals(["int", "finite", "any"]),
    above: Schema.optionalKey(Range),
    below: Schema.optionalKey(Schema.Literals([7, 9])),
    exclusive: Schema.Boolean,
    multiple: Schema.optionalKey(Schema.Literals([1, 2])),
    ...Documented
  }),
  Schema.TaggedStruct("Known", {
    kind: Schema.Literals(["boolean", "null", "json", "void", "date", "bigint", "bytes", "empty", "url", "optional"]),
    ...Documented
  }),
  Schema.TaggedStruct("Literals", {
    values: Schema.NonEmptyArray(Schema.Union([Text, Range, Schema.Boolean])).check(Schema.isMaxLength(3))
  }),
  /** One of the named Schemas of the contract, with another description where it is used. */
  Schema.TaggedStruct("Named", { index: Range, description: Schema.optionalKey(Text) })
] as const

type Leaf = (typeof leaves)[number]["Type"]

export type Plan =
  | Leaf
  | { readonly _tag: "List"; readonly item: Plan; readonly min?: number; readonly unique: boolean }
  | { readonly _tag: "Tuple"; readonly items: ReadonlyArray<Plan>; readonly optional: number; readonly rest?: Plan }
  | {
    readonly _tag: "Struct"
    readonly fields: ReadonlyArray<{ readonly name: string; readonly plan: Plan; readonly optional: boolean }>
    readonly description?: string
    readonly properties?: number
  }
  | { readonly _tag: "Record"; readonly value: Plan; readonly prefixed: boolean }
  | { readonly _tag: "Union"; readonly items: ReadonlyArray<Plan>; readonly oneOf: boolean }

const few = Schema.isMaxLength(3)

const planOf = (depth: number): Schema.Codec<Plan> => {
  if (depth === 0) return Schema.Union(leaves)
  const inner = planOf(depth - 1)
  return Schema.Union([
    ...leaves,
    Schema.TaggedStruct("List", { item: inner, min: Schema.optionalKey(Range), unique: Schema.Boolean }),
    Schema.TaggedStruct("Tuple", {
      items: Schema.Array(inner).check(few),
      optional: Range,
      rest: Schema.optionalKey(inner)
    }),
    Schema.TaggedStruct("Struct", {
      fields: Schema.Array(Schema.Struct({ name: Name, plan: inner, optional: Schema.Boolean })).check(few),
      description: Schema.optionalKey(Text),
      properties: Schema.optionalKey(Range)
    }),
    Schema.TaggedStruct("Record", { value: inner, prefixed: Schema.Boolean }),
    Schema.TaggedStruct("Union", { items: Schema.NonEmptyArray(inner).check(few), oneOf: Schema.Boolean })
  ])
}

const Value = planOf(2)

const Fields = Schema.Array(Schema.Struct({
  name: Name,
  plan: Value,
  optional: Schema.Boolean,
  description: Schema.optionalKey(Text)
})).check(few)

export const ParamsPlan = Schema.Union([
  Schema.TaggedStruct("None", {}),
  Schema.TaggedStruct("Fields", { fields: Fields }),
  Schema.TaggedStruct("Items", { fields: Fields }),
  Schema.TaggedStruct("Whole", { plan: Value })
])

export const Errors = Schema.Array(Schema.Struct({
  code: Schema.Literals([1, 404, -32000, -32602, 0]),
  tag: Schema.optionalKey(Schema.Literals(["NotFound", "class", "Schema", "ünï", ""])),
  fields: Fields,
  message: Schema.optionalKey(Text)
})).check(few)

const Documentation = {
  summary: Schema.optionalKey(Text),
  description: Schema.optionalKey(Text),
  deprecated: Schema.Boolean
}

export const MemberPlan = Schema.Struct({
  name: MemberName,
  kind: Schema.Literals(["Method", "Notification", "Subscription"]),
  params: ParamsPlan,
  structure: Schema.optionalKey(Schema.Literals(["by-name", "by-position", "either"])),
  result: Schema.optionalKey(Value),
  item: Value,
  errors: Errors,
  carrier: Schema.Literals(["partial", "ethereum", "notifications"]),
  idempotent: Schema.Boolean,
  deadline: Schema.optionalKey(Schema.Literals(["1 second", "Infinity", "1500 micros"])),
  concurrent: Schema.Boolean,
  callsBack: Schema.Boolean,
  examples: Schema.Boolean,
  ...Documentation
})

const ContractPlan = Schema.Struct({
  identifier: Schema.Literals(["Bank", "Contract", "a bank", "class", "ünï", ""]),
  named: Schema.Array(Schema.Struct({ name: MemberName, plan: Value })).check(few),
  /** A recursive Schema, and whether it has a name. */
  recursive: Schema.optionalKey(Schema.Boolean),
  members: Schema.Array(MemberPlan).check(Schema.isMaxLength(4))
})

export type ContractPlan = typeof ContractPlan.Type

export const arbitrary: Arbitrary.Arbitrary<ContractPlan> = Arbitrary.schema(ContractPlan)
