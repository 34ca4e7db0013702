export * as McpApps from "./McpApps.ts"
export * as McpSkills from "./McpSkills.ts"
export * as Skill from "./Skill.ts"
