/**
 * One span around one call, where a tracer listens. The conventions of a protocol decide its name and its attributes.
 */
import * as Handshake from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as TraceContext from "./TraceContext.ts"

/**
 * The name, kind, attributes, links and parent that a span has from its beginning.
 *
 * @category models
 * @since 0.1.0
 */
export interface Description extends Pick<Tracer.SpanOptionsNoTrace, "attributes" | "kind" | "links"> {
  /** The name of the span. */
  readonly name: string
  /** The span of the other side. Without it, the parent is the span that is open here. */
  readonly parent?: Tracer.AnySpan | undefined
}

/** The cache holds a tracer only where one has been provided. */
const listens = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean => cache.tracer !== undefined && cache.tracerEnabled

/**
 * Runs a call in a span where a tracer listens. Without one, `run` gets no span and nothing is described. It is
 * `Effect.withSpan` without the stack traces that are half of its cost.
 *
 * `describe` gets the span that is open here, and that which the headers of an HTTP request name, if that is of another
 * trace: the parent of a call that names none itself. `mark` adds to the span how the call ended. A span ends as its call
 * does, or with the exit that `mark` gives: a result may say that it is an error.
 *
 * @category spans
 * @since 0.1.0
 */
export const around = <A, E, R>(
  describe: (ambient: Tracer.AnySpan | undefined, outside: Tracer.AnySpan | undefined) => Description,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  mark: (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>) => Exit.Exit<unknown, unknown> | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!listens(fiber)) return run(undefined)
    const { cache: { span: ambient } } = fiber
    const outside = TraceContext.readHead(fiber.getRef(Handshake.Current)?.head, ambient)
    const { name, ...options } = describe(ambient, outside)
    return Effect.useSpan(name, options, (span) =>
      Effect.provideService(
        // The span's own end comes after, and changes nothing from then on.
        Effect.onExitPrimitive(Effect.suspend(() => run(span)), (exit) => {
          const shown = mark(span, exit)
          if (shown !== undefined) span.end(nowIn(fiber), shown)
          return undefined
        }),
        Tracer.ParentSpan,
        span
      ))
  })

/** Nanoseconds, as Effect ends its spans. */
const nowIn = (fiber: Fiber.Fiber<unknown, unknown>): bigint =>
  fiber.getRef(References.TracerTimingEnabled) ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n
