/**
 * Members of contracts as methods of a document.
 */
import type * as Contract from "@parley/contract/Contract"
import type * as Method from "@parley/contract/Method"
import type * as Notification from "@parley/contract/Notification"
import type { Params } from "@parley/contract/shared"
import type * as Subscription from "@parley/contract/Subscription"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { descriptor } from "./descriptor.ts"
import * as Errors from "./errors.ts"
import * as DescribeParams from "./params.ts"
import type { Pools } from "./pools.ts"

type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors, Params.Codec | undefined>
type AnySubscription = Subscription.Subscription<Params.Params, Params.Codec, Method.Errors>
type AnyMember = AnyMethod | Notification.Notification<Params.Params> | AnySubscription

/** A method once representations are known, and then once JSON Schemas are. @internal */
export type Later = () => () => OpenRpcDocument.Method

/** @internal */
export const describe = (members: Contract.Members, pools: Pools): ReadonlyArray<Later> => {
  const taken = new Map<string, string>()
  // `Member` leaves out what their constructors gave them.
  return Object.entries(members as { readonly [name: string]: AnyMember }).map(([key, member]) => {
    const name = member.method ?? key
    const other = taken.get(name)
    if (other !== undefined) {
      throw new TypeError(
        `the members ${other} and ${key} share the method ${name}, and a document names each method once: pick one of them`
      )
    }
    taken.set(name, key)
    const params = DescribeParams.describe(member, pools)
    const rest = restOf(member, pools)
    return () => {
      const paramsLater = params()
      const restLater = rest()
      return () => {
        const described = paramsLater()
        const said = { ...documentation(member), ...wayBack(member) }
        return { name, ...said, ...described, ...restLater(), ...examplesOf(name, member, described) }
      }
    }
  })
}

const documentation = ({ deprecated, description, summary }: Method.Documentation) => ({
  ...(summary !== undefined && { summary }),
  ...(description !== undefined && { description }),
  ...(deprecated === true && { deprecated })
})

const wayBack = ({ callsBack }: AnyMember) => callsBack ? { "x-parley-calls-back": true } : {}

type Rest = Omit<OpenRpcDocument.Method, "name" | "params">

const restOf = (member: AnyMember, pools: Pools): () => () => Rest => {
  switch (member._tag) {
    case "Method":
      return ofMethod(member, pools)
    case "Notification":
      return () => () => ({})
    case "Subscription":
      return ofSubscription(member, pools)
  }
}

const ofMethod = (member: AnyMethod, pools: Pools): () => () => Rest => {
  const { partial, result } = member
  const schema = result === undefined ? undefined : pools.schemas.add(result)
  const part = partial === undefined ? undefined : pools.schemas.add(partial)
  const errors = Errors.describe(member.errors, pools)
  const annotations = result?.ast.context?.annotations
  return () => {
    const json = schema === undefined ? undefined : pools.representations.add(schema())
    const partJson = part === undefined ? undefined : pools.representations.add(part())
    const errorsLater = errors()
    return () => ({
      result: json === undefined
        ? { name: "result", schema: { type: "null" }, "x-parley-void": true }
        : descriptor(DescribeParams.titleOf(annotations) ?? "result", json(), annotations),
      ...errorsLater(),
      ...(partJson !== undefined && { "x-parley-partial": partJson() }),
      ...(member.idempotent && { "x-parley-idempotent": true }),
      ...(member.deadline !== undefined && { "x-parley-deadline": millisOf(member.deadline) }),
      ...order(member)
    })
  }
}

const millisOf = (input: Duration.Input): number | "Infinity" => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(input))
  return Number.isFinite(millis) ? millis : "Infinity"
}

const order = ({ order }: Pick<AnyMethod, "order">) => order === "afterNotifications" ? {} : { "x-parley-order": order }

const ofSubscription = (member: AnySubscription, pools: Pools): () => () => Rest => {
  const schema = pools.schemas.add(member.item)
  const errors = Errors.describe(member.errors, pools)
  const { carrier } = member
  return () => {
    const json = pools.representations.add(schema())
    const errorsLater = errors()
    return () => ({
      result: carrier._tag === "PartialResults"
        ? { name: "items", schema: { type: "array", items: json() } }
        : { name: "subscription", schema: { type: "string" } },
      ...errorsLater(),
      "x-parley-subscription": { item: json(), carrier: carrierOf(carrier) },
      ...order(member)
    })
  }
}

const carrierOf = (carrier: Subscription.Carrier): OpenRpcDocument.Carrier => {
  if (carrier._tag === "PartialResults") return carrier
  const { _tag, close, end, error, id, item, notification } = carrier
  return {
    ...{ _tag, notification, close, id, item },
    ...(error !== undefined && { error }),
    ...(end !== undefined && { end })
  }
}

const examplesOf = (
  method: string,
  member: AnyMember,
  described: DescribeParams.Described
): Pick<OpenRpcDocument.Method, "examples"> => {
  if (member._tag !== "Method" || member.examples.length === 0) return {}
  const encodeParams = DescribeParams.encoder(member.params)
  const encodeResult = member.result === undefined ? () => null : encoder(member.result)
  const examples = member.examples.map(({ name, params, result, ...rest }) => {
    try {
      return {
        name,
        ...documentation(rest),
        ...DescribeParams.named(encodeParams(params), described),
        result: { name: "result", value: encodeResult(result) }
      }
    } catch (cause) {
      throw new TypeError(`the example ${JSON.stringify(name)} of ${method} does not fit it`, { cause })
    }
  })
  return { examples }
}

const encoder = (schema: Params.Codec): (value: unknown) => Schema.Json => {
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema))
  // `toCodecJson` gives JSON.
  return (value) => encode(value) as Schema.Json
}
