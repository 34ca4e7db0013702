/**
 * Modules that the packages of Parley share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as Digest from "./Digest.ts"
export * as SharedRun from "./SharedRun.ts"
