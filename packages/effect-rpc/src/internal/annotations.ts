/**
 * What is said about errors and Rpcs for the wire.
 */
import * as Subscription from "@parley/contract/Subscription"
import * as Context from "effect/Context"

/** @internal */
export type Codes = { readonly [error: string]: number }

/** @internal */
export const ErrorCodes: Context.Reference<Codes> = Context.Reference("@parley/effect-rpc/ErrorCodes", {
  defaultValue: () => ({})
})

/** @internal */
export const Carrier: Context.Reference<Subscription.Carrier> = Context.Reference("@parley/effect-rpc/Carrier", {
  defaultValue: () => Subscription.partialResults
})

/** The key of an error's code among its Schema's annotations. @internal */
export const codeKey = "@parley/effect-rpc/code"
