/**
 * OpenRPC documents (https://spec.open-rpc.org, version 1.3): their types, and
 * the decoder of documents that others wrote.
 *
 * `decode` takes any JSON. Reference Objects are replaced by what they point to,
 * so that no type here has them; `$ref` in JSON Schemas stays, and leads to a
 * component. Members that begin with `x-` are kept, and other unknown members are
 * ignored.
 *
 * ```ts run
 * import { OpenRpc } from "@parley/openrpc"
 * import { Result } from "effect"
 *
 * const json: unknown = {
 *   openrpc: "1.3.2",
 *   info: { title: "Bank", version: "1.0.0" },
 *   methods: [{ name: "balance", params: [], result: { $ref: "#/components/contentDescriptors/Money" } }],
 *   components: { contentDescriptors: { Money: { name: "money", schema: { type: "number" } } } }
 * }
 *
 * const document = Result.getOrThrow(OpenRpc.decode(json))
 * console.log(document.methods[0]?.result?.schema) // => { type: 'number' }
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Omissible from "./description/omissible.ts"
import { total } from "./description/total.ts"
import { OpenRpcError } from "./OpenRpcError.ts"
import { pointer } from "./schema/places.ts"
import * as References from "./schema/references.ts"

const extended = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.TemplateLiteral(["x-", Schema.String]), Schema.Json)
  ])

/**
 * A JSON Schema of draft 7.
 *
 * @category models
 * @since 0.1.0
 */
export const JsonSchema = Schema.Union([Schema.Boolean, Schema.Record(Schema.String, Schema.Json)])

/** @category models @since 0.1.0 */
export type JsonSchema = typeof JsonSchema.Type

/**
 * The title, the version and other texts about a document.
 *
 * @category models
 * @since 0.1.0
 */
export const Info = extended({
  title: Schema.String,
  version: Schema.String,
  description: Schema.optionalKey(Schema.String),
  termsOfService: Schema.optionalKey(Schema.String),
  contact: Schema.optionalKey(Schema.Json),
  license: Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type Info = typeof Info.Type

/**
 * A parameter, or a result. A result with `x-parley-void` is always null, and clients give `void` for it.
 *
 * @category models
 * @since 0.1.0
 */
export const ContentDescriptor = extended({
  name: Schema.NonEmptyString,
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  /** `false` where it is absent. */
  required: Schema.optionalKey(Schema.Boolean),
  schema: JsonSchema,
  deprecated: Schema.optionalKey(Schema.Boolean),
  "x-parley-void": Schema.optionalKey(Schema.Boolean)
})

/** @category models @since 0.1.0 */
export type ContentDescriptor = typeof ContentDescriptor.Type

/**
 * An application error. By the specification `data` is a value; documents in the wild have a JSON Schema there, and so
 * have ours.
 *
 * @category models
 * @since 0.1.0
 */
export const ErrorObject = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type ErrorObject = typeof ErrorObject.Type

/**
 * An example of a value.
 *
 * @category models
 * @since 0.1.0
 */
export const Example = extended({
  name: Schema.String,
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  value: Schema.Json
})

/** @category models @since 0.1.0 */
export type Example = typeof Example.Type

/**
 * An example of a call, and of its result. `x-parley-params` are the params as they stand on the wire, where
 * they have no names.
 *
 * @category models
 * @since 0.1.0
 */
export const ExamplePairing = extended({
  name: Schema.String,
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  params: Schema.Array(Example),
  result: Schema.optionalKey(Example),
  "x-parley-params": Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type ExamplePairing = typeof ExamplePairing.Type

/**
 * How the items of a subscription travel; `@parley/contract/Subscription` says what the members are.
 *
 * @category models
 * @since 0.1.0
 */
export const Carrier = Schema.Union([
  Schema.TaggedStruct("PartialResults", {}),
  Schema.TaggedStruct("Notifications", {
    notification: Schema.String,
    close: Schema.String,
    id: Schema.String,
    item: Schema.String,
    error: Schema.optionalKey(Schema.String),
    end: Schema.optionalKey(Schema.String)
  })
])

/** @category models @since 0.1.0 */
export type Carrier = typeof Carrier.Type

/**
 * An error as programs have it: its tag, if it has one, and its fields that are the message and the data on the wire.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NamedError = Schema.Struct({
  tag: Schema.optionalKey(Schema.String),
  messageField: Schema.optionalKey(Schema.String),
  dataField: Schema.optionalKey(Schema.String)
})

/** @category models @since 0.1.0 */
export type NamedError = typeof NamedError.Type

/**
 * A method; without `result` a notification. The members that begin with `x-parley-` are what a contract knows and
 * OpenRPC does not.
 *
 * @category models
 * @since 0.1.0
 */
export const Method = extended({
  name: Schema.NonEmptyString,
  summary: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  deprecated: Schema.optionalKey(Schema.Boolean),
  /** `either` where it is absent. */
  paramStructure: Schema.optionalKey(Schema.Literals(["by-name", "by-position", "either"])),
  params: Schema.Array(ContentDescriptor),
  result: Schema.optionalKey(ContentDescriptor),
  errors: Schema.optionalKey(Schema.Array(ErrorObject)),
  examples: Schema.optionalKey(Schema.Array(ExamplePairing)),
  links: Schema.optionalKey(Schema.Json),
  servers: Schema.optionalKey(Schema.Json),
  tags: Schema.optionalKey(Schema.Json),
  externalDocs: Schema.optionalKey(Schema.Json),
  /** Params that are no fields: a tuple, whose names are for people only, or the JSON Schema of all of them. */
  "x-parley-params": Schema.optionalKey(Schema.Union([Schema.Literal("tuple"), JsonSchema])),
  /** By code: the error as programs have it. */
  "x-parley-errors": Schema.optionalKey(Schema.Record(Schema.String, NamedError)),
  /** The items of a subscription; `result` is its first response. */
  "x-parley-subscription": Schema.optionalKey(Schema.Struct({ item: JsonSchema, carrier: Carrier })),
  /** One partial result of a method that may send some before its result. */
  "x-parley-partial": Schema.optionalKey(JsonSchema),
  "x-parley-idempotent": Schema.optionalKey(Schema.Boolean),
  /** Whether the server calls the client back, so that it needs a connection. */
  "x-parley-calls-back": Schema.optionalKey(Schema.Boolean),
  /** In milliseconds. */
  "x-parley-deadline": Schema.optionalKey(Schema.Union([Schema.Finite, Schema.Literal("Infinity")])),
  "x-parley-order": Schema.optionalKey(Schema.Literals(["afterNotifications", "concurrent"])),
  /** `client-to-server` where it is absent. */
  "x-parley-direction": Schema.optionalKey(Schema.Literals(["client-to-server", "server-to-client"])),
  /** The method of this name that goes in the other direction. */
  "x-parley-reverse": Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type Method = typeof Method.Type

/**
 * The schemas that others refer to as `#/components/schemas/Name`. All other components are put in their places when a
 * document is read.
 *
 * @category models
 * @since 0.1.0
 */
export const Components = extended({
  schemas: Schema.optionalKey(Schema.Record(Schema.String, JsonSchema))
})

/** @category models @since 0.1.0 */
export type Components = typeof Components.Type

/**
 * The parts that make a protocol of two contracts: their names, and the dialect where it is not the default one, with
 * null for `undefined`.
 *
 * @category models
 * @since 0.1.0
 */
export const Protocol = Schema.Struct({
  client: Schema.String,
  server: Schema.String,
  dialect: Schema.optionalKey(Schema.JsonObject)
})

/** @category models @since 0.1.0 */
export type Protocol = typeof Protocol.Type

/**
 * A whole document.
 *
 * @category models
 * @since 0.1.0
 */
export const Document = extended({
  openrpc: Schema.String.check(Schema.isPattern(/^1\.[0-9]+\.[0-9]+/u, { expected: "a version of OpenRPC 1" })),
  info: Info,
  methods: Schema.Array(Method),
  components: Schema.optionalKey(Components),
  servers: Schema.optionalKey(Schema.Json),
  externalDocs: Schema.optionalKey(Schema.Json),
  /** The name of the contract, where it is not the title. */
  "x-parley-contract": Schema.optionalKey(Schema.String),
  "x-parley-protocol": Schema.optionalKey(Protocol)
})

/** @category models @since 0.1.0 */
export type Document = typeof Document.Type

/**
 * Where references lead, beside the document itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sources {
  /** The URL of the document, which relative references are relative to. */
  readonly base?: string | undefined
  /** Other documents, of OpenRPC or with JSON Schemas, by their URLs. */
  readonly documents?: ReadonlyMap<string, unknown> | undefined
}

/**
 * Reads JSON as a document, or gives the first thing that is wrong with it. A malformed part without which a contract is the
 * same, such as a description or an example, is left out: `omissionsOf` has those. It fetches nothing: references lead into
 * the document, or into those that are given. The schemas of others become components.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (json: unknown, sources: Sources = {}): Result.Result<Document, OpenRpcError> =>
  total(() =>
    Result.gen(function*() {
      const resolved = yield* References.resolve(json, sources)
      return yield* withoutTwins(yield* decodeWhole(resolved, []))
    })
  )

/**
 * The parts of a decoded document that were left out because they are malformed, such as an example without a name, with
 * their places as JSON Pointers. A contract is the same without them.
 *
 * @category accessors
 * @since 0.1.0
 */
export const omissionsOf = (document: Document): ReadonlyArray<Omission> => omissions.get(document) ?? []

/**
 * A malformed part that was left out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Omission {
  /** The place in the document, as a JSON Pointer. */
  readonly path: string
  /** The rule that it breaks. */
  readonly issue: string
}

const omissions = new WeakMap<Document, ReadonlyArray<Omission>>()

/** Leaves out what is malformed and may be left out. Each round is without at least one part more. */
const decodeWhole = (json: unknown, left: ReadonlyArray<Omission>): Result.Result<Document, OpenRpcError> => {
  const decoded = decodeResolved(json)
  if (Result.isSuccess(decoded)) {
    if (left.length > 0) omissions.set(decoded.success, left)
    return Result.succeed(decoded.success)
  }
  const found = new Map<string, { readonly path: ReadonlyArray<string>; readonly issue: string }>()
  for (const { message, path } of explain(json)) {
    const at = (path ?? []).map(segment)
    const part = Omissible.around(at)
    if (part === undefined) return Result.fail(refuse(at, message))
    const place = at.slice(part.length).join(".")
    if (!found.has(pointer(part))) {
      found.set(pointer(part), { path: part, issue: `${place === "" ? "" : `${place}: `}${message}` })
    }
  }
  // Both decoders find something wrong, or neither does.
  if (found.size === 0) return Result.fail(malformed(decoded.failure))
  const more = [...found].map(([path, { issue }]) => ({ path, issue: `it is malformed, and is left out: ${issue}` }))
  return decodeWhole(Omissible.without(json, [...found.values()].map(({ path }) => path)), [...left, ...more])
}

/**
 * The URLs of other documents that a document refers to: those that `decode` needs, with those that they need.
 *
 * @category decoding
 * @since 0.1.0
 */
export const referred = (json: unknown, base: string): ReadonlyArray<string> => References.addressesIn(json, base)

const decodeResolved = Schema.decodeUnknownResult(Document)

const decodeToTheEnd = Schema.decodeUnknownResult(Document, { errors: "all" })

/** Everything that is wrong. */
const explain = (json: unknown) => {
  const decoded = decodeToTheEnd(json)
  return Result.isSuccess(decoded) ? [] : format(decoded.failure.issue).issues
}

/**
 * A method that stands somewhere in a document, as in `x-parley-reverse`.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeMethod = (json: unknown, path: ReadonlyArray<string>): Result.Result<Method, OpenRpcError> =>
  Result.mapError(decodeResolvedMethod(json), (error) => malformed(error, path))

const decodeResolvedMethod = Schema.decodeUnknownResult(Method)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const malformed = ({ issue }: Schema.SchemaError, at: ReadonlyArray<string> = []): OpenRpcError => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(segment)
  return refuse([...at, ...path], first?.message ?? "it is no OpenRPC document")
}

const segment = (key: PropertyKey | { readonly key: PropertyKey }) => String(typeof key === "object" ? key.key : key)

const refuse = (path: ReadonlyArray<string>, issue: string) =>
  new OpenRpcError({ path: pointer(path), reason: { _tag: "Malformed", issue } })

/** "The name MUST be unique within the methods array." */
const withoutTwins = (document: Document): Result.Result<Document, OpenRpcError> => {
  const names = document.methods.map(({ name }) => name)
  const twin = names.findIndex((name, index) => names.indexOf(name) !== index)
  return twin < 0
    ? Result.succeed(document)
    : Result.fail(refuse(["methods", `${twin}`, "name"], `there is a method ${JSON.stringify(names[twin])} already`))
}
