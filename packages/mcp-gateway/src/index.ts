/**
 * Servers of the Model Context Protocol behind one server, by rules.
 *
 * @since 0.1.0
 */
export * as Audit from "./Audit.ts"
export * as McpGateway from "./McpGateway.ts"
export * as McpUpstream from "./McpUpstream.ts"
export * as Pins from "./Pins.ts"
export * as Policy from "./Policy.ts"
export * as UserLogins from "./UserLogins.ts"
