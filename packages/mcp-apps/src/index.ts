/**
 * MCP Apps and skills, two extensions of the Model Context Protocol.
 *
 * @since 0.1.0
 */
export * as McpApps from "./McpApps.ts"
export * as McpSkills from "./McpSkills.ts"
export * as Skill from "./Skill.ts"
