/** JSON values without a delimiter. */
import { assert, describe, it } from "@effect/vitest"
import * as Framing from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"
import {
  anyCut,
  bytes,
  frames,
  invalidUtf8,
  neverBuffered,
  nothingForeign,
  otherFraming,
  streams,
  table,
  tooLarge
} from "./framings.ts"

const syntax = (offset: number, excerpt: string) =>
  ({ _tag: "LostPlace", reason: "Syntax", detail: "no JSON value begins like this", offset, excerpt }) as const

const truncated = (offset: number, excerpt: string) =>
  ({ _tag: "LostPlace", reason: "Truncated", detail: "the input ended inside a JSON value", offset, excerpt }) as const

const headerFirst = "the stream begins with a Content-Length header, and the framing of this side is `concatenated`"

describe("Framing.concatenated", () => {
  const open = () => "{\"a\":\""

  it.effect("promise 4: any way of cutting the bytes gives the same frames", () => anyCut(Framing.concatenated))

  it.effect("promise 5: a frame beyond its limit is never buffered", () => neverBuffered(Framing.concatenated, open))

  it.effect("promise 6: a stream of a foreign protocol is closed and runs nothing", () =>
    nothingForeign(Framing.concatenated))

  streams(Framing.concatenated, open)

  table(Framing.concatenated, [
    ["values follow each other", "{}[]\"a\"{}", ["{}", "[]", "\"a\"", "{}"]],
    ["white space between is ignored", " {}\r\n\t[] \n\n{} ", ["{}", "[]", "{}"]],
    ["white space within stays", "{ \"a\" : [ 1 ] }\n", ["{ \"a\" : [ 1 ] }"]],
    ["brackets are counted", "[[{}],[[]]][{\"a\":{}}]", ["[[{}],[[]]]", "[{\"a\":{}}]"]],
    ["brackets in strings are not", "[\"]\"]{\"}\":\"{\"}", ["[\"]\"]", "{\"}\":\"{\"}"]],
    ["quotes may be escaped", "\"\\\"\"\"\\\\\"[\"\\\\\\\"]\"]", ["\"\\\"\"", "\"\\\\\"", "[\"\\\\\\\"]\"]"]],
    ["numbers end with what is none", "1 2\n-3[]4{}5\"\"6", ["1", "2", "-3", "[]", "4", "{}", "5", "\"\"", "6"]],
    ["numbers have all their signs", "1.5e+3 -0.1E-2", ["1.5e+3", "-0.1E-2"]],
    ["what makes no number is for JSON.parse", "1-2 3..", ["1-2", "3.."]],
    ["literals end with their letters", "truefalsenull{}null1", ["true", "false", "null", "{}", "null", "1"]],
    ["literals end numbers", "1true2null", ["1", "true", "2", "null"]],
    ["the kinds of brackets are for JSON.parse", "[}{]", ["[}", "{]"]],
    ["a header ends it", "Content-Length: 2\r\n\r\n{}", otherFraming(headerFirst, "C")],
    ["a header is looked for at the beginning only", "{}Content", ["{}", syntax(2, "C")]],
    ["no input has no frames", "", []],
    ["white space has no frames", " \r\n\t", []],

    ["invalid UTF-8 costs its value", "{}\"<ff>\"[]", ["{}", invalidUtf8("\"\\xff\""), "[]"]],
    ["a quote ends a sequence that is not whole", "[\"<e2><9c>\"]{}", [invalidUtf8("[\"\\xe2\\x9c\"]"), "{}"]],
    ["a value of the limit is a text", "[1,2][3,4]", ["[1,2]", "[3,4]"], { frame: 5 }],
    ["a value beyond is skipped", "[][1,23]{}", ["[]", tooLarge("[1,23]"), "{}"], { frame: 5 }],
    ["also a string", "\"12345\"1", [tooLarge("\"12345\""), "1"], { frame: 5 }],
    ["also a number", "123456 1", [tooLarge("123456"), "1"], { frame: 5 }],
    ["also a number at the end", "123456", [tooLarge("123456")], { frame: 5 }],
    ["also a literal", "false null", [tooLarge("false"), "null"], { frame: 4 }],
    ["its brackets and strings are followed", "[[\"]\\\"\"],1]{}", [tooLarge("[[\"]\\\"\"],1]"), "{}"], { frame: 5 }],
    ["an excerpt has 64 bytes", `"${"x".repeat(99)}"`, [tooLarge(`"${"x".repeat(63)}`)], { frame: 70 }],

    ["a closer without its opener", "{}]{}", ["{}", syntax(2, "]")]],
    ["a closer too many", "{}}", ["{}", syntax(2, "}")]],
    ["a comma between values", "{},{}", ["{}", syntax(2, ",")]],
    ["letters", "{} hello", ["{}", syntax(3, "h")]],
    ["no literal", "{}\nnope", ["{}", syntax(3, "no")]],
    ["letters after a literal", "nulls", ["null", syntax(4, "s")]],
    ["a plus sign", "+1", [syntax(0, "+")]],
    ["a point", ".5", [syntax(0, ".")]],
    ["a single quote", "'a'", [syntax(0, "'")]],
    ["a NUL", "{}<00>", ["{}", syntax(2, "\\x00")]],
    ["a byte of a sequence", "1é", ["1", syntax(1, "\\xc3")]],
    ["what begins like a method and is none", "GETTER", [syntax(0, "G")]],
    ["the offset counts the mark", "<ef><bb><bf>}", [syntax(3, "}")]],

    ["the input ends in an array", "{} [1,", ["{}", truncated(3, "[1,")]],
    ["the input ends in a string", "\"a", [truncated(0, "\"a")]],
    ["the input ends after a backslash", "\"a\\", [truncated(0, "\"a\\")]],
    ["the input ends in a literal", "tru", [truncated(0, "tru")]],
    ["the input ends in a value beyond the limit", "[1,2,3", [truncated(0, "[1,2,3")], { frame: 5 }]
  ])

  it("no value waits for the next, but for a number", () => {
    const splitter = Framing.concatenated.splitter(Limits.defaults)
    assert.deepStrictEqual(splitter.push(bytes("{}")), ["{}"])
    assert.isFalse(splitter.partial())
    assert.deepStrictEqual(splitter.push(bytes("null")), ["null"])
    assert.deepStrictEqual(splitter.push(bytes("12")), [])
    assert.isTrue(splitter.partial())
    assert.deepStrictEqual(splitter.push(bytes("3")), [])
    assert.deepStrictEqual(splitter.push(bytes(" ")), ["123"])
    assert.isFalse(splitter.partial())
  })

  it("nothing that follows a lost place is read", () => {
    assert.deepStrictEqual(frames(Framing.concatenated, [bytes("}{}"), bytes("{}")]), [syntax(0, "}")])
  })

  it.each([
    [["{}"], "{}\n"],
    [["1", "2"], "1\n2\n"],
    [["[\n1]"], "[\n1]\n"],
    [[], ""]
  ])("%j is written as %j", (texts, expected) => {
    assert.deepStrictEqual(Framing.concatenated.join(texts), bytes(expected))
  })
})
