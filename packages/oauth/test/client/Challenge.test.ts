import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Challenge from "../../src/internal/client/Challenge.ts"

const parsed = (header: string) =>
  Challenge.parse(header).map(({ parameters, scheme }) => [scheme, Object.fromEntries(parameters)])

describe("a header of challenges", () => {
  it.each<readonly [string, unknown]>([
    ["Bearer", [["bearer", {}]]],
    [`Bearer realm="a"`, [["bearer", { realm: "a" }]]],
    [`Bearer realm=a,scope="x y"`, [["bearer", { realm: "a", scope: "x y" }]]],
    [`Bearer Scope = "x"  ,  ERROR=invalid_token`, [["bearer", { scope: "x", error: "invalid_token" }]]],
    [`Basic realm="a", Bearer error="e"`, [["basic", { realm: "a" }], ["bearer", { error: "e" }]]],
    [`Negotiate YWJj==, Bearer scope=a`, [["negotiate", {}], ["bearer", { scope: "a" }]]],
    ["Negotiate, Bearer", [["negotiate", {}], ["bearer", {}]]],
    [`Bearer a="say \\"hi\\", then \\\\"`, [["bearer", { a: `say "hi", then \\` }]]],
    [`Bearer a="one", a="two"`, [["bearer", { a: "one" }]]],
    [`,, Bearer a="1",,b="2" ,`, [["bearer", { a: "1", b: "2" }]]],
    [`Bearer __proto__="x"`, [["bearer", { ["__proto__"]: "x" }]]],
    // The text behind a mistake is not read.
    [`Bearer a="open`, [["bearer", {}]]],
    [`Bearer a="1", =, b="2"`, [["bearer", { a: "1" }]]],
    ["", []],
    ["\u0000", []]
  ])("%s", (header, expected) => {
    assert.deepStrictEqual(parsed(header), expected)
  })

  it.prop("any text is read, and gives no more challenges than it has characters", [Schema.String], ([text]) => {
    assert.isAtMost(Challenge.parse(text).length, text.length)
    Challenge.ofToken(text)
  })

  it.prop("a value comes back from its quotes", [Schema.String], ([value]) => {
    const header = `Bearer scope="${value.replace(/["\\]/g, "\\$&")}"`
    assert.deepStrictEqual(Challenge.parse(header)[0]?.parameters.get("scope"), value)
  })

  it("one that is too long is not read", () => {
    assert.deepStrictEqual(Challenge.parse(`Bearer a="${"x".repeat(20_000)}"`), [])
  })
})

describe("a challenge for a token", () => {
  it("is read from bearer and DPoP alike", () => {
    assert.deepStrictEqual(
      Challenge.ofToken(
        `Basic realm="b", DPoP algs="ES256", Bearer resource_metadata="https://a.example/m", scope="b  a b", error="insufficient_scope", error_description="more"`
      ),
      {
        resourceMetadata: "https://a.example/m",
        scopes: ["b", "a"],
        error: "insufficient_scope",
        description: "more"
      }
    )
  })

  it("is missing where the header is, or names other schemes", () => {
    assert.isUndefined(Challenge.ofToken(undefined))
    assert.isUndefined(Challenge.ofToken(`Basic realm="x"`))
  })
})
