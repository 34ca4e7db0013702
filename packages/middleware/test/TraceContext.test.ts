import { assert, describe, it } from "@effect/vitest"
import type { Handler } from "@parley/peer"
import * as Dialect from "@parley/protocol/Dialect"
import * as Handshake from "@parley/transport/Handshake"
import { Effect, Schema, Tracer } from "effect"
import { Tracing } from "../src/index.ts"
import { callOf } from "./callers.ts"
import { idsOf, keeping, parentOf, traced } from "./tracers.ts"

const inMeta = Dialect.make({ name: "meta", traceContext: { in: "params", path: ["_meta"] } })

const remote = "0af7651916cd43dd8448eb211c80319c"
const parent = "b7ad6b7169203331"

/** The parent that a handler's span gets from a call. */
const parentFrom = (call: Partial<Handler.Call>, options: Tracing.TracingOptions = Dialect.jsonRpc) =>
  traced((spans) =>
    Effect.as(
      Tracing.handler(options)(() => Effect.void)(callOf(call)),
      spans
    )
  ).pipe(Effect.map(([span]) => parentOf(span)))

describe("the trace context", () => {
  const traceparentOf = (span: Tracer.Span | undefined) =>
    `00-${span?.traceId}-${span?.spanId}-${span?.sampled === true ? "01" : "00"}`

  it.effect("stands beside `method`, among other members", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const caller = Tracing.caller(Dialect.jsonRpc)(inner)
        yield* caller.request("m", [1], { timeout: 5, extra: { more: 1, traceparent: "old" } })
        yield* caller.request("m")
        yield* caller.notify("n", [1])
        yield* caller.batch([{ method: "a", extra: { more: 1 } }], { timeout: 5 })
        const [first, second, third] = [spans[0], spans[1], spans[3]].map(traceparentOf)
        assert.deepStrictEqual(seen, [
          ["m", [1], { timeout: 5, extra: { more: 1, traceparent: first } }],
          ["m", undefined, { extra: { traceparent: second } }],
          ["n", [1]],
          [[{ method: "a", params: undefined, extra: { more: 1, traceparent: third } }], { timeout: 5 }]
        ])
      })
    ))

  it.effect("stands in the params at its path, unless they go by position or something else is there", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const caller = Tracing.caller(inMeta)(inner)
        yield* caller.request("m", { a: 1, _meta: { token: 2 } }, { timeout: 5 })
        yield* caller.request("m")
        yield* caller.notify("m", { a: 1 })
        yield* caller.request("m", [1])
        yield* caller.request("m", { _meta: 5 })
        yield* caller.batch([{ method: "m", params: { a: 1 } }])
        const [first, second, third, , , sixth] = spans.map(traceparentOf)
        assert.deepStrictEqual(seen, [
          ["m", { a: 1, _meta: { token: 2, traceparent: first } }, { timeout: 5 }],
          ["m", { _meta: { traceparent: second } }, undefined],
          ["m", { a: 1, _meta: { traceparent: third } }],
          ["m", [1], undefined],
          ["m", { _meta: 5 }, undefined],
          [[{ method: "m", params: { a: 1, _meta: { traceparent: sixth } }, extra: undefined }], undefined]
        ])
      })
    ))

  it.effect("does not travel where a dialect has no place for it", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        yield* Tracing.caller(Dialect.lsp)(inner).request("m", { a: 1 }, { timeout: 5 })
        assert.deepStrictEqual([seen, spans.length], [[["m", { a: 1 }, { timeout: 5 }]], 1])
        const extra = { traceparent: `00-${remote}-${parent}-01` }
        assert.isUndefined(yield* parentFrom({ extra }, Dialect.lsp))
      })
    ))

  it.effect("does not tell of spans that are not to be known elsewhere", () =>
    Effect.gen(function*() {
      const zeros = ["0".repeat(32), "0".repeat(16)] as const
      for (const [_traceId, _spanId] of [["noop", "noop"], zeros, [remote, zeros[1]], [zeros[0], parent]]) {
        const { inner, seen } = keeping()
        const tracer = Tracer.make({
          span: (options) => Object.assign(new Tracer.NativeSpan(options), { _traceId, _spanId })
        })
        yield* Effect.withTracer(Tracing.caller(Dialect.jsonRpc)(inner).request("m"), tracer)
        assert.deepStrictEqual(seen, [["m", undefined, { extra: undefined }]])
      }
    }))

  it.effect("carries whether the trace is sampled", () =>
    traced(() =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const outside = Tracer.externalSpan({ traceId: remote, spanId: parent, sampled: false })
        yield* Effect.withParentSpan(Tracing.caller(Dialect.jsonRpc)(inner).request("m"), outside)
        const [, , options] = seen[0] ?? []
        assert.match(Object(options).extra.traceparent, new RegExp(`^00-${remote}-[0-9a-f]{16}-00$`))
      })
    ))

  it.effect("passes the state on to those that are called next, and no other", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const next = Tracing.caller(Dialect.jsonRpc)(inner)
        const handler = Tracing.handler(Dialect.jsonRpc)(() => Effect.withSpan(next.request("next"), "inside"))
        const traceparent = `00-${remote}-${parent}-01`
        yield* handler(callOf({ extra: { traceparent, tracestate: "vendor=1,other=2" } }))
        yield* handler(callOf({ extra: { traceparent, tracestate: "not\nprintable" } }))
        yield* next.request("next")
        assert.deepStrictEqual(seen.map(([, , options]) => Object(options).extra), [
          { traceparent: traceparentOf(spans[2]), tracestate: "vendor=1,other=2" },
          { traceparent: traceparentOf(spans[5]) },
          { traceparent: traceparentOf(spans[6]) }
        ])
        assert.deepStrictEqual([spans[2]?.traceId, spans[5]?.traceId], [remote, remote])
      })
    ))

  it.effect("passes the baggage on to those that are called next, unless they are sent one of their own", () =>
    traced(() =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const next = Tracing.caller(inMeta)(inner)
        const handler = Tracing.handler(inMeta)(() =>
          Effect.andThen(next.request("next"), next.request("next", { _meta: { baggage: "mine=1" } }))
        )
        const traceparent = `00-${remote}-${parent}-01`
        yield* handler(callOf({ params: { _meta: { traceparent, baggage: "user=ada,plan=%20" } } }))
        yield* handler(callOf({ params: { _meta: { traceparent, baggage: "x".repeat(8_193) } } }))
        yield* handler(callOf({ params: { _meta: { traceparent, baggage: 5 } } }))
        const baggage = seen.map(([, params]) => Object(params)._meta.baggage)
        assert.deepStrictEqual(baggage, ["user=ada,plan=%20", "mine=1", undefined, "mine=1", undefined, "mine=1"])
      })
    ))

  const valid: ReadonlyArray<readonly [string, boolean]> = [
    [`00-${remote}-${parent}-01`, true],
    [`00-${remote}-${parent}-00`, false],
    [`00-${remote}-${parent}-03`, true],
    [`cc-${remote}-${parent}-01`, true],
    [`cc-${remote}-${parent}-01-what-the-future-brings`, true]
  ]
  for (const [traceparent, sampled] of valid) {
    it.effect(`is read from ${traceparent}`, () =>
      Effect.gen(function*() {
        const found = yield* parentFrom({ extra: { traceparent } })
        assert.deepStrictEqual(idsOf(found), [remote, parent, sampled])
        const nested = yield* parentFrom({ params: { _meta: { traceparent } } }, inMeta)
        assert.deepStrictEqual(idsOf(nested), [remote, parent, sampled])
      }))
  }

  const invalid: ReadonlyArray<Schema.Json> = [
    "",
    "00",
    `00-${remote}-${parent}`,
    `00-${remote}-${parent}-1`,
    `00-${remote}-${parent}-01-more`,
    `00-${remote}-${parent}-01\n`,
    `ff-${remote}-${parent}-01`,
    `00-${remote.toUpperCase()}-${parent}-01`,
    `00-${"0".repeat(32)}-${parent}-01`,
    `00-${remote}-${"0".repeat(16)}-01`,
    `00-${remote.slice(1)}-${parent}-01`,
    `cc-${remote}-${parent}-01more`,
    7,
    null,
    [`00-${remote}-${parent}-01`],
    { traceparent: `00-${remote}-${parent}-01` }
  ]
  for (const traceparent of invalid) {
    it.effect(`is not read from ${JSON.stringify(traceparent)}`, () =>
      Effect.gen(function*() {
        assert.isUndefined(yield* parentFrom({ extra: { traceparent } }))
        assert.isUndefined(yield* parentFrom({ params: { _meta: { traceparent } } }, inMeta))
      }))
  }

  it.effect("is not read from elsewhere", () =>
    Effect.gen(function*() {
      const traceparent = `00-${remote}-${parent}-01`
      assert.isUndefined(yield* parentFrom({ params: { traceparent } }))
      assert.isUndefined(yield* parentFrom({ params: [{ traceparent }] }, inMeta))
      assert.isUndefined(yield* parentFrom({ params: { _meta: [traceparent] } }, inMeta))
      assert.isUndefined(yield* parentFrom({ extra: { _meta: { traceparent } } }, inMeta))
      assert.isUndefined(yield* parentFrom({}))
    }))

  const names = Schema.Literals(["a", "b", "c", "__proto__", "_meta"])

  it.effect.prop(
    "is read as it was written, whatever is around it",
    {
      path: Schema.Array(names).check(Schema.isMaxLength(3)),
      around: Schema.Array(Schema.Tuple([names, Schema.Union([Schema.Int, Schema.Array(names)])])),
      place: Schema.Literals(["message", "params"]),
      sampled: Schema.Boolean
    },
    ({ around, path, place, sampled }) =>
      traced((spans) =>
        Effect.gen(function*() {
          const params = membersOf(around)
          const options = { traceContext: { in: place, path } }
          const { inner, seen } = keeping()
          yield* Tracing.caller(options)(inner).request("m", params, { extra: params }).pipe(
            Effect.withParentSpan(Tracer.externalSpan({ traceId: remote, spanId: parent, sampled }))
          )
          const [, sentParams, sentOptions] = seen[0] ?? []
          const sent = JSON.parse(JSON.stringify({ params: sentParams, extra: Object(sentOptions).extra }))
          yield* Tracing.handler(options)(() => Effect.void)(callOf(sent))
          const found = parentOf(spans[1])
          if (isBlocked(params, path)) assert.isUndefined(found)
          else assert.deepStrictEqual(idsOf(found), [remote, spans[0]?.spanId, sampled])
          assert.deepStrictEqual(place === "params" ? sent.extra : sent.params, params)
          const changed = Object.entries(place === "params" ? sent.params : sent.extra)
          const others = ([name]: readonly [string, unknown]) =>
            path.length === 0 ? !name.startsWith("trace") : name !== path[0]
          assert.deepStrictEqual(changed.filter(others), Object.entries(params).filter(others))
        })
      )
  )
})

type Around = ReadonlyArray<readonly [string, number | ReadonlyArray<string>]>

/** An object with these members, which are numbers or objects themselves, as it comes from the wire. */
const membersOf = (around: Around): Schema.JsonObject =>
  JSON.parse(JSON.stringify(Object.fromEntries(
    around.map(([name, value]) => [
      name,
      typeof value === "number" ? value : Object.fromEntries(value.map((inner) => [inner, 1]))
    ])
  )))

/** Whether there is something else than an object on the way. */
const isBlocked = (json: unknown, [name, ...rest]: ReadonlyArray<string>): boolean => {
  if (typeof json !== "object" || json === null) return true
  return name !== undefined && Object.hasOwn(json, name) &&
    isBlocked(Object.getOwnPropertyDescriptor(json, name)?.value, rest)
}

describe("the trace context of an HTTP request", () => {
  const other = "11111111111111111111111111111111"
  const headOf = (method: string, trace = remote): Handshake.Head => {
    const headers: Record<string, string> = { traceparent: `00-${trace}-${parent}-01`, tracestate: "v=1" }
    return { method, url: "/", address: undefined, header: (name) => headers[name] }
  }

  /** The parent of the span of a call that comes with a head, where a span may be open already. */
  const parentWithin = (head: Handshake.Head, call: Partial<Handler.Call> = {}, ambient?: Tracer.AnySpan) => {
    const served = Effect.provideService(
      Tracing.handler(Dialect.jsonRpc)(() => Effect.void)(callOf(call)),
      Handshake.Current,
      Handshake.anonymous(head)
    )
    return traced((spans) => Effect.as(ambient === undefined ? served : Effect.withParentSpan(served, ambient), spans))
      .pipe(Effect.map(([span]) => parentOf(span)))
  }

  const spanOf = (traceId: string) => Tracer.externalSpan({ traceId, spanId: "2222222222222222", sampled: true })

  it.effect("promise 11: what belongs to a call reaches it before its response: the span that a header names, where the message names none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(idsOf(yield* parentWithin(headOf("POST"))), [remote, parent, true])
      const extra = { traceparent: `00-${other}-${parent}-01` }
      assert.deepStrictEqual(idsOf(yield* parentWithin(headOf("POST"), { extra })), [other, parent, true])
    }))

  it.effect("is not read where nothing travels", () =>
    traced((spans) =>
      Effect.gen(function*() {
        yield* Effect.provideService(
          Tracing.handler({ traceContext: undefined })(() => Effect.void)(callOf({})),
          Handshake.Current,
          Handshake.anonymous(headOf("POST"))
        )
        assert.isUndefined(parentOf(spans[0]))
      })
    ))

  it.effect("is older than the calls of a connection, which it is no parent of", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* parentWithin(headOf("GET")))
    }))

  it.effect("stands behind the span that its host has made for the request, and before any other", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* parentWithin(headOf("POST"), {}, spanOf(remote)))?.spanId, "2222222222222222")
      assert.strictEqual((yield* parentWithin(headOf("POST"), {}, spanOf(other)))?.spanId, parent)
    }))

  it.effect("has the state of vendors, which goes on to the next call", () =>
    traced(() =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        const caller = Tracing.caller(Dialect.jsonRpc)(inner)
        yield* Tracing.handler(Dialect.jsonRpc)(() => Effect.orDie(caller.request("next")))(callOf({})).pipe(
          Effect.provideService(Handshake.Current, Handshake.anonymous(headOf("POST")))
        )
        assert.include(JSON.stringify(seen), `"tracestate":"v=1"`)
      })
    ))
})
