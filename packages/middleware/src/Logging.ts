/**
 * One log line per call, through Effect's `Logger`.
 *
 * A line has the annotations `method`, `id` (of a request that is served),
 * `milliseconds`, `outcome` (`success`, `failure`, `defect`, `interrupted`) and,
 * for failures, `code`, or `error` where there is no code. The content of calls
 * is logged only where `redact` is given, and as it gives it.
 *
 * ```ts run
 * import { Logging } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Effect, Logger, References } from "effect"
 *
 * const logged = Logging.handler({ levels: { success: "Info" }, redact: Logging.redactMembers(["password"]) })
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("login", logged(() => Effect.succeed(true)))
 *   yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"login","params":{"user":"ada","password":"x"}}`)
 * })
 *
 * const print = Logger.make(({ fiber, message }) => {
 *   const { method, outcome, params } = fiber.getRef(References.CurrentLogAnnotations)
 *   console.log(...[message].flat(), method, outcome, params)
 * })
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Logger.layer([print]))))
 * // => served a call login success { user: 'ada', password: '[redacted]' }
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { Middleware } from "@parley/peer/Handler"
import { Excerpt, RequestId } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as LogLevel from "effect/LogLevel"
import type * as Schema from "effect/Schema"
import * as Ending from "./internal/CallOutcome.ts"
import * as Observer from "./internal/Observer.ts"

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Ending.Ending["outcome"]

/**
 * A part of a call: its params, its result, or the data of its error.
 *
 * @category models
 * @since 0.1.0
 */
export type Where = "params" | "result" | "data"

/**
 * Chooses what is logged of a part of a call; `undefined` logs nothing of it.
 *
 * @category models
 * @since 0.1.0
 */
export type Redact = (json: Schema.Json, where: Where) => Schema.Json | undefined

/**
 * The levels, and the content of calls that is logged.
 *
 * @category models
 * @since 0.1.0
 */
export interface LoggingOptions {
  /** By default success and interruption are `Debug`, failures `Warn`, and defects `Error`; `None` logs nothing. */
  readonly levels?: { readonly [outcome in Outcome]?: LogLevel.Severity | "None" | undefined } | undefined
  /** Logs the content of the calls, as this function gives it. */
  readonly redact?: Redact | undefined
}

/**
 * Logs the calls that handlers serve. The cause of a defect is in the line.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = (options: LoggingOptions = {}): Middleware => Observer.handler(observer("served", options))

/**
 * Logs the requests that are made, each member of a batch in a line of its own.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (options: LoggingOptions = {}): (inner: Caller) => Caller =>
  Observer.caller(observer("made", options))

/**
 * Masks the members with these names, whatever their case, at any depth. Params by position have no names, so their
 * values are masked only inside of objects.
 *
 * @category redaction
 * @since 0.1.0
 */
export const redactMembers = (names: ReadonlyArray<string>): Redact => {
  const masked = new Set(names.map((name) => name.toLowerCase()))
  const redact = (json: Schema.Json): Schema.Json => {
    if (typeof json !== "object" || json === null) return json
    if (isArray(json)) return json.map(redact)
    return Object.fromEntries(
      Object.entries(json).map(([name, value]) => [name, masked.has(name.toLowerCase()) ? mask : redact(value)])
    )
  }
  return redact
}

const mask = "[redacted]"

/** `Array.isArray`, which narrows no readonly array. */
const isArray = (json: Schema.Json): json is ReadonlyArray<Schema.Json> => Array.isArray(json)

const defaults: { readonly [outcome in Outcome]: LogLevel.Severity } = {
  success: "Debug",
  interrupted: "Debug",
  failure: "Warn",
  defect: "Error"
}

/** The id as its caller wrote it may be as long as a frame, and a string may hold anything. */
const idOf = (id: Observer.Observed["id"]): string | number | null | undefined => {
  if (typeof id === "string") return Excerpt.line(id)
  return typeof id === "object" && id !== null ? Excerpt.line(RequestId.toText(id)) : id
}

/** Logs how calls ended. Where the level is not logged, the line is not built. */
const observer = (verb: "served" | "made", { levels, redact }: LoggingOptions): Observer.Observer => {
  const redacted = (json: Schema.Json, where: Where): Schema.Json | undefined => {
    try {
      return redact?.(json, where)
    } catch {
      // If the redaction throws, the line says so, and holds nothing of that part.
      return "[redaction failed]"
    }
  }
  const line = (
    { id, method, params }: Observer.Observed,
    { error, outcome, type }: Ending.Ending,
    exit: Exit.Exit<Schema.Json | void, unknown>,
    nanoseconds: number
  ) => {
    const annotations: Record<string, unknown> = { method: Excerpt.line(method) }
    const add = (name: string, value: unknown) => {
      if (value !== undefined) annotations[name] = Excerpt.value(value)
    }
    const addContent = (where: Where, json: Schema.Json | void) => {
      if (redact !== undefined && json !== undefined) add(where, redacted(json, where))
    }
    add("id", idOf(id))
    add("milliseconds", nanoseconds / 1e6)
    add("outcome", outcome)
    if (error !== undefined) add("code", error.code)
    else if (outcome === "failure") add("error", type)
    addContent("params", params)
    // The null of a handler may stand for nothing.
    if (Exit.isSuccess(exit) && (verb === "made" || exit.value !== null)) addContent("result", exit.value)
    addContent("data", error?.data)
    return annotations
  }
  return (call) => ({
    end: (exit, nanoseconds, fiber) => {
      const ending = Ending.fromExit(exit)
      const level = levels?.[ending.outcome] ?? defaults[ending.outcome]
      if (level === "None" || LogLevel.isGreaterThan(fiber.cache.minimumLogLevel, level)) return undefined
      // The cause of a failure holds its data. That of a defect is ours.
      const causes = ending.outcome === "defect" && Exit.isFailure(exit)
        ? [Excerpt.cause(Cause.fromReasons(exit.cause.reasons.filter(Cause.isDieReason)))]
        : []
      // escaped: one of two words
      const log = Effect.logWithLevel(level)(`${verb} a call`, ...causes)
      // A logger that throws must not end the call.
      // escaped: `line` does it
      return Effect.ignoreCause(Effect.annotateLogs(log, line(call, ending, exit, nanoseconds)))
    }
  })
}
