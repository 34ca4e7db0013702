/**
 * Texts that are a few edits away from a valid one.
 *
 * An edit of the members keeps the text JSON and breaks the rules of messages; an edit of the characters mostly
 * breaks JSON. The laws derive from the published Schema and from `JSON.parse` what an edited text must decode to.
 *
 * ```ts run
 * import { Mutation } from "@parley/conformance/shared"
 * import { Laws } from "@parley/conformance"
 * import { Message } from "@parley/protocol"
 * import { Effect, Result } from "effect"
 *
 * const law = Laws.forAll("decoding never throws", Mutation.text, (text) =>
 *   Result.isResult(Message.decode(text)) ? undefined : `${text} has no outcome`, { runs: 20 })
 *
 * await Effect.runPromise(law.check)
 * console.log(Mutation.textOf([["id", "1"], ["id", "2"]])) // => {"id":1,"id":2}
 * ```
 *
 * @since 0.1.0
 */
import * as Message from "@parley/protocol/Message"
import * as Arbitrary from "effect/Arbitrary"
import { below, elements, exactNumberText, json, key, message, oneOf, string } from "./Generators.ts"

/**
 * The members of one JSON object in their order, each value as JSON text: room for duplicate keys, and for numbers
 * that JavaScript does not have.
 *
 * @category models
 * @since 0.1.0
 */
export type Members = ReadonlyArray<readonly [key: string, text: string]>

const named = ["jsonrpc", "id", "method", "params", "result", "error"] as const

/** Values of an `error`: right ones, and wrong ones that resemble them. */
const errorText: Arbitrary.Arbitrary<string> = elements<string>(
  "{\"code\":1,\"message\":\"m\"}",
  "{\"code\":1,\"message\":\"m\",\"data\":null,\"more\":1}",
  "{\"code\":1.5,\"message\":\"m\"}",
  "{\"code\":1e400,\"message\":\"m\"}",
  "{\"code\":9007199254740993,\"message\":\"m\"}",
  "{\"code\":\"1\",\"message\":\"m\"}",
  "{\"code\":1,\"message\":null}",
  "{\"code\":1}",
  "{\"message\":\"m\"}",
  "[]",
  "null"
)

/** One value of each kind, and versions. */
const simpleText = elements("null", "true", "1", "\"m\"", "[]", "{}", "\"2.0\"", "2.0", "\"1.0\"", "-0", "1e2")

/** Values that an edit gives to members. */
const valueText: Arbitrary.Arbitrary<string> = oneOf<string>(
  simpleText,
  errorText,
  exactNumberText,
  Arbitrary.map(json, (value) => JSON.stringify(value))
)

type Edit<A> = (value: A) => A

const at = <A>(values: ReadonlyArray<A>, position: number): number => values.length === 0 ? 0 : position % values.length

/** A member that messages have, with a value of its own or of another kind. */
const namedEdit: Arbitrary.Arbitrary<Edit<Members>> = Arbitrary.map(
  Arbitrary.all([elements(...named), simpleText]),
  ([name, text]): Edit<Members> => (members) => [...members.filter(([other]) => other !== name), [name, text]]
)

/** Another `error` in the place of the one that is there. */
const errorEdit: Arbitrary.Arbitrary<Edit<Members>> = Arbitrary.map(
  errorText,
  (text): Edit<Members> => (members) => members.map(([name, value]) => [name, name === "error" ? text : value])
)

const memberEdit: Arbitrary.Arbitrary<Edit<Members>> = Arbitrary.map(
  Arbitrary.all([
    elements("drop", "double", "replace", "add", "rename"),
    below(8),
    valueText,
    oneOf<string>(elements(...named), key)
  ]),
  ([kind, position, text, key]): Edit<Members> => (members) => {
    const index = at(members, position)
    const [name = key, value = text] = members[index] ?? []
    switch (kind) {
      case "drop":
        return members.toSpliced(index, 1)
      case "double":
        return [...members, [name, text]]
      case "replace":
        return members.toSpliced(index, 1, [name, text])
      case "add":
        return members.toSpliced(index, 0, [key, text])
      case "rename":
        return members.toSpliced(index, 1, [key, value])
    }
  }
)

/**
 * The members of a generated message after up to three edits.
 *
 * @category generators
 * @since 0.1.0
 */
export const members: Arbitrary.Arbitrary<Members> = Arbitrary.map(
  Arbitrary.all([message, Arbitrary.array(oneOf(memberEdit, namedEdit, errorEdit), { maxLength: 3 })]),
  ([valid, edits]) => edits.reduce((value, edit) => edit(value), membersOf(valid))
)

/** A message is written by hand here, so that the encoder under test has no part in it. */
const membersOf = (valid: Message.Message): Members => {
  const { _tag, extra, ...own } = valid
  const all = { jsonrpc: "2.0", ...own, ...extra }
  return Object.entries(all).map(([key, value]) => [key, JSON.stringify(value)])
}

/**
 * The text of an object with these members.
 *
 * @category texts
 * @since 0.1.0
 */
export const textOf = (all: Members, space = ""): string =>
  `${space}{${
    all.map(([key, text]) => `${space}${JSON.stringify(key)}${space}:${space}${text}${space}`).join(",")
  }}${space}`

const space = elements("", " ", "\n", "\r\n\t ")

const singleText: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.all([members, space]),
  ([all, between]) => textOf(all, between)
)

const characterEdit: Arbitrary.Arbitrary<Edit<string>> = Arbitrary.map(
  Arbitrary.all([
    elements("truncate", "delete", "flip", "insert", "repeat", "wrap"),
    below(1_000),
    elements("\"", "{", "}", "[", "]", ",", ":", "\\", "0", "-", ".", "e", "/", " ", "\0", "\ufeff", "\ud800", "é")
  ]),
  ([kind, position, char]): Edit<string> => (text) => {
    const index = text === "" ? 0 : position % text.length
    switch (kind) {
      case "truncate":
        return text.slice(0, index)
      case "delete":
        return text.slice(0, index) + text.slice(index + 1)
      case "flip":
        return text.slice(0, index) + char + text.slice(index + 1)
      case "insert":
        return text.slice(0, index) + char + text.slice(index)
      case "repeat":
        return text + text
      case "wrap":
        return `[${text}]`
    }
  }
)

const edited = (texts: Arbitrary.Arbitrary<string>): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.all([texts, Arbitrary.array(characterEdit, { maxLength: 3 })]),
    ([valid, edits]) => edits.reduce((text, edit) => edit(text), valid)
  )

/**
 * The texts of members that stand in one batch, good and bad.
 *
 * @category generators
 * @since 0.1.0
 */
export const batch: Arbitrary.Arbitrary<ReadonlyArray<string>> = Arbitrary.array(
  oneOf(singleText, valueText),
  { minLength: 1, maxLength: 5 }
)

/**
 * Any text at all: valid ones, batches, edited ones, noise.
 *
 * @category generators
 * @since 0.1.0
 */
export const text: Arbitrary.Arbitrary<string> = oneOf(
  singleText,
  edited(singleText),
  edited(Arbitrary.map(batch, (texts) => `[${texts.join(",")}]`)),
  valueText,
  string
)
