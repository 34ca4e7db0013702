/** Some messages that a generator found made the receive loop throw: the connection ended, and its calls did not. */
import { assert, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Effect } from "effect"
import type { Router } from "../../src/index.ts"
import { connect, request } from "../wire.ts"

const scalar = Generators.elements(
  "1",
  "2",
  "3",
  "null",
  "-0",
  "1.5",
  "9007199254740993",
  "1e400",
  `""`,
  `"x"`,
  `"\\ud800"`
)

const params = Generators.elements(
  ...["[]", "[1e400]", "{}", `{"__proto__":{"id":1},"constructor":1}`] as const,
  ...[`{"id":1}`, `{"id":1e400}`, `{"id":[1]}`, `{"token":1}`, `{"token":1e400}`, `{"workDoneToken":1e400}`] as const
)

const error = Generators.elements(
  ...[`{"code":1,"message":"m","data":1e400}`, `{"code":1,"message":"m","data":[1e400]}`] as const,
  ...[`{"code":1e400,"message":"m"}`, `{"code":-0,"message":"\\ud800","data":null}`] as const
)

const value = Generators.oneOf(scalar, params, error)

const method = Generators.elements(`"$/cancelRequest"`, `"$/progress"`, `"echo"`, `"work"`, `"none"`, `"__proto__"`)

const absent = Arbitrary.Constant<string | undefined>(undefined)

const member = (key: string, ...texts: readonly [typeof absent, ...ReadonlyArray<typeof absent>]) =>
  Arbitrary.map(Generators.oneOf(...texts), (text) => text === undefined ? [] : [`${JSON.stringify(key)}:${text}`])

/** Calls and responses that are right for the most part, and what is neither. */
const message = Arbitrary.map(
  Generators.oneOf(
    Arbitrary.all([
      member("method", method),
      member("params", params, params, absent, value),
      member("id", absent, scalar)
    ]),
    Arbitrary.all([
      member("id", scalar, absent, value),
      member("error", error, value),
      member("result", absent, value)
    ]),
    Arbitrary.all(
      ["method", "params", "id", "error", "result", "__proto__"].map((key) =>
        member(key, value, method, absent, absent)
      )
    )
  ),
  (members) => `{${[`"jsonrpc":"2.0"`, ...members.flat()].join(",")}}`
)

const text = Generators.oneOf(
  message,
  message,
  Arbitrary.map(Arbitrary.array(message, { minLength: 1, maxLength: 3 }), (all) => `[${all.join(",")}]`)
)

const handlers: Router.Handlers = {
  echo: (call) => Effect.succeed(call.params ?? null),
  work: (call) => Effect.andThen(Effect.ignore(call.progress({ value: 1 })), Effect.yieldNow)
}

/** As `settle`, for what needs a turn or two: it happens two thousand times. */
const turns = Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.yieldNow, { discard: true })

const isReply = (message: unknown) => !Object.hasOwn(Object(message), "method")

it.effect.prop(
  "promise 14: one bad message costs one error reply, whatever it is",
  { texts: Arbitrary.array(text, { minLength: 3, maxLength: 3 }) },
  ({ texts }) =>
    Effect.scoped(Effect.gen(function*() {
      const { peer, wire } = yield* connect(handlers)
      const call = Effect.exit(peer.request("m", {}, { onProgress: () => {} }))
      const calls = yield* Effect.forEach(texts, () => Effect.forkChild(call, { startImmediately: true }))
      for (const text of texts) {
        const before = wire.received.length
        yield* wire.send(text, request("after", "echo", ["it"]))
        yield* turns
        const replies = wire.received.slice(before).filter(isReply)
        assert.deepInclude(replies, { jsonrpc: "2.0", id: "after", result: ["it"] })
        assert.isAtMost(replies.length, 2)
      }
      assert.isTrue(yield* peer.connected)
      yield* wire.transport.close
      yield* turns
      for (const call of calls) assert.isDefined(call.pollUnsafe())
    })),
  { arbitrary: { runs: 500 } }
)
