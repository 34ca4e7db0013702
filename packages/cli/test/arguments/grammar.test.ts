import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ArgumentError, Reason } from "../../src/internal/arguments/grammar/ArgumentError.ts"
import * as Grammar from "../../src/internal/arguments/grammar/Grammar.ts"

/** The params that words mean, as the text of JSON; of a failure, its reason. */
const read = (words: ReadonlyArray<string>): Effect.Effect<string | Reason> =>
  Effect.flatMap(Effect.fromResult(Grammar.parse(words, { isList: true })), Grammar.give).pipe(
    Effect.match({
      onFailure: ({ reason }: ArgumentError): string | Reason => reason,
      onSuccess: (given) => {
        if (given._tag === "None") return ""
        return JSON.stringify(
          given._tag === "Whole"
            ? given.value
            : Grammar.objectOf(Array.from(given.members, ([name, member]) => [name, Grammar.textOf(member)] as const))
        )
      }
    })
  )

const tagOf = (read: string | Reason): string => typeof read === "string" ? read : read._tag

/** A folder for files, until the test ends. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-grammar-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The parts of a name, some of which a word cannot have where they stand. */
const Parts = Schema.Array(
  Schema.Literals(["a", "Z", "é", "日", "0", ":", "-", "@", "{", "\"", " ", ".", "__proto__", "toString"])
)

/** Members of those names that a word can have. */
const membersOf = <A>(entries: ReadonlyArray<readonly [parts: ReadonlyArray<string>, value: A]>) =>
  Array.from(
    new Map(
      entries.map(([parts, value]) => [parts.join(""), value] as const)
        .filter(([name]) => /^[^=@{["\s-][^=]*$/.test(name) && !name.endsWith(":"))
    )
  )

/** A text, among them such that mean something where they stand alone. */
const Text = Schema.Union([
  Schema.String,
  Schema.Literals(["", "=", ":=1", "1", "true", "{}", "[1]", "-", "a=b", "\n", "__proto__"])
])

/** Whether params are the object of these members, each of which is JSON. */
const assertObject = (params: string | Reason, members: ReadonlyArray<readonly [name: string, json: string]>) => {
  const text = `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`
  // Objects have names that are numbers first.
  assert.strictEqual(params, members.length === 0 ? "" : JSON.stringify(JSON.parse(text)))
}

const isJson = (text: string): boolean => Result.isSuccess(Result.try((): unknown => JSON.parse(text)))

describe("the words of a call", () => {
  it.effect.prop("give each name its text, and nothing is lost", [
    Schema.Array(Schema.Tuple([Parts, Text]))
  ], ([entries]) =>
    Effect.gen(function*() {
      const members = membersOf(entries).filter(([, text]) => !text.startsWith("@"))
      assertObject(
        yield* read(members.map(([name, text]) => `${name}=${text}`)),
        members.map(([name, text]) => [name, JSON.stringify(text)])
      )
    }))

  it.effect.prop("give each name its JSON, and nothing is lost", [
    Schema.Array(Schema.Tuple([Parts, Schema.Json]))
  ], ([entries]) =>
    Effect.gen(function*() {
      const members = membersOf(entries).map(([name, value]) => [name, JSON.stringify(value)] as const)
      assertObject(yield* read(members.map(([name, json]) => `${name}:=${json}`)), members)
    }))

  it.effect.prop("are a list of values of JSON, unless one alone is all of the params", [
    Schema.Array(Schema.Json)
  ], ([values]) =>
    Effect.gen(function*() {
      const words = values.map((value) => JSON.stringify(value))
      const [only] = values
      const isWhole = values.length === 1 && typeof only === "object" && only !== null
      assert.strictEqual(yield* read(words), words.length === 0 ? "" : isWhole ? words[0] : `[${words.join()}]`)
    }))

  it.effect.prop("are all of the params, where one is an array or an object", [
    Schema.Union([Schema.Array(Schema.Json), Schema.Record(Schema.String, Schema.Json)])
  ], ([params]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* read([JSON.stringify(params)]), JSON.stringify(params))
      assert.strictEqual(yield* read([` \n${JSON.stringify(params, undefined, 2)}`]), JSON.stringify(params))
    }))

  it.effect.prop("that are texts stay what they are in a list", [
    Schema.Array(Text)
  ], ([all]) =>
    Effect.gen(function*() {
      const texts = all.filter((text) => !/^@|^-$|=/.test(text) && !isJson(text))
      const words = ["0", ...texts]
      assert.strictEqual(yield* read(words), JSON.stringify([0, ...texts]))
    }))

  it.effect("keep the digits of their numbers", () =>
    Effect.gen(function*() {
      for (const text of ["1234567890123456789", "1e400", "0.1000000000000000055", "-0", "1.0"]) {
        assert.strictEqual(yield* read([`a:=${text}`, `b:=[${text}]`]), `{"a":${text},"b":[${text}]}`)
        assert.strictEqual(yield* read([text, text]), `[${text},${text}]`)
        assert.strictEqual(yield* read([`{"a":${text}}`]), `{"a":${text}}`)
      }
    }))

  it.effect("make no prototypes", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* read(["__proto__:={\"a\":1}", "constructor=b", "toString=c"]),
        `{"__proto__":{"a":1},"constructor":"b","toString":"c"}`
      )
      assert.strictEqual(yield* read([`{"__proto__":1}`]), `{"__proto__":1}`)
    }))

  it.effect("are split at the first equals sign, and have what is special only where it is", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* read(["a=b=c", "d==", "e=", "f:g=h", "i:=\"j=k\""]),
        JSON.stringify({
          a: "b=c",
          d: "=",
          e: "",
          "f:g": "h",
          i: "j=k"
        })
      )
      assert.strictEqual(yield* read(["\"a=b\"", "=c", ":=d"]), `["a=b","=c",":=d"]`)
      assert.strictEqual(yield* read(["hello"]), `["hello"]`)
      assert.strictEqual(yield* read(["42"]), "[42]")
      assert.strictEqual(yield* read(["-5", ""]), `[-5,""]`)
      assert.strictEqual(yield* read(["[a-z]", "{"]), `["[a-z]","{"]`)
    }))

  it.effect("read files: their text as it is, or their JSON", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const [text, json, binary] = [join(at, "a=b.txt"), join(at, "c.json"), join(at, "d.bin")]
      writeFileSync(text, "\ufeffé\n")
      writeFileSync(json, `\ufeff{ "a": 1234567890123456789 }\n`)
      writeFileSync(binary, new Uint8Array([0xff, 0xfe]))
      assert.strictEqual(yield* read([`t=@${text}`]), JSON.stringify({ t: "\ufeffé\n" }))
      assert.strictEqual(yield* read([`j:=@${json}`]), `{"j":{"a":1234567890123456789}}`)
      assert.strictEqual(yield* read([`@${json}`]), `{"a":1234567890123456789}`)
      for (const words of [[`@${text}`], [`t:=@${text}`]]) assert.strictEqual(tagOf(yield* read(words)), "NotJson")
      assert.strictEqual(tagOf(yield* read([`t=@${binary}`])), "NotUtf8")
      assert.strictEqual(tagOf(yield* read([`t=@${at}`])), "Unread")
      assert.strictEqual(tagOf(yield* read([`t=@${join(at, "none")}`])), "Unread")
      assert.strictEqual(tagOf(yield* read(["t=@/dev/zero"])), "TooLarge")
    }))

  it.effect("say what was read, and what would be right", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<readonly [words: ReadonlyArray<string>, tag: Reason["_tag"]]> = [
        [["a=1", "b"], "Mixed"],
        [["b", "a=1"], "Mixed"],
        [["a=1", "a:=2"], "Twice"],
        [["a", "-"], "NotAlone"],
        [["@p.json", "a=1"], "NotAlone"],
        [["@"], "NoFile"],
        [["a=@"], "NoFile"],
        [["a:=@"], "NoFile"],
        [["a=@-", "b=@-"], "StdinTwice"],
        [["[42,", "23]"], "Split"],
        [["{\"a\":", "1}"], "Split"],
        [["[1"], "NotJson"],
        [["{a: 1}"], "NotJson"],
        [["a:="], "NotJson"],
        [["a:=1,\"b\":2"], "NotJson"]
      ]
      for (const [words, tag] of wrong) assert.strictEqual(tagOf(yield* read(words)), tag, words.join(" "))
      const bare = Result.flip(Grammar.parse(["1"], { isList: false }))
      assert.strictEqual(Result.isSuccess(bare) ? bare.success.reason._tag : "", "NotNamed")
    }))

  it.effect("are strings for a prompt, or say which is none", () =>
    Effect.gen(function*() {
      const strings = (words: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatMap(Effect.fromResult(Grammar.parse(words, { isList: false })), Grammar.give),
          (given) =>
            Result.match(Grammar.stringsOf(given), {
              onFailure: ({ message }) => message,
              onSuccess: (strings) => JSON.stringify(Object.fromEntries(strings))
            })
        )
      assert.strictEqual(yield* strings(["a=1", "b:=\"2\"", "__proto__=c"]), `{"a":"1","b":"2","__proto__":"c"}`)
      assert.strictEqual(yield* strings([`{"a":"1"}`]), `{"a":"1"}`)
      assert.strictEqual(yield* strings([]), "{}")
      assert.strictEqual(yield* strings(["a:=1"]), "a is not a string")
      assert.strictEqual(yield* strings([`{"a":[]}`]), "a is not a string")
      assert.strictEqual(yield* strings(["[]"]), "\"[]\" is not an object")
    }))
})
