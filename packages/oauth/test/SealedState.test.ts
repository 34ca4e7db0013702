import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import * as SealedState from "@parley/oauth/SealedState"
import { Arbitrary, Effect, Exit, Redacted, Result, Schema } from "effect"
import { TestClock } from "effect/testing"

const secret = (letter: string) => Redacted.make(letter.repeat(SealedState.minSecretLength))

const old = secret("a")
const young = secret("b")

const binding: SealedState.Binding = { server: "s", principal: "ann", digest: "d" }

/** Why a text is refused; or "opened". */
const verdict = (state: SealedState.SealedState, text: string, presented = binding) =>
  Effect.match(state.open(text, presented), { onFailure: ({ reason }) => reason, onSuccess: () => "opened" })

const bytes = Schema.String.check(Schema.isMinLength(1))

describe("sealing", () => {
  it.effect.prop(
    "gives any payload back, to who has the same keys",
    { payload: Generators.json, principal: Schema.UndefinedOr(Schema.String), digest: Schema.String },
    ({ digest, payload, principal }) =>
      Effect.gen(function*() {
        const sealed = yield* Effect.flatMap(
          SealedState.make({ keys: [old] }),
          (state) => state.seal(payload, { ...binding, principal, digest })
        )
        const opened = yield* Effect.flatMap(
          SealedState.make({ keys: [old] }),
          (state) => state.open(sealed, { ...binding, principal, digest })
        )
        assert.deepStrictEqual(JSON.stringify(opened), JSON.stringify(payload))
      })
  )

  it.effect.prop(
    "shows nothing of the payload, and is another text each time",
    { text: bytes },
    ({ text }) =>
      Effect.gen(function*() {
        const state = yield* SealedState.make()
        const payload = `secret ${text}`
        const first = yield* state.seal(payload, binding)
        const decoded = Buffer.from(first.slice(first.indexOf(".") + 1), "base64url").toString("latin1")
        assert.notInclude(decoded, "secret")
        assert.notStrictEqual(yield* state.seal(payload, binding), first)
      })
  )

  it.effect("counts what it will take before it seals, and refuses what is larger", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make({ keys: [old], maxBytes: 400 })
      const lengths: Array<number> = []
      for (let size = 0; size < 300; size++) {
        const sealed = yield* Effect.result(state.seal("é".repeat(size), binding))
        if (Result.isFailure(sealed)) {
          assert.deepInclude(sealed.failure, { _tag: "TooLarge", maxBytes: 400 })
          assert.isAbove(sealed.failure.bytes, 400)
        } else {
          assert.isAtMost(sealed.success.length, 400)
          lengths.push(sealed.success.length)
        }
      }
      assert.strictEqual(Math.max(...lengths) > 395, true, "the bound is used up")
      assert.isAbove(lengths.length, 50)
      assert.isBelow(lengths.length, 200)
    }))

  it.effect("takes a key of its own where it is given none", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* SealedState.make(), yield* SealedState.make()]
      const text = yield* one.seal(1, binding)
      assert.strictEqual(yield* verdict(one, text), "opened")
      assert.strictEqual(yield* verdict(other, text), "UnknownKey")
    }))

  it.effect("takes no secret that is short, and no empty list of them", () =>
    Effect.gen(function*() {
      const short = yield* Effect.exit(SealedState.make({ keys: [old, Redacted.make("x".repeat(31))] }))
      const none = yield* Effect.exit(SealedState.make({ keys: [] }))
      assert.isTrue(Exit.hasDies(short))
      assert.isTrue(Exit.hasDies(none))
    }))
})

const Position = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
const Character = Arbitrary.schema(
  Schema.Literals([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/\n é"])
)

describe("opening", () => {
  it.effect.prop(
    "refuses a text of which any character was changed, added or left out",
    { payload: Generators.json, at: Position, character: Character, edit: Schema.Literals(["change", "add", "leave"]) },
    ({ at, character, edit, payload }) =>
      Effect.gen(function*() {
        const state = yield* SealedState.make({ keys: [old] })
        const text = yield* state.seal(payload, binding)
        const place = at % (text.length + (edit === "add" ? 1 : 0))
        const changed = text.slice(0, place) + (edit === "leave" ? "" : character) +
          text.slice(edit === "add" ? place : place + 1)
        const outcome = yield* verdict(state, changed)
        if (changed === text) assert.strictEqual(outcome, "opened")
        else assert.oneOf(outcome, ["Malformed", "UnknownKey"])
      }),
    { arbitrary: { runs: 400 } }
  )

  it.effect("refuses every other spelling of the last character", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make({ keys: [old] })
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      for (const payload of ["", "x", "xx"]) {
        const text = yield* state.seal(payload, binding)
        const outcomes: Array<string> = []
        for (const last of alphabet) outcomes.push(yield* verdict(state, text.slice(0, -1) + last))
        assert.deepStrictEqual(outcomes.filter((outcome) => outcome === "opened").length, 1)
      }
    }))

  it.effect.prop("refuses what was never sealed", { text: Schema.String }, ({ text }) =>
    Effect.gen(function*() {
      const state = yield* SealedState.make({ keys: [old] })
      assert.oneOf(yield* verdict(state, text), ["Malformed", "UnknownKey"])
    }))

  it.effect("refuses a text that is longer than it would write, before it looks at it", () =>
    Effect.gen(function*() {
      const wide = yield* SealedState.make({ keys: [old] })
      const narrow = yield* SealedState.make({ keys: [old], maxBytes: 300 })
      const text = yield* wide.seal("x".repeat(1_000), binding)
      assert.strictEqual(yield* verdict(wide, text), "opened")
      assert.strictEqual(yield* verdict(narrow, text), "Malformed")
    }))

  it.effect("refuses another principal, nobody for somebody, and somebody for nobody", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make()
      const ofAnn = yield* state.seal(1, binding)
      const ofNobody = yield* state.seal(1, { ...binding, principal: undefined })
      assert.strictEqual(yield* verdict(state, ofAnn, { ...binding, principal: "bob" }), "OtherPrincipal")
      assert.strictEqual(yield* verdict(state, ofAnn, { ...binding, principal: undefined }), "OtherPrincipal")
      assert.strictEqual(yield* verdict(state, ofNobody), "OtherPrincipal")
      assert.strictEqual(yield* verdict(state, ofNobody, { ...binding, principal: undefined }), "opened")
    }))

  it.effect("refuses what another server has sealed, that has the same key", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* SealedState.make({ keys: [old] }), yield* SealedState.make({ keys: [old] })]
      const text = yield* one.seal(1, binding)
      assert.strictEqual(yield* verdict(other, text), "opened")
      assert.strictEqual(yield* verdict(other, text, { ...binding, server: "t" }), "OtherServer")
    }))

  it.effect("refuses another request", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make()
      const text = yield* state.seal(1, binding)
      assert.strictEqual(yield* verdict(state, text, { ...binding, digest: "e" }), "OtherRequest")
    }))

  it.effect("opens again and again within its life, and not when that is over", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make({ timeToLive: "1 minute" })
      const text = yield* state.seal(1, binding)
      assert.strictEqual(yield* verdict(state, text), "opened")
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual(yield* verdict(state, text), "opened")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* verdict(state, text), "Expired")
    }))

  it.effect("gives a text ten minutes where nothing else is said", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make()
      const text = yield* state.seal(1, binding)
      yield* TestClock.adjust("599999 millis")
      assert.strictEqual(yield* verdict(state, text), "opened")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* verdict(state, text), "Expired")
    }))

  it.effect("knows every key it is given, and seals with the first", () =>
    Effect.gen(function*() {
      const before = yield* SealedState.make({ keys: [old] })
      const rotating = yield* SealedState.make({ keys: [young, old] })
      const after = yield* SealedState.make({ keys: [young] })
      const ofOld = yield* before.seal(1, binding)
      const ofYoung = yield* rotating.seal(1, binding)
      assert.strictEqual(yield* verdict(rotating, ofOld), "opened")
      assert.strictEqual(yield* verdict(rotating, ofYoung), "opened")
      assert.strictEqual(yield* verdict(after, ofYoung), "opened")
      assert.strictEqual(yield* verdict(after, ofOld), "UnknownKey")
      assert.strictEqual(yield* verdict(before, ofYoung), "UnknownKey")
    }))
})
