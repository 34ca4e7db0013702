/** Ready-made transports of Node.js. @since 0.1.0 */
export * as NodeChildProcess from "./NodeChildProcess.ts"
export * as NodeStdio from "./NodeStdio.ts"
export * as NodeTcp from "./NodeTcp.ts"
export * as NodeUnix from "./NodeUnix.ts"
