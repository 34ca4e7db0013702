/** Modules that the packages of Parley share for hosts of requests, beside the other entries. @since 0.1.0 */
export * as Served from "./Served.ts"
export * as Serving from "./Serving.ts"
