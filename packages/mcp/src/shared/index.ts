/**
 * Modules that the packages of Parley share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as Caller from "./Caller.ts"
export * as Nearest from "./Nearest.ts"
export * as Paging from "./Paging.ts"
export * as QuietLog from "./QuietLog.ts"
export * as Shares from "./Shares.ts"
export * as Uri from "./Uri.ts"
