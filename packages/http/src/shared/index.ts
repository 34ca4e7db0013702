/**
 * Modules that the packages of Parley share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as Access from "./access/Access.ts"
export * as Authorization from "./access/Authorization.ts"
export * as RefusalLog from "./access/RefusalLog.ts"
export * as Address from "./Address.ts"
export * as Cors from "./Cors.ts"
export * as EventStream from "./EventStream.ts"
export * as MediaType from "./MediaType.ts"
export * as RequestRules from "./RequestRules.ts"
export * as Served from "./server/Served.ts"
export * as Serving from "./server/Serving.ts"
