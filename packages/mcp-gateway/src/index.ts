/**
 * Servers of the Model Context Protocol behind one server, by rules.
 *
 * @since 0.1.0
 */
export * as McpGateway from "./McpGateway.ts"
export * as McpUpstream from "./McpUpstream.ts"
export * as Pins from "./Pins.ts"
