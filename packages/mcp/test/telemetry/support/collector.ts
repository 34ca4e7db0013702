/** An OTLP/HTTP receiver at 127.0.0.1, which keeps what is posted, and a real collector in front of it. */
import { Effect, Layer, Metric, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { gunzipSync } from "node:zlib"
import * as ports from "../../../../../tools/docs/ports.ts"
import { listening } from "../../support/official.ts"
import * as Protobuf from "./protobuf.ts"

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

const attributesOf = (list: ReadonlyArray<KeyValue> = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))

const serviceOf = ({ resource }: { readonly resource: { readonly attributes: ReadonlyArray<KeyValue> } }): string =>
  String(attributesOf(resource.attributes)["service.name"])

/** A receiver in this process. */
export const receiver: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const spans: Array<Span> = []
  const points: Array<Point> = []
  const waiting = new Set<() => void>()
  const take = (path: string | undefined, body: Buffer, isJson: boolean) => {
    const read = path === "/v1/traces" ? Protobuf.traces : Protobuf.metrics
    // The members have the same names in JSON and in protobuf.
    const posted = isJson ? JSON.parse(body.toString()) : read(body)
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
      const { "content-encoding": encoding, "content-type": type } = request.headers
      const body = Buffer.concat(chunks)
      const isJson = type === "application/json"
      take(request.url, encoding === "gzip" ? gunzipSync(body) : body, isJson)
      response.writeHead(200, { "content-type": type }).end(isJson ? "{}" : "")
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

/**
 * Rotel, a collector of OpenTelemetry in Rust, whose package is the program itself. It takes what exporters post, and passes
 * it on to a receiver in batches, as protobuf.
 */
export const rotel: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const behind = yield* receiver
  const port = yield* Effect.promise(ports.freePort)
  const options = {
    "otlp-grpc-endpoint": "127.0.0.1:0",
    "otlp-http-endpoint": `127.0.0.1:${port}`,
    exporter: "otlp",
    "otlp-exporter-endpoint": behind.url,
    "otlp-exporter-protocol": "http"
  }
  const program = createRequire(import.meta.url).resolve("@streamfold/rotel-linux-x64/bin/rotel-agent")
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, ["start", ...args], { stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.promise(() => ports.listening(port, () => child.exitCode !== null))
  return { ...behind, url: `http://127.0.0.1:${port}` }
})

/** Effect's exporter, for one service with metrics of its own. It sends what it has when the Scope closes. */
export const exported = (url: string, serviceName: string) =>
  Otlp.layerJson({ baseUrl: url, resource: { serviceName } }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(Layer.succeed(Metric.MetricRegistry)(new Map()))
  )
