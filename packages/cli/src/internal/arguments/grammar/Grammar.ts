/**
 * The grammar of arguments: what words of the command line mean as the params of a call, as the arguments of a tool and
 * as those of a prompt.
 *
 * | Words           | Mean                                                         |
 * | --------------- | ------------------------------------------------------------ |
 * | `NAME=TEXT`     | a member that is a text, as it is                            |
 * | `NAME:=JSON`    | a member that is a value of JSON                             |
 * | `NAME=@FILE`    | a member that is the text of a file                          |
 * | `NAME:=@FILE`   | a member that is the JSON of a file                          |
 * | `'{…}'`, `'[…]'` | all of the params, where it is the only word                 |
 * | `@FILE`         | all of the params, from a file of JSON; the only word        |
 * | `-`             | all of the params, from the JSON on stdin; the only word     |
 * | other words     | a list: each is JSON if it can be, and else a text           |
 *
 * The file `-` is stdin. Words that are one value of JSON together are none of these: the shell has split it. Whatever a word cannot say, such as a name with an equals sign, JSON can. The text of JSON is
 * kept as it was typed until it is parsed, so that numbers keep all of their digits, and no name is special: `__proto__`
 * is a member like others.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as json from "../../terminal/json.ts"
import { ArgumentError, nameOf, quoted, type Reason, stdin } from "./ArgumentError.ts"
import * as sources from "./sources.ts"

/** The place of a text: on the command line, or in a file. */
type Source =
  | { readonly _tag: "Typed"; readonly text: string }
  | { readonly _tag: "File"; readonly file: string }

/** The meaning of words, before files are read. */
export type Arguments =
  | { readonly _tag: "None" }
  | { readonly _tag: "Whole"; readonly source: Source }
  | { readonly _tag: "Named"; readonly members: ReadonlyMap<string, Member> }

/** The value of a name: a text, or the text of JSON. */
interface Member {
  readonly isJson: boolean
  readonly source: Source
}

/** Arguments whose files are read. */
export type Given =
  | { readonly _tag: "None" }
  | { readonly _tag: "Whole"; readonly place: string; readonly value: Schema.Json }
  | { readonly _tag: "Named"; readonly members: ReadonlyMap<string, GivenMember> }

/** The value of a name: a text, or the text of JSON, which is valid. */
export interface GivenMember {
  readonly isJson: boolean
  readonly text: string
}

/** The forms of arguments that a command takes. */
export interface Options {
  /** Whether words without names are a list. They are an error otherwise. */
  readonly isList: boolean
}

/** Reads the words. */
export const parse = (
  words: ReadonlyArray<string>,
  { isList }: Options
): Result.Result<Arguments, ArgumentError> => {
  const [only, ...others] = words
  if (only === undefined) return Result.succeed({ _tag: "None" })
  if (others.length === 0) {
    const source = wholeOf(only)
    if (source !== undefined) {
      return isNameless(source)
        ? fail({ _tag: "NoFile", word: only })
        : Result.succeed({ _tag: "Whole", source })
    }
  }
  const whole = words.join(" ")
  if (/^\s*[[{"]/.test(only) && Result.isFailure(parsed(only)) && Result.isSuccess(parsed(whole))) {
    return fail({ _tag: "Split", word: only, whole })
  }
  const members = new Map<string, Member>()
  const items: Array<{ readonly word: string; readonly json: string }> = []
  for (const word of words) {
    if (word === stdin || word.startsWith("@")) return fail({ _tag: "NotAlone", word })
    const isJson = Result.isSuccess(parsed(word))
    const pair = isJson ? undefined : pairOf(word)
    if (pair === undefined) {
      if (!isList) return fail({ _tag: "NotNamed", word })
      items.push({ word, json: isJson ? word : JSON.stringify(word) })
      continue
    }
    const [name, member] = pair
    if (members.has(name)) return fail({ _tag: "Twice", name })
    if (isNameless(member.source)) return fail({ _tag: "NoFile", word })
    members.set(name, member)
  }
  const [named] = members.keys()
  const [item] = items
  if (named !== undefined && item !== undefined) return fail({ _tag: "Mixed", named, word: item.word })
  const files = Array.from(members.values()).filter(({ source }) => source._tag === "File" && source.file === stdin)
  if (files.length > 1) return fail({ _tag: "StdinTwice" })
  return Result.succeed(
    named !== undefined
      ? { _tag: "Named", members }
      : { _tag: "Whole", source: { _tag: "Typed", text: `[${items.map(({ json }) => json).join()}]` } }
  )
}

/** Reads the files of arguments. */
export const give = (args: Arguments): Effect.Effect<Given, ArgumentError> => {
  switch (args._tag) {
    case "None":
      return Effect.succeed(args)
    case "Whole":
      return Effect.gen(function*() {
        const text = yield* jsonOf(args.source)
        const place = placeOf(args.source)
        return { _tag: "Whole", place, value: yield* Effect.fromResult(valueOf(text, place)) }
      })
    case "Named":
      return Effect.map(
        Effect.forEach(
          args.members,
          ([name, member]) => Effect.map(memberOf(name, member), (given) => [name, given] as const)
        ),
        (members) => ({ _tag: "Named", members: new Map(members) })
      )
  }
}

/** The object of members, each of which is the text of JSON. */
export const objectOf = (members: Iterable<readonly [name: string, json: string]>): Schema.JsonObject =>
  // Written as a text, so that numbers keep their digits and no name is special. Each part of it is JSON.
  json.parseUnsafe(
    `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
  ) as Schema.JsonObject

/** The text of JSON of a member. */
export const textOf = ({ isJson, text }: GivenMember): string => isJson ? text : JSON.stringify(text)

/** The first text that could have been meant as a number, a literal, a list or an object. */
export const doubtful = (
  members: ReadonlyMap<string, GivenMember>
): readonly [name: string, text: string] | undefined => {
  for (const [name, { isJson, text }] of members) {
    if (!isJson && text.length <= longestDoubt && Result.isSuccess(parsed(text))) return [name, text]
  }
  return undefined
}

/** Longer texts are nobody's number. */
const longestDoubt = 256

/** Arguments that have names and are strings, as those of a prompt. */
export const stringsOf = (given: Given): Result.Result<ReadonlyMap<string, string>, ArgumentError> => {
  if (given._tag === "None") return Result.succeed(new Map())
  if (
    given._tag === "Whole" && (typeof given.value !== "object" || given.value === null || Array.isArray(given.value))
  ) {
    return fail({ _tag: "NotParams", place: given.place, expected: "an object" })
  }
  const values = given._tag === "Whole"
    ? Object.entries(given.value ?? {})
    : Array.from(given.members, ([name, member]) => [name, json.parseUnsafe(textOf(member))] as const)
  const strings = new Map<string, string>()
  for (const [name, value] of values) {
    if (typeof value !== "string") return fail({ _tag: "NotString", name })
    strings.set(name, value)
  }
  return Result.succeed(strings)
}

const fail = (reason: Reason) => Result.fail(new ArgumentError({ reason }))

/** The source of a word that stands for all params, where it does. */
const wholeOf = (word: string): Source | undefined => {
  if (word === stdin) return { _tag: "File", file: stdin }
  if (word.startsWith("@")) return { _tag: "File", file: word.slice(1) }
  return /^\s*[[{]/.test(word) ? { _tag: "Typed", text: word } : undefined
}

const isNameless = (source: Source): boolean => source._tag === "File" && source.file === ""

/** The name and the value of a word that has both. */
const pairOf = (word: string): readonly [name: string, member: Member] | undefined => {
  const at = word.indexOf("=")
  const isJson = word[at - 1] === ":"
  const name = word.slice(0, isJson ? at - 1 : Math.max(at, 0))
  if (name === "") return undefined
  const text = word.slice(at + 1)
  return [name, {
    isJson,
    source: text.startsWith("@") ? { _tag: "File", file: text.slice(1) } : { _tag: "Typed", text }
  }]
}

const memberOf = (name: string, { isJson, source }: Member): Effect.Effect<GivenMember, ArgumentError> =>
  isJson
    ? Effect.flatMap(jsonOf(source), (text) => {
      const place = source._tag === "File" ? nameOf(source.file) : Excerpt.line(name)
      return Effect.as(Effect.fromResult(valueOf(text, place)), { isJson, text })
    })
    : Effect.map(rawOf(source), (text) => ({ isJson, text }))

const rawOf = (source: Source): Effect.Effect<string, ArgumentError> =>
  source._tag === "Typed" ? Effect.succeed(source.text) : sources.textOf(source.file)

/** A text of JSON; editors may begin a file with the mark of the byte order. */
const jsonOf = (source: Source): Effect.Effect<string, ArgumentError> =>
  Effect.map(rawOf(source), (text) => source._tag === "File" ? text.replace(/^\ufeff/, "") : text)

const placeOf = (source: Source): string => source._tag === "File" ? nameOf(source.file) : quoted(source.text)

const parsed = (text: string): Result.Result<Schema.Json, unknown> => Result.try(() => json.parseUnsafe(text))

const valueOf = (text: string, place: string): Result.Result<Schema.Json, ArgumentError> =>
  Result.mapError(parsed(text), (cause) => new ArgumentError({ reason: { _tag: "NotJson", place, cause } }))
