/**
 * Tasks of the Model Context Protocol, in both generations.
 *
 * @since 0.1.0
 */
export * as McpTasks from "./McpTasks.ts"
export * as TaskClient from "./TaskClient.ts"
export * as Tasks from "./Tasks.ts"
