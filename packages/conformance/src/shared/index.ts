/**
 * Modules that the tests of Parley's packages share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as Codec from "./Codec.ts"
export * as CodecLaws from "./CodecLaws.ts"
export * as Cuts from "./Cuts.ts"
export * as FramingLaws from "./FramingLaws.ts"
export * as Generators from "./Generators.ts"
export * as Mutation from "./Mutation.ts"
export * as Wire from "./Wire.ts"
