/**
 * Rpcs as members of a contract.
 */
import * as Method from "@parley/contract/Method"
import type { Params } from "@parley/contract/shared"
import * as Subscription from "@parley/contract/Subscription"
import * as Context from "effect/Context"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcSchema from "effect/rpc/RpcSchema"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Annotations from "./annotations.ts"
import * as Errors from "./errors.ts"
import * as Payload from "./payload.ts"

/** A group of which only its Rpcs are known. @internal */
export interface AnyGroup {
  readonly requests: ReadonlyMap<string, Rpc.Any>
}

/** @internal */
export type Member =
  | Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>
  | Subscription.Subscription<Params.Params, Params.Codec, Method.Errors>

/** The Rpcs of a group with all that they have. @internal */
export const rpcsOf = (group: AnyGroup): ReadonlyArray<Rpc.AnyWithProps> =>
  // Every Rpc has this; `Rpc.Any` leaves it out.
  [...group.requests.values()] as unknown as ReadonlyArray<Rpc.AnyWithProps>

/** A Schema that needs no services: the functions that take a group refuse others by their types. @internal */
export const codecOf = (schema: Schema.Constraint): Params.Codec =>
  // By the line above.
  schema as Params.Codec

/** The members by tag. It throws a `TypeError` that names every Rpc that cannot be a member. @internal */
export const make = (group: AnyGroup): { readonly [tag: string]: Member } => {
  const problems: Array<string> = []
  const members = Object.fromEntries(
    rpcsOf(group).map((rpc) => [rpc._tag, memberOf(rpc, (problem) => problems.push(`- ${rpc._tag} ${problem}`))])
  )
  if (problems.length === 0) return members
  throw new TypeError(`not every Rpc of the group can be called by JSON-RPC:\n${problems.join("\n")}`)
}

const memberOf = (rpc: Rpc.AnyWithProps, report: Errors.Report): Member => {
  const { errorSchema, middlewares, successSchema } = rpc
  const stream = RpcSchema.isStreamSchema(successSchema) ? successSchema : undefined
  const failures = [errorSchema, ...(stream === undefined ? [] : [stream.error]), ...Array.from(middlewares, errorOf)]
  const params = Payload.paramsOf(codecOf(rpc.payloadSchema))
  const errors = Errors.make(failures.map(codecOf), Context.get(rpc.annotations, Annotations.ErrorCodes), report)
  if (stream === undefined) {
    const result = SchemaAST.isVoid(successSchema.ast) ? undefined : codecOf(successSchema)
    return Method.make({ params, result, errors })
  }
  const carrier = Context.get(rpc.annotations, Annotations.Carrier)
  if (carrier._tag === "PartialResults" && params !== undefined && !Payload.hasPlace(params)) {
    report("streams, and its payload has no place for the token of partial results: it is no struct")
  }
  return Subscription.make({ params, item: codecOf(stream.success), errors, carrier })
}

const errorOf = ({ error }: { readonly error: Schema.Constraint }) => error
