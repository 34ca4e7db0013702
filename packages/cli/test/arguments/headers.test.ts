import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as headers from "../../src/internal/wire/headers.ts"

const none: headers.Input = { typed: [], file: [], env: [] }

/** What the flags give, or the message of the command. */
const read = (input: Partial<headers.Input>) =>
  Effect.match(headers.fromInput({ ...none, ...input }), {
    onFailure: ({ message }) => message,
    onSuccess: (all) => all
  })

const Ending = Schema.Array(Schema.Literals(["a", "Z", "é", ":", "'", " ", "=", "\t"]))

describe("headers of the command line", () => {
  it.effect("have names in lower case, and values of one name are one", () =>
    Effect.gen(function*() {
      process.env["PARLEY_TEST"] = " a=b "
      assert.deepStrictEqual(
        yield* read({
          typed: ["X-One: 1", "x-one:2 "],
          env: ["X-Two=PARLEY_TEST", "Authorization: Bearer=PARLEY_TEST", "x-one:=PARLEY_TEST"]
        }),
        { "x-one": "1, 2, a=b", "x-two": "a=b", authorization: "Bearer a=b" }
      )
    }))

  it.effect.prop("are in no message, whatever is wrong with them", [Ending], ([ending]) =>
    Effect.gen(function*() {
      const secret = `s3cret${ending.join("")}`
      process.env["PARLEY_TEST"] = `${secret}\n${secret}`
      const messages = [
        yield* read({ typed: [`Authorization ${secret}`] }),
        yield* read({ typed: [`: ${secret}`] }),
        yield* read({ file: [`Authorization: ${secret.replaceAll("=", "")}`] }),
        yield* read({ file: [`Authorization=Bearer ${secret.replace("=", "")}`] }),
        yield* read({ file: [`X-Key=${secret}`] }),
        yield* read({ env: [`Authorization: Bearer ${secret.replaceAll("=", "")}`] }),
        yield* read({ env: ["Authorization=PARLEY_TEST"] }),
        yield* read({ env: [`Authorization: Bearer=${secret}`] })
      ]
      for (const message of messages) {
        if (typeof message !== "string") assert.fail("it was taken")
        assert.notInclude(message, "s3cret")
      }
    }))

  it.effect("are named where their file cannot be read, and so is a path that is one for certain", () =>
    Effect.gen(function*() {
      const hint = " (hint: it names a file that holds the value of the header)"
      assert.strictEqual(
        yield* read({ file: ["Authorization=Bearer sk-1"] }),
        `--header-file Authorization: the file behind the = cannot be read: ENOENT${hint}`
      )
      assert.include(
        yield* read({ file: ["X-Key=./no-such"] }),
        "--header-file X-Key: the file behind the = cannot be read: ENOENT"
      )
      assert.notInclude(yield* read({ file: ["X-Key=/ sk-1"] }), "sk-1")
    }))

  it.effect("are refused where HTTP cannot carry their value", () =>
    Effect.gen(function*() {
      const why = "the value of the header X-A has a character that HTTP cannot carry"
        + " (hint: write it in ASCII, encoded as the server expects it)"
      for (const value of ["€", "a\u0308", "\ud800", "\u{1f511}"]) {
        process.env["PARLEY_TEST"] = value
        assert.strictEqual(yield* read({ typed: [`X-A: ${value}`] }), why)
        assert.strictEqual(yield* read({ env: ["X-A=PARLEY_TEST"] }), why)
        assert.strictEqual(yield* read({ env: [`X-A: ${value}=PARLEY_TEST`] }), why)
      }
      // RFC 9110, 5.5 allows it, as one byte.
      assert.deepStrictEqual(yield* read({ typed: ["X-A: \u00e4"] }), { "x-a": "\u00e4" })
    }))

  it.effect("are refused where a request has one of the name, and two are given", () =>
    Effect.gen(function*() {
      process.env["PARLEY_TEST"] = "s3cret"
      assert.strictEqual(
        yield* read({ typed: ["authorization: lit"], env: ["Authorization: Bearer=PARLEY_TEST"] }),
        "the header authorization is given twice (hint: a request has one; leave out one of the flags)"
      )
      assert.include(yield* read({ typed: ["Origin: a", "origin: b"] }), "the header origin is given twice")
    }))
})
