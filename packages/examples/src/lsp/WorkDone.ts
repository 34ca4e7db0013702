/**
 * The progress of work as the Language Server Protocol tells it: the `value` of
 * `$/progress`, from its begin over any number of reports to its end.
 */
import { Effect, Exit, Option, Schema } from "effect"
import { maybe } from "./Structures.ts"

export const Begin = Schema.Struct({
  kind: Schema.Literal("begin"),
  title: Schema.String,
  cancellable: maybe(Schema.Boolean),
  message: maybe(Schema.String),
  percentage: maybe(Schema.Int)
})

export const Report = Schema.Struct({
  kind: Schema.Literal("report"),
  cancellable: maybe(Schema.Boolean),
  message: maybe(Schema.String),
  percentage: maybe(Schema.Int)
})

export const End = Schema.Struct({ kind: Schema.Literal("end"), message: maybe(Schema.String) })

export const WorkDone = Schema.Union([Begin, Report, End])
export type WorkDone = typeof WorkDone.Type

const decode = Schema.decodeUnknownOption(Schema.Struct({ value: WorkDone }))

/** The work-done progress in the params of a `$/progress`, if that is what they hold. */
export const fromParams = (params: unknown): Option.Option<WorkDone> => Option.map(decode(params), ({ value }) => value)

/** One line about it. */
export const describe = (value: WorkDone): string => {
  const title = value.kind === "begin" ? [value.title] : []
  const percentage = value.kind !== "end" && typeof value.percentage === "number" ? [`${value.percentage} %`] : []
  const message = typeof value.message === "string" ? [value.message] : []
  return [value.kind, ...title, ...percentage, ...message].join(" ")
}

/** How far the work is. */
export type Tell<E> = (report: Omit<typeof Report.Type, "kind">) => Effect.Effect<void, E>

/** Reports the begin and the end of work, however the work ends. */
export const tracked = <A, E, R, E2>(
  title: string,
  send: (value: WorkDone) => Effect.Effect<void, E2>,
  work: (tell: Tell<E2>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | E2, R> =>
  Effect.acquireUseRelease(
    send({ kind: "begin", title, cancellable: true }),
    () => work((report) => send({ kind: "report", ...report })),
    (_, exit) => send({ kind: "end", message: Exit.isSuccess(exit) ? "done" : "stopped" })
  )
