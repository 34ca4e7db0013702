import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { createContext, Script } from "node:vm"
import * as Pattern from "../src/internal/pattern/pattern.ts"
import * as programs from "../src/internal/pattern/program.ts"
import * as syntax from "../src/internal/pattern/syntax.ts"
import { Steps, Undecided } from "../src/internal/Steps.ts"

/** The declarations of the package leave out what is internal; it is here as the sources have it. */
const { make, matches } = programs as unknown as {
  readonly make: (part: unknown, steps: Steps) => unknown
  readonly matches: (program: unknown, codes: ReadonlyArray<number>, steps: Steps) => boolean
}
const { parse } = syntax as unknown as { readonly parse: (source: string, flags: "u" | "") => unknown }

/** More than any text here needs. */
const many = 1_000_000_000

/** Whether a pattern matches, by our own run: that of the runtime is not asked. */
const runs = (source: string, text: string, steps = new Steps(many)): boolean =>
  matches(make(parse(source, "u"), steps), Array.from(text, (char) => char.codePointAt(0) ?? 0), steps)

const place = createContext({ source: "", text: "" })
const asked = new Script("new RegExp(source, 'u').test(text)")

/** The answer of the runtime's engine. It goes back and forth without a bound: it has none to some patterns in a second. */
const runtimes = (source: string, text: string): boolean | undefined => {
  try {
    return asked.runInContext(Object.assign(place, { source, text }), { timeout: 1_000 })
  } catch (error) {
    assert.propertyVal(error, "code", "ERR_SCRIPT_EXECUTION_TIMEOUT")
    return undefined
  }
}

const test = (source: string, text: string): boolean | string => {
  const pattern = Pattern.make(source, new Steps())
  return typeof pattern === "string" ? pattern : pattern.test(text, new Steps())
}

const chosen = <const A extends ReadonlyArray<string>>(...all: A) => Arbitrary.schema(Schema.Literals(all))

const atom = chosen("a", "b", ".", "[^a]", "\\w", "\\p{L}", "-", "^", "$", "\\b", "\\B")
const opening = chosen("", "", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!")
const times = chosen("", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?")

const isAssertion = (source: string) => /^(?:[\^$]|\\[bB]|\(\?<?[=!])/.test(source)

/** Expressions of everything that there is, in groups so deep. */
const sourceOf = (depth: number): Arbitrary.Arbitrary<string> => {
  const inner = depth === 0 ? atom : sourceOf(depth - 1)
  const part = Arbitrary.map(
    Arbitrary.all({ atom, opening, inner, times }),
    ({ atom, inner, opening, times }) => {
      const part = opening === "" || depth === 0 ? atom : `${opening}${inner})`
      return isAssertion(part) ? part : part + times
    }
  )
  const parts = Arbitrary.map(Arbitrary.array(part, { maxLength: 3 }), (parts) => parts.join(""))
  return Arbitrary.map(Arbitrary.array(parts, { minLength: 1, maxLength: 2 }), (choices) => choices.join("|"))
}

/** V8 begins to look behind within a character of two units, which is a place that a text does not have. */
const text = Arbitrary.map(
  Arbitrary.array(chosen("a", "b", "-", "\n", "é"), { maxLength: 6 }),
  (chars) => chars.join("")
)

describe("a pattern in linear time", () => {
  it("is answered where the engine of the runtime has no answer in a second", () => {
    const hostile: [source: string, text: string] = ["^(?:(?:a|a)+)+$", `${"a".repeat(60)}b`]
    assert.deepStrictEqual([runtimes(...hostile), runs(...hostile)], [undefined, false])
    assert.deepStrictEqual([runtimes("^a+$", "aa"), runtimes("^a+$", "ab")], [true, false])
  })

  it.prop(
    "matches what the engine of the runtime matches",
    [sourceOf(3), text],
    ([source, text]) => {
      const matches = runs(source, text)
      assert.strictEqual(matches, runtimes(source, text) ?? matches, source)
    },
    { arbitrary: { runs: process.env["SLOW"] === "1" ? 5_000 : 500 } }
  )

  it("everyday ones are run", () => {
    for (
      const [pattern, text, matches] of [
        ["^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$", "ada@example.org", true],
        ["^\\d{4}-\\d{2}-\\d{2}$", "2026-11-22", true],
        ["^(red|green)$", "blue", false],
        ["^a\\(b\\)+$", "a(b)))", true],
        ["^(?:ab)?c$", "abc", true],
        ["^[a-f0-9]{8}(-[a-f0-9]{4}){3}$", "00000000-0000-0000-0000", true],
        ["^[(*+]$", "*", true],
        ["^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}\\d+$", "127.0.0.1", true],
        ["^\\p{Lu}\\p{Ll}+$", "Ada", true],
        ["^(ab){20}$", "ab".repeat(20), true],
        ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-slug-of-words", true],
        ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a--slug", false],
        ["^[a-z]+(\\.[a-z]+)*$", "a.dotted.name", true],
        ["^[a-z]+(\\.[a-z]+)*$", "a.dotted.", false],
        ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "my-pod.my-space", true],
        ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "-pod", false],
        ["^(/[^/\\0]+)+/?$", "/usr/local/bin", true],
        ["^(/[^/\\0]+)+/?$", "usr//bin", false],
        ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", "aGVsbG8=", true],
        ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", "aGVsbG8", false],
        ["^\\w+(,\\w+)*$", "a,b,c", true],
        ["^\\w+(,\\w+)*$", "a,,c", false],
        ["^(?!.*\\.\\.)[\\w./]+$", "a/b.c", true],
        ["^(?!.*\\.\\.)[\\w./]+$", "a/../c", false],
        ["^(0|[1-9]\\d*)(\\.(0|[1-9]\\d*)){2}(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$", "1.2.3-rc.1", true],
        ["^(0|[1-9]\\d*)(\\.(0|[1-9]\\d*)){2}(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$", "not a version", false],
        // Without the flag `u`, which does not read this class.
        ["^[\\w-.]+$", "a-b.c", true],
        ["^.{0,65535}$", "x".repeat(1_000), true]
      ] as const
    ) assert.strictEqual(test(pattern, text), matches, pattern)
  })

  it("those that make an engine wait are run in steps that grow with the text", () => {
    const text = "a".repeat(2_000)
    for (
      const [pattern, matches] of [
        ["(a+)+$", true],
        ["^(a|a)*b$", false],
        ["(a*)*b", false],
        ["^(?=a+)a+$", true],
        ["a*a*a*a*a*b", false],
        ["(a{1,30}){1,30}b", false],
        ["^(?:a?){30}a{30}$", false],
        ["(?<=a*)b", false],
        ["(?!a*b)", true]
      ] as const
    ) {
      const steps = new Steps(many)
      const { left } = steps
      assert.strictEqual(runs(pattern, text.slice(0, 500), steps), matches, pattern)
      const few = left - steps.left
      assert.strictEqual(runs(pattern, text, steps), matches, pattern)
      assert.isAtMost(left - few - steps.left, few * 5, pattern)
    }
  })

  it("what is long in a pattern takes steps at each place where it may begin", () => {
    for (const source of ["[ab]{1000}c", "(?:[ab]{40}){25}c", `${"[ab]".repeat(200)}c`]) {
      const pattern = Pattern.make(source, new Steps())
      if (typeof pattern === "string") return assert.fail(pattern)
      assert.isFalse(pattern.test("ab".repeat(200), new Steps()), source)
      const long = Result.try(() => pattern.test("ab".repeat(20_000), new Steps()))
      assert.isTrue(Result.isFailure(long) && long.failure instanceof Undecided, source)
    }
  })

  it("the few that cannot be are refused with the reason", () => {
    for (
      const [pattern, reason] of [
        ["(a)\\1", "it refers back to what a group has matched"],
        ["(?<x>a)\\k<x>", "it refers back to what a group has matched"],
        ["(?i:a)", "it changes flags for a part of it"],
        ["[", "it is no regular expression of ECMAScript"],
        ["(?i)a", "it is no regular expression of ECMAScript"],
        ["((a{1000}){1000}){1000}", "it repeats too much"],
        ["a".repeat(4_097), "it has more than 4096 characters"]
      ] as const
    ) assert.strictEqual(Pattern.make(pattern, new Steps()), reason, pattern)
  })

  it("a character of two units is one", () => {
    assert.isTrue(runs("^.$", "😀"))
    assert.isFalse(runs("^..$", "😀"))
    assert.isFalse(runs("(?<!^[^]*)", "😀"))
    assert.isTrue(runs("^(?:\\u{1F600}|\\ud83d\\ude01)[😀-😂]$", "😁😂"))
  })

  it("nothing that is repeated without end is nothing", () => {
    assert.isTrue(runs("^(?:){1000000000}$", ""))
    assert.isTrue(runs("^(?:|){3,}a$", "a"))
  })
})
