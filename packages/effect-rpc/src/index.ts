/** Groups of `effect/rpc` as contracts. @since 0.1.0 */
export * as EffectRpc from "./EffectRpc.ts"
