/** Nodes of a mesh, and journals, over Redis. @since 0.1.0 */
export * as RedisNodes from "./RedisNodes.ts"
