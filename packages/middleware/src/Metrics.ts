/**
 * Counts calls and bytes, with Effect's `Metric`.
 *
 * Names are those of OpenTelemetry's semantic conventions for RPC where it has
 * one, with `server` for handlers and `client` for callers:
 *
 * - `rpc.server.calls` (counter): calls that have begun
 * - `rpc.server.failures` (counter): calls that ended otherwise than with a result, with the attribute `error.type`:
 *   the code of the error object, the tag of another error (`Disconnected`), `defect` or `interrupted`
 * - `rpc.server.active` (gauge): calls that have begun and not ended
 * - `rpc.server.call.duration` (histogram, seconds)
 * - `rpc.transport.io` (counter, bytes), with the attribute `network.io.direction`: `receive` or `transmit`
 * - `rpc.peer.waits` (counter, seconds), with what waits and what for
 *
 * The metrics of calls have the attribute `rpc.method`. Names of methods and
 * codes of errors may come from the other side, so that both are bounded: beyond
 * the bound they are `_OTHER`. Each metric is built once, and goes to the
 * `Metric.MetricRegistry` of the fiber that updates it.
 *
 * ```ts run
 * import { Metrics } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Effect, Metric } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("brew", Metrics.handler()(() => Effect.succeed("tea")))
 *   yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"brew"}`)
 *   const brews = (yield* Metric.snapshot).filter(({ attributes }) => attributes?.["rpc.method"] === "brew")
 *   console.log(brews.find(({ id }) => id === "rpc.server.calls")?.state) // => { count: 1, incremental: true }
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { Middleware } from "@parley/peer/Handler"
import type { Peer } from "@parley/peer/Peer"
import { Utf8 } from "@parley/protocol/shared"
import type { Transport, Wrapping } from "@parley/transport/Transport"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Ending from "./internal/CallOutcome.ts"
import * as Observer from "./internal/Observer.ts"

/**
 * The methods that have metrics of their own.
 *
 * @category models
 * @since 0.1.0
 */
export interface MetricsOptions {
  /**
   * The methods that have metrics of their own. By default these are the first 256 that are called. Name them where a
   * router's fallback is watched, because anybody could use up the default there.
   */
  readonly methods?: ReadonlyArray<string> | undefined
}

/**
 * Counts the calls that handlers serve, requests and notifications. Handlers that share one of these share its bound.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = (options: MetricsOptions = {}): Middleware => Observer.handler(seriesOf("server", options))

/**
 * Counts the requests that are made, each member of a batch as one.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (options: MetricsOptions = {}): (inner: Caller) => Caller =>
  Observer.caller(seriesOf("client", options))

/**
 * Counts the UTF-8 bytes of the texts that a transport gives and is given, without what its framing adds. Frames that
 * could not become a text are not counted.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const transport: Wrapping = (inner: Transport) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed({
      receive: Effect.map(inner.receive, (texts) => {
        received.updateUnsafe(bytesOf(texts), context)
        return texts
      }),
      send: (texts) =>
        Effect.suspend(() => {
          // This counts before the text is sent, because the reply may come before `send` returns.
          transmitted.updateUnsafe(bytesOf(texts), context)
          return inner.send(texts)
        }),
      close: inner.close,
      abort: inner.abort,
      framing: inner.framing
    })
  )

/**
 * Counts for how long a peer waits, and for what, until it is interrupted: it looks once in each interval, and adds that
 * to `rpc.peer.waits`, with what waits as `parley.waits` (`reading`, `starting`, `writing`) and what for as `parley.for`
 * (`Peer.Wait`). A share of the time near 1 names the bound that holds a connection up.
 *
 * @category watching
 * @since 0.1.0
 */
export const waits = (
  peer: Pick<Peer, "waits">,
  interval: Duration.Input = "1 second"
): Effect.Effect<never> => {
  const seconds = Duration.toSeconds(interval)
  const look = Effect.contextWith((context: Context.Context<never>) =>
    Effect.map(peer.waits, (waits) => {
      for (const [what, wait] of Object.entries(waits)) {
        if (wait !== undefined) waited(what, wait).updateUnsafe(seconds, context)
      }
    })
  )
  return Effect.forever(Effect.andThen(Effect.sleep(interval), look))
}

const waited = (what: string, wait: string) =>
  counter("rpc.peer.waits", "Seconds that something in a peer has waited", {
    "parley.waits": what,
    "parley.for": wait,
    unit: "s"
  })

/** How many methods, and how many errors of each, have metrics of their own. */
const mostMethods = 256
const mostErrors = 32

/** The name of OpenTelemetry for methods and errors that are not told apart. */
const other = "_OTHER"

type Side = "client" | "server"

const seriesOf = (side: Side, { methods }: MetricsOptions): Observer.Observer => {
  const named = methods === undefined ? undefined : new Set(methods)
  const known = bounded(
    (method) => new Series(side, method),
    (method, size) => named === undefined ? size < mostMethods : named.has(method)
  )
  return ({ method }) => known(method)
}

/** Gives each name metrics of its own where there is room for it. The others share theirs. */
const bounded = <A>(make: (name: string) => A, hasRoom: (name: string, size: number) => boolean) => {
  const known = new Map<string, A>()
  let rest: A | undefined
  return (name: string): A => {
    const found = known.get(name)
    if (found !== undefined) return found
    if (!hasRoom(name, known.size)) return rest ??= make(other)
    const made = make(name)
    known.set(name, made)
    return made
  }
}

/** The metrics of one method. */
class Series implements Observer.Watcher {
  readonly #calls: Metric.Counter<number>
  readonly #active: Metric.Gauge<number>
  readonly #duration: Metric.Histogram<number>
  readonly #failuresOf: (type: string) => Metric.Counter<number>

  constructor(side: Side, method: string) {
    const attributes = { "rpc.system.name": "jsonrpc", "rpc.method": method }
    this.#calls = counter(`rpc.${side}.calls`, "Calls that have begun", { ...attributes, unit: "{call}" })
    this.#active = Metric.gauge(`rpc.${side}.active`, {
      description: "Calls that have begun and not ended",
      attributes: { ...attributes, unit: "{call}" }
    })
    this.#duration = Metric.histogram(`rpc.${side}.call.duration`, {
      description: "How long calls take",
      attributes: { ...attributes, unit: "s" },
      boundaries
    })
    this.#failuresOf = bounded(
      (type) =>
        counter(`rpc.${side}.failures`, "Calls that ended otherwise than with a result", {
          ...attributes,
          "error.type": type,
          unit: "{call}"
        }),
      (_, size) => size < mostErrors
    )
  }

  begin({ context }: Fiber.Fiber<unknown, unknown>): void {
    this.#calls.updateUnsafe(1, context)
    this.#active.modifyUnsafe(1, context)
  }

  end(exit: Exit.Exit<unknown, unknown>, nanoseconds: number, { context }: Fiber.Fiber<unknown, unknown>): undefined {
    const { type } = Ending.fromExit(exit)
    this.#active.modifyUnsafe(-1, context)
    this.#duration.updateUnsafe(nanoseconds / 1e9, context)
    if (type !== undefined) this.#failuresOf(type).updateUnsafe(1, context)
  }
}

/** The boundaries that OpenTelemetry advises. */
const advised = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** With finer ones for calls within a machine, and the default timeout of a call. */
const boundaries = [0.000_1, 0.000_5, 0.001, 0.002_5, ...advised, 30]

const counter = (name: string, description: string, attributes: Metric.Metric.AttributeSet) =>
  Metric.counter(name, { description, attributes, incremental: true })

const io = (direction: "receive" | "transmit") =>
  counter("rpc.transport.io", "UTF-8 bytes of the texts that a transport carries", {
    "network.io.direction": direction,
    unit: "By"
  })

const received = io("receive")
const transmitted = io("transmit")

const bytesOf = (texts: ReadonlyArray<unknown>): number => {
  let bytes = 0
  for (const text of texts) if (typeof text === "string") bytes += Utf8.byteLength(text)
  return bytes
}
