/** Proves a server, compares contracts, records and replays conversations. @since 0.1.0 */
export * as Conform from "./Conform.ts"
export * as ContractDiff from "./ContractDiff.ts"
export * as Lock from "./Lock.ts"
export * as Mock from "./Mock.ts"
export * as Recording from "./Recording.ts"
export * as Report from "./Report.ts"
export * as Suite from "./Suite.ts"
export * as Target from "./Target.ts"
