/** Rules about the schemas themselves: nothing is called. */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Subschemas from "@parley/json-schema/Subschemas"
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type Finding, NotApplicable, type Rule } from "../../../Suite.ts"
import type { Operation } from "../../protocol/Protocol.ts"
import { mostFindings, type Subject } from "./calls.ts"
import { metaSchema } from "./metaSchema.ts"

/** A schema of an operation. */
interface Declared {
  readonly what: string
  readonly schema: Schema.Json
}

const declaredBy = ({ input, name, output }: Operation): ReadonlyArray<Declared> => [
  { what: `the arguments of ${Excerpt.name(name)}`, schema: input },
  ...output === undefined ? [] : [{ what: `the result of ${Excerpt.name(name)}`, schema: output }]
]

/** The fault of a schema, whatever its dialect. */
const faultOf = ({ schema, what }: Declared): string | undefined => {
  const issue = isSchema(schema)
  if (issue !== undefined && issue.isUndecided !== true) {
    return `at ${
      Excerpt.quoted(`#/${issue.path.map((key) => Subschemas.tokenOf(String(key))).join("/")}`)
    } ${issue.rule}`
  }
  try {
    // Patterns that only some engines run are no fault of a schema.
    SchemaCheck.refuseFaults(what, schema, { patterns: false })
    return undefined
  } catch (error) {
    return error instanceof TypeError ? error.message : undefined
  }
}

const isSchema = SchemaCheck.make(metaSchema)

/** The address under which a schema can be referred to from outside. */
const address = "parley:whole"

/** The schemas in a schema, by their pointers, and how a value is held against one of them. */
const partsOf = (
  root: Schema.Json
): ReadonlyArray<
  { readonly pointer: string; readonly schema: Schema.JsonObject; readonly check: () => SchemaCheck.Check }
> => {
  if (!JsonObject.isObject(root)) return []
  const whole: Schema.JsonObject = Object.hasOwn(root, "$id") ? root : { $id: address, ...root }
  const waiting: Array<{ readonly pointer: string; readonly schema: Schema.JsonObject }> = [{
    pointer: "",
    schema: root
  }]
  const found: Array<(typeof waiting)[number]> = []
  for (let next = waiting.pop(); next !== undefined && found.length < mostParts; next = waiting.pop()) {
    found.push(next)
    for (const [below, part] of Subschemas.located(next.schema)) {
      if (JsonObject.isObject(part)) waiting.push({ pointer: next.pointer + below, schema: part })
    }
  }
  return found.map(({ pointer, schema }) => ({
    pointer,
    schema,
    check: () =>
      pointer === ""
        ? SchemaCheck.make(root)
        : SchemaCheck.make({ $ref: `${String(whole["$id"])}#${encodeURI(pointer)}`, $defs: { whole } })
  }))
}

/** Schemas that are looked at, at most. */
const mostParts = 2_000

/** The examples and defaults of a schema that do not fit it. */
const examplesOf = ({ schema, what }: Declared): ReadonlyArray<Finding> =>
  partsOf(schema).flatMap(({ check, pointer, schema }) => {
    const examples = JsonObject.own(schema, "examples")
    const fallback = JsonObject.own(schema, "default")
    const values = [
      ...JsonObject.isArray(examples) ? examples.map((value) => ["examples", value] as const) : [],
      ...fallback === undefined ? [] : [["default", fallback] as const]
    ]
    if (values.length === 0) return []
    const held = check()
    return values.flatMap(([keyword, value]) => {
      const issue = held(value)
      return issue === undefined || issue.isUndecided === true ? [] : [{
        expected: `the ${keyword} at ${Excerpt.quoted(`#${pointer}`)} of ${what} fits its schema`,
        received: `${Excerpt.line(JSON.stringify(value))}: ${issue.rule}`,
        exchange: []
      }]
    })
  })

const examplesOfOperation = ({ examples, input, name }: Operation): ReadonlyArray<Finding> => {
  const check = SchemaCheck.make(input)
  return examples.flatMap((example) => {
    const issue = check(example)
    return issue === undefined || issue.isUndecided === true ? [] : [{
      expected: `an example of ${Excerpt.name(name)} fits its schema`,
      received: `${Excerpt.line(JSON.stringify(example))}: at ${
        Excerpt.quoted(`/${issue.path.join("/")}`)
      } ${issue.rule}`,
      exchange: []
    }]
  })
}

export const rules: ReadonlyArray<Rule<Subject>> = [
  {
    id: "schema/valid",
    title: "The declared schemas are valid JSON Schemas, and refer to nothing that is not there",
    level: "must",
    section: "https://json-schema.org/draft/2020-12/json-schema-core#section-8.1.1",
    check: ({ operations }) =>
      Effect.sync(() =>
        operations.flatMap(declaredBy).flatMap((declared): ReadonlyArray<Finding> => {
          const fault = faultOf(declared)
          return fault === undefined
            ? []
            : [{ expected: `the schema of ${declared.what} is a JSON Schema`, received: fault, exchange: [] }]
        }).slice(0, mostFindings)
      )
  },
  {
    id: "schema/examples",
    title: "Examples and defaults fit the schema that they stand in",
    level: "should",
    section: "https://json-schema.org/draft/2020-12/json-schema-validation#section-9.5",
    check: ({ operations }) =>
      Effect.gen(function*() {
        const has = operations.some((operation) =>
          operation.examples.length > 0 || /"(?:examples|default)":/.test(JSON.stringify(declaredBy(operation)))
        )
        if (!has) return yield* new NotApplicable({ reason: "no schema has an example or a default" })
        return operations.flatMap((operation) => [
          ...examplesOfOperation(operation),
          ...declaredBy(operation).flatMap(examplesOf)
        ]).slice(0, mostFindings)
      })
  }
]
