/**
 * Typed errors between their classes and error objects. On the wire the code is
 * the tag: `data` carries the fields of an error without its `_tag`, or without the
 * field that is the message, or one field alone.
 */
import type { RemoteError } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Method from "../../Method.ts"
import type * as Params from "../../shared/Params.ts"
import * as Digits from "./digits.ts"
import * as Codec from "./json.ts"
import * as Places from "./places.ts"

/** @internal */
export interface ErrorCodec {
  /** The typed error, if it is one of the contract. */
  readonly decode: (error: RemoteError) => Effect.Effect<unknown>
  /** What is answered, or `undefined` when the contract has no such error. */
  readonly encode: (error: unknown) => Effect.Effect<ErrorResponse.ErrorResponse> | undefined
}

interface Typed {
  readonly code: number
  /** Whether it was made by this very class, and not by one that extends it. */
  readonly isOwn: (error: unknown) => boolean
  readonly is: (error: unknown) => boolean
  readonly encode: (error: unknown) => Effect.Effect<ErrorResponse.ErrorResponse>
  readonly decode: (error: RemoteError) => Effect.Effect<unknown, unknown>
}

/** @internal */
export const make = (errors: Method.Errors, reading?: Codec.Reading): ErrorCodec => {
  const all = Object.entries(errors).map(([code, error]) => typed(code, error, reading))
  const byCode = new Map(all.map((error) => [error.code, error]))
  return {
    decode: (error) =>
      Effect.matchCauseEffectEager(byCode.get(error.code)?.decode(error) ?? Exit.fail(error), {
        onSuccess: Exit.succeed,
        onFailure: (cause) => Cause.hasInterruptsOnly(cause) ? Exit.failCause(Cause.interrupt()) : Exit.succeed(error)
      }),
    encode: (error) => (all.find(({ isOwn }) => isOwn(error)) ?? all.find(({ is }) => is(error)))?.encode(error)
  }
}

/** Whether one of these errors asks for the digits of numbers. @internal */
export const askForDigits = (errors: Method.Errors): boolean =>
  Object.values(errors).some((error) => Digits.asksFor(Method.onWire(error).schema))

const typed = (key: string, error: Params.Codec | Method.ErrorSpec, reading: Codec.Reading | undefined): Typed => {
  const code = Number(key)
  if (!Number.isSafeInteger(code)) {
    throw new TypeError(`the key of an error is its code, and ${JSON.stringify(key)} is no integer`)
  }
  const wire = Method.onWire(error)
  const { dataField, message, messageField, schema, tag } = wire
  checkFields(code, wire)
  const maker: unknown = schema
  const hasMessage = Places.objectOf(schema)?.propertySignatures.some(({ name }) => name === "message") === true
  if (!hasMessage && message !== tag && message !== Method.unnamed) word(maker, message)
  const encode = Codec.encoder(schema, ErrorResponse.internalError)
  const decode = Codec.decoder(schema, (error) => error, `the data of error ${code}`, { exact: reading?.exact })
  const isPlain = tag === undefined && messageField === undefined && dataField === undefined

  const toObject = (json: Schema.Json): ErrorResponse.ErrorResponse => {
    if (isPlain) return ErrorResponse.make(code, message, json)
    // A Schema with a tag or with fields has the JSON of an object.
    const fields: Record<string, Schema.Json> = { ...json as Schema.JsonObject }
    const text = messageField === undefined ? undefined : fields[messageField]
    if (tag !== undefined) delete fields["_tag"]
    if (messageField !== undefined) delete fields[messageField]
    const data = dataField !== undefined ? fields[dataField] : Object.keys(fields).length === 0 ? undefined : fields
    return ErrorResponse.make(code, typeof text === "string" ? text : message, data)
  }

  const toJson = ({ data, text }: RemoteError): unknown => {
    if (isPlain) return data
    const named = {
      ...(tag !== undefined && { _tag: tag }),
      ...(messageField !== undefined && { [messageField]: text })
    }
    if (dataField !== undefined) return data === undefined ? named : { ...named, [dataField]: data }
    if (data === undefined || data === null) return named
    return typeof data === "object" && !Array.isArray(data) ? { ...data, ...named } : data
  }

  return {
    code,
    isOwn: (error) => typeof error === "object" && error !== null && error.constructor === maker,
    is: Schema.is(schema),
    encode: (error) =>
      Effect.matchCauseEffectEager(encode(error), {
        onSuccess: (data) => Exit.succeed(toObject(data)),
        onFailure: (cause) => Exit.succeed(ErrorResponse.internalError(cause))
      }),
    decode: (error) => decode(toJson(error))
  }
}

/**
 * Gives the errors of a class that says no message the one that is declared for the wire. It stands in the prototype, so
 * that an error that came equals one that is made here.
 */
const word = (maker: unknown, message: string): void => {
  if (typeof maker !== "function" || !(maker.prototype instanceof Error)) return
  for (let at: object = maker.prototype; at !== Error.prototype; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, "message")) return
  }
  Object.defineProperty(maker.prototype, "message", { value: message, configurable: true, writable: true })
}

/** An error that has other fields than those that travel could not be read again. */
const checkFields = (code: number, { dataField, messageField, schema }: Method.ErrorSpec): void => {
  if (dataField === undefined && messageField === undefined) return
  const fields = Places.objectOf(schema)?.propertySignatures ?? []
  for (const name of [messageField, dataField]) {
    if (name !== undefined && !fields.some((field) => field.name === name)) {
      throw new TypeError(`error ${code} has no field ${JSON.stringify(name)}`)
    }
  }
  const lost = fields.find(({ name }) => name !== "_tag" && name !== messageField && name !== dataField)
  if (dataField !== undefined && lost !== undefined) {
    throw new TypeError(
      `error ${code} has ${JSON.stringify(dataField)} for its data, so that its field ${String(lost.name)} has no place`
    )
  }
}
