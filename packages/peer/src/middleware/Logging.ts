/**
 * One log line per call, through Effect's `Logger`.
 *
 * A line has the annotations `method`, `id` (of a request that is served),
 * `milliseconds`, `outcome` (`success`, `failure`, `defect`, `interrupted`) and,
 * for failures, `code`, or `error` where there is no code. The content of calls
 * is logged only where `redact` is given, and as it gives it.
 *
 * @since 0.1.0
 */
import * as RequestId from "@parley/protocol/RequestId"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Caller } from "../Caller.ts"
import type { Call, Middleware } from "../Handler.ts"
import * as Ending from "../internal/observe/CallOutcome.ts"
import { watched } from "../internal/observe/timed.ts"

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = "success" | "failure" | "defect" | "interrupted"

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
 * What is logged.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
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
export const handler = (options: Options = {}): Middleware => {
  const write = writer("served a call", options)
  return (handler) => (call) =>
    watched(() => handler(call), {
      end: (exit, nanoseconds, fiber) =>
        write(fiber, Ending.fromExit(exit), nanoseconds, () => ({
          ...subject(call),
          result: Exit.isSuccess(exit) ? exit.value ?? undefined : undefined,
          cause: Exit.isFailure(exit) ? exit.cause : undefined
        }))
    })
}

/**
 * Logs the requests that are made, each member of a batch in a line of its own.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (options: Options = {}) => {
  const write = writer("made a call", options)
  return (inner: Caller): Caller => ({
    ...inner,
    request: (method, params, options) =>
      watched(() => inner.request(method, params, options), {
        end: (exit, nanoseconds, fiber) =>
          write(fiber, Ending.fromExit(exit), nanoseconds, () => ({
            method,
            params,
            result: Exit.isSuccess(exit) ? exit.value : undefined,
            cause: Exit.isFailure(exit) ? exit.cause : undefined
          }))
      }),
    batch: (members, options) =>
      watched(() => inner.batch(members, options), {
        end: (exit, nanoseconds, fiber) => {
          const whole = Ending.fromExit(exit)
          return Effect.forEach(members, ({ method, notification, params }, index) => {
            if (notification === true) return Effect.void
            const outcome = Exit.isSuccess(exit) ? exit.value[index] : undefined
            const ending = outcome !== undefined && Result.isFailure(outcome)
              ? Ending.fromError(outcome.failure)
              : whole
            return write(fiber, ending, nanoseconds, () => ({
              method,
              params,
              result: outcome !== undefined && Result.isSuccess(outcome) ? outcome.success : undefined,
              cause: Exit.isFailure(exit) ? exit.cause : undefined
            })) ?? Effect.void
          }, { discard: true })
        }
      })
  })
}

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

interface Line {
  readonly method: string
  readonly id?: string | number | null | undefined
  readonly params: Schema.Json | undefined
  readonly result: Schema.Json | undefined
  readonly cause: Cause.Cause<unknown> | undefined
}

const subject = ({ id, method, params }: Call): Pick<Line, "id" | "method" | "params"> => ({
  method,
  params,
  id: typeof id === "object" && id !== null ? RequestId.toText(id) : id
})

const defaults: { readonly [outcome in Outcome]: LogLevel.Severity } = {
  success: "Debug",
  interrupted: "Debug",
  failure: "Warn",
  defect: "Error"
}

/** Gives the effect that writes a line, or nothing where its level is not logged: then the line is not built. */
const writer = (message: string, { levels, redact }: Options) => {
  const levelOf = (outcome: Outcome) => levels?.[outcome] ?? defaults[outcome]
  const entryOf = (outcome: Outcome) => {
    const level = levelOf(outcome)
    return level === "None"
      ? undefined
      : { log: Effect.logWithLevel(level), severity: LogLevel.getOrdinal(level) }
  }
  const entries = {
    success: entryOf("success"),
    failure: entryOf("failure"),
    defect: entryOf("defect"),
    interrupted: entryOf("interrupted")
  }
  const redacted = (json: Schema.Json, where: Where): Schema.Json | undefined => {
    try {
      return redact?.(json, where)
    } catch {
      // If the redaction throws, the line says so, and holds nothing of that part.
      return "[redaction failed]"
    }
  }
  return (
    fiber: Fiber.Fiber<unknown, unknown>,
    { error, outcome, type }: Ending.Ending,
    nanoseconds: number,
    lineOf: () => Line
  ): Effect.Effect<void> | undefined => {
    const entry = entries[outcome]
    if (entry === undefined || entry.severity < LogLevel.getOrdinal(fiber.cache.minimumLogLevel)) return undefined
    const { cause, id, method, params, result } = lineOf()
    const annotations: Record<string, unknown> = { method }
    const add = (name: string, value: unknown) => {
      if (value !== undefined) annotations[name] = value
    }
    const addContent = (where: Where, json: Schema.Json | undefined) => {
      if (redact !== undefined && json !== undefined) add(where, redacted(json, where))
    }
    add("id", id)
    add("milliseconds", nanoseconds / 1e6)
    add("outcome", outcome)
    if (error !== undefined) add("code", error.code)
    else if (outcome === "failure") add("error", type)
    addContent("params", params)
    addContent("result", result)
    addContent("data", error?.data)
    // The cause of a failure holds its data. That of a defect is ours.
    const log = outcome === "defect" && cause !== undefined
      ? entry.log(message, Cause.fromReasons(cause.reasons.filter(Cause.isDieReason)))
      : entry.log(message)
    // A logger that throws must not end the call.
    return Effect.catchCause(Effect.annotateLogs(log, annotations), () => Effect.void)
  }
}
