/**
 * A method of a contract: a request and its response, with Schemas.
 *
 * ```ts run
 * import { Contract, Method } from "@parley/contract"
 * import { Schema } from "effect"
 *
 * class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()("InsufficientFunds", {
 *   balance: Schema.Number
 * }) {}
 *
 * const withdraw = Method.make({
 *   summary: "Takes money from an account",
 *   params: { account: Schema.String, amount: Schema.Number },
 *   result: Schema.Number,
 *   errors: { 1001: Method.error(InsufficientFunds, "Insufficient funds") },
 *   deadline: "5 seconds"
 * })
 *
 * export type Failure = Method.ErrorOf<typeof withdraw.errors>
 * console.log(Object.keys(Contract.make("Bank", { withdraw }).members)) // => [ 'withdraw' ]
 * console.log(Method.onWire(withdraw.errors[1001]).message) // => Insufficient funds
 * ```
 *
 * @since 0.1.0
 */
import type { HandlerOptions } from "@parley/peer/Router"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Places from "./internal/codec/places.ts"
import type { Marked } from "./internal/Member.ts"
import type * as Params from "./shared/Params.ts"

/**
 * An application error, and what its error object has on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface ErrorSpec<out S extends Params.Codec = Params.Codec> {
  /** The Schema of the error. */
  readonly schema: S
  /** The message on the wire, unless a field of the error is. */
  readonly message?: string | undefined
  /** The field of the error that is the message on the wire, in both directions. */
  readonly messageField?: string | undefined
  /** The field of the error that is the `data` on the wire. Without it, `data` is an object of the other fields. */
  readonly dataField?: string | undefined
}

/**
 * Application errors by the code they have on the wire. The code takes the place of the tag: a `_tag` is sent only for
 * the members of a union, which it tells apart. If several Schemas accept an error, the first declared wins. A code
 * that the specification reserves, such as -32603, also takes the errors that every peer answers with it, if their
 * `data` fits.
 *
 * @category models
 * @since 0.1.0
 */
export type Errors = { readonly [code: number]: Params.Codec | ErrorSpec }

/**
 * The types of declared errors by their codes. Types that an editor shows name their union `ErrorTypes<E>[keyof E]`,
 * because an editor then shows the names of the errors; `ErrorOf` it would show as it is written.
 *
 * @category models
 * @since 0.1.0
 */
export type ErrorTypes<E> = {
  readonly [C in keyof E]: E[C] extends Params.Codec ? E[C]["Type"] : E[C] extends ErrorSpec<infer S> ? S["Type"]
  : never
}

/**
 * The union of the errors that a method declares. Use it in signatures of your own:
 * `Method.ErrorOf<typeof withdraw.errors>`.
 *
 * @category models
 * @since 0.1.0
 */
export type ErrorOf<E> = ErrorTypes<E>[keyof E]

/** The errors of a declaration, where names have a type that says what is wrong with them. @category models @since 0.1.0 */
export type ValidErrors<E> = {
  readonly [C in keyof E]: C extends number | `${number}` ? E[C] : "the key of an error is its code, which is a number"
}

/**
 * The type of a method's result; `void` where it declares none. Use it in signatures of your own:
 * `Method.ResultOf<typeof withdraw.result>`.
 *
 * @category models
 * @since 0.1.0
 */
export type ResultOf<R> = R extends Params.Codec ? R["Type"] : void

/**
 * The type of a method's partial results; `never` where it declares none. Use it in signatures of your own:
 * `Method.PartialOf<typeof search.partial>`.
 *
 * @category models
 * @since 0.1.0
 */
export type PartialOf<Part> = Part extends Params.Codec ? Part["Type"] : never

/**
 * Texts about a member, for its readers and for OpenRPC documents.
 *
 * @category models
 * @since 0.1.0
 */
export interface Documentation {
  /** A short text, as a title. */
  readonly summary?: string | undefined
  /** A longer text, in Markdown. */
  readonly description?: string | undefined
  /** Whether new programs should not use the member. */
  readonly deprecated?: boolean | undefined
}

/**
 * An example of a call: its params, and the result that it would give.
 *
 * @category models
 * @since 0.1.0
 */
export interface Example<out P, out R> {
  /** The name of the example. */
  readonly name: string
  /** A short text, as a title. */
  readonly summary?: string | undefined
  /** A longer text, in Markdown. */
  readonly description?: string | undefined
  /** The params, as a client passes them. */
  readonly params: P
  /** The result, as a client gets it. */
  readonly result: R
}

/**
 * The parts of a method.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodOptions<
  P extends Params.Params,
  R extends Params.Codec | undefined,
  E extends Errors,
  Part extends Params.Codec | undefined = undefined,
  Back extends boolean = boolean
> extends Documentation {
  /** The name on the wire: that of the member, by default. Members that share one are told apart by their params. */
  readonly method?: string | undefined
  /** The params: fields, a tuple, or a Schema. Without it, the member has none. */
  readonly params?: P & Params.Valid<P>
  /** How params may stand on the wire: `either` for fields, by default. */
  readonly paramStructure?: Params.ParamStructure | undefined
  /** The result. Without it, the method answers null. */
  readonly result?: R
  /** One partial result: a handler may send some before its result, to a client that asks for them. */
  readonly partial?: Part
  /** Application errors, by the code that they have on the wire. */
  readonly errors?: E & ValidErrors<E>
  /** How long a client waits, unless the call has a `timeout`. Without a deadline, the timeout of the caller applies. */
  readonly deadline?: Duration.Input | undefined
  /** Whether two calls have the effect of one, so that a retry may call again. */
  readonly idempotent?: boolean | undefined
  /** When a request starts: after the notifications before it by default. */
  readonly order?: HandlerOptions["order"]
  /**
   * Whether handlers call the other side back, by `call.peer`. The layers of servers and clients then do not compile over
   * a wire without a way back, such as HTTP or a service of NATS. Values are not checked, such as a client over a
   * `Caller` that `HttpCaller.make` has made: a call that comes by such a wire is refused with -32000.
   */
  readonly callsBack?: Back | undefined
  /** Calls with their results, for OpenRPC documents. */
  readonly examples?: ReadonlyArray<Example<Params.Type<P>, ResultOf<R>>> | undefined
}

/**
 * A method: its params, its result, and its errors.
 *
 * @category models
 * @since 0.1.0
 */
export interface Method<
  out P extends Params.Params,
  out R extends Params.Codec | undefined,
  out E extends Errors,
  out Part extends Params.Codec | undefined = undefined
> extends Documentation {
  readonly _tag: "Method"
  /** The name on the wire, where it is not that of the member. */
  readonly method: string | undefined
  /** The params: fields, a tuple, or a Schema; `undefined` where there are none. */
  readonly params: P
  /** How params may stand on the wire, where that is not the default. */
  readonly paramStructure: Params.ParamStructure | undefined
  /** The result; `undefined` where the method answers null. */
  readonly result: R
  /** One partial result; `undefined` where there are none. */
  readonly partial: Part
  /** Application errors, by the code that they have on the wire. */
  readonly errors: E
  /** How long a client waits; `undefined` where the timeout of the caller applies. */
  readonly deadline: Duration.Input | undefined
  /** Whether two calls have the effect of one. */
  readonly idempotent: boolean
  /** When a request starts. */
  readonly order: NonNullable<HandlerOptions["order"]>
  /** Whether handlers call the other side back. */
  readonly callsBack: boolean
  /** Calls with their results, of the types of params and result. */
  readonly examples: ReadonlyArray<Example<unknown, unknown>>
}

/**
 * A method.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  const P extends Params.Params = undefined,
  R extends Params.Codec | undefined = undefined,
  const E extends Errors = {},
  Part extends Params.Codec | undefined = undefined,
  const Back extends boolean = false
>(options: MethodOptions<P, R, E, Part, Back> = {}): Method<P, R, E, Part> & Marked<Back> => ({
  _tag: "Method",
  method: options.method,
  summary: options.summary,
  description: options.description,
  deprecated: options.deprecated,
  // An option that is left out is `undefined`, and so is its type.
  params: options.params as P,
  paramStructure: options.paramStructure,
  // As for `params`.
  result: options.result as R,
  // As for `params`.
  partial: options.partial as Part,
  // The type is `{}` when the option is left out.
  errors: options.errors ?? ({} as E),
  deadline: options.deadline,
  idempotent: options.idempotent ?? false,
  order: options.order ?? "afterNotifications",
  examples: options.examples ?? [],
  // Its mark has the type of the option.
  callsBack: options.callsBack ?? false
} satisfies Method<P, R, E, Part> as Method<P, R, E, Part> & Marked<Back>)

/** The fields of an error that are strings on the wire. */
type Texts<I> = { [K in keyof I]-?: K extends string ? I[K] extends string ? K : never : never }[keyof I]

/**
 * An application error, and what its error object has on the wire: this message, or the fields that the options name.
 * Without both, the message is the description of the Schema or the error's tag.
 *
 * @category constructors
 * @since 0.1.0
 */
export const error = <S extends Params.Codec>(
  schema: S,
  options: string | {
    /** The message on the wire, unless a field of the error is. */
    readonly message?: string | undefined
    /** The field of the error that is the message on the wire: what a handler puts there, and what a client finds. */
    readonly messageField?: Exclude<Texts<S["Encoded"]>, "_tag"> | undefined
    /** The field of the error that is the `data` on the wire, of any JSON. It needs no other fields. */
    readonly dataField?: Exclude<keyof S["Encoded"] & string, "_tag"> | undefined
  }
): ErrorSpec<S> => typeof options === "string" ? { schema, message: options } : { schema, ...options }

/**
 * An error, and what its error object has on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface WireError extends ErrorSpec {
  /** The message, where no field of the error is. */
  readonly message: string
  /** The literal `_tag` that the JSON of the error has, and the wire has not. */
  readonly tag: string | undefined
}

/**
 * The error of a declaration, as it is on the wire.
 *
 * @category accessors
 * @since 0.1.0
 */
export const onWire = (error: Params.Codec | ErrorSpec): WireError => {
  const spec = isSpec(error) ? error : { schema: error }
  const tag = tagOf(spec.schema)
  const message = spec.message ?? SchemaAST.resolveDescription(spec.schema.ast) ?? tag ?? unnamed
  return { ...spec, message, tag }
}

/** The message of an error that declares none, and has no tag. @internal */
export const unnamed = "Application error"

const isSpec = (error: Params.Codec | ErrorSpec): error is ErrorSpec => !Schema.isSchema(error)

const tagOf = (schema: Params.Codec): string | undefined => {
  const tag = Places.objectOf(schema)?.propertySignatures.find(({ name }) => name === "_tag")?.type
  return tag !== undefined && SchemaAST.isLiteral(tag) && typeof tag.literal === "string" ? tag.literal : undefined
}
