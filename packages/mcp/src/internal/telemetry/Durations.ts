/**
 * The histograms of how long operations and sessions take, on either side.
 *
 * Each set of attributes has a histogram, made once. A peer may choose some of them, such as the code of an error, so
 * their number is bounded: beyond the bound all share one whose method is `_OTHER`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as Of from "./attributes.ts"

export class Durations {
  readonly #name: string
  readonly #description: string
  readonly #series = new Map<string, Metric.Histogram<number>>()

  constructor(name: string, description: string) {
    this.#name = name
    this.#description = description
  }

  record(attributes: Of.Attributes, nanoseconds: number, context: Context.Context<never>): void {
    this.#of(attributes).updateUnsafe(nanoseconds / 1e9, context)
  }

  #of(attributes: Of.Attributes): Metric.Histogram<number> {
    const key = JSON.stringify(attributes)
    const found = this.#series.get(key)
    if (found !== undefined) return found
    return this.#series.size < mostSeries || attributes === others ? this.#add(key, attributes) : this.#of(others)
  }

  #add(key: string, attributes: Of.Attributes): Metric.Histogram<number> {
    const histogram = Metric.histogram(this.#name, {
      description: this.#description,
      attributes: { ...attributes, unit: "s" },
      boundaries
    })
    this.#series.set(key, histogram)
    return histogram
  }
}

/** How many sets of attributes are told apart. */
const mostSeries = 2_048

const others: Of.Attributes = { "mcp.method.name": "_OTHER" }

/** Those that the conventions advise. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** @internal */
export const operations = {
  client: new Durations("mcp.client.operation.duration", "How long the requests and notifications that we send take"),
  server: new Durations("mcp.server.operation.duration", "How long the requests and notifications that we serve take")
}

const sessions = {
  client: new Durations("mcp.client.session.duration", "How long our sessions with servers last"),
  server: new Durations("mcp.server.session.duration", "How long the sessions of our clients last")
}

/**
 * A session begins: a connection that keeps what was agreed on. A request of the modern era over HTTP belongs to none.
 * Gives what is to be called at its end; nothing where durations are not recorded.
 *
 * @internal
 */
export const beginSession = (
  kind: "client" | "server",
  place: Of.Place,
  context: Context.Context<never>
): (() => void) | undefined => {
  if (!place.isTimed) return undefined
  const clock = Context.get(context, Clock.Clock)
  const start = clock.monotonicTimeNanosUnsafe()
  return () => {
    const attributes = { ...Of.ofNetwork(place.network), ...Of.ofRevision(place.revision()) }
    sessions[kind].record(attributes, Number(clock.monotonicTimeNanosUnsafe() - start), context)
  }
}
