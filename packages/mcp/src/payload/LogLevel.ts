/**
 * How important a log message is: the eight severities of RFC 5424.
 *
 * ```ts run
 * import * as LogLevel from "@parley/mcp/payload/LogLevel"
 *
 * console.log(LogLevel.all.filter((level) => LogLevel.isAtLeast(level, "error")))
 * // => [ 'error', 'critical', 'alert', 'emergency' ]
 * console.log(LogLevel.isLogLevel("verbose")) // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Every level, the least important first.
 *
 * @category models
 * @since 0.1.0
 */
export const all = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/** The level of a log message. @category models @since 0.1.0 */
export const LogLevel = Schema.Literals(all)

/** @category models @since 0.1.0 */
export type LogLevel = typeof LogLevel.Type

/** Tells whether a text names a level. @category predicates @since 0.1.0 */
export const isLogLevel: (input: unknown) => input is LogLevel = Schema.is(LogLevel)

/** The place of a level: 0 for `debug` to 7 for `emergency`. @category accessors @since 0.1.0 */
export const severity = (level: LogLevel): number => all.indexOf(level)

/** Tells whether a level is `minimum` or above. @category predicates @since 0.1.0 */
export const isAtLeast = (level: LogLevel, minimum: LogLevel): boolean => severity(level) >= severity(minimum)
