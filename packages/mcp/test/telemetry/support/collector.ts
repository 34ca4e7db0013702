/** An OTLP/HTTP receiver at 127.0.0.1, which keeps what exporters post as JSON. */
import { Effect, Layer, Metric, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { listening } from "../../support/official.ts"

interface KeyValue {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly boolValue?: boolean }
}

/** A span as it came, with its attributes by name. */
export interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly status: { readonly code: number; readonly message?: string }
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A point of a histogram as it came. */
export interface Point {
  readonly service: string
  readonly metric: string
  readonly unit: string
  readonly count: number
  readonly bounds: ReadonlyArray<number>
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  readonly spans: ReadonlyArray<Span>
  readonly points: ReadonlyArray<Point>
  /** Waits until something that a service has posted fits. */
  readonly until: (isThere: () => boolean) => Effect.Effect<void>
}

const attributesOf = (list: ReadonlyArray<KeyValue>): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))

const serviceOf = ({ resource }: { readonly resource: { readonly attributes: ReadonlyArray<KeyValue> } }): string =>
  String(attributesOf(resource.attributes)["service.name"])

export const collector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const spans: Array<Span> = []
  const points: Array<Point> = []
  const waiting = new Set<() => void>()
  const take = (path: string | undefined, body: string) => {
    const posted = JSON.parse(body)
    if (path === "/v1/traces") {
      for (const group of posted.resourceSpans) {
        for (const { spans: some } of group.scopeSpans) {
          for (const one of some) {
            spans.push({ ...one, service: serviceOf(group), attributes: attributesOf(one.attributes) })
          }
        }
      }
    }
    if (path === "/v1/metrics") {
      for (const group of posted.resourceMetrics) {
        for (const { metrics } of group.scopeMetrics) {
          for (const { histogram, name, unit } of metrics) {
            for (const point of histogram?.dataPoints ?? []) {
              const { attributes, count, explicitBounds: bounds } = point
              points.push({
                service: serviceOf(group),
                metric: name,
                unit,
                count: Number(count),
                bounds,
                attributes: attributesOf(attributes)
              })
            }
          }
        }
      }
    }
    for (const wake of [...waiting]) wake()
  }
  const url = yield* listening((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      take(request.url, Buffer.concat(chunks).toString())
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  }, "")
  const until: Collector["until"] = (isThere) =>
    Effect.callback((resume) => {
      const wake = () => {
        if (!isThere()) return
        waiting.delete(wake)
        resume(Effect.void)
      }
      waiting.add(wake)
      wake()
    })
  return { url, spans, points, until }
})

/** Effect's exporter, for one service with metrics of its own. It sends what it has when the Scope closes. */
export const exported = (url: string, serviceName: string) =>
  Otlp.layerJson({ baseUrl: url, resource: { serviceName } }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Layer.succeed(Metric.MetricRegistry)(new Map()))
  )
