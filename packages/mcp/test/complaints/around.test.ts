import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { ErrorResponse, type Handler } from "@parley/peer"
import { Context, Effect, Layer, type Option, Tracer } from "effect"
import { spoken } from "../server/support/line.ts"

class Names extends Context.Service<Names, Array<string>>()("@parley/mcp/test/complaints/Names") {}

const echo = McpTool.make("echo", {}, () => Effect.succeed("a"))

const traced = McpTool.make("traced", {}, () => Effect.withSpan(Effect.succeed("a"), "inside"))

/** Writes down what passes, with a service of its own, and refuses what is called `resources/list`. */
const noting: Handler.Middleware<ErrorResponse.ErrorResponse, Names> = (handler) => (call) =>
  Effect.gen(function*() {
    const names = yield* Names
    names.push(`> ${call.method}`)
    if (call.method === "resources/list") return yield* ErrorResponse.make(4001, "not now")
    const result = yield* handler(call)
    names.push(`< ${call.method}`)
    return result
  })

interface Told {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent: string | undefined
  readonly kind: Tracer.SpanKind
}

/** Keeps the spans that begin. */
const recording = () => {
  const told: Array<Told> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const parent = options.parent as Option.Option<Tracer.AnySpan>
      told.push({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parent: parent._tag === "Some" ? parent.value.spanId : undefined,
        kind: span.kind
      })
      return span
    }
  })
  return { told, layer: Layer.succeed(Tracer.Tracer)(tracer) }
}

describe("complaint 13: no middleware, and no spans that go on with the client's trace", () => {
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    it.effect(`middleware is around every request of ${revision}, and may refuse it`, () =>
      Effect.gen(function*() {
        const server = yield* McpServer.make({ name: "s", version: "1", features: [echo], middleware: noting })
        const { line, params } = yield* spoken(server, revision)
        const names = yield* Names
        names.length = 0
        yield* line.result("tools/list", params())
        yield* line.result("tools/call", params({ name: "echo" }))
        assert.deepInclude(yield* line.refusal("resources/list", params()), { code: 4001, message: "not now" })
        assert.deepStrictEqual(names, [
          "> tools/list",
          "< tools/list",
          "> tools/call",
          "< tools/call",
          "> resources/list"
        ])
      }).pipe(Effect.provide(Layer.sync(Names, () => []))))

    it.effect(`a call of ${revision} has a span, below the one that its client names, above those of its handler`, () =>
      Effect.gen(function*() {
        const { layer, told } = recording()
        yield* Effect.gen(function*() {
          const server = yield* McpServer.make({ name: "s", version: "1", features: [traced] })
          const { line, params } = yield* spoken(server, revision)
          const { _meta = {}, ...call } = params({ name: "traced" })
          const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
          yield* line.result("tools/call", { ...call, _meta: { ...(_meta as object), traceparent } })
        }).pipe(Effect.provide(layer))
        const of = (name: string) => told.filter((span) => span.name === name)
        const [outer, ...more] = of("tools/call traced")
        assert.deepStrictEqual(more, [])
        assert.deepInclude(outer, {
          traceId: "0af7651916cd43dd8448eb211c80319c",
          parent: "b7ad6b7169203331",
          kind: "server"
        })
        assert.deepInclude(of("inside")[0], { traceId: "0af7651916cd43dd8448eb211c80319c", parent: outer?.spanId })
      }))
  }
})
