/** More than one machine: who owns what, texts between nodes, and journals of what happened. @since 0.1.0 */
export * as Journal from "./Journal.ts"
export * as KeyValueJournal from "./KeyValueJournal.ts"
export * as MemoryNodes from "./MemoryNodes.ts"
export * as Mesh from "./Mesh.ts"
export * as MeshEngine from "./MeshEngine.ts"
export * as MeshNode from "./MeshNode.ts"
