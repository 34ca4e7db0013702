/** Checks of values against JSON Schemas, in bounded time. @since 0.1.0 */
export * as Pattern from "./Pattern.ts"
export * as References from "./References.ts"
export * as SchemaCheck from "./SchemaCheck.ts"
export * as Subschemas from "./Subschemas.ts"
