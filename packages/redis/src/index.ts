/** Nodes of a mesh, and journals, over Redis. @since 0.1.0 */
export * as RedisEngine from "./RedisEngine.ts"
export * as RedisJournal from "./RedisJournal.ts"
export * as RedisNodes from "./RedisNodes.ts"
