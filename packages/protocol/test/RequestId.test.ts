import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { parley } from "@parley/conformance/Codec"
import * as CodecLaws from "@parley/conformance/CodecLaws"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import { Effect, Result, Schema } from "effect"

const decodeId = (id: string) =>
  Result.match(Message.decode(`{"jsonrpc":"2.0","method":"m","id":${id}}`), {
    onFailure: (error) => error._tag === "InvalidRequest" ? ["refused", error.id] : [error._tag],
    onSuccess: (message) => message._tag === "Request" ? [RequestId.toText(message.id)] : [message._tag]
  })

/** Runs with members of `JSON` replaced, as they are in older runtimes. */
const withJSON = <A, E>(members: Readonly<Record<string, unknown>>, self: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = Object.keys(members).map((key) => [key, Object.getOwnPropertyDescriptor(JSON, key)!] as const)
      Object.assign(JSON, members)
      return before
    }),
    () => self,
    (before) => Effect.sync(() => before.forEach(([key, descriptor]) => Object.defineProperty(JSON, key, descriptor)))
  )

const parse = JSON.parse

const withoutSources = {
  parse: (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown) =>
    parse(
      text,
      reviver && function(this: unknown, key, value) {
        return reviver.call(this, key, value)
      }
    )
}

describe("RequestId", () => {
  it.effect("promise 3: without JSON.rawJSON an id with digits beyond a number is refused", () =>
    withJSON(
      { rawJSON: undefined, isRawJSON: undefined },
      Effect.sync(() => {
        for (const id of ["9007199254740993", "1.50", "1e400"]) assert.deepStrictEqual(decodeId(id), ["refused", null])
        for (const id of ["1", "0", "1.5", "9007199254740992", "\"9007199254740993\""]) {
          assert.deepStrictEqual(decodeId(id), [id])
        }
      }).pipe(Effect.andThen(Effect.forEach(CodecLaws.exactIds(parley, { runs: 50 }), (law) => law.check)))
    ))

  it.effect("promise 3: without source texts an id that is no safe integer is refused", () =>
    withJSON(
      withoutSources,
      Effect.sync(() => {
        for (const id of ["9007199254740993", "9007199254740992", "1.5", "1e400"]) {
          assert.deepStrictEqual(decodeId(id), ["refused", null])
        }
        for (const id of ["1", "-1", "9007199254740991", "\"a\"", "null"]) assert.deepStrictEqual(decodeId(id), [id])
      })
    ))

  it.effect("the sources of a whole batch cost one more reading of its text, and of safe ids none", () => {
    let readings = 0
    const counting = (text: string, reviver?: (key: string, value: unknown) => unknown) => {
      readings++
      return parse(text, reviver)
    }
    const batch = (id: string) => `[${new Array(1_000).fill(`{"jsonrpc":"2.0","method":"m","id":${id}}`).join(",")}]`
    return withJSON(
      { parse: counting },
      Effect.sync(() => {
        const decoded = Batch.decode(batch("9007199254740993"))
        assert.isTrue(Batch.isMembers(decoded) && decoded.every(Result.isSuccess))
        assert.strictEqual(readings, 2)
        Batch.decode(batch("1"))
        assert.strictEqual(readings, 3)
      })
    )
  })

  it("promise 3: the source of an id is read only for a number that is no safe integer", () => {
    const source = () => assert.fail("was read")
    for (const id of [0, -1, Number.MAX_SAFE_INTEGER, "", "1", null]) {
      assert.strictEqual(RequestId.fromParsed(id, source), id)
    }
    for (const value of [true, false, {}, [], undefined]) assert.isUndefined(RequestId.fromParsed(value, source))
  })

  it.prop("an id has one text", [RequestId.RequestId, RequestId.RequestId], ([one, other]) => {
    assert.doesNotThrow(() => JSON.parse(RequestId.toText(one)))
    if (RequestId.toText(one) === RequestId.toText(other)) assertEquals(one, other)
  })

  it("raw JSON of anything but a number beyond JavaScript's is no id", () => {
    const raw = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON
    const is = Schema.is(RequestId.RequestId)
    for (const text of ["9007199254740993", "1e400", "0.10"]) assert.isTrue(is(raw(text)))
    for (const text of ["1", "1.5", "1.0", "-0", "true", "null", "\"1\"", "9007199254740992"]) {
      assert.isFalse(is(raw(text)))
    }
  })

  it("NaN and the infinities have no text", () => {
    for (const id of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => RequestId.toText(id), TypeError)
  })

  it("-0 is written as 0, which JSON takes for the same", () => {
    assert.strictEqual(RequestId.toText(-0), "0")
  })
})
