export * as Pattern from "./Pattern.ts"
export * as SchemaCheck from "./SchemaCheck.ts"
export * as Subschemas from "./Subschemas.ts"
