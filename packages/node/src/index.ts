/** Ready-made transports, listeners and HTTP for Node.js. @since 0.1.0 */
export * as NodeChildProcess from "./NodeChildProcess.ts"
export * as NodeHttp from "./NodeHttp.ts"
export * as NodeStdio from "./NodeStdio.ts"
export * as NodeTcp from "./NodeTcp.ts"
export * as NodeUnix from "./NodeUnix.ts"
export * as NodeWebSocket from "./NodeWebSocket.ts"
export * as NodeWorker from "./NodeWorker.ts"
export * as Tls from "./Tls.ts"
