/** Published laws, and what they are made of: generators, a corpus, a bad line, a specimen. @since 0.1.0 */
export * as Corpus from "./Corpus.ts"
export * as Faulty from "./Faulty.ts"
export * as Laws from "./Laws.ts"
export * as Simulation from "./Simulation.ts"
export * as Specimen from "./Specimen.ts"
