/** OpenRPC documents from contracts, and contracts from documents. @since 0.1.0 */
export * as Codegen from "./Codegen.ts"
export * as OpenRpc from "./OpenRpc.ts"
