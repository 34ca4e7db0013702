/**
 * Modules that the packages of Parley share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as Backoff from "./Backoff.ts"
export * as BoundedLog from "./BoundedLog.ts"
export * as Budget from "./Budget.ts"
export * as Direct from "./Direct.ts"
export * as Monotonic from "./Monotonic.ts"
export * as Occupancy from "./Occupancy.ts"
export * as Reader from "./Reader.ts"
export * as Roster from "./Roster.ts"
