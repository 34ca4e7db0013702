/**
 * Standard Schemas (https://standardschema.dev), such as those of zod, valibot and arktype, as Schemas of Effect.
 *
 * `McpTool.make`, `McpPrompt.make` and `elicit` take a Standard Schema of an object as it is. `input` and `output` are for
 * the other places: for one field among several, and for a schema that does not bring its JSON Schema. The library of
 * the schema decides what is checked, what its errors say, and what happens to members that the schema does not have.
 * Clients see the JSON Schema that the library writes. A validation may be asynchronous, except in a form.
 *
 * ```ts run
 * import { StandardSchema } from "@parley/mcp"
 * import { Schema } from "effect"
 * import { z } from "zod"
 *
 * const Query = StandardSchema.input(z.object({ city: z.string().trim(), days: z.int().default(3) }))
 *
 * console.log(Schema.decodeUnknownSync(Query)({ city: " Oslo " })) // => { city: 'Oslo', days: 3 }
 * ```
 *
 * @since 0.1.0
 */
import type { Params } from "@parley/contract/shared"
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"
import { omit } from "../internal/Json.ts"
import { embedded } from "../internal/schema/embedded.ts"
import { issueOf } from "../internal/schema/standardIssues.ts"

/**
 * A Standard Schema that brings its JSON Schema, as those of zod from 4.2 on and of arktype do. `toStandardJsonSchema` of
 * `@valibot/to-json-schema` makes one of a schema of valibot.
 *
 * @category models
 * @since 0.1.0
 */
export interface Described<Input = unknown, Output = unknown> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>
}

/**
 * The options of `input` and `output`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The JSON Schema that clients see, of the dialect 2020-12, in place of the one that the schema brings. */
  readonly jsonSchema: Schema.JsonObject
}

/**
 * The type that a handler gets of what is declared: fields, a Schema, a Standard Schema, or nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type Decoded<P> = P extends Params.Codec ? P["Type"]
  : P extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<P>
  : Params.Type<P>

/**
 * The type that a handler gives for a declared result: that of a Schema, or the input of a Standard Schema, whose
 * defaults and transformations then apply.
 *
 * @category models
 * @since 0.1.0
 */
export type Returned<S> = S extends Params.Codec ? S["Type"]
  : S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S>
  : never

/**
 * A Schema that reads the JSON of arguments: what the Standard Schema accepts becomes what it gives. Encoding validates a
 * value, too, so a schema that changes the type of its value cannot encode it. Partial: throws for a schema without a
 * JSON Schema.
 *
 * @category constructors
 * @since 0.1.0
 */
export const input: {
  <Input, Output>(schema: Described<Input, Output>): Schema.Codec<Output, Input>
  <Input, Output>(schema: StandardSchemaV1<Input, Output>, options: Options): Schema.Codec<Output, Input>
} = <Input, Output>(schema: StandardSchemaV1<Input, Output>, options?: Options): Schema.Codec<Output, Input> => {
  const jsonSchema = jsonSchemaOf(schema, "input", options)
  return codecOf(jsonSchema, { decode: validation(schema, jsonSchema), encode: validation(schema, jsonSchema) })
}

/**
 * A Schema that writes a result: the value of a handler is what the Standard Schema accepts, and clients get what it
 * gives, as JSON. Decoding checks the JSON Schema and changes nothing. Partial: throws for a schema without a JSON
 * Schema.
 *
 * @category constructors
 * @since 0.1.0
 */
export const output: {
  <Input, Output>(schema: Described<Input, Output>): Schema.Codec<Input, Output>
  <Input, Output>(schema: StandardSchemaV1<Input, Output>, options: Options): Schema.Codec<Input, Output>
} = <Input, Output>(schema: StandardSchemaV1<Input, Output>, options?: Options): Schema.Codec<Input, Output> => {
  const jsonSchema = jsonSchemaOf(schema, "output", options)
  return codecOf(jsonSchema, { decode: conformity(jsonSchema), encode: validation(schema, {}, written) })
}

/**
 * Tells whether a value is a Standard Schema, and no Schema of Effect.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isStandardSchema = (value: unknown): value is Described => {
  if (value === null || (typeof value !== "object" && typeof value !== "function") || Schema.isSchema(value)) {
    return false
  }
  // Any object may be asked for a property.
  const { "~standard": standard } = value as { readonly "~standard"?: { readonly version?: unknown } | undefined }
  return standard?.version === 1
}

/** A declaration of arguments or of a form, with a Schema in place of a Standard Schema. @internal */
export const toRead = <P extends Params.Codec | Params.Fields>(declared: P | Described): P | Params.Codec =>
  isStandardSchema(declared) ? input(declared) : whole(declared)

/** The same for a result. @internal */
export const toWrite = (declared: Params.Codec | Described): Params.Codec =>
  isStandardSchema(declared) ? output(declared) : whole(declared)

/** Other SDKs take an object of Standard Schemas: whoever comes from there is told what to pass. */
const whole = <P extends object>(declared: P): P => {
  if (Schema.isSchema(declared)) return declared
  for (const [name, member] of Object.entries(declared)) {
    if (!isStandardSchema(member)) continue
    const { vendor } = member["~standard"]
    throw new TypeError(
      `${
        JSON.stringify(name)
      } is a schema of ${vendor}, and the object around it is none: pass all of it as one schema of ` +
        `${vendor}${vendor === "zod" ? ", as in z.object({ … })" : ""}`
    )
  }
  return declared
}

type Getter = SchemaGetter.Getter<unknown, unknown>

/** A Schema whose JSON has a JSON Schema that is given; the types of both of its sides are those of its maker. */
const codecOf = <Type, Encoded>(
  jsonSchema: Schema.JsonObject,
  getters: { readonly decode: Getter; readonly encode: Getter }
): Schema.Codec<Type, Encoded> => {
  const { description, title } = jsonSchema
  // `Unknown` would get a JSON Schema of its own; `Any` has the one of its check.
  const json = Schema.Any.check(Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema }))
  const codec = json.pipe(Schema.decodeTo(Schema.Unknown, getters)).annotate({
    ...(typeof title === "string" ? { title } : undefined),
    ...(typeof description === "string" ? { description } : undefined)
  })
  // The Standard Schema gives and accepts values of these types.
  return codec as Schema.ConstraintCodec<unknown, unknown> as Schema.Codec<Type, Encoded>
}

const validation = (
  schema: StandardSchemaV1,
  jsonSchema: Schema.JsonObject,
  write: (value: unknown) => unknown = (value) => value
): Getter =>
  SchemaGetter.transformEffect((value: unknown) => {
    const settle = (result: StandardSchemaV1.Result<unknown>) =>
      result.issues === undefined
        ? Exit.succeed(write(result.value))
        : Exit.fail(issueOf(result.issues, jsonSchema, value))
    const result = schema["~standard"].validate(value)
    return "then" in result ? Effect.flatMap(Effect.promise(() => result), settle) : settle(result)
  })

/** The value as JSON: without members that are `undefined`, and with dates as texts. */
const written = (value: unknown): unknown => value === undefined ? undefined : JSON.parse(JSON.stringify(value))

const conformity = (jsonSchema: Schema.JsonObject): Getter => {
  const check = SchemaCheck.make(jsonSchema)
  return SchemaGetter.transformEffect((value: unknown) => {
    // The value that is decoded is JSON.
    const issue = check(value as Schema.Json)
    return issue === undefined || issue.isUndecided === true
      ? Exit.succeed(value)
      : Exit.fail(issueOf([{ message: issue.rule, path: issue.path }], {}, value))
  })
}

const jsonSchemaOf = (
  schema: StandardSchemaV1,
  side: "input" | "output",
  options: Options | undefined
): Schema.JsonObject => {
  const given = options?.jsonSchema ?? generated(schema, side)
  return embedded(given["$schema"] === dialect ? omit(given, "$schema") : given)
}

/** The dialect of the protocol, which schemas do not name. */
const dialect = "https://json-schema.org/draft/2020-12/schema"

const generated = (schema: StandardSchemaV1, side: "input" | "output"): Schema.JsonObject => {
  // Not every Standard Schema has this member.
  const { jsonSchema, vendor } = schema["~standard"] as Partial<StandardJSONSchemaV1.Props> & { vendor: string }
  if (jsonSchema === undefined) {
    throw new TypeError(
      `a Standard Schema of ${vendor} does not bring its JSON Schema: pass it as \`jsonSchema\` to ` +
        `StandardSchema.${side}. zod brings it from 4.2 on; for valibot, pass the schema to toStandardJsonSchema of ` +
        "@valibot/to-json-schema"
    )
  }
  try {
    // A JSON Schema is JSON.
    return jsonSchema[side]({ target: "draft-2020-12" }) as Schema.JsonObject
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(
      `${vendor} cannot write the JSON Schema of the ${side} of a Standard Schema (${reason}): change the schema, or ` +
        `pass \`jsonSchema\` to StandardSchema.${side}`,
      { cause }
    )
  }
}
