/** JSON-RPC over HTTP. @since 0.1.0 */
export * as HttpCaller from "./HttpCaller.ts"
export * as HttpEndpoint from "./HttpEndpoint.ts"
export * as HttpRoute from "./HttpRoute.ts"
