/** Wrappings of handlers and callers. @since 0.1.0 */
export * as Authentication from "./Authentication.ts"
export * as Concurrency from "./Concurrency.ts"
export * as Deadline from "./Deadline.ts"
export * as Logging from "./Logging.ts"
export * as Metrics from "./Metrics.ts"
export * as Retry from "./Retry.ts"
export * as Tracing from "./Tracing.ts"
